"""What the adapter contract asks of a framework: build an agent from neutral parts, run it, answer its approvals.

A kit holds no expectation. What must have been recorded stands in the scenarios, once for all frameworks.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import importlib.util
import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, ClassVar, Final, NamedTuple, NoReturn, TypeAlias

import attrs

from agentassert.adapters.base import Adapter

QUESTION = "Where is my booking?"


class UnsupportedError(Exception):
    """The framework has nothing of the kind."""


class Request(NamedTuple):
    """A tool that a model asks for; arguments that are a text are JSON text, as providers send it."""

    name: str
    arguments: dict[str, Any] | str = {}  # noqa: RUF012  # a field of a tuple, which nobody changes
    call_id: str = "c1"


@attrs.frozen(init=False)
class Ask:
    """The model asks for tools."""

    requests: tuple[Request, ...]

    def __init__(self, *requests: Request) -> None:
        self.__attrs_init__(requests)


@attrs.frozen
class Say:
    """The model answers; `tokens` are those that it read and wrote, `None` reports none."""

    text: str
    tokens: tuple[int, int] | None = (11, 3)


@attrs.frozen
class Break:
    """The request to the model fails."""

    error: Exception


@attrs.frozen
class HandOff:
    """The model hands the conversation to the agent of that name."""

    to: str
    call_id: str = "h1"


Step: TypeAlias = Ask | Say | Break | HandOff | Callable[[], Ask | Say | Break | HandOff]
"""What a model does at one request; a function is asked when the request comes."""


@attrs.frozen
class Tool:
    """A tool: a function with type hints and a docstring.

    An exception that leaves the function ends the agent, or is told to the model where `tells_errors`.
    """

    function: Callable[..., Any]
    needs_approval: bool = False
    tells_errors: bool = False


@attrs.frozen
class Approve:
    """The human lets the tool run."""


@attrs.frozen
class Reject:
    """The human does not let the tool run."""

    reason: str | None = None


@attrs.frozen
class Edit:
    """The human lets the tool run with other arguments."""

    arguments: dict[str, Any]


Answer: TypeAlias = Approve | Reject | Edit


class Kit(ABC):
    """One framework.

    `cannot` names the scenarios that the framework, in the installed version, has no way to pass, each with the reason that the
    support matrix gives. They are run all the same, and must fail.
    """

    framework: ClassVar[str]
    """What the records say."""
    title: ClassVar[str]
    """What the support matrix says."""
    adapters: ClassVar[Sequence[type[Adapter]]]
    awaits_tools: ClassVar[bool] = True
    """Whether tools may be async also where the agent is run outside async code."""
    by_spans: ClassVar[bool] = False
    """Whether it is recorded by its spans, and needs a provider of them."""
    random_run: ClassVar[str | None] = "frameworks"
    """The others that its agents are mixed with in the random run; `None` where they take no part."""
    own_warnings: ClassVar[Sequence[str]] = ()
    """What the framework itself warns of, as patterns."""
    cannot: Mapping[str, str] = {}

    @property
    def versions(self) -> dict[str, str]:
        """What is installed, by distribution."""
        return {adapter.distribution: version(adapter.distribution) for adapter in self.adapters}

    @property
    def sees(self) -> frozenset[str]:
        """What can be seen of the framework."""
        return frozenset().union(*(adapter.sees for adapter in self.adapters))

    @property
    def is_oldest(self) -> bool:
        """Whether the oldest supported versions are installed."""
        return all(version(adapter.distribution) == adapter.tested[0] for adapter in self.adapters)

    @abstractmethod
    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Any:
        """An agent whose model follows the script.

        Args:
            script: what its model answers, request by request.
            tools: what its model is offered.
            name: the agent's name.
            handoffs: agents that it can hand the conversation to.
            retries: how often the framework runs a tool that fails again, without asking the model.
        """

    @abstractmethod
    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        """Run the agent from code that is not async.

        Args:
            agent: what `agent` built.
            question: what the user says.
            heard: takes the names of the tools that a hook of the user hears of.

        Returns:
            The framework's result.
        """

    @abstractmethod
    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        """Run the agent from async code."""

    @abstractmethod
    def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        """Run the agent as a stream, in async code."""

    def stream(self, agent: Any, question: str = QUESTION) -> Iterator[Any]:
        """Run the agent as a stream, in code that is not async."""
        refuse("streams outside async code")

    @abstractmethod
    def text_of(self, result: Any) -> str:
        """The agent's answer."""

    def resume(self, agent: Any, result: Any, answer: Answer) -> Any:
        """Answer every approval that `result` waits for, and go on."""
        refuse("approvals")

    def delegating(self, agent: Any, name: str, of: Kit | None = None) -> Tool:
        """A tool of that name that asks another agent, which may be one `of` another kit."""
        kit = of or self

        async def adelegate(topic: str) -> str:
            """Ask another agent."""
            return kit.text_of(await kit.arun(agent, topic))

        def delegate(topic: str) -> str:
            """Ask another agent."""
            return kit.text_of(kit.run(agent, topic))

        function = adelegate if self.awaits_tools else delegate
        function.__name__ = name
        return Tool(function)

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        """A retriever that finds these texts."""
        refuse("retrievers")

    @property
    @abstractmethod
    def hooked(self) -> Sequence[tuple[type, str]]:
        """The methods that run agents, each with the class that has it: what other instrumentation wraps too."""


def telling(function: Callable[..., Any], report: Callable[[Exception], Exception]) -> Callable[..., Any]:
    """The function, its errors reported by what the framework raises to have the model told."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def told(*args: Any, **kwargs: Any) -> Any:
            try:
                return await function(*args, **kwargs)
            except Exception as error:
                raise report(error) from error

    else:

        @functools.wraps(function)
        def told(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                raise report(error) from error

    return told


def installed_kits() -> list[Kit]:
    """A kit for each framework that is installed here."""
    return [
        getattr(importlib.import_module(f"{__name__}.{module}"), name)()
        for framework, module, name in _KITS
        if is_installed(framework)
    ]


def tolerate(*kits: Kit) -> None:
    """Let pass what their frameworks themselves warn of, until warnings are filtered anew."""
    for kit in kits:
        for message in kit.own_warnings:
            warnings.filterwarnings("ignore", message)


def file_name(kit: Kit) -> str:
    """The name of the file that holds a kit."""
    return type(kit).__module__.rpartition(".")[2]


def is_installed(framework: str) -> bool:
    """Whether it can be imported here."""
    try:
        return importlib.util.find_spec(framework) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False


_KITS: Final = (
    ("langchain", "langchain", "LangChainKit"),
    ("agents", "openai_agents", "OpenAIAgentsKit"),
    ("pydantic_ai", "pydantic_ai", "PydanticAIKit"),
    ("google.adk", "google_adk", "GoogleADKKit"),
    ("strands", "strands", "StrandsKit"),
    ("llama_index.core", "llama_index", "LlamaIndexKit"),
    ("crewai", "crewai", "CrewAIKit"),
    ("smolagents", "smolagents", "SmolagentsKit"),
    ("haystack", "haystack", "HaystackKit"),
    ("dspy", "dspy", "DSPyKit"),
    ("agno", "agno", "AgnoKit"),
    ("litellm", "litellm", "LiteLLMKit"),
    ("claude_agent_sdk", "claude_agent_sdk", "ClaudeAgentSDKKit"),
    ("mcp", "mcp", "MCPKit"),
    ("fastmcp", "fastmcp", "FastMCPKit"),
    ("openai", "openai_sdk", "OpenAIKit"),
    ("anthropic", "anthropic_sdk", "AnthropicKit"),
    ("agent_framework", "agent_framework", "AgentFrameworkKit"),
    ("autogen_agentchat", "autogen", "AutoGenKit"),
)


def refuse(what: str) -> NoReturn:
    """Say that the framework has none of it."""
    raise UnsupportedError(f"this framework has no {what}")


@contextlib.contextmanager
def loop_of_its_own() -> Iterator[None]:
    """Give code that is not async an event loop; the one that a framework makes stays open, to be collected in some later test."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        loop.close()
        asyncio.set_event_loop(None)
