"""Suite files for tests: written where they belong, loaded, and refused."""

from __future__ import annotations

import pytest

from agentassert.suites.loading import load_suite
from agentassert.suites.problems import SuiteError


class Files:
    """A suites directory.

    Args:
        directory: where it is.
    """

    def __init__(self, directory):
        self.directory = directory

    def write(self, name, text=""):
        """Write a file and give its path."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def load(self, text, name="support.yaml", agents=None):
        """The suite that a text is."""
        return load_suite(self.write(name, text), self.directory, agents)

    def case(self, text):
        """The only case of a suite with one test, of which the text is the fields."""
        (case,) = self.load(one_test(text)).cases
        return case

    def refused(self, text, name="support.yaml", agents=None):
        """What is said about a text that is no suite: the lines, each without the name of the file."""
        file = self.write(name, text)
        with pytest.raises(SuiteError) as error:
            load_suite(file, self.directory, agents)
        assert all(line.startswith(f"{file.as_posix()}:") for line in str(error.value).splitlines())
        return [line.removeprefix(f"{file.as_posix()}:") for line in str(error.value).splitlines()]

    def refused_test(self, text):
        """The same for a suite with one test, of which the text is the fields."""
        return self.refused(one_test(text))


def one_test(text):
    """A suite of one test with these fields; they begin in line 4, in column 5."""
    fields = [f"    {line}" for line in text.splitlines()]
    return "\n".join(["tests:", "  - name: looks up", "    payload: hello", *fields, ""])
