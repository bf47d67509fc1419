"""The format of suite files: the one table that reading, the JSON Schema and the reference follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentassert.expressions.source import LONGEST
from agentassert.suites.confidence import MOST_RUNS
from agentassert.suites.fields import Field, Record
from agentassert.suites.kinds import (
    ANYTHING,
    AnyMapping,
    Between,
    Choice,
    Flag,
    Kind,
    ListOf,
    MappingOf,
    Reader,
    Text,
    Whole,
    label,
)
from agentassert.suites.marks import DataPath
from agentassert.suites.problems import quoted

LONGEST_RESPONSE: Final = 16_384

_MOST_NAMED: Final = 3

_FILE_CHARACTERS: Final = r"(?![\s\S]*\.\.)[A-Za-z0-9._-]+"
_FILE_NAME: Final = Text(
    words="the bare name of a file, of letters, digits, dots, dashes and underscores", pattern=_FILE_CHARACTERS
)
_MODULE_NAME: Final = Text(
    words="the bare name of a module, of letters, digits, dots, dashes and underscores",
    pattern=rf"(?!\.py$){_FILE_CHARACTERS}",
    made=lambda name: name.removesuffix(".py"),
)
_NAME: Final = Text()
_EXPRESSION: Final = Text(words="an expression, as text", most=LONGEST)
_PAYLOAD: Final = Text(words="text; JSON is written as text, in single quotes", pattern=ANYTHING)
_EXPECTS_NOTHING: Final = "that expects nothing, so leave the key out; that no tool is called is said by expected_no_tool_calls"


class _ToolCall:
    """The name of a tool, or a mapping from it to an expression."""

    def read(self, value: Any, path: DataPath, reader: Reader) -> Any:
        if isinstance(value, str):
            return _NAME.read(value, path, reader)
        if not isinstance(value, dict):
            reader.refuse_kind(path, "the name of a tool, or a mapping from it to an expression", value)
        elif len(value) != 1:
            keys = f"{len(value)} keys: {', '.join(map(quoted, list(value)[:_MOST_NAMED]))}" if value else "none"
            reader.refuse(path, f"{label(path)} must be a mapping with one key, the name of a tool, but has {keys}")
        else:
            ((name, text),) = value.items()
            if not name.strip():
                reader.refuse_key((*path, name), "the name of the tool is blank")
            return {name: _EXPRESSION.read(text, (*path, name), reader)}
        return None

    def schema(self) -> dict[str, Any]:
        mapping = {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"pattern": r"\S"},
            "additionalProperties": _EXPRESSION.schema(),
        }
        return {"anyOf": [_NAME.schema(), mapping]}


class _ChildAgent:
    """What is expected of a triggered agent: the record below, which holds itself."""

    def read(self, value: Any, path: DataPath, reader: Reader) -> Any:
        return CHILD.read(value, path, reader)

    def schema(self) -> dict[str, Any]:
        return CHILD.schema()


def _tools(item: Kind) -> ListOf:
    return ListOf(item=item, if_empty=_EXPECTS_NOTHING)


EXPECTATIONS: Final[Mapping[str, Field]] = {
    "expected_result": Field(
        _EXPRESSION,
        "What must hold of output, output_text, error, status and context; without it, the agent must complete",
        or_null=True,
    ),
    "expected_tool_calls": Field(
        _tools(_ToolCall()),
        "Tools that must be called, each by its name, or as a mapping from the name to an expression on params, result, "
        "invocations and context",
    ),
    "expected_tool_call_order": Field(_tools(_NAME), "Tools that must be called in this order; others may be called in between"),
    "expected_no_tool_calls": Field(_tools(_NAME), "Tools that must not be called"),
    "expected_child_agents": Field(
        MappingOf(
            item=_ChildAgent(), keys="the name of an agent", if_empty="name the agents that must be triggered, or leave it out"
        ),
        "Agents that must be triggered, with what is expected of them",
        or_null=True,
    ),
}

CHILD: Final = Record(
    name="a child agent",
    fields={
        "expected_triggered": Field(Whole(1), "How many times at least the agent must be triggered", default=1),
        "expected_payload": Field(_EXPRESSION, "What must hold of payload, payload_raw and context", or_null=True),
        **EXPECTATIONS,
    },
)


def _check_approval(read: Mapping[str, Any], path: DataPath, reader: Reader) -> None:
    if "response" in read and read["decision"] != "approve":
        reader.refuse(
            (*path, "response"), f"response goes with `decision: approve` alone, but the decision is {read['decision']}"
        )


APPROVAL: Final = Record(
    name="an approval decision",
    fields={
        "tool": Field(_NAME, "The full name of the tool that waits for approval", required=True),
        "params": Field(_EXPRESSION, "Which calls it is for: what must hold of params and context", or_null=True),
        "decision": Field(Choice(("approve", "reject", "timeout")), "What is decided", required=True),
        "reason": Field(Text(words="text", pattern=ANYTHING), "The reason given with it", or_null=True),
        "response": Field(
            Text(most=LONGEST_RESPONSE),
            "The answer of the person, for a tool that asks for one; with approve alone",
            or_null=True,
        ),
    },
    check=_check_approval,
    rules={
        "if": {"required": ["response"], "properties": {"response": {"type": "string"}}},
        "then": {"properties": {"decision": {"const": "approve"}}},
    },
)

_RUNNING: Final[Mapping[str, Field]] = {
    "runs": Field(Whole(1, MOST_RUNS), "How many times each test is run", default=1),
    "success_threshold": Field(Whole(1, 100), "The percentage of runs that must pass", default=100),
    "success_confidence": Field(
        Between(0.5, 1),
        "How sure it must be that the rate of passing runs reaches success_threshold, given how few runs there are",
    ),
    "timeout_s": Field(Whole(1, 3600), "How many seconds one run may take", default=120),
    "mocks": Field(_MODULE_NAME, "The module below mocks/ that stands in for tools"),
    "strict_mocks": Field(Flag(), "Whether a tool without a mock must not run", default=False),
    "strict_hook_mocks": Field(Flag(), "Whether a hook without a mock must not run", default=False),
    "strict_middleware_mocks": Field(Flag(), "Whether middleware without a mock must not run", default=False),
    "strict_guardrail_mocks": Field(Flag(), "Whether a guardrail without a mock must not run", default=False),
    "strict_approval_decisions": Field(
        Flag(),
        "Whether a request for approval without a decision, or a decision without a request, fails the test",
        default=False,
    ),
}
_MAY_BE_NULL: Final = {"success_confidence", "mocks"}


def _in(place: str, fields: Mapping[str, Field]) -> Mapping[str, str]:
    return dict.fromkeys(fields, place)


DEFAULTS: Final = Record(
    name="the defaults",
    fields={
        name: Field(field.kind, field.about, field.default, or_null=name in _MAY_BE_NULL) for name, field in _RUNNING.items()
    },
    elsewhere=_in("in a test", EXPECTATIONS),
)


def _check_test(read: Mapping[str, Any], path: DataPath, reader: Reader) -> None:
    if "payload" not in read and "builder" not in read:
        reader.refuse(path, f"the test {read['name']!r} needs a payload or a builder")


TEST: Final = Record(
    name="a test",
    fields={
        "name": Field(
            Text(words="a name of 1 to 120 characters in one line", pattern=r"(?=[\s\S]*\S)[^\u0000-\u001f\u007f]{1,120}"),
            "The name of the test, unique in the file",
            required=True,
        ),
        "payload": Field(_PAYLOAD, "What the agent is given: text, or a JSON object written as text", or_null=True),
        "files": Field(ListOf(item=_FILE_NAME, unique=True), "Names of files below files/ that the agent is given with it"),
        "builder": Field(_MODULE_NAME, "The module below builders/ whose build() makes the payload", or_null=True),
        "builder_args": Field(AnyMapping(), "What the builder is given", or_null=True),
        "approval_decisions": Field(ListOf(item=APPROVAL), "What is decided when tools wait for approval"),
        **{name: Field(field.kind, field.about, or_null=True) for name, field in _RUNNING.items()},
        **EXPECTATIONS,
    },
    elsewhere={
        **_in("in approval_decisions", APPROVAL.fields),
        **_in("in expected_child_agents", CHILD.fields),
        "version": "at the top of the file",
        "agent": "at the top of the file",
    },
    check=_check_test,
    rules={
        "anyOf": [
            {"required": ["payload"], "properties": {"payload": {"type": "string"}}},
            {"required": ["builder"], "properties": {"builder": {"type": "string"}}},
        ]
    },
)

SUITE: Final = Record(
    name="a suite",
    fields={
        "version": Field(Choice(("1.0",)), "The version of the format", default="1.0"),
        "agent": Field(_NAME, "The name of the agent; without it, the name of the file", or_null=True),
        "defaults": Field(DEFAULTS, "What holds for every test that does not say otherwise"),
        "tests": Field(ListOf(item=TEST, if_empty="a suite has one test at least"), "The tests", required=True),
    },
    elsewhere={**_in("in a test", TEST.fields), **_in("under `defaults`, or in a test", _RUNNING)},
)
