"""`agentassert test` on Rasa's test files: `--rasa` and `--tracker`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import attrs

from agentassert import settings
from agentassert.conversations.rasa.checking import Pitfalls
from agentassert.conversations.rasa_files.dialogues import Dialogue
from agentassert.conversations.rasa_files.evaluating import broken, evaluate
from agentassert.conversations.rasa_files.judging import judge_named
from agentassert.conversations.rasa_files.junit import write_junit
from agentassert.conversations.rasa_files.loading import ReadyCase, load
from agentassert.conversations.rasa_files.outcomes import CaseOutcome
from agentassert.conversations.rasa_files.printing import print_outcomes, print_remarks
from agentassert.conversations.rasa_files.results import json_text, to_json, write_results
from agentassert.conversations.rasa_files.server import RasaServer, ServerError
from agentassert.conversations.rasa_files.server_dialogue import ServerDialogue
from agentassert.conversations.rasa_files.stored import StoredTrackers
from agentassert.conversations.rasa_files.stubs import Stubs, stubs_of
from agentassert.errors import JudgeError
from agentassert.judges.responses import ResponseJudge
from agentassert.settings import RasaSettings
from agentassert.suites.exit_codes import BROKEN, FAILED, PASSED
from agentassert.suites.outcomes import CaseStatus
from agentassert.suites.reporting import Progress, print_annotations

DEFAULT_FILE: Final = "tests/e2e_test_cases.yml"

_OF_SUITES: Final = {"env": "--env", "coverage": "--coverage", "processes": "-n", "html": "--html"}


def run_rasa(options: argparse.Namespace) -> int:
    """Evaluate Rasa's test files, and print the results.

    Args:
        options: of `agentassert test`, with `--rasa` or `--tracker`.

    Returns:
        The exit code: 0 when every case passed, 1 when one failed, a file or an argument is wrong, or the run was stopped, 2 when the
        assistant or a judge gave no answer.
    """
    try:
        _refuse_options_of_suites(options)
        found = settings.current().rasa
        cases = _chosen(options)
        judge = judge_named(found.judge)
        opened = _opener(options, found, cases)
        stubs = Stubs() if options.tracker is not None else stubs_of(options.rasa_actions, cases)
    except ValueError as error:
        print(f"agentassert: {error}" if "\n" not in str(error) else error, file=sys.stderr)  # noqa: T201
        return FAILED
    with stubs:
        outcomes = _Run(opened, stubs, judge, options.pitfalls or found.pitfalls, options.fail_fast).all(cases)
    not_run = len(cases) - len(outcomes)
    _tell(options, outcomes, not_run)
    try:
        _write(options, outcomes)
    except OSError as error:
        print(f"agentassert: the results cannot be written: {error}", file=sys.stderr)  # noqa: T201
        return FAILED
    return _exit_code({one.status for one in outcomes}, not_run)


def _exit_code(seen: set[CaseStatus], not_run: int) -> int:
    if CaseStatus.FAILED not in seen and CaseStatus.ERROR in seen:
        return BROKEN
    return FAILED if CaseStatus.FAILED in seen or not_run else PASSED


@attrs.frozen
class _Run:
    """Cases, one after the other."""

    opened: Callable[[ReadyCase], Dialogue]
    stubs: Stubs
    judge: ResponseJudge
    pitfalls: Pitfalls
    fail_fast: bool

    def all(self, cases: Sequence[ReadyCase]) -> list[CaseOutcome]:
        """What came of each, up to one after which none can be had, or none is asked for."""
        outcomes: list[CaseOutcome] = []
        progress = Progress(sys.stderr)
        for ready in cases:
            hopeless = False
            try:
                outcomes.append(self._one(ready))
            except (ServerError, JudgeError) as error:
                outcomes.append(broken(ready, error))
                hopeless = isinstance(error, ServerError) and error.hopeless
            except KeyboardInterrupt:
                break
            if hopeless or (self.fail_fast and outcomes[-1].status is not CaseStatus.PASSED):
                break
            progress.ended(len(outcomes), len(cases), sum(one.status is not CaseStatus.PASSED for one in outcomes))
        return outcomes

    def _one(self, ready: ReadyCase) -> CaseOutcome:
        with self.stubs.holding(ready):
            return evaluate(ready, self.opened(ready), judge=self.judge, pitfalls=self.pitfalls)


def _refuse_options_of_suites(options: argparse.Namespace) -> None:
    for name, written in _OF_SUITES.items():
        if getattr(options, name):
            raise ValueError(f"{written} is for suites, and does not go with --rasa or --tracker")
    if options.pytest_arguments:
        raise ValueError("Rasa's test files do not run through pytest, so nothing may follow `--`")
    if options.rasa is not None and options.tracker is not None:
        raise ValueError("--rasa talks to an assistant and --tracker reads what was stored: give one of them")


def _chosen(options: argparse.Namespace) -> list[ReadyCase]:
    cases = load(options.paths or [DEFAULT_FILE])
    if options.filter is None:
        return cases
    chosen = [ready for ready in cases if options.filter in ready.case.name]
    if not chosen:
        raise ValueError(f"no test case has a name that contains {options.filter!r}")
    return chosen


def _opener(options: argparse.Namespace, found: RasaSettings, cases: Sequence[ReadyCase]) -> Callable[[ReadyCase], Dialogue]:
    """What gives the conversation of a case."""
    if options.tracker is not None:
        return StoredTrackers(Path(options.tracker), cases).dialogue
    url = options.rasa or found.url
    if not url:
        raise ValueError("--rasa needs a URL such as http://localhost:5005, or `url` in [tool.agentassert.rasa]")
    server = RasaServer(url, timeout_s=found.timeout_s)
    return lambda ready: ServerDialogue(server, ready)


def _tell(options: argparse.Namespace, outcomes: Sequence[CaseOutcome], not_run: int) -> None:
    print_remarks(outcomes, sys.stderr)
    data = to_json(outcomes, not_run)
    if options.json:
        print(json_text(data))  # noqa: T201  # what the option is for
    else:
        print_outcomes(outcomes, sys.stdout)
    if not_run:
        print(f"agentassert: {not_run} further test cases were not run", file=sys.stderr)  # noqa: T201
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print_annotations(map(_annotated, data["cases"]), sys.stderr if options.json else sys.stdout)


def _write(options: argparse.Namespace, outcomes: Sequence[CaseOutcome]) -> None:
    if options.e2e_results is not None:
        write_results(outcomes, Path(options.e2e_results))
    if options.junit_xml is not None:
        write_junit(outcomes, Path(options.junit_xml))


def _annotated(case: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", {**case, "agent_name": "rasa", "test_name": case["test_case"]})
