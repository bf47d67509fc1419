"""Which adapters there are, and switching them on: each once in a process, when a capture meets its framework.

Those of clients are put back in place when the first of the open captures opens, and taken out when the last one closes.
"""

from __future__ import annotations

import functools
import importlib
import operator
import sys
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agentassert import recorder
from agentassert.adapters.announced import announced
from agentassert.adapters.base import Adapter, HookMissingError
from agentassert.adapters.importing import ImportWatcher
from agentassert.errors import CaptureWarning

if TYPE_CHECKING:
    from agentassert.adapters.driver import Driver

Load: TypeAlias = Callable[[], type[Adapter]]


def _own(module: str, name: str) -> Load:
    def load() -> type[Adapter]:
        adapter: type[Adapter] = getattr(importlib.import_module(f"{__name__}.{module}"), name)
        return adapter

    return load


# A trigger is the module that defines what the adapter hooks into: when it has been imported, the hook can be put in place before
# anything runs, and a program that only imports some types of the framework pays nothing.
_BUILT_IN: Final[dict[str, Load]] = {
    "langchain_core.tracers.context": _own("langchain.adapter", "LangChainAdapter"),
    "langgraph.pregel": _own("langchain.adapter", "LangGraphAdapter"),
    "agents.run": _own("openai_agents.adapter", "OpenAIAgentsAdapter"),
    "pydantic_ai": _own("pydantic_ai.adapter", "PydanticAIAdapter"),
    "pydantic_ai.direct": _own("pydantic_ai.adapter", "PydanticAIDirectAdapter"),
    "google.adk.runners": _own("google_adk.adapter", "GoogleADKAdapter"),
    "strands.agent.agent": _own("strands.adapter", "StrandsAdapter"),
    "strands.multiagent.swarm": _own("strands.adapter", "StrandsTeamsAdapter"),
    "llama_index.core.instrumentation": _own("llama_index.adapter", "LlamaIndexAdapter"),
    "crewai.crew": _own("crewai.adapter", "CrewAIAdapter"),
    "smolagents.agents": _own("smolagents.adapter", "SmolagentsAdapter"),
    "haystack.core.pipeline.pipeline": _own("haystack.adapter", "HaystackPipelinesAdapter"),
    "haystack.tools.tool": _own("haystack.adapter", "HaystackToolsAdapter"),
    "haystack.components.agents.agent": _own("haystack.adapter", "HaystackAdapter"),
    "dspy.utils.callback": _own("dspy.adapter", "DSPyAdapter"),
    "agno.agent": _own("agno.adapter", "AgnoAdapter"),
    "agno.team": _own("agno.adapter", "AgnoTeamAdapter"),
    "agno.workflow.workflow": _own("agno.adapter", "AgnoWorkflowAdapter"),
    "agno.knowledge.knowledge": _own("agno.adapter", "AgnoKnowledgeAdapter"),
    "litellm": _own("litellm.adapter", "LiteLLMAdapter"),
    "litellm.router_rust.core": _own("litellm.adapter", "LiteLLMRouterAdapter"),
    "claude_agent_sdk": _own("claude_agent_sdk.adapter", "ClaudeAgentSDKAdapter"),
    "mcp.client.session": _own("mcp.adapter", "MCPAdapter"),
    "mcp.client.client": _own("mcp.adapter", "MCPClientAdapter"),
    "fastmcp.client.client": _own("mcp.adapter", "FastMCPAdapter"),
    "openai._base_client": _own("openai_sdk.adapter", "OpenAIAdapter"),
    "openai.lib.streaming.chat._completions": _own("openai_sdk.adapter", "OpenAIChatStreamAdapter"),
    "openai.lib.streaming.responses._responses": _own("openai_sdk.adapter", "OpenAIResponseStreamAdapter"),
    "anthropic._base_client": _own("anthropic_sdk.adapter", "AnthropicAdapter"),
    "anthropic.lib.tools._beta_functions": _own("anthropic_sdk.adapter", "AnthropicToolsAdapter"),
    "opentelemetry.sdk.trace": _own("otel.adapter", "OpenTelemetryAdapter"),
    "agent_framework.observability": _own("otel.frameworks", "AgentFrameworkAdapter"),
    "autogen_agentchat.agents": _own("otel.frameworks", "AutoGenAdapter"),
    "pydantic_ai.agent": _own("otel.frameworks", "PydanticAISpansAdapter"),
}


class _Installation:
    """The adapter of one trigger: installed, being installed by some thread, or broken."""

    def __init__(self) -> None:
        self.by = threading.get_ident()
        self.done = threading.Event()
        self.adapter: Adapter | None = None
        self.notes: list[str] = []
        self.fault: Exception | None = None

    def install(self, load: Load) -> None:
        try:
            self._install(load())
        except Exception as error:  # an adapter that is broken must not break the agent
            self.fault = error
        finally:
            self.done.set()
        for note in self.notes:
            try:
                warnings.warn(note, CaptureWarning, stacklevel=2)
            except CaptureWarning:
                pass  # a filter makes an error of it, which must not leave an import: the capture's health says it again

    def _install(self, kind: type[Adapter]) -> None:
        if not kind.meets_framework():
            return
        if not _is_tested(kind):
            self.notes.append(f"{_versions(kind)}: what it records may be incomplete")
        adapter = kind()
        try:
            adapter.attach()
        except HookMissingError as missing:
            self.notes.append(f"{_versions(kind)}, but {missing}: what happens there is not recorded")
        else:
            self.adapter = adapter

    def attach(self) -> None:
        """Put an adapter back in place that was taken out, or that went with what somebody else took out below it."""
        self._change(operator.methodcaller("attach"))

    def detach(self) -> None:
        """Take an adapter that detaches out."""
        if self.adapter is not None and self.adapter.detaches:
            self._change(operator.methodcaller("uninstall"))

    def _change(self, change: Callable[[Adapter], Any]) -> None:
        if self.adapter is not None:
            try:
                change(self.adapter)
            except Exception as error:  # neither the agent nor another adapter has a part in it
                self.fault = error

    def tell(self, trigger: str) -> None:
        """Tell the open captures what they can expect."""
        for note in self.notes:
            recorder.note(note)
        if self.adapter is not None:
            recorder.declare(self.adapter.name, self.adapter.sees)
        if self.fault is not None:
            recorder.report_fault(trigger if self.adapter is None else self.adapter.name, self.fault)


_lock = threading.RLock()
"""Reentrant: the garbage collector may come between, and close the capture of a generator that was dropped."""
_installations: dict[str, _Installation] = {}
_captures = 0


def drivers() -> list[Driver]:
    """What runs the agents of the frameworks that are imported."""
    found = [_driver(load) for trigger, load in _loaders().items() if trigger in sys.modules]
    return [driver for driver in found if driver is not None]


def _driver(load: Load) -> Driver | None:
    try:
        kind = load()
        return kind.driver() if kind.meets_framework() else None
    except Exception:  # an adapter that is broken: the capture that meets it says so
        return None


def switch_on() -> None:
    """Install the adapters of every framework that is imported, and watch for those that will be; called when a capture opens."""
    global _captures
    watcher = _watcher()
    with _lock:
        _captures += 1
        watcher.start()
        if _captures == 1:
            for known in _installations.values():
                known.attach()
    for trigger in _loaders():
        if trigger in sys.modules:
            installation = _install(trigger)
            if installation.by != threading.get_ident():
                installation.done.wait()
            installation.tell(trigger)


def switch_off() -> None:
    """Stop watching for imports, and take the adapters of clients out, when no capture is open; called when a capture closes."""
    global _captures
    with _lock:
        _captures -= 1
        if _captures == 0:
            _watcher().stop()
            for known in _installations.values():
                known.detach()


def is_on(name: str) -> bool:
    """Whether an adapter of that name has found what it hooks into, and records."""
    return any(known.adapter is not None and known.adapter.name == name for known in list(_installations.values()))


def _install(trigger: str) -> _Installation:
    """Install once; a thread that comes second gets an installation that may not be done.

    No lock is held meanwhile: the thread that waits for it could hold the import lock that the installing thread needs.
    """
    with _lock:
        installation = _installations.get(trigger)
        mine = installation is None
        if installation is None:
            installation = _installations[trigger] = _Installation()
    if mine:
        installation.install(_loaders()[trigger])
        with _lock:
            if _captures == 0:  # it was imported while the last capture closed
                installation.detach()
    return installation


def _imported(trigger: str) -> None:
    """A framework came while a capture was open; this runs in its import, and must not wait for another thread."""
    _install(trigger).tell(trigger)


@functools.cache
def _loaders() -> dict[str, Load]:
    return {**announced(), **_BUILT_IN}


@functools.cache
def _watcher() -> ImportWatcher:
    return ImportWatcher(_loaders(), _imported)


def _is_tested(adapter: type[Adapter]) -> bool:
    oldest, newest = (_major(version) for version in adapter.tested)
    return oldest <= _major(_installed(adapter)) <= newest


def _versions(adapter: type[Adapter]) -> str:
    oldest, newest = adapter.tested
    installed = _installed(adapter) or "of unknown version"
    return f"{adapter.distribution} {installed} is installed; the {adapter.name} adapter was tested with {oldest} to {newest}"


def _installed(adapter: type[Adapter]) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(adapter.distribution)
    except PackageNotFoundError:
        return ""


def _major(version: str) -> int:
    major = version.partition(".")[0]
    return int(major) if major.isdecimal() else -1
