"""The table `tool.agentassert`: found, read strictly, and cheap when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentassert import settings
from agentassert.settings import AgentSettings, EnvironmentSettings, RasaSettings, Settings

EVERYTHING = """
[tool.agentassert]
suites = ["tests", "more/checks"]
unreported_tools = "succeeded"
default_environment = "staging"

[tool.agentassert.agents]
support = "shop.agents:support"
refunds = { target = "shop.agents:build.refunds", tools = ["billing.refund"], discoverable_tools = ["web.fetch"] }
support-fast = { target = "shop.agents:fast", variant_of = "support" }

[tool.agentassert.environments.staging]
variables = { SHOP_URL = "https://staging.example" }
agents = { support = "shop.staging:support", refunds = { tools = [] } }

[tool.agentassert.environments.local]

[tool.agentassert.rasa]
pitfalls = "fail"
url = "http://localhost:5005"
judge = "shop.judges:strict"
timeout_s = 5
"""


def project(directory, text):
    (directory / "pyproject.toml").write_text(text, "utf-8")
    return directory


def refused(directory, text):
    with pytest.raises(ValueError, match=r"agentassert|TOML") as error:
        settings.above(project(directory, text))
    words = str(error.value)
    assert words.startswith(f"{directory / 'pyproject.toml'}: ")
    assert "\n" not in words
    return words.removeprefix(f"{directory / 'pyproject.toml'}: ")


def test_every_key_is_read(tmp_path):
    read = settings.above(project(tmp_path, EVERYTHING))
    assert read == Settings(
        root=tmp_path,
        suites=("tests", "more/checks"),
        unreported_tools="succeeded",
        default_environment="staging",
        rasa=RasaSettings(pitfalls="fail", url="http://localhost:5005", judge="shop.judges:strict", timeout_s=5.0),
        agents={
            "support": AgentSettings(target="shop.agents:support"),
            "refunds": AgentSettings(
                target="shop.agents:build.refunds", tools=("billing.refund",), discoverable_tools=("web.fetch",)
            ),
            "support-fast": AgentSettings(target="shop.agents:fast", variant_of="support"),
        },
        environments={
            "staging": EnvironmentSettings(
                variables={"SHOP_URL": "https://staging.example"},
                agents={
                    "support": AgentSettings(target="shop.staging:support"),
                    "refunds": AgentSettings(target="shop.agents:build.refunds", tools=(), discoverable_tools=("web.fetch",)),
                },
            ),
            "local": EnvironmentSettings(),
        },
    )
    assert read.suite_directories == (tmp_path / "tests", tmp_path / "more" / "checks")


def test_an_empty_table_means_the_defaults(tmp_path):
    assert settings.above(project(tmp_path, "[tool.agentassert]\n")) == Settings(root=tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[tool.other]\n", "[project]\ndependencies = ['agentassert-fluent']\n", "tool = 3 # agentassert"]
)
def test_without_the_table_there_is_no_root_and_no_suite_directory(tmp_path, text):
    read = settings.above(project(tmp_path, text))
    assert read == Settings()
    assert read.suite_directories == ()


@pytest.mark.parametrize(
    "header", ["[tool.agentassert]", "[ tool . agentassert ]", "[tool]\nagentassert.suites=['x']\n[tool.other]"]
)
def test_the_table_is_found_however_it_is_spelt(tmp_path, header):
    assert settings.above(project(tmp_path, header)).root == tmp_path


def test_the_nearest_file_counts(tmp_path, monkeypatch):
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
    (inner / "deep" / "er").mkdir(parents=True)
    project(outer, "[tool.agentassert]\nsuites = ['outer']")
    assert settings.above(inner / "deep" / "er").root == outer
    project(inner, "[tool.agentassert]\nsuites = ['inner']")
    monkeypatch.chdir(inner / "deep" / "er")
    assert settings.current().suites == ("inner",)
    project(inner, "[project]")
    assert settings.current() == Settings()


@pytest.mark.skipif(Path("/pyproject.toml").exists(), reason="somebody put a project at the root of this machine")
def test_above_all_folders_there_are_no_settings():
    assert settings.above(Path("/")) == Settings()


def test_a_file_is_read_once_until_it_changes(tmp_path):
    project(tmp_path, "[tool.agentassert]\nsuites = ['one']")
    first = settings.above(tmp_path)
    assert settings.above(tmp_path) is first
    project(tmp_path, "[tool.agentassert]\nsuites = ['two']")
    os.utime(tmp_path / "pyproject.toml", ns=(0, 0))
    assert settings.above(tmp_path).suites == ("two",)


def modules_loaded_by(code, directory):
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()


@pytest.mark.parametrize("text", ["", "[tool.other]"])
def test_a_project_without_the_table_loads_no_reader(tmp_path, text):
    directory = project(tmp_path, text)
    loaded = set(modules_loaded_by("from agentassert import settings; settings.current()", directory))
    # What measures coverage in this very process loads readers of its own.
    loaded -= set(modules_loaded_by("pass", directory))
    assert "agentassert.settings" in loaded
    assert not {"tomllib", "difflib", "agentassert.settings_reading"} & loaded


WRONG = {
    "suits = ['x']": "tool.agentassert.suits is no setting; did you mean 'suites'?",
    "zzz = 1": (
        "tool.agentassert.zzz is no setting; known are "
        "'agents', 'all_checked', 'default_environment', 'environments', 'rasa', 'suites', 'unreported_tools'"
    ),
    "suites = 'tests'": "tool.agentassert.suites must be a list of texts, none of them empty, but was 'tests'",
    "suites = ['a', 3]": "tool.agentassert.suites must be a list of texts, none of them empty, but was ['a', 3]",
    "suites = ['a', 'a']": "tool.agentassert.suites names 'a' twice",
    "suites = []": (
        "tool.agentassert.suites names no path, so no suite would ever run; leave the key out for the default ['tests']"
    ),
    "unreported_tools = 'success'": "tool.agentassert.unreported_tools must be 'unknown' or 'succeeded', but was 'success'",
    "all_checked = 'yes'": "tool.agentassert.all_checked must be true or false, but was 'yes'",
    "unreported_tools = true": "tool.agentassert.unreported_tools must be 'unknown' or 'succeeded', but was True",
    "agents = []": "tool.agentassert.agents must be a table, but was []",
    "agents.support = 3": "tool.agentassert.agents.support must be a table, but was 3",
    "agents.support = 'shop.agents'": (
        "tool.agentassert.agents.support must say where the agent is, as 'module:object', but was 'shop.agents'"
    ),
    "agents.'a b'.target = 'shop-x:agent'": (
        "tool.agentassert.agents.'a b'.target must say where the agent is, as 'module:object', but was 'shop-x:agent'"
    ),
    "agents.support.tools = ['a']": 'tool.agentassert.agents.support needs a target, such as target = "module:object"',
    "agents.support = { target = 'm:o', tool = ['a'] }": (
        "tool.agentassert.agents.support.tool is no setting; did you mean 'tools'?"
    ),
    "agents.support = { target = 'm:o', variant_of = 'suport' }": (
        "tool.agentassert.agents.support.variant_of is 'suport', which is no other agent that is not a variant itself"
    ),
    "agents = { a = 'm:o', b = { target = 'm:o', variant_of = 'A1' } }": (
        "tool.agentassert.agents.b.variant_of is 'A1', which is no other agent that is not a variant itself; known are 'a'"
    ),
    "environments.x = 'y'": "tool.agentassert.environments.x must be a table, but was 'y'",
    "environments.x.variable = {}": "tool.agentassert.environments.x.variable is no setting; did you mean 'variables'?",
    "environments.x.variables.PORT = 8000": (
        "tool.agentassert.environments.x.variables.PORT must be a text, as environment variables are, but was 8000"
    ),
    "environments.x.variables.'A=B' = '1'": (
        "tool.agentassert.environments.x.variables.'A=B' is no name of an environment variable"
    ),
    "agents.support = 'm:o'\nenvironments.x.agents.suport = 'm:p'": (
        "tool.agentassert.environments.x.agents.suport is no agent of [tool.agentassert.agents]; did you mean 'support'?"
    ),
    "environments.x.agents.support = 'm:p'": (
        "tool.agentassert.environments.x.agents.support is no agent of [tool.agentassert.agents]; it names none"
    ),
    "environments.staging = {}\ndefault_environment = 'stagin'": (
        "tool.agentassert.default_environment is 'stagin', which is no environment; did you mean 'staging'?"
    ),
    "default_environment = 'x'": (
        "tool.agentassert.default_environment is 'x', which is no environment; there are none in tool.agentassert.environments"
    ),
    "default_environment = ' '": "tool.agentassert.default_environment must be a text that is not empty, but was ' '",
    "rasa.pitfalls = 'error'": "tool.agentassert.rasa.pitfalls must be 'warn' or 'fail', but was 'error'",
    "rasa.judge = 'strict'": "tool.agentassert.rasa.judge must say where the judge is, as 'module:object', but was 'strict'",
    "rasa.timeout_s = 0": "tool.agentassert.rasa.timeout_s must be a number of seconds above 0, but was 0",
    "rasa.pitfall = 'fail'": "tool.agentassert.rasa.pitfall is no setting; did you mean 'pitfalls'?",
}


@pytest.mark.parametrize(("text", "words"), WRONG.items(), ids=WRONG)
def test_a_wrong_table_is_refused_in_one_line(tmp_path, text, words):
    assert refused(tmp_path, f"[tool.agentassert]\n{text}") == words


def test_a_table_that_is_none_is_refused(tmp_path):
    assert refused(tmp_path, "[tool]\nagentassert = 3") == "tool.agentassert must be a table, but was 3"


def test_broken_toml_is_refused_with_its_line(tmp_path):
    words = refused(tmp_path, "[tool.agentassert]\nsuites = [")
    assert words.startswith("this is no TOML: ")
    assert "line 2" in words or "end of document" in words


def test_a_broken_file_that_is_not_about_this_library_is_left_alone(tmp_path):
    assert settings.above(project(tmp_path, "= broken")) == Settings()


def test_an_environment_is_chosen_by_name_by_default_or_not_at_all(tmp_path):
    read = settings.above(project(tmp_path, EVERYTHING))
    assert read.agents_in()["support"].target == "shop.staging:support"
    assert read.agents_in("local")["support"].target == "shop.agents:support"
    assert Settings().environment() == EnvironmentSettings()
    with pytest.raises(ValueError, match=r"no environment 'locl' .* did you mean 'local'\?"):
        read.agents_in("locl")


def test_settings_cannot_be_changed(tmp_path):
    read = settings.above(project(tmp_path, EVERYTHING))
    with pytest.raises(TypeError):
        read.agents["other"] = AgentSettings(target="m:o")
    with pytest.raises(TypeError):
        read.environments["staging"].variables["A"] = "b"
