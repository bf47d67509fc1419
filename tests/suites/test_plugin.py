"""Suites in a plain pytest run."""

from __future__ import annotations

import pytest

SUITE = """
    tests:
      - name: adds
        payload: '{"a": 4, "b": 6}'
        expected_result: output.id == 10
      - name: subtracts
        payload: '{"a": 4, "b": 6}'
        expected_result: output.id == -2
"""


@pytest.fixture
def pytest_run(project, monkeypatch):
    def run(*arguments, **environment):
        return project.in_a_process("-m", "pytest", "-p", "agentassert", *arguments, **environment)

    return run


def test_suites_are_collected_beside_other_tests(project, pytest_run):
    project.suite(SUITE)
    project.write("tests/test_more.py", "def test_more():\n    assert True\n")
    ran = pytest_run()
    assert ran.code == 1
    assert "2 passed" in ran.out
    assert "1 failed" in ran.out
    assert "tests/support.yaml::subtracts" in ran.out
    assert "output.id was 10" in ran.out
    assert "agentassert/suites" not in ran.out


def test_one_case_can_be_named(project, pytest_run):
    project.suite(SUITE)
    assert "1 passed" in pytest_run("tests/support.yaml::adds").out


def test_a_wrong_file_is_an_error_of_the_collection(project, pytest_run):
    project.suite("tests:\n  - name: adds\n    paylod: x\n")
    ran = pytest_run()
    assert ran.code == 2
    assert "tests/support.yaml:3:5:" in ran.out
    assert "Traceback" not in ran.out


def test_files_below_the_suites_paths_alone_are_suites(project, pytest_run):
    project.settings('suites = ["checks"]')
    project.suite(SUITE)
    project.write("checks/test_it.py", "def test_it():\n    assert True\n")
    assert "1 passed" in pytest_run().out


def test_without_a_table_no_yaml_file_is_touched(project, pytest_run):
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    project.suite("}this is no YAML{")
    project.write("tests/test_it.py", "def test_it():\n    assert True\n")
    ran = pytest_run()
    assert (ran.code, "1 passed" in ran.out) == (0, True)


def test_a_project_without_yaml_imports_nothing_of_ours_beyond_the_plugin(project, pytest_run):
    project.write(
        "tests/test_it.py",
        """
        import sys

        def test_it():
            ours = sorted(name for name in sys.modules if name.startswith("agentassert"))
            assert ours == ["agentassert", "agentassert.pytest_plugin"]
        """,
    )
    ran = pytest_run()
    assert ran.code == 0, ran.out


def test_the_plugin_can_be_switched_off(project):
    project.suite(SUITE)
    project.write("tests/test_it.py", "def test_it():\n    assert True\n")
    ran = project.in_a_process("-m", "pytest", "-p", "no:agentassert", PYTEST_DISABLE_PLUGIN_AUTOLOAD="")
    assert (ran.code, "1 passed" in ran.out) == (0, True)


def test_a_wrong_table_is_told_in_a_line(project, pytest_run):
    project.settings('suits = ["checks"]')
    project.suite(SUITE)
    ran = pytest_run()
    assert ran.code == 2
    assert "did you mean 'suites'?" in ran.out
    assert "Traceback" not in ran.out


def _nested(project, name, module):
    project.write(f"{name}/pyproject.toml", f'[tool.agentassert.agents]\nsupport = "{module}:support"\n')
    project.write(f"{name}/{module}.py", f"def support(payload):\n    return {name!r}\n")
    project.write(f"{name}/tests/support.yaml", f"tests: [{{name: {name}, payload: x, expected_result: output == '{name}'}}]\n")


def test_each_project_below_the_root_has_its_own_table(project, pytest_run):
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    _nested(project, "one", "agents_one")
    _nested(project, "two", "agents_two")
    assert "2 passed" in pytest_run().out


def test_two_projects_whose_modules_have_one_name_are_not_mixed_up(project, pytest_run):
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    _nested(project, "one", "agents")
    _nested(project, "two", "agents")
    ran = pytest_run()
    assert ran.code == 2
    assert "a module 'agents' was imported from" in ran.out
