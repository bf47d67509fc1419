"""What else hooks into the framework, and what happens when one of our own hooks breaks."""

from __future__ import annotations

import contextlib
import functools
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from agentassert import AdapterError, CaptureWarning, assert_that, capture
from agentassert.recording.events import InvocationEvent, ModelCallEvent, ToolEvent
from tests.adapters.kits import Ask, Kit, Request, Say, Tool
from tests.adapters.scenarios.parts import LOOKED_UP, booker, executed, explode, fragile, recording

PROJECT = Path(__file__).parents[3]


def hooks_of_the_user(kit: Kit) -> None:
    """The user's own hooks are called as without us"""
    without: list[str] = []
    kit.run(booker(kit), heard=without)

    within: list[str] = []
    with recording() as cap:
        kit.run(booker(kit), heard=within)

    assert (without, within) == (["get_booking"], ["get_booking"])
    assert executed(cap.invocation) == [LOOKED_UP]


def fault_at_the_start_of_an_invocation(kit: Kit) -> None:
    """A fault of ours when an agent starts: the agent goes on, assertions fail"""
    _breaks(kit, InvocationEvent, "__init__")


def fault_at_a_tool(kit: Kit) -> None:
    """A fault of ours when a tool starts"""
    _breaks(kit, ToolEvent, "__init__")


def fault_at_a_model_call(kit: Kit) -> None:
    """A fault of ours when a model is called"""
    _breaks(kit, ModelCallEvent, "__init__")


def fault_at_an_end(kit: Kit) -> None:
    """A fault of ours when an agent, a tool or a model call ends"""
    for event, name in ((InvocationEvent, "complete"), (ToolEvent, "succeed"), (ModelCallEvent, "respond")):
        _breaks(kit, event, name)


def _breaks(kit: Kit, owner: type, name: str) -> None:
    with capture(on_doubt="fail", wait=0) as cap, mock.patch.object(owner, name, explode):
        result = kit.run(booker(kit))

    assert kit.text_of(result) == "found MS-777"
    with pytest.raises(AdapterError, match="kaput"):
        assert_that(cap).has_no_tool_executions()


def failures_reach_the_user_unchanged(kit: Kit) -> None:
    """An agent fails with the very error that it fails with without us"""

    def failed() -> BaseException:
        with pytest.raises(Exception, match="kaput") as caught:
            kit.run(kit.agent(Ask(Request("fragile", {"x": 1})), Say("never"), tools=[Tool(fragile)]))
        return caught.value

    without = failed()
    with recording():
        within = failed()

    assert [(type(one), str(one), type(one.__cause__)) for one in (without, within)] == [
        (type(without), str(without), type(without.__cause__))
    ] * 2


def instrumentation_after_ours(kit: Kit) -> None:
    """Instrumentation of others, installed after ours, and gone again"""
    with recording():
        pass
    with foreign_instrumentation(kit) as heard, recording() as cap:
        kit.run(booker(kit))
    with recording() as alone:
        kit.run(booker(kit))

    assert heard
    assert [executed(one.invocation) for one in (cap, alone)] == [[LOOKED_UP], [LOOKED_UP]]


def instrumentation_before_ours(kit: Kit) -> None:
    """Instrumentation of others, installed before ours, which stays for the life of the process"""
    _in_a_process_of_its_own(kit, run_instrumented)


def hook_that_is_not_there(kit: Kit) -> None:
    """A version of the framework that lacks what is hooked into: a warning that names the versions"""
    _in_a_process_of_its_own(kit, capture_without_hook)


def _in_a_process_of_its_own(kit: Kit, what: Callable[[Kit], None]) -> None:
    module, name = type(kit).__module__, type(kit).__name__
    code = f"from {module} import {name}; from {__name__} import {what.__name__}; {what.__name__}({name}())"
    ended = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.returncode) == ("all is well", 0), ended.stderr


def run_instrumented(kit: Kit) -> None:
    """Run an agent whose framework was instrumented before the first capture."""
    with foreign_instrumentation(kit) as heard:
        with recording() as cap:
            kit.run(booker(kit))
        assert heard
        assert executed(cap.invocation) == [LOOKED_UP]
        assert_that(cap).has_succeeded().has_own_chat_model_call_count(2)
    sys.stdout.write("all is well")


def capture_without_hook(kit: Kit) -> None:
    """Open the first capture where a method that is hooked into is missing."""
    owner, name = kit.hooked[0]
    delattr(owner, name)
    with pytest.warns(CaptureWarning, match=rf"has no method '{name}'") as warned, capture() as cap:
        pass
    (oldest, newest), distribution = kit.adapters[-1].tested, kit.adapters[-1].distribution
    words = f"{distribution} {kit.versions[distribution]} is installed; the {kit.adapters[-1].name} adapter was tested with {oldest} to {newest}"
    assert words in str(warned[0].message)
    assert [words in note for note in cap.health.notes] == [True]
    sys.stdout.write("all is well")


@contextlib.contextmanager
def foreign_instrumentation(kit: Kit) -> Iterator[list[str]]:
    """Wrap what runs agents, as tracing libraries do, and give the names of what was called."""
    heard: list[str] = []
    with contextlib.ExitStack() as undo:
        for owner, name in kit.hooked:
            undo.enter_context(mock.patch.object(owner, name, Wrapper(vars(owner)[name], heard)))
        yield heard


class Wrapper:
    """A wrapper as wrapt makes them: it expects to be bound."""

    def __init__(self, wrapped: Callable[..., Any], heard: list[str]) -> None:
        self.__wrapped__ = wrapped
        self.__name__ = wrapped.__name__
        self._heard = heard

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a wrapper was called as a plain function")

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        bound = self.__wrapped__.__get__(instance, owner)

        @functools.wraps(bound)
        def call(*args: Any, **kwargs: Any) -> Any:
            self._heard.append(self.__name__)
            return bound(*args, **kwargs)

        return call
