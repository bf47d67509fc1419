from __future__ import annotations

import pytest

from tests.suites.projects import Project

CALCULATOR = """
    @record.tool
    def add(a, b):
        return a + b

    @record.tool
    def send(to):
        return "sent"

    def support(payload):
        if isinstance(payload, str):
            return f"hello {payload}"
        return {"id": add(payload["a"], payload["b"])}
"""


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # other plugins have no part in these tests, and cost time
    made = Project(tmp_path, capsys)
    made.agent(CALCULATOR)
    return made
