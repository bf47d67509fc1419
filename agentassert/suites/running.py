"""Running one case: its payload, its agent, its expectations, and its cleaning up, as often as it says."""

from __future__ import annotations

import copy
import functools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from agentassert import render
from agentassert.captures import Capture
from agentassert.driving.running import drive
from agentassert.errors import AdapterError, AgentAssertionError
from agentassert.jsonlike import snapshot
from agentassert.records import Invocation
from agentassert.suites.builders import Builder, attachment, with_files
from agentassert.suites.known_tools import KnownTools
from agentassert.suites.mock_modules import MockModule
from agentassert.suites.outcomes import CaseResult, RunResult
from agentassert.suites.problems import shown_path
from agentassert.suites.python_files import PreparationError, described
from agentassert.suites.schema import Case, Suite
from agentassert.suites.standing_in import SuiteMocks
from agentassert.suites.traces import told, traces_of
from agentassert.suites.verdicts import recorded, unmet_in


def run_case(suite: Suite, case: Case, agent: Any, tools: KnownTools, on_run: Callable[[int], None] | None = None) -> CaseResult:
    """Run a case as often as it says, one run after the other.

    Args:
        suite: the suite that the case is of.
        case: the case.
        agent: what is run, as :func:`agentassert.run` takes it.
        tools: what is known of its tools.
        on_run: told how many runs have ended, each time one does.
    """
    runs = []
    for _ in range(case.runs):
        run = _Run(suite, case, agent, tools).result()
        runs.append(run)
        if on_run is not None:
            on_run(len(runs))
    return CaseResult(
        agent=suite.agent,
        name=case.name,
        place=f"{shown_path(suite.file)}:{case.line}",
        runs=tuple(runs),
        threshold=case.success_threshold,
        confidence=case.success_confidence,
    )


@attrs.define(init=False)
class _Run:
    """One run: its own builder, its own mocks, its own context."""

    suite: Suite
    case: Case
    agent: Any
    tools: KnownTools
    context: dict[str, Any]
    payload: str | dict[str, Any] | None
    builder: Builder | None
    capture: Capture | None
    reasons: list[str]
    recorded: str | None
    error: str | None

    def __init__(self, suite: Suite, case: Case, agent: Any, tools: KnownTools) -> None:
        self.suite, self.case, self.agent, self.tools = suite, case, agent, tools
        self.context, self.payload = {}, case.payload
        self.builder = self.capture = self.recorded = self.error = None
        self.reasons = []

    def result(self) -> RunResult:
        started = time.perf_counter()
        self._attempt(self._run)
        if self.builder is not None:
            self._attempt(functools.partial(self._clean_up, self.builder))
        result = RunResult(reasons=tuple(self.reasons), error=self.error, duration=time.perf_counter() - started)
        return result if result.passed else attrs.evolve(result, recorded=self.recorded, told=self._told())

    def _attempt(self, step: Callable[[], None]) -> None:
        try:
            step()
        except AdapterError as broken:
            self.error = str(broken)
        except (PreparationError, AgentAssertionError) as wrong:
            self.reasons.append(str(wrong))
        except Exception as broken:  # what could not be run, or not be judged, says nothing about the agent
            self.error = described(broken)
        except KeyboardInterrupt:
            raise
        except BaseException as left:  # an exit of the agent, or a skip, which would have nobody see that nothing was checked
            self.reasons.append(f"the run was left by {described(left)}, which is no way for it to pass")

    def _run(self) -> None:
        self._prepare()
        self._drive()

    def _prepare(self) -> None:
        case, suite = self.case, self.suite
        files = [_attached(suite.file_of(name)) for name in case.files]
        if case.builder is not None:
            file = suite.builder_of(case.builder)
            self.builder = Builder(file, shown_path(file), limit=case.timeout_s)
            arguments = copy.deepcopy(dict(case.builder_args))
            self.payload = self.builder.build(self.context, arguments, case.name, case.payload, files)
        self.payload = with_files(self.payload, files)

    def _drive(self) -> None:
        case, mocks = self.case, self._mocks()
        driven = drive(
            self.agent,
            "" if self.payload is None else self.payload,
            approvals=case.approval_decisions,
            context=self.context,
            mocks=mocks,
            timeout_s=case.timeout_s,
            name=self.suite.agent,
        )
        self.capture = driven.capture
        self.reasons += driven.problems(strict_approvals=case.strict_approval_decisions)
        if mocks is not None:
            self.reasons += mocks.problems(driven.capture, self.tools)
        self.reasons += unmet_in(driven.capture, case.expectations, self.context, self.tools)
        if self.reasons:
            self.reasons += driven.hints()
            self.recorded = recorded(driven.capture.invocation, case.expectations)

    def _clean_up(self, builder: Builder) -> None:
        wrong = builder.cleanup(self._told_to_cleanup(), self.context, self.case.builder_args)
        self.reasons += [] if wrong is None else [wrong]

    def _mocks(self) -> SuiteMocks | None:
        name, strict = self.case.mocks, self.case.strict_mocks
        if name is None:
            return SuiteMocks(None, strict=True) if strict else None
        file = self.suite.mocks_of(name)
        return SuiteMocks(MockModule(file, shown_path(file), self.tools), strict=strict)

    def _told_to_cleanup(self) -> Mapping[str, Any]:
        output = None if self._top is None else self._top.output
        return {"input": self.payload, "output": output, "context": {}}

    @property
    def _top(self) -> Invocation | None:
        return self.capture.invocations[0] if self.capture is not None and self.capture.invocations else None

    def _told(self) -> dict[str, Any]:
        top = self._top
        failed = self.error if top is None or top.error is None else render.error(top.error)
        return {
            "input": told(snapshot(self.payload)),
            "output": None if top is None else told(top.output_text),
            "error": failed,
            "reasons": list(self.reasons),
            "run_context": told(snapshot(self.context)),
            "traces": [] if self.capture is None else traces_of(self.capture),
        }


def _attached(file: Path) -> dict[str, Any]:
    try:
        return attachment(file)
    except OSError as error:
        raise PreparationError(f"{shown_path(file)}: {error.strerror or described(error)}") from error
