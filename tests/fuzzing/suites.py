"""Suite files, and what their expectations say of an agent's run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from agentassert.expressions.unmet import unmet
from agentassert.suites.loading import load_suite
from agentassert.suites.problems import SuiteError
from tests.fuzzing import samples
from tests.fuzzing.targets import Target
from tests.fuzzing.texts import WORDS, YAML
from tests.fuzzing.using import FOLDER, printable

_DIRECTORY: Final = FOLDER / "suites"
_EVERYTHING: Final = rb"""
version: "1.0"
agent: support
defaults: &defaults
  runs: 3
  success_threshold: 60
  success_confidence: 0.6
  timeout_s: 5
  mocks: shop
  strict_mocks: true
tests:
  - name: refunds an order
    payload: '{"order": {"id": 10}}'
    files: [order.json]
    runs: 10
    expected_result: output.id == 10 and "ok" in output.notes
    expected_tool_calls:
      - get_booking
      - notify: invocations == 2 and params.to != "x"
      - look: params.id in [7, 8] and result.fee < 12.5
    expected_tool_call_order: [get_booking, notify]
    expected_no_tool_calls: [delete_everything]
    expected_child_agents:
      expert: &expert
        expected_triggered: 1
        expected_payload: payload.id == 3 or payload_raw == "Hi"
        expected_tool_calls: [{look: params.id == 7}]
    approval_decisions:
      - {tool: refund, params: params.amount < 100, decision: approve, response: "yes"}
      - {tool: refund, decision: reject, reason: too much}
  - name: from a builder
    builder: order
    builder_args: {<<: *expert, deep: {er: [1, null, .nan]}}
    expected_result: status == "completed"
"""
_KEYS: Final = (
    *(
        "tests",
        "name",
        "payload",
        "builder",
        "runs",
        "expected_result",
        "expected_tool_calls",
        "expected_child_agents",
        "files",
        "agent",
    ),
    *(
        "success_threshold",
        "success_confidence",
        "../../etc/passwd",
        "files/../x",
        "order.json/",
        "output == 1",
        "output ==",
        "params.a == 1",
    ),
    *("invocations >= 0", "len(output)", "output.__class__", "not output", "status == 'faild'", "1 == 1", "approve", "reject"),
)


def _directory() -> Path:
    for name, content in {"files/order.json": "{}", "builders/order.py": "1 / 0", "mocks/shop.py": "1 / 0"}.items():
        file = _DIRECTORY / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")
    return _DIRECTORY


_INVOCATIONS: Final = [one for cap in samples.captures() for one in cap.invocations]


def _load(data: bytes) -> Any:
    file = _directory() / "support.yaml"
    file.write_bytes(data)
    suite = load_suite(file, _DIRECTORY, ["support"])
    for case in () if suite is None else suite.cases[:20]:
        printable("the name of a test", case.name)
        for invocation in _INVOCATIONS:
            for failure in unmet(invocation, case.expectations):
                printable("a failure", str(failure))


TARGETS: Final = (
    Target(
        name="suites",
        run=_load,
        allowed=(SuiteError,),
        corpus=lambda: [_EVERYTHING, *samples.files("../examples/suite/tests", "*.yaml")],
        strategy=YAML,
        form="text",
        words=(*WORDS, *_KEYS),
        folder=FOLDER,
        seconds=0.5,
        seconds_per_mb=12.0,
        megabytes_per_mb=400.0,
        largest=1_200_000,
    ),
)
