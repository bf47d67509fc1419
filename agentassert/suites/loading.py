"""From files to suites: everything that can be wrong is found here, before any agent runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import attrs

from agentassert.suites.cases import read_cases
from agentassert.suites.discovery import SUFFIX, content_of, has_wrong_suffix, suite_files
from agentassert.suites.format import SUITE
from agentassert.suites.kinds import Reader, TooMuchWrongError
from agentassert.suites.known_tools import KnownTools
from agentassert.suites.problems import Problem, SuiteError, YamlError, quoted, shown_path
from agentassert.suites.schema import Case, Suite
from agentassert.suites.tool_spelling import refuse_unknown_tools
from agentassert.suites.yaml import MOST_BYTES, Document, parse
from agentassert.text.nearest import did_you_mean

_OF_RASA = frozenset({"test_cases", "fixtures"})


@attrs.frozen
class Loaded:
    """The suites of a project.

    Args:
        suites: those that can be run, in the order of their files.
        errors: what is wrong with the others, in that order.
    """

    suites: tuple[Suite, ...] = ()
    errors: tuple[SuiteError, ...] = ()


def load_suites(directories: Iterable[Path], agents: Collection[str] | None = None) -> Loaded:
    """Load all suites below some directories, those that come after a wrong one too.

    Args:
        directories: the suites directories, as absolute paths.
        agents: the names of the agents that there are; without it, any name will do.

    Example:
        >>> load_suites([Path("/nowhere")])
        Loaded(suites=(), errors=())
    """
    suites, errors = [], []
    for file, directory in suite_files(directories):
        try:
            suite = load_suite(file, directory, agents)
        except SuiteError as error:
            errors.append(error)
        else:
            suites += [] if suite is None else [suite]
    return Loaded(tuple(suites), tuple(errors))


def load_suite(
    file: Path,
    directory: Path,
    agents: Collection[str] | None = None,
    tools_of: Callable[[str], KnownTools] | None = None,
) -> Suite | None:
    """Read and check a suite file.

    Args:
        file: the file.
        directory: the suites directory that it is in.
        agents: the names of the agents that there are; without it, any name will do.
        tools_of: tells what is known of the tools of an agent; without it, any name will do.

    Returns:
        `None` for a file without tests: one that says nothing, or a test of Rasa's.

    Raises:
        SuiteError: for everything that is wrong with the file.
    """
    refused = name_refused(file, directory)
    if refused is not None:
        raise refused
    try:
        document = parse(_content(file, directory))
    except YamlError as error:
        raise SuiteError(file, [error.problem], file.stem) from None
    data = document.data
    if data is None or (isinstance(data, dict) and _OF_RASA & data.keys() and "tests" not in data):
        return None
    return _suite(file, directory, document, agents, tools_of)


def name_refused(file: Path, directory: Path) -> SuiteError | None:
    """The error for a suite that is called by bytes that are no UTF-8: no report, cache or other process can be told of it.

    Example:
        >>> print(name_refused(Path(os.fsdecode(b"tests/\\xff.yaml")), Path("tests")))
        tests/\\udcff.yaml:1:1: the name of a suite, and of its folders, must be UTF-8, so that reports can tell it: rename this one
        >>> name_refused(Path("tests/straße.yaml"), Path("tests")) is None
        True
    """
    if not any("\ud800" <= character <= "\udfff" for character in str(file.relative_to(directory))):
        return None
    words = "the name of a suite, and of its folders, must be UTF-8, so that reports can tell it: rename this one"
    return SuiteError(file, [Problem(1, 1, words)], shown_path(Path(file.stem)))


def _content(file: Path, directory: Path) -> bytes:
    if has_wrong_suffix(file):
        raise YamlError(Problem(1, 1, f"suites end in {SUFFIX}: rename this one, which no run would find"))
    try:
        target = Path(os.path.realpath(file))  # which, unlike `resolve`, has an answer for links in a circle, too
        if not target.is_relative_to(os.path.realpath(directory)):
            raise YamlError(Problem(1, 1, f"this is a link to {target}, outside of the suites directory: put a copy here"))
        content = content_of(file, MOST_BYTES + 1)
    except OSError as error:
        raise YamlError(Problem(1, 1, f"the file cannot be read: {error.strerror}")) from None
    return content


def _suite(
    file: Path,
    directory: Path,
    document: Document,
    agents: Collection[str] | None,
    tools_of: Callable[[str], KnownTools] | None,
) -> Suite:
    reader = Reader(document.marks)
    agent, cases = file.stem, tuple[Case, ...]()
    with contextlib.suppress(TooMuchWrongError):
        read = SUITE.read(document.data, (), reader) or {}
        agent = read.get("agent") or file.stem
        if agents is not None and agent not in agents and ("agent",) not in reader.wrong:
            reader.refuse(("agent",), _unknown_agent(agent, agents, from_name="agent" not in read))
        cases = read_cases(read, reader, directory)
        if tools_of is not None and not reader.problems:
            refuse_unknown_tools(cases, reader, tools_of(agent))
    if reader.problems:
        raise SuiteError(file, reader.problems, agent)
    return Suite(file=file, directory=directory, agent=agent, cases=cases)


def _unknown_agent(agent: str, agents: Collection[str], *, from_name: bool) -> str:
    origin = " (from the name of the file; `agent:` names another)" if from_name else ""
    hint = did_you_mean(agent[:100], agents, most=3) or "name it in [tool.agentassert.agents] of pyproject.toml"
    return f"unknown agent {quoted(agent)}{origin}; {hint}"
