"""OpenTelemetry's spans, in every form in which they are exported."""

from __future__ import annotations

import gzip
import json
from typing import Any, Final

from hypothesis import strategies as st

from agentassert import Capture, SpanError
from tests.fuzzing import samples
from tests.fuzzing.targets import Target
from tests.fuzzing.using import FOLDER, use

_NAMES: Final = (
    *("gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments"),
    *(
        "gen_ai.tool.call.result",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.response.id",
    ),
    *(
        "gen_ai.response.finish_reasons",
        "gen_ai.usage.input_tokens",
        "gen_ai.request.model",
        "gen_ai.tool.definitions",
        "gen_ai.prompt",
    ),
    *(
        "openinference.span.kind",
        "llm.input_messages.0.message.role",
        "llm.input_messages.0.message.content",
        "llm.token_count.prompt",
    ),
    *(
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name",
        "input.value",
        "output.value",
        "tool.name",
        "llm.tools",
    ),
    *(
        "retrieval.documents.0.document.content",
        "retrieval.documents",
        "embedding.embeddings",
        "reranker.query",
        "traceloop.span.kind",
    ),
    *(
        "traceloop.entity.input",
        "traceloop.entity.output",
        "exception.type",
        "all_messages_events",
        "pydantic_ai.all_messages",
        "error.type",
    ),
)
_WORDS: Final = (
    *(
        *_NAMES,
        "invoke_agent",
        "execute_tool",
        "chat",
        "embeddings",
        "create_agent",
        "AGENT",
        "TOOL",
        "LLM",
        "CHAIN",
        "RETRIEVER",
        "RERANKER",
    ),
    *(
        "stringValue",
        "intValue",
        "doubleValue",
        "boolValue",
        "arrayValue",
        "kvlistValue",
        "bytesValue",
        "traceId",
        "spanId",
        "parentSpanId",
    ),
    *(
        "startTimeUnixNano",
        "endTimeUnixNano",
        "STATUS_CODE_ERROR",
        "0000000000000001",
        "00000000000000000000000000000001",
        "workflow",
    ),
    *(
        '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]',
        '[{"role": "tool", "parts": [{"type": "tool_call_response"}]}]',
    ),
    *('{"messages": [[{"id": ["x"], "kwargs": {}}]]}', "0x1", "18446744073709551615", "18446744073709551616", "-1"),
)

_text = st.sampled_from(_WORDS) | st.text(max_size=5)
_plain = st.one_of(
    _text, st.integers(-5, 2**65), st.floats(), st.booleans(), st.none(), st.sampled_from(["invoke_agent", "execute_tool"])
)
_value = _plain | st.lists(_plain, max_size=3) | st.dictionaries(_text, _plain, max_size=3)
_id = st.integers(1, 6).map(lambda number: f"{number:016x}")
_span = st.fixed_dictionaries(
    {
        "name": _text,
        "context": st.fixed_dictionaries({"trace_id": st.just("0x1"), "span_id": _id}),
        "start_time": st.integers(0, 9).map(lambda second: f"2026-01-02T09:00:0{second}Z"),
        "end_time": st.integers(0, 9).map(lambda second: f"2026-01-02T09:00:0{second}Z"),
        "attributes": st.dictionaries(st.sampled_from(_NAMES), _value, max_size=8),
    },
    optional={
        "parent_id": _id,
        "status_code": st.sampled_from(["OK", "ERROR", "UNSET"]),
        "events": st.lists(
            st.fixed_dictionaries({"name": _text, "attributes": st.dictionaries(_text, _plain, max_size=3)}), max_size=2
        ),
        "span_kind": st.sampled_from(["AGENT", "TOOL", "LLM", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL"]),
    },
)


def _corpus() -> list[bytes]:
    found = [
        data
        for pattern in ("*.otlp.json", "*.console.txt", "*.phoenix.json")
        for data in samples.files("telemetry/data", pattern, 16_000)
    ]
    return [*found, *(gzip.compress(data) for data in found[:1])]


def _read(data: bytes) -> Any:
    file = FOLDER / "spans.json"
    file.write_bytes(data)
    use(Capture.from_otlp(file))


TARGETS: Final = (
    Target(
        name="spans",
        run=_read,
        allowed=(SpanError,),
        corpus=_corpus,
        strategy=st.lists(_span, min_size=1, max_size=8).map(lambda spans: json.dumps(spans).encode()),
        words=_WORDS,
        folder=FOLDER,
        seconds=0.4,
    ),
    Target(
        name="span-lines",
        run=_read,
        allowed=(SpanError,),
        corpus=lambda: samples.files("telemetry/data", "*.otlp.jsonl", 16_000),
        form="lines",
        words=_WORDS,
        folder=FOLDER,
        seconds=0.4,
    ),
)
