"""What a capture keeps as JSON text, and how a text that is none is refused."""

from __future__ import annotations

import copy
import datetime
import functools
import json
import math
import pickle

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentassert.conversation_events import ConversationEvent, ConversationEventKind
from agentassert.records import (
    NOT_RECORDED,
    Approval,
    ChatModelCall,
    Decision,
    EmbeddingModelCall,
    FinishReason,
    Invocation,
    ModelCall,
    ModerationModelCall,
    Outcome,
    ScoringModelCall,
    Source,
    Status,
    ToolExecution,
    ToolExecutionRequest,
)
from agentassert.stored.captures import StoredCapture, dumps, loads
from agentassert.stored.fields import form_of, forms_of
from agentassert.stored.recorded_errors import RecordedError, is_instance, members
from agentassert.stored.values import NotJson
from agentassert.token_usage import TokenUsage

NOON = datetime.datetime(2026, 1, 2, 12, 0, 0, 250, tzinfo=datetime.UTC)

FULL = Invocation(
    id="i1",
    name="support_agent",
    framework="langchain",
    input={"text": "Cancel"},
    output=["done"],
    output_text="done",
    status=Status.AWAITING_APPROVAL,
    error="blocked",
    awaited=False,
    started_at=NOON,
    duration=1.5,
    tool_executions=(
        ToolExecution(
            id="t1",
            name="cancel",
            arguments={"id": "MS-7"},
            raw_arguments='{"id": "MS-7"}',
            result={"ok": True},
            raw_result='{"ok": true}',
            error="late",
            outcome=Outcome.UNKNOWN,
            call_id="c1",
            attempt=2,
            cached=True,
            started_at=NOON,
            duration=0.25,
            inferred=True,
            started_order=4,
            ended_order=5,
        ),
    ),
    model_calls=(
        ChatModelCall(
            id="m1",
            model="small",
            token_usage=TokenUsage(input_tokens=3, output_tokens=4, total_tokens=9),
            messages=({"role": "user", "content": [{"type": "text"}]},),
            response_text="",
            tool_execution_requests=(ToolExecutionRequest(name="cancel", arguments={}, call_id="c1", answered=True),),
            finish_reason=FinishReason.TOOL_EXECUTION,
            raw_finish_reason="tool_calls",
            own=False,
            tools_offered=("cancel",),
        ),
        EmbeddingModelCall(id="m2", inputs=("a",), completed=False),
        ScoringModelCall(id="m3", inputs=("a", "b"), attempts=3),
        ModerationModelCall(id="m4", inputs=(), error="refused"),
    ),
    sources=(Source(text="Paris", metadata={"page": 3}, score=0.5), Source(text="")),
    conversation_events=(
        ConversationEvent(kind=ConversationEventKind.FLOW_COMPLETED, name="cancel", value=[1], step="confirm", order=7),
    ),
    approvals=(Approval(tool="cancel", arguments={"id": "MS-7"}, decision=Decision.EDIT, reason="typo", call_id="c1"),),
    nested_invocations=(Invocation(id="i2", name="refunds", sources=(), started_by="t1"), Invocation(id="i3", name="mailer")),
    started_by="t0",
    implicit=True,
    recorded_by=("langchain", "record"),
    started_order=1,
    ended_order=9,
)


def _stored(**fields):
    return StoredCapture(invocations=(Invocation(id="1", name="a", **fields),))


def _again(stored):
    return loads(dumps(stored))


def _value(value):
    """The value after it was stored and loaded."""
    return _again(_stored(output=value)).invocations[0].output


def _error(error):
    """The error after it was stored and loaded."""
    return _again(_stored(error=error)).invocations[0].error


def test_every_field_of_every_record_comes_back():
    stored = StoredCapture(
        name="refund",
        invocations=(FULL, Invocation(id="i4", name="second")),
        strays=Invocation(id="i5", name="strays", tool_executions=(ToolExecution(id="t9", name="x"),)),
        visibility={"record": frozenset({"sources", "approvals"}), "langchain": frozenset()},
        late=1,
        adopted=2,
        unattributed=3,
        notes=("old version",),
        faults=("the langchain adapter broke",),
        error="gone",
    )

    assert stored == _again(stored)


def test_the_example_above_differs_from_the_defaults_in_every_field():
    records = (FULL, FULL.tool_executions[0], FULL.model_calls[0], FULL.approvals[0], FULL.sources[0])
    elsewhere = {"completed", "attempts", "inputs", "error", "cached", "started_at", "duration", "started_order"}

    same = {
        f"{type(record).__name__}.{field.name}"
        for record in records
        for field in attrs.fields(type(record))
        if field.eq and getattr(record, field.name) == field.default
    }

    assert {f"ChatModelCall.{name}" for name in elsewhere - {"inputs"}} == same


@pytest.mark.parametrize(
    "kind",
    [
        Invocation,
        ToolExecution,
        ToolExecutionRequest,
        ChatModelCall,
        EmbeddingModelCall,
        TokenUsage,
        Source,
        Approval,
        StoredCapture,
    ],
)
def test_only_what_is_no_content_of_a_record_is_not_stored(kind):
    stored = {field.name for field in attrs.fields(kind)} - set(forms_of(kind))

    assert ({"home"} if kind is Invocation else set()) == stored


def test_not_recorded_and_nothing_retrieved_stay_different():
    loaded = _again(StoredCapture(invocations=(Invocation(id="1", name="a"), Invocation(id="2", name="b", sources=()))))

    assert loaded.invocations[0].sources is NOT_RECORDED
    assert loaded.invocations[1].sources == ()


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.0, None, True, "x", {}]},
        {3: "x", None: [1], True: 2, 1.5: {}},
        {"$agentassert": "not JSON", "type": "a", "text": "b"},
        {"$agentassert": {"$agentassert": 1}},
        [math.inf, -math.inf, -0.0],
        10**30,
        "\ud800 alone",
        "\ud83d\ude00",
        {"\ud83d\ude00": 1},
        {"b": 1, "a": 2},
        "\x00\u2028",
    ],
)
def test_what_json_knows_comes_back_exactly(value):
    loaded = _value(value)

    assert (value, repr(value)) == (loaded, repr(loaded))


def test_integers_that_python_refuses_to_write_in_decimal_come_back():
    assert -(10**5_000) == _value(-(10**5_000))


def test_nan_comes_back():
    assert math.isnan(_value([math.nan])[0])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (object(), "<not stored: builtins.object <object object>>"),
        (("a", 1), "<not stored: builtins.tuple ('a', 1)>"),
        (NOON.date(), "<not stored: datetime.date datetime.date(2026, 1, 2)>"),
        ({1}, "<not stored: builtins.set {1}>"),
    ],
)
def test_what_is_no_json_says_what_it_was(value, text):
    loaded = _value([value])[0]

    assert isinstance(loaded, NotJson)
    assert text == repr(loaded)
    assert text == repr(_value([loaded])[0])


def test_what_was_no_json_equals_nothing_else():
    loaded = _again(StoredCapture(invocations=(Invocation(id="1", name="a", input=object(), output=object()),))).invocations[0]

    assert loaded.input != loaded.output
    assert loaded.input == loaded.input
    assert loaded.input != "<object object>"


def test_a_cycle_is_stored_as_far_as_it_is_one():
    cyclic: dict = {"n": 1}
    cyclic["self"] = [cyclic, cyclic]

    loaded = _value(cyclic)

    assert 1 == loaded["n"]
    assert ["<not stored: builtins.dict {'n': 1, 'self': [<circular reference>, <circular reference>]}>"] * 2 == [
        repr(one) for one in loaded["self"]
    ]


def test_a_value_deeper_than_the_recursion_limit_is_stored_as_far_as_snapshots_go():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]

    loaded = _value(deep)
    levels = 0
    while isinstance(loaded, list):
        loaded, levels = loaded[0], levels + 1

    assert 100 == levels
    assert isinstance(loaded, NotJson)


def test_a_hostile_object_can_be_stored():
    class Hostile:
        def __repr__(self):
            raise RuntimeError

    assert "its repr raised RuntimeError" in repr(_value(Hostile()))


def test_a_secret_in_what_is_no_json_is_masked():
    class Client:
        def __repr__(self):
            return "Client(api_key='abc')"

    assert "abc" not in dumps(_stored(output=Client()))


def test_a_mapping_of_another_class_comes_back_as_a_mapping():
    class Headers(dict):
        pass

    loaded = _again(_stored(tool_executions=(ToolExecution(id="1", name="a", arguments=Headers(a=1)),)))

    assert {"a": 1} == loaded.invocations[0].tool_executions[0].arguments


def test_the_depth_of_nested_invocations_does_not_matter():
    nested = Invocation(id="0", name="deepest")
    for number in range(1, 3_001):
        nested = Invocation(id=str(number), name=f"agent {number}", nested_invocations=(nested,))

    loaded = _again(StoredCapture(invocations=(nested,)))

    names = []
    level = loaded.invocations
    while level:
        names.append(level[0].name)
        level = level[0].nested_invocations
    assert names == [*(f"agent {number}" for number in range(3_000, 0, -1)), "deepest"]


def test_the_text_is_ascii_json_with_its_version():
    text = dumps(_stored(output="Zürich \ud800"))

    assert text.isascii()
    assert 1 == json.loads(text)["agentassert"]


def test_bytes_are_read_too():
    assert "Zürich" == loads(dumps(_stored(output="Zürich")).encode()).invocations[0].output


def test_an_exception_keeps_its_class_hierarchy_and_its_text():
    loaded = _error(TimeoutError("no answer"))

    assert isinstance(loaded, RecordedError)
    assert "builtins.TimeoutError" == loaded.type_name
    assert ("builtins.TimeoutError", "builtins.OSError", "builtins.Exception", "builtins.BaseException") == loaded.type_names
    assert "no answer" == str(loaded)
    assert "<recorded builtins.TimeoutError: 'no answer'>" == repr(loaded)


def test_an_exception_keeps_its_notes_causes_and_members():
    cause = KeyError("id")
    cause.__context__ = ValueError("before")
    error = ExceptionGroup("two", [TimeoutError("a"), ExceptionGroup("inner", [OSError("b")])])
    error.__cause__ = cause
    error.add_note("while refunding")

    loaded = _error(error)

    assert ["while refunding"] == loaded.__notes__
    assert "builtins.KeyError" == loaded.__cause__.type_name
    assert "builtins.ValueError" == loaded.__cause__.__context__.type_name
    assert ["a", "inner (1 sub-exception)"] == [str(member) for member in members(loaded)]
    assert ["b"] == [str(member) for member in members(loaded.members[1])]


def test_a_suppressed_context_is_not_stored():
    error = ValueError("a")
    error.__context__ = KeyError("b")
    error.__suppress_context__ = True

    assert _error(error).__context__ is None


def test_causes_that_form_a_cycle_end_where_they_close():
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one

    loaded = _error(one)

    assert "other" == str(loaded.__cause__)
    assert loaded.__cause__.__cause__ is None


def test_a_long_chain_of_causes_is_kept_in_part():
    error: Exception = ValueError("0")
    for number in range(1, 5_000):
        outer = ValueError(str(number))
        outer.__cause__ = error
        error = outer

    loaded = _error(error)

    assert ("4999", "4998") == (str(loaded), str(loaded.__cause__))


def test_a_loaded_exception_can_be_stored_again():
    error = ValueError("a")
    error.__cause__ = KeyError("b")

    assert dumps(_stored(error=error)) == dumps(_stored(error=_error(error)))


def test_an_exception_without_a_text_can_be_stored():
    class Silent(Exception):
        def __str__(self):
            raise RuntimeError

    assert "<its text cannot be had: RuntimeError>" == str(_error(Silent()))


def test_a_loaded_exception_can_be_copied_and_pickled():
    loaded = _error(TimeoutError("no answer"))

    assert ["no answer"] * 2 == [str(copy.copy(loaded)), str(pickle.loads(pickle.dumps(loaded)))]


@pytest.mark.parametrize("error", [TimeoutError("x"), functools.partial(_error, TimeoutError("x"))], ids=["live", "loaded"])
def test_the_type_of_an_exception_is_known_live_and_loaded(error):
    error = error() if callable(error) else error

    assert is_instance(error, TimeoutError)
    assert is_instance(error, OSError)
    assert is_instance(error, (KeyError, OSError))
    assert not is_instance(error, KeyError)
    assert not is_instance(error, ConnectionError)


def test_a_text_is_of_no_type():
    assert not is_instance("TimeoutError", TimeoutError)
    assert not is_instance(None, Exception)


def _edited(edit):
    document = json.loads(dumps(StoredCapture(invocations=(FULL,), error=ValueError("x"))))
    edit(document)
    return json.dumps(document)


def _set(*path, to):
    def edit(document):
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = to

    return edit


def _delete(*path):
    def edit(document):
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return edit


TOOL = ("invocations", 0, "tool_executions", 0)
CALL = ("invocations", 0, "model_calls", 0)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            _set(*TOOL, "outcome", to="done"),
            (
                "$.invocations[0].tool_executions[0].outcome: 'done' is no Outcome; one of "
                "'succeeded', 'failed', 'cancelled', 'unfinished', 'unknown'"
            ),
        ),
        (_set(*TOOL, "name", to=3), "$.invocations[0].tool_executions[0].name: must be a text, but was 3"),
        (_set(*TOOL, "attempt", to=True), "$.invocations[0].tool_executions[0].attempt: must be an integer, but was True"),
        (_set(*TOOL, "cached", to=1), "$.invocations[0].tool_executions[0].cached: must be true or false, but was 1"),
        (_set(*TOOL, "duration", to="1"), "$.invocations[0].tool_executions[0].duration: must be a number, but was '1'"),
        (_set(*TOOL, "arguments", to=[1]), "$.invocations[0].tool_executions[0].arguments: must be an object, but was [1]"),
        (
            _set(*TOOL, "started_at", to="noon"),
            "$.invocations[0].tool_executions[0].started_at: must be a date and time in ISO form, but was 'noon'",
        ),
        (
            _set(*TOOL, "error", to=[1]),
            "$.invocations[0].tool_executions[0].error: an error is null, a text or an object with 'types', but was [1]",
        ),
        (_delete(*TOOL, "outcome"), "$.invocations[0].tool_executions[0].outcome: is missing"),
        (_set(*TOOL, to=7), "$.invocations[0].tool_executions[0]: must be an object, but was 7"),
        (_set("invocations", 0, "tool_executions", to={}), "$.invocations[0].tool_executions: must be a list, but was {}"),
        (
            _set(*CALL, "kind", to="video"),
            (
                "$.invocations[0].model_calls[0].kind: must be one of 'chat', 'embedding', 'scoring', "
                "'moderation', but was 'video'"
            ),
        ),
        (
            _delete(*CALL, "kind"),
            ("$.invocations[0].model_calls[0].kind: must be one of 'chat', 'embedding', 'scoring', 'moderation', but was None"),
        ),
        (_set(*CALL, to="chat"), "$.invocations[0].model_calls[0]: must be an object, but was 'chat'"),
        (
            _set(*CALL, "token_usage", "input_tokens", to=-1),
            (
                "$.invocations[0].model_calls[0].token_usage: input_tokens must be a number of tokens, 0 or more, or None for not "
                "reported, but was -1"
            ),
        ),
        (_set("invocations", 0, "sources", to="unknown"), "$.invocations[0].sources: must be a list, but was 'unknown'"),
        (
            _set("invocations", 0, "nested_in", to=0),
            ("$.invocations[0].nested_in: must be the place of an earlier invocation or null, but was 0"),
        ),
        (_delete("invocations", 1, "nested_in"), "$.invocations[1].nested_in: is missing"),
        (_set("invocations", 1, to=None), "$.invocations[1]: must be an object, but was None"),
        (_set("invocations", to=None), "$.invocations: must be a list, but was None"),
        (_delete("strays"), "$.strays: is missing"),
        (_delete("name"), "$.name: is missing"),
        (_set("visibility", to=[]), "$.visibility: must be an object, but was []"),
        (_set("visibility", to={"record": "all"}), "$.visibility.record: must be a list, but was 'all'"),
        (
            _set("nmae", to="a"),
            (
                "$.nmae: is no field of StoredCapture, which has name, visibility, late, adopted, unattributed, notes, "
                "faults, error"
            ),
        ),
        (_set("error", "types", to=[]), "$.error.types: an exception has one class at least"),
        (_set("error", "types", to="x"), "$.error.types: must be a list of texts, but was 'x'"),
        (_set("error", "message", to=1), "$.error.message: must be a text, but was 1"),
        (_set("error", "members", to=1), "$.error.members: must be a list, but was 1"),
        (
            _set("error", "members", to=[1]),
            (
                "$.error.members[0]: an exception is an object with the keys 'types', 'message', 'notes', "
                "'members', 'cause', 'context', but was 1"
            ),
        ),
        (
            _set("name", to={"$agentassert": "x"}),
            ("$.name['$agentassert']: 'x' is none of 'number', 'integer', 'text', 'mapping', 'not recorded', 'not JSON'"),
        ),
        (
            _set("name", to={"$agentassert": "number"}),
            "$.name: what is marked as 'number' has the keys 'value', but here are none",
        ),
        (_set("name", to={"$agentassert": "number", "value": 1}), "$.name: 1 is none of 'NaN', 'Infinity', '-Infinity'"),
        (_set("name", to={"$agentassert": "integer", "value": "x"}), "$.name: 'x' is no hexadecimal integer"),
        (_set("name", to={"$agentassert": "text", "parts": "x"}), "$.name: the parts of a text are texts, but were 'x'"),
        (_set("name", to={"$agentassert": "mapping", "items": [1]}), "$.name: the items of a mapping are pairs, but were [1]"),
        (_set("name", to={"$agentassert": "mapping", "items": [[[], 1]]}), "$.name.items[0][0]: [] can be no key"),
        (
            _set("name", to={"$agentassert": "not JSON", "type": 1, "text": ""}),
            ("$.name: `type` and `text` of what was not JSON are texts"),
        ),
        (
            _set("agentassert", to=2),
            ("$.agentassert: the capture was stored in format 2, but this release reads format 1: upgrade agentassert"),
        ),
        (_set("agentassert", to=0), "$.agentassert: the capture was stored in format 0, but this release reads format 1"),
        (_set("agentassert", to=True), "$.agentassert: the capture was stored in format True, but this release reads format 1"),
        (_delete("agentassert"), "$.agentassert: is missing, so this is no stored capture"),
    ],
)
def test_what_is_no_stored_capture_is_refused_with_its_place(edit, message):
    with pytest.raises(ValueError, match=r"^\$") as caught:
        loads(_edited(edit))

    assert message == str(caught.value)


def test_two_stray_groups_are_refused():
    def edit(document):
        document["strays"] = [document["invocations"][0]] * 2

    with pytest.raises(ValueError, match=r"\$\.strays: holds one invocation at most, but was 2"):
        loads(json.dumps(json.loads(_edited(edit))))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a stored capture is JSON text in UTF-8, but: Expecting value in line 1, column 1"),
        ('{"agentassert": 1,\n', "a stored capture is JSON text in UTF-8, but: .* in line 2, column 1"),
        ('{"agentassert": NaN}', "a stored capture is JSON text in UTF-8, but: NaN is no JSON value"),
        ("[]", "is missing, so this is no stored capture"),
        (b"\xff{}", "a stored capture is JSON text in UTF-8, but: invalid start byte at byte 0"),
        ("[" * 100_000, "nested too deeply for a stored capture"),
        ("1" * 10_000, "a stored capture is JSON text in UTF-8, but: Exceeds the limit"),
    ],
    ids=["empty", "cut", "constant", "list", "bytes", "deep", "integer"],
)
def test_what_is_no_json_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        loads(text)


def test_only_texts_and_bytes_are_read():
    with pytest.raises(TypeError, match=r"a stored capture is a text or bytes, but was \{\}"):
        loads({})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": 3}, "Invocation.name: must be a text, but was 3"),
        ({"tool_executions": [1]}, r"Invocation.tool_executions: must be a tuple, but was \[1\]"),
        ({"tool_executions": (1,)}, "Invocation.tool_executions: must be a ToolExecution, but was 1"),
        ({"status": "completed"}, "Invocation.status: must be a Status, but was 'completed'"),
        (
            {"model_calls": (ModelCall(id="1"),)},
            "Invocation.model_calls: must be a model call of a kind that is known, but was ModelCall",
        ),
        (
            {"model_calls": (ChatModelCall(id="1", messages=("hi",)),)},
            "Invocation.model_calls: ChatModelCall.messages: must be a mapping, but was 'hi'",
        ),
    ],
)
def test_a_record_that_holds_what_it_should_not_is_refused(fields, message):
    with pytest.raises(TypeError, match=message):
        dumps(StoredCapture(invocations=(Invocation(**{"id": "1", "name": "a"} | fields),)))


@pytest.mark.parametrize("hint", [complex, list[int], int | str], ids=str)
def test_a_field_of_a_type_without_a_form_is_refused(hint):
    with pytest.raises(TypeError, match="cannot be stored"):
        form_of(hint)


TEXTS = st.text(st.characters(), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS | st.just("$agentassert"), inner, max_size=4)
        | st.dictionaries(st.none() | st.integers() | TEXTS, inner, max_size=3)
    ),
    max_leaves=20,
)
# Any JSON value is tried above; in a tree of records a few are enough, and a hundred times as fast to draw.
WORDS = st.sampled_from(["", "a", "cancel", "\ud800", "\ud83d\ude00", "$agentassert"])
FEW = st.sampled_from([None, 0, 1.5, True, "x", [], {}, {"$agentassert": 1}, {3: [None]}, [math.inf]])
MAPPINGS = st.dictionaries(WORDS, FEW, max_size=2)
TIMES = st.none() | st.datetimes(timezones=st.just(datetime.UTC))
TOKENS = st.none() | st.integers(0, 10**9)


def _tuples(items):
    return st.lists(items, max_size=2).map(tuple)


EXECUTIONS = st.builds(
    ToolExecution,
    id=WORDS,
    name=WORDS,
    arguments=st.none() | MAPPINGS,
    raw_arguments=FEW,
    result=FEW,
    error=st.none() | WORDS,
    outcome=st.sampled_from(Outcome),
    started_at=TIMES,
    duration=st.none() | st.floats(0, 1e6),
)
CALLS = st.builds(
    ChatModelCall,
    id=WORDS,
    messages=_tuples(MAPPINGS),
    tool_execution_requests=_tuples(st.builds(ToolExecutionRequest, name=WORDS, arguments=st.none() | MAPPINGS)),
    token_usage=st.none() | st.builds(TokenUsage, input_tokens=TOKENS, output_tokens=TOKENS),
    finish_reason=st.none() | st.sampled_from(FinishReason),
    tools_offered=st.none() | _tuples(WORDS),
) | st.builds(EmbeddingModelCall, id=WORDS, inputs=_tuples(FEW))


def _invocations(nested):
    return st.builds(
        Invocation,
        id=WORDS,
        name=WORDS,
        output=FEW,
        status=st.sampled_from(Status),
        tool_executions=_tuples(EXECUTIONS),
        model_calls=_tuples(CALLS),
        sources=st.just(NOT_RECORDED) | _tuples(st.builds(Source, text=WORDS, metadata=MAPPINGS)),
        nested_invocations=nested,
    )


INVOCATIONS = _invocations(_tuples(_invocations(_tuples(_invocations(st.just(()))))))


@given(JSON)
def test_any_json_value_comes_back_exactly(value):
    loaded = _value(value)

    assert (value, repr(value)) == (loaded, repr(loaded))


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(_tuples(INVOCATIONS))
def test_any_tree_of_records_comes_back(invocations):
    stored = StoredCapture(invocations=invocations)

    loaded = _again(stored)

    assert stored == loaded
    assert dumps(stored) == dumps(loaded)
