"""`agentassert check`: suites applied to stored captures and production traces."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentassert.suites.exit_codes import BROKEN, FAILED, PASSED

if TYPE_CHECKING:
    from agentassert.suites.stored.choosing import Request


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument(
        "captures", nargs="+", metavar="CAPTURE", help="files of captures, of spans or of messages, or folders of such files"
    )
    parser.add_argument(
        "--suite", action="append", default=[], metavar="FILE", help="a suite to apply; without it, all of the project"
    )
    parser.add_argument("--case", action="append", default=[], metavar="NAME", help="apply the case NAME, and no others")
    parser.add_argument("--filter", metavar="TEXT", help="apply the cases whose name contains TEXT")
    parser.add_argument("--match-payload", action="store_true", help="apply a case only where the agent was given its payload")
    parser.add_argument("--agent", metavar="NAME", help="whose work it is that names no agent, such as a list of messages")
    parser.add_argument(
        "--kind", choices=("capture", "otlp", "messages"), help="what the files hold; without it, they tell themselves"
    )
    parser.add_argument(
        "--on-doubt",
        choices=("warn", "fail"),
        default="warn",
        help="what follows where a recording cannot be relied on: it is told, or passes nothing",
    )
    parser.add_argument("-n", metavar="N", dest="processes", type=_processes, default=1, help="work in N processes, or 'auto'")
    parser.add_argument("--json", action="store_true", help="print the results as JSON, and nothing else")
    parser.set_defaults(command=check)


def _processes(text: str) -> int:
    if text == "auto":
        return os.cpu_count() or 1
    if not text.isdecimal() or not 0 < int(text) < 1000:  # noqa: PLR2004  # nobody has more processors to wait for
        raise argparse.ArgumentTypeError(f"must be a number of processes or 'auto', but was {text!r}")
    return int(text)


def check(options: argparse.Namespace) -> int:
    """Apply the expectations of suites to what was recorded before: stored captures, exported spans, lists of messages."""
    from concurrent.futures.process import BrokenProcessPool

    from agentassert.suites.stored.choosing import choose
    from agentassert.suites.stored.tallies import Tallies
    from agentassert.suites.stored.telling import annotate, print_json, print_report, print_summary
    from agentassert.suites.stored.workers import reports

    request = _request(options)
    try:
        choice = choose(request)
        files = _files(options.captures)
    except (ValueError, OSError) as error:
        return _told(str(error), FAILED)
    tallies = Tallies(choice.cases)
    try:
        for report in reports(request, choice, files, options.processes):
            tallies.add(report)
            if not options.json:
                print_report(report, choice, sys.stdout, sys.stderr)
    except KeyboardInterrupt:
        return _told(f"cancelled after {tallies.captures} captures", FAILED)
    except BrokenProcessPool as error:
        return _told(f"a process that checked is gone: {error}", BROKEN)
    if options.json:
        print_json(tallies, choice, sys.stdout)
    else:
        print_summary(tallies, choice, len(files), sys.stdout)
    annotate(tallies, sys.stderr if options.json else sys.stdout)
    return {"passed": PASSED, "error": BROKEN}.get(tallies.status, FAILED)


def _request(options: argparse.Namespace) -> Request:
    from agentassert.storing.documents import Kind
    from agentassert.suites.stored.choosing import Request

    return Request(
        suites=tuple(options.suite),
        names=tuple(options.case),
        containing=options.filter,
        match_payload=options.match_payload,
        agent=options.agent,
        kind=None if options.kind is None else Kind(options.kind),
        refuse_doubt=options.on_doubt == "fail",
    )


def _files(paths: Sequence[str]) -> list[str]:
    """The files that the paths stand for; one that is named twice is no more evidence than once."""
    from agentassert.storing.pieces import files_in

    return list({os.path.realpath(file): file for path in paths for file in files_in(path)}.values())


def _told(words: str, code: int) -> int:
    print(f"agentassert: {words}", file=sys.stderr)  # noqa: T201
    return code
