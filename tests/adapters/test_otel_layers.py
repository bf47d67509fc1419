"""A framework over an SDK, both traced by the real instrumentations: each call, execution and token counts once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.adapters.test_instrumented import is_there

NEEDED = (
    "openinference.instrumentation.langchain",
    "openinference.instrumentation.openai_agents",
    "openinference.instrumentation.openai",
    "openinference.instrumentation.anthropic",
    "opentelemetry.instrumentation.genai.langchain",
    "opentelemetry.instrumentation.genai.openai_agents",
    "opentelemetry.instrumentation.genai.openai",
    "langchain_openai",
    "langchain_anthropic",
    "agents",
    "pydantic_ai",
)
ONCE = {"calls": 2, "tokens": 59, "executions": [["get_booking", {"number": "MS-777"}]], "doubts": [], "provider": [2, 59]}
TRACED_AS_FRAMEWORKS = ("langchain_openai", "langchain_openai_responses", "agents_chat", "agents_responses")


def traced(libraries, which, project):
    missing = [module for module in NEEDED if not is_there(module)]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")
    command = [sys.executable, "-W", "ignore", "-m", "tests.adapters.traced", libraries, which]
    ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_with_every_adapter_at_work_the_spans_of_both_libraries_add_nothing(project):
    found = traced("openinference,genai", "all", project)

    assert len(found) == 14
    assert all("openinference" in one.pop("libraries") for one in found.values())
    assert {name: one for name, one in found.items() if one != ONCE} == {}


@pytest.mark.parametrize(("library", "wrote"), [("openinference", "openinference"), ("genai", "opentelemetry")])
def test_by_the_spans_of_one_library_alone_everything_counts_once(library, wrote, project):
    found = {name: one for name, one in traced(library, "spans", project).items() if name.split()[0] in TRACED_AS_FRAMEWORKS}

    assert len(found) == 8
    assert [one.pop("libraries") for one in found.values()] == [[wrote]] * 8
    assert {name: one for name, one in found.items() if one != ONCE} == {}


def test_by_the_spans_of_two_libraries_at_once_everything_counts_once(project):
    found = {
        name: one
        for name, one in traced("openinference,genai", "spans", project).items()
        if name.split()[0] in TRACED_AS_FRAMEWORKS
    }

    assert [one.pop("libraries") for one in found.values()] == [["openinference", "opentelemetry"]] * 8
    assert {name: one for name, one in found.items() if one != ONCE} == {}
