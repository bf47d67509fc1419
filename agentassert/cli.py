"""The program `agentassert`: run suites, report coverage, print the schema of suite files."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

import agentassert
from agentassert.commands import check, show
from agentassert.suites.exit_codes import FAILED, PASSED

Command: TypeAlias = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        arguments: those after the program's name; without them, the process's own. What follows `--` goes to pytest.

    Returns:
        0 when all is well, 1 when a test failed or what was given is wrong, 2 when something broke that says nothing about the agents.

    Example:
        >>> main(["--version"])
        Traceback (most recent call last):
        SystemExit: 0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, rest = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    options = _parser().parse_args(own)
    options.pytest_arguments = rest
    _let_print_anything()
    command: Command = options.command
    try:
        return command(options)
    except BrokenPipeError:
        sys.stderr.close()  # whoever reads the output has gone; nothing can be told any more
        return FAILED


def _let_print_anything() -> None:
    """Names of tests and words of agents may hold characters that the encoding of a terminal or a build log does not."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _Parser(argparse.ArgumentParser):
    """Exits with 1 for wrong arguments: 2 says that something broke."""

    def exit(self, status: int = 0, message: str | None = None) -> None:  # type: ignore[override]  # as the base class, it does not return
        super().exit(FAILED if status else PASSED, message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="agentassert", description="Test what AI agents do.")
    parser.add_argument("--version", action="version", version=f"agentassert {agentassert.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_test(commands.add_parser("test", help="run the suites of agent tests", description=_test.__doc__))
    _add_coverage(commands.add_parser("coverage", help="report which tools the suites cover", description=_coverage.__doc__))
    check.add(
        commands.add_parser(
            "check", help="apply suites to stored captures and production traces", description=check.check.__doc__
        )
    )
    show.add(commands.add_parser("show", help="print stored captures as trees", description=show.show.__doc__))
    schema = commands.add_parser("schema", help="print the JSON Schema of suite files", description=_schema.__doc__)
    schema.set_defaults(command=_schema)
    return parser


def _add_test(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="suite files, or folders of them; without it, all of the project"
    )
    parser.add_argument("--filter", metavar="TEXT", help="run the tests whose name contains TEXT")
    parser.add_argument("--env", metavar="NAME", help="the environment of [tool.agentassert.environments] to run in")
    parser.add_argument("--json", action="store_true", help="print the results as JSON, and nothing else")
    parser.add_argument("--coverage", action="store_true", help="report coverage instead of running anything")
    parser.add_argument("-n", metavar="N", dest="processes", help="spread the tests over N processes (needs pytest-xdist)")
    parser.add_argument("--junit-xml", metavar="FILE", help="write the results as JUnit XML, too")
    parser.add_argument("--html", metavar="FILE", help="write a report with what each test captured, too")
    _add_rasa(
        parser.add_argument_group(
            "Rasa's test files", "With one of the first two, PATHs are end-to-end tests of a Rasa assistant."
        )
    )
    parser.set_defaults(command=_test, fail_under=None)


def _add_rasa(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--rasa", metavar="URL", nargs="?", const="", help="run them against the assistant at URL")
    group.add_argument(
        "--tracker", metavar="PATH", help="evaluate them on a stored tracker, or a folder with one for each test case"
    )
    group.add_argument(
        "--pitfalls", choices=("warn", "fail"), help="what a verdict gets that is Rasa's, but hardly what was meant"
    )
    group.add_argument("--fail-fast", action="store_true", help="stop after the first test case that does not pass")
    group.add_argument(
        "--rasa-actions",
        metavar="PORT",
        type=_actions,
        help="answer for stubs of actions on PORT, or `server`: run the real ones",
    )
    group.add_argument(
        "--e2e-results",
        metavar="PATH",
        nargs="?",
        const="tests/e2e_results.yml",
        help="write the results as Rasa does, into PATH_passed.yml and PATH_failed.yml",
    )


def _add_coverage(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--env", metavar="NAME", help="the environment of [tool.agentassert.environments] whose agents count")
    parser.add_argument(
        "--fail-under", metavar="N", type=_percent, help="exit with 1 when the overall coverage is below N percent"
    )
    parser.set_defaults(command=_coverage)


def _percent(text: str) -> float:
    try:
        percent = float(text)
    except ValueError:
        percent = -1
    if not 0 <= percent <= 100:  # noqa: PLR2004  # percent
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 100, but was {text!r}")
    return percent


def _actions(text: str) -> str:
    if text != "server" and not (text.isdecimal() and 0 < int(text) < 65536):  # noqa: PLR2004  # ports
        raise argparse.ArgumentTypeError(f"must be a port or 'server', but was {text!r}")
    return text


def _test(options: argparse.Namespace) -> int:
    """Run the suites of the project that the working directory is in, through pytest; arguments after `--` go to it."""
    if options.rasa is not None or options.tracker is not None:
        from agentassert.conversations.rasa_files.command import run_rasa

        return run_rasa(options)
    if options.coverage:
        return _coverage(options)
    from agentassert.suites.command import run_suites

    return run_suites(options)


def _coverage(options: argparse.Namespace) -> int:
    """Report which tools of which agents the suites cover, without running any agent."""
    from agentassert.suites.command import report_coverage

    return report_coverage(options)


def _schema(_: argparse.Namespace) -> int:
    """Print the JSON Schema of suite files, for editors."""
    import json

    from agentassert.suites.json_schema import json_schema

    print(json.dumps(json_schema(), indent=2))  # noqa: T201  # what the command is for
    return PASSED
