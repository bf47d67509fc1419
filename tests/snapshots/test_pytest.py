"""Snapshots in runs of pytest: where they lie, what is written, what is said at the end."""

from __future__ import annotations

from textwrap import dedent

import pytest

# Loaded here once, not anew in each run of pytest inside this process.
import agentassert.assertions.invocation
import agentassert.snapshots.keeping  # noqa: F401
from agentassert.snapshots.writing import HEADER

AGENT = """
    import pytest
    from agentassert import assert_that, capture, record

    def paid(n):
        with capture() as cap, record.invocation("shop"):
            record.tool_execution("pay", {"n": n}, result="ok")
        return assert_that(cap)
"""
TWO = """
    def test_one():
        paid(1).matches_snapshot("one")

    def test_two():
        paid(2).matches_snapshot("two")
"""


class Project:
    """A folder of tests, and pytest run in it with this library's plugin alone."""

    def __init__(self, pytester):
        self.pytester = pytester
        self.folder = pytester.path / "tests" / "__snapshots__" / "test_shop"

    def tests(self, text, name="test_shop"):
        file = self.pytester.path / "tests" / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(dedent(AGENT) + dedent(text), encoding="utf-8")

    def kept(self, test_file="test_shop", **amounts):
        folder = self.folder.with_name(test_file)
        folder.mkdir(parents=True, exist_ok=True)
        for name, n in amounts.items():
            text = f'{HEADER}\n\nshop: completed\n  pay {{"n": {n}}}\n'
            (folder / f"{name}.trajectory").write_text(text, encoding="utf-8")

    def run(self, *arguments):
        return self.pytester.runpytest_inprocess("-p", "agentassert", *arguments)

    @property
    def names(self):
        return sorted(file.stem for file in self.folder.glob("*.trajectory"))


@pytest.fixture
def project(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("AGENTASSERT_UPDATE", raising=False)
    monkeypatch.delenv("CI", raising=False)
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    return Project(pytester)


def test_a_missing_snapshot_fails_with_the_command_that_creates_it(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    project.tests(TWO)
    ran = project.run()
    ran.assert_outcomes(failed=2)
    ran.stdout.fnmatch_lines(
        [
            "*but there is no file tests/__snapshots__/test_shop/one.trajectory.",
            "*To create it, for review: pytest tests/test_shop.py::test_one --agentassert-update",
        ]
    )
    ran.stdout.no_fnmatch_line("*= snapshots =*")
    assert project.names == []


def test_an_update_says_what_it_created_and_updated_and_is_quiet_when_nothing_differs(project):
    project.tests(TWO)
    created = project.run("--agentassert-update")
    created.assert_outcomes(passed=2)
    created.stdout.fnmatch_lines(
        [
            "*= snapshots =*",
            "created tests/__snapshots__/test_shop/one.trajectory",
            "created tests/__snapshots__/test_shop/two.trajectory",
        ]
    )
    project.tests(TWO.replace("paid(2)", "paid(3)"))
    project.run().stdout.fnmatch_lines(
        ["*If what ran is right, write tests/__snapshots__/test_shop/two.trajectory anew: pytest *"]
    )
    updated = project.run("--agentassert-update")
    updated.stdout.fnmatch_lines(["updated tests/__snapshots__/test_shop/two.trajectory"])
    updated.stdout.no_fnmatch_line("*one.trajectory*")
    for arguments in ((), ("--agentassert-update",)):
        ran = project.run(*arguments)
        ran.assert_outcomes(passed=2)
        ran.stdout.no_fnmatch_line("*= snapshots =*")


def test_a_helper_in_another_file_asks_for_the_test_that_runs(project):
    project.tests("def check(n):\n    paid(n).matches_snapshot('one')\n", "helper")
    project.tests(
        """
        import pathlib
        import sys
        from concurrent.futures import ThreadPoolExecutor

        sys.path.insert(0, str(pathlib.Path(__file__).parent))
        from helper import check

        def test_one():
            check(1)

        def test_in_a_thread():
            with ThreadPoolExecutor() as pool:
                pool.submit(check, 1).result()
        """
    )
    project.run("--agentassert-update").assert_outcomes(passed=2)
    assert project.names == ["one"]


def test_tests_may_share_a_snapshot_but_not_write_over_each_other(project):
    project.tests(
        """
        @pytest.mark.parametrize("n", [1, 1, 2])
        def test_pays(n):
            paid(n).matches_snapshot("paid")
            paid(n).matches_snapshot("paid")
        """
    )
    ran = project.run("--agentassert-update")
    ran.assert_outcomes(passed=2, failed=1)
    ran.stdout.fnmatch_lines(
        ["*was written in this run, by tests/test_shop.py::test_pays[[]1_0]: give each use that differs its own name.*"]
    )
    ran.stdout.fnmatch_lines(["created tests/__snapshots__/test_shop/paid.trajectory"])
    project.run("--agentassert-update", "-k", "2").assert_outcomes(passed=1, deselected=2)


ONE = TWO.partition("    def test_two")[0]
NOTHING = "def test_nothing():\n    pass\n"


def test_an_unused_snapshot_is_said_and_deleted_by_an_update_alone(project):
    project.kept(one=1, two=2)
    project.tests(NOTHING + dedent(ONE))
    said = project.run()
    said.assert_outcomes(passed=2)
    said.stdout.fnmatch_lines(["no test used tests/__snapshots__/test_shop/two.trajectory: --agentassert-update deletes it"])
    assert project.names == ["one", "two"]
    project.run("--agentassert-update").stdout.fnmatch_lines(
        ["deleted tests/__snapshots__/test_shop/two.trajectory, which no test used"]
    )
    assert project.names == ["one"]


def test_a_file_in_which_no_test_uses_snapshots_any_more_is_looked_at_too(project):
    project.kept(one=1, two=2)
    project.tests(NOTHING)
    project.run().stdout.fnmatch_lines(["no test used *one.trajectory: *", "no test used *two.trajectory: *"])


def test_snapshots_whose_test_file_is_gone_are_said_and_kept(project):
    project.kept(one=1)
    project.kept("test_gone", old=1)
    project.tests(ONE)
    ran = project.run("--agentassert-update")
    ran.stdout.fnmatch_lines(["no test file belongs to tests/__snapshots__/test_gone: delete it, or rename it with the file"])
    assert (project.folder.with_name("test_gone") / "old.trajectory").is_file()


LEAVES_OUT = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.name == "test_one"]
"""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-k", "one"], TWO),
        (["--deselect", "tests/test_shop.py::test_two"], TWO),
        (["tests/test_shop.py::test_one"], TWO),
        (["./tests/../tests/test_shop.py::test_one"], TWO),
        (["--setup-only"], TWO),
        (["--collect-only"], ONE),
        (["-p", "leaves_out"], TWO),
        ([], TWO.replace("def test_two", "@pytest.mark.skip\n    def test_two")),
        ([], TWO.replace("paid(2)", "paid(3)")),
        ([], TWO.replace("def test_two():", "@pytest.mark.xfail\n    def test_two():\n        assert False")),
        ([], TWO + "\n    def test_exit():\n        pytest.exit('done', returncode=0)\n"),
    ],
)
def test_what_a_test_that_did_not_run_or_pass_may_use_is_not_unused(project, arguments, text):
    project.pytester.makepyfile(leaves_out=LEAVES_OUT)
    project.pytester.syspathinsert()
    project.kept(one=1, two=2)
    project.tests(text)
    ran = project.run("--agentassert-update" if "paid(3)" not in text else "-v", *arguments)
    ran.stdout.no_fnmatch_line("*deleted*")
    ran.stdout.no_fnmatch_line("*no test used*")
    assert project.names == ["one", "two"]


def test_a_test_is_found_from_wherever_pytest_was_started(project, monkeypatch):
    project.kept(one=1, two=2)
    project.tests(TWO)
    monkeypatch.chdir(project.pytester.path / "tests")
    project.run("--agentassert-update", "test_shop.py::test_one").assert_outcomes(passed=1)
    assert project.names == ["one", "two"]


def test_a_page_of_the_same_name_keeps_its_snapshots(project):
    project.kept(one=1, of_the_page=2)
    project.tests(ONE)
    (project.pytester.path / "tests" / "test_shop.md").write_text("# A page with examples\n", encoding="utf-8")
    ran = project.run("--agentassert-update")
    ran.stdout.no_fnmatch_line("*deleted*")
    assert project.names == ["of_the_page", "one"]


def test_a_test_that_runs_pytest_inside_itself_has_used_what_it_used(project):
    project.kept(one=1)
    project.tests(
        """
        pytest_plugins = ["pytester"]

        def test_one(pytester):
            paid(1).matches_snapshot("one")
            pytester.makepyfile(
                test_inner="from agentassert import assert_that, capture, record\\n"
                "def test_inner():\\n"
                "    with capture() as cap, record.invocation('shop'):\\n"
                "        pass\\n"
                "    assert_that(cap).matches_snapshot('inner')\\n"
            )
            pytester.runpytest_inprocess("-p", "agentassert", "--agentassert-update").assert_outcomes(passed=1)
        """
    )
    ran = project.run("--agentassert-update")
    ran.assert_outcomes(passed=1)
    assert project.names == ["one"]


def test_other_test_files_keep_their_snapshots(project):
    project.kept(one=1, two=2)
    project.kept("test_more", one=1)
    project.tests(TWO)
    project.tests(NOTHING, "test_more")
    project.run("--agentassert-update", "tests/test_more.py")
    assert project.names == ["one", "two"]
    assert not list((project.folder.parent / "test_more").glob("*.trajectory"))


def test_the_variable_updates_in_pytest_too(project, monkeypatch):
    monkeypatch.setenv("AGENTASSERT_UPDATE", "1")
    project.tests(TWO)
    ran = project.run()
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["created tests/__snapshots__/test_shop/one.trajectory"])


def test_snapshots_work_without_the_plugin(project, monkeypatch):
    project.kept(one=1)
    project.tests(TWO)
    monkeypatch.setenv("AGENTASSERT_UPDATE", "1")
    ran = project.pytester.runpytest_subprocess("-p", "no:agentassert", "-s")
    ran.assert_outcomes(passed=2)
    ran.stderr.fnmatch_lines(["agentassert: created tests/__snapshots__/test_shop/two.trajectory"])
    assert "agentassert: updated" not in ran.stderr.str()


def test_processes_of_xdist_say_what_they_wrote_and_delete_nothing(project):
    project.kept(old=1)
    project.tests(
        TWO
        + """
    @pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.xdist_group(str(n))) for n in (3, 4)])
    def test_shares(n):
        paid(n).matches_snapshot("shared")
"""
    )
    spread = ("-p", "xdist", "-n", "2", "--dist", "loadgroup", "--agentassert-update")
    ran = project.pytester.runpytest_subprocess("-p", "agentassert", *spread, "-k", "one or two or shares")
    ran.stdout.fnmatch_lines(
        [
            "created tests/__snapshots__/test_shop/one.trajectory",
            "*ed tests/__snapshots__/test_shop/shared.trajectory",
            "created tests/__snapshots__/test_shop/two.trajectory",
        ]
    )
    ran.stdout.no_fnmatch_line("*no test used*")
    project.tests(NOTHING)
    ran = project.pytester.runpytest_subprocess("-p", "agentassert", *spread, "-n", "1")
    ran.stdout.fnmatch_lines(["no test used *one.trajectory: --agentassert-update without -n deletes it"])
    assert project.names == ["old", "one", "shared", "two"]
