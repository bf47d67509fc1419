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
from agentassert.expressions.unmet import unmet
from agentassert.jsonlike import snapshot
from agentassert.records import Invocation
from agentassert.suites.builders import Builder, attachment, with_files
from agentassert.suites.mock_modules import MockModule
from agentassert.suites.outcomes import CaseResult, RunResult
from agentassert.suites.problems import shown_path
from agentassert.suites.python_files import PreparationError, described
from agentassert.suites.schema import Case, Suite
from agentassert.suites.traces import told, traces_of


def run_case(suite: Suite, case: Case, agent: Any, on_run: Callable[[int], None] | None = None) -> CaseResult:
    """Run a case as often as it says, one run after the other.

    Args:
        suite: the suite that the case is of.
        case: the case.
        agent: what is run, as :func:`agentassert.run` takes it.
        on_run: told how many runs have ended, each time one does.
    """
    runs = []
    for _ in range(case.runs):
        run = _Run(suite, case, agent).result()
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
    context: dict[str, Any]
    payload: str | dict[str, Any] | None
    builder: Builder | None
    capture: Capture | None
    reasons: list[str]
    error: str | None

    def __init__(self, suite: Suite, case: Case, agent: Any) -> None:
        self.suite, self.case, self.agent = suite, case, agent
        self.context, self.payload = {}, case.payload
        self.builder = self.capture = self.error = None
        self.reasons = []

    def result(self) -> RunResult:
        started = time.perf_counter()
        self._attempt(self._run)
        if self.builder is not None:
            self._attempt(functools.partial(self._clean_up, self.builder))
        result = RunResult(reasons=tuple(self.reasons), error=self.error, duration=time.perf_counter() - started)
        return result if result.passed else attrs.evolve(result, told=self._told())

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
        case = self.case
        driven = drive(
            self.agent,
            "" if self.payload is None else self.payload,
            approvals=case.approval_decisions,
            context=self.context,
            mocks=self._mocks(),
            timeout_s=case.timeout_s,
            name=self.suite.agent,
        )
        self.capture = driven.capture
        self.reasons += driven.problems(strict_approvals=case.strict_approval_decisions)
        invocation = driven.capture.invocation
        subject = f"invocation {invocation.name!r}"
        for failure in unmet(invocation, case.expectations, self.context):
            if failure.kind is AdapterError:
                raise AdapterError(failure.text(subject))
            self.reasons.append(failure.text(subject))

    def _clean_up(self, builder: Builder) -> None:
        wrong = builder.cleanup(self._told_to_cleanup(), self.context, self.case.builder_args)
        self.reasons += [] if wrong is None else [wrong]

    def _mocks(self) -> _Mocks | None:
        name, strict = self.case.mocks, self.case.strict_mocks
        if name is None:
            return _Mocks(None, strict) if strict else None
        file = self.suite.mocks_of(name)
        return _Mocks(MockModule(file, shown_path(file)), strict)

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


class _Mocks:
    """The doubles of a run: a module of mocks, and whether a tool without a mock may run."""

    def __init__(self, module: MockModule | None, strict: bool) -> None:
        self._module = module
        self.strict = strict

    def find(self, tool: str, /) -> Any:
        return None if self._module is None else self._module.find(tool)


def _attached(file: Path) -> dict[str, Any]:
    try:
        return attachment(file)
    except OSError as error:
        raise PreparationError(f"{shown_path(file)}: {error.strerror or described(error)}") from error
