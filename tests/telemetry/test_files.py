"""The forms in which spans come, and what is said about those that are none."""

from __future__ import annotations

import base64
import gzip
import json
import math

import pytest

from agentassert import AmbiguousError, Capture, SpanError, assert_that
from tests.telemetry.parts import BEGAN_NS, DATA, TRACE_ID, agent, any_value, arguments, document, span, tool

TWO = (agent(1), tool(2, "look_up", arguments(place="Oslo"), inside=1, start=10, end=20))
IDS = {"trace_id": TRACE_ID, "span_id": "0000000000000001"}
TIMES = {"start_time": "2026-01-02T09:00:00Z", "end_time": "2026-01-02T09:00:01.5+00:00"}


def only_span(**changes):
    """A document of one span, some of its fields changed or, with `None`, left out."""
    given = document(agent(1))
    written = given["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    written.update(changes)
    for name in [name for name, value in changes.items() if value is None]:
        del written[name]
    return given


def looked_up(source):
    cap = Capture.from_otlp(source)
    return [(one.name, one.arguments) for one in cap.invocation.tool_executions]


def test_a_document_may_be_given_by_path_by_text_of_a_path_or_parsed(tmp_path):
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(document(*TWO)), "utf-8")
    expected = [("look_up", {"place": "Oslo"})]
    assert looked_up(path) == looked_up(str(path)) == looked_up(document(*TWO)) == looked_up([document(*TWO)]) == expected


@pytest.mark.parametrize("between", ["", "\n", "\n\n  "])
def test_a_file_may_hold_several_documents_one_after_another(tmp_path, between):
    path = tmp_path / "spans.jsonl"
    path.write_text(between.join(json.dumps(document(one)) for one in TWO), "utf-8")
    assert looked_up(path) == [("look_up", {"place": "Oslo"})]


def test_a_file_may_be_compressed_and_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "spans.json.gz"
    path.write_bytes(gzip.compress(json.dumps(document(*TWO)).encode("utf-8-sig")))
    assert looked_up(path) == [("look_up", {"place": "Oslo"})]


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("resourceSpans", "instrumentationLibrarySpans"),
        ("resource_spans", "scope_spans"),
        ("batches", "scopeSpans"),
    ],
)
def test_older_and_other_names_of_the_containers_are_known(outer, inner):
    assert looked_up({outer: [{inner: list(TWO)}]}) == [("look_up", {"place": "Oslo"})]


def test_ids_may_be_in_base64_as_protobuf_writes_them():
    ids = {
        "traceId": base64.b64encode(bytes.fromhex(TRACE_ID)).decode(),
        "spanId": base64.b64encode(bytes(7) + b"\x01").decode(),
        "parentSpanId": base64.b64encode(bytes(8)).decode(),
    }
    given = only_span(**ids)
    given["resourceSpans"][0]["scopeSpans"].append(TWO[1])
    assert looked_up(given) == [("look_up", {"place": "Oslo"})]


def test_attributes_may_be_numbers_lists_and_mappings():
    messages = [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]
    given = only_span(attributes=[{"key": "gen_ai.operation.name", "value": any_value("invoke_agent")}])
    written = given["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]
    written.append({"key": "gen_ai.input.messages", "value": any_value(messages)})
    written.append({"key": "answer", "value": {"bytesValue": "AA=="}})
    written.append({"key": "nothing", "value": {}})
    assert Capture.from_otlp(given).invocation.input == "Hi"


@pytest.mark.parametrize(
    "exported",
    [
        {"context": IDS, "attributes": {"openinference": {"span": {"kind": "AGENT"}}, "agent": {"name": "clerk"}}},
        {"context": IDS, "span_kind": "AGENT", "attributes": {"agent.name": "clerk"}},
        {"context.trace_id": TRACE_ID, "context.span_id": "0x1", "span_kind": "AGENT", "attributes.agent.name": "clerk"},
        {**IDS, "span_kind": "AGENT", "attributes": {"agent.name": "clerk", "input.value": None}},
    ],
)
def test_phoenix_may_nest_the_attributes_or_not_or_have_them_in_columns(exported):
    invocation = Capture.from_otlp({"spans": [{"name": "clerk", "parent_id": None, **TIMES, **exported}]}).invocation
    assert (invocation.name, invocation.duration) == ("clerk", 1.5)
    assert invocation.started_at.isoformat() == "2026-01-02T09:00:00+00:00"


def test_a_table_keeps_milliseconds():
    exported = {
        "name": "clerk",
        **IDS,
        "span_kind": "AGENT",
        "start_time": BEGAN_NS // 10**6,
        "end_time": BEGAN_NS // 10**6 + 250,
    }
    assert Capture.from_otlp([exported]).invocation.duration == pytest.approx(0.25)


def test_a_file_without_spans_is_a_capture_without_invocations():
    assert Capture.from_otlp({"resourceLogs": []}).invocations == Capture.from_otlp({}).invocations == ()


def _nested(levels):
    value = {"stringValue": "x"}
    for _ in range(levels):
        value = {"arrayValue": {"values": [value]}}
    return {"key": "deep", "value": value}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (only_span(traceId=None), "the spans given: span 1 0000000000000001 ('work'): traceId: is missing"),
        (only_span(spanId=None), "the spans given: span 1 ('work'): spanId: is missing"),
        (only_span(spanId="xyz"), "spanId: must be an id of 8 bytes, but was 'xyz'"),
        (only_span(traceId="0" * 32), "traceId: must be an id other than zero"),
        (only_span(name=7), "name: must be a text, but was 7"),
        (only_span(startTimeUnixNano="soon"), "startTimeUnixNano: must be a whole number, but was 'soon'"),
        (only_span(startTimeUnixNano=1.5), "startTimeUnixNano: must be a whole number, but was 1.5"),
        (only_span(startTimeUnixNano="-5"), "startTimeUnixNano: must be a time from 1970 to 2554, but was -5"),
        (only_span(endTimeUnixNano="9" * 40), "endTimeUnixNano: must be a time from 1970 to 2554, but was 999"),
        (only_span(attributes=[_nested(3_000)]), "span 1 0000000000000001 ('work'): is nested too deeply"),
        (only_span(attributes={}), "attributes: must be a list, but was {}"),
        (only_span(attributes=[7]), "attributes: must be a list of objects, but has at 0, but was 7"),
        (only_span(attributes=[{"value": {}}]), "key: is missing"),
        (only_span(status={"code": 9}), "code: must be one of 0, 1, 2,"),
        (only_span(status=[]), "status: must be an object, but was []"),
        ({"context": {"trace_id": "0x1"}, "name": "a"}, "span 1 ('a'): span_id: is missing"),
        ({"context": IDS, "start_time": "then"}, "start_time: must be a date and time in ISO form, but was 'then'"),
        ({"context": IDS, "start_time": math.inf}, "start_time: must be a time from 1970 to 2554, but was inf"),
        ({"context": IDS, "end_time": "9999-12-31"}, "end_time: must be a time from 1970 to 2554, but was '9999-12-31'"),
        ({"context": IDS, "status": {"status_code": "FINE"}}, "status_code: must be one of 'UNSET', 'OK', 'ERROR'"),
        ({"spans": [7]}, "spans: must be a list of objects"),
        ({"rows": []}, "expected an OTLP document with 'resourceSpans', or one span"),
        ([7], "but found 7"),
    ],
)
def test_what_is_no_span_is_refused_by_the_name_of_the_span_and_the_field(given, message):
    with pytest.raises(SpanError) as refused:
        Capture.from_otlp(given)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b'{"resourceSpans": [{"scopeSp', "ends in the middle of a document, at line 1"),
        (b'{"resourceSpans": [', "ends in the middle of a document, at line 1"),
        (b'{"resourceSpans": []}\n{oops}', "is no JSON: Expecting property name enclosed in double quotes at line 2, column 2"),
        (b'{"resourceSpans": "\xff"}', "must be text in UTF-8, but is not at byte 19"),
        (b"\x1f\x8bnothing", "cannot be decompressed"),
        (gzip.compress(b"{}" * 100, mtime=0)[:-12], "cannot be decompressed"),
        (gzip.compress(b"{}", mtime=0)[:10] + b"\xff" * 20, "cannot be decompressed"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_broken_file_is_refused_by_its_name_and_the_place_in_it(tmp_path, content, message):
    path = tmp_path / "spans.json"
    path.write_bytes(content)
    with pytest.raises(SpanError) as refused:
        Capture.from_otlp(path)
    assert str(refused.value).startswith(f"{path}: {message}")


def test_of_spans_without_an_agent_it_is_said_how_many_there_are():
    cap = Capture.from_otlp(document(span(1), span(2)))
    with pytest.raises(AmbiguousError, match=r"Recorded: nothing\.\nOf the 2 spans read none is an agent's\.$"):
        assert_that(cap).has_succeeded()


@pytest.mark.parametrize("text", ['{"resourceSpans": []}', "\n" + json.dumps([document(*TWO)] * 50)])
def test_the_text_of_a_document_is_no_path(text):
    with pytest.raises(SpanError, match=r"is text, and not the path of a file: pass json\.loads\(text\)"):
        Capture.from_otlp(text)


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        Capture.from_otlp(tmp_path / "none.json")


def test_anything_else_is_a_type_error():
    with pytest.raises(TypeError, match="spans are the path of a file, a mapping or a list, but were 7"):
        Capture.from_otlp(7)


def test_the_files_hold_no_place_on_a_machine():
    for path in DATA.iterdir():
        assert "site-packages" not in path.read_text("utf-8"), path.name
