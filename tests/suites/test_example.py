"""The example project, and the recipes for forges that stand beside it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="reading the recipes needs a YAML library")


@pytest.fixture
def copy(project_root, tmp_path):
    return Path(shutil.copytree(project_root / "examples" / "suite", tmp_path / "suite"))


@pytest.fixture
def project_root():
    return Path(__file__).parents[2]


def _shell(command, folder, root):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _steps_of_github(recipe):
    (job,) = recipe["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


def _steps_of_gitlab(recipe):
    return recipe["agents"]["script"]


@pytest.mark.parametrize(("name", "steps_of"), [("github", _steps_of_github), ("gitlab", _steps_of_gitlab)])
def test_the_steps_of_a_recipe_pass_on_the_example_and_fail_on_a_broken_agent(name, steps_of, copy, project_root):
    install, test, coverage = steps_of(yaml.safe_load((copy / "ci" / f"{name}.yml").read_text()))
    assert install == "pip install -r requirements.txt"
    ran = _shell(test, copy, project_root)
    assert ran.returncode == 0, ran.stderr
    assert (copy / "agent-tests.xml").exists()
    assert _shell(coverage, copy, project_root).returncode == 0
    agent = copy / "refunds.py"
    agent.write_text(agent.read_text().replace('charge["amount"])', 'charge["amount"] + 1)'))
    ran = _shell(test, copy, project_root)
    assert ran.returncode == 1
    assert "refunds::refunds the charge that was asked for" in ran.stdout


def test_gitlab_finds_the_coverage_in_the_log(copy, project_root):
    pattern = yaml.safe_load((copy / "ci" / "gitlab.yml").read_text())["agents"]["coverage"].strip("/")
    found = re.search(pattern, _shell("agentassert coverage", copy, project_root).stdout, re.MULTILINE)
    assert found is not None
    assert found[1] == "100"


def test_coverage_gates_when_a_tool_is_left_out(copy, project_root):
    suite = copy / "tests" / "refunds.yaml"
    suite.write_text(
        suite.read_text().replace("get_charge, refund, notify]", "refund, notify]").replace("[get_charge]", "[refund]")
    )
    assert _shell("agentassert coverage --fail-under 80", copy, project_root).returncode == 1


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("github", ["vendor.github-workflows"]), ("gitlab", ["vendor.gitlab-ci", "--data-transform", "gitlab-ci"])],
)
def test_a_recipe_is_what_its_forge_takes(name, arguments, copy):
    pytest.importorskip("check_jsonschema", reason="the schemas of the forges come with check-jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", *arguments, str(copy / "ci" / f"{name}.yml")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
