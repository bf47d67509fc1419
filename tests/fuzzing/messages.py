"""Lists of messages."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from agentassert import Capture, MessageError
from tests.fuzzing import samples
from tests.fuzzing.targets import Target
from tests.fuzzing.using import use

_KEYS: Final = (
    *(
        "role",
        "content",
        "type",
        "tool_calls",
        "tool_call_id",
        "function",
        "name",
        "arguments",
        "id",
        "call_id",
        "output",
        "input",
        "args",
    ),
    *(
        "tool_use_id",
        "is_error",
        "text",
        "model",
        "function_call",
        "additional_kwargs",
        "response_metadata",
        "usage_metadata",
        "status",
    ),
    *("data", "lc", "kwargs", "summary", "refusal", "custom", "action", "artifact", "invalid_tool_calls"),
)
_WORDS: Final = (
    *(
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
        "human",
        "ai",
        "chat",
        "text",
        "tool_use",
        "tool_result",
        "refusal",
    ),
    *(
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "mcp_call",
        "web_search_call",
        "file_search_call",
    ),
    *(
        "item_reference",
        "compaction",
        "code_interpreter_call",
        "computer_call",
        "server_tool_use",
        "web_search_tool_result",
        "constructor",
    ),
    *(
        "c1",
        "c2",
        "t1",
        "look",
        "error",
        "success",
        "AIMessageChunk",
        "input_text",
        "output_text",
        "image_url",
        "mcp_tool_use",
        "thinking",
    ),
)

_leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.sampled_from(_WORDS), st.text(max_size=8)
)
_values = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=12,
)
_message = st.dictionaries(st.sampled_from(_KEYS), _values, max_size=6).map(
    lambda message: {"role": "user", "content": "x"} | message if len(message) % 2 else message
)
_lists = st.lists(_message | st.sampled_from([one for kind in samples.messages() for one in kind]), min_size=1, max_size=8)


def _read(data: bytes) -> Any:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(document, list):
        use(Capture.from_messages(document))


TARGETS: Final = (
    Target(
        name="messages",
        run=_read,
        allowed=(MessageError,),
        corpus=lambda: [json.dumps(one).encode() for one in samples.messages()],
        strategy=_lists.map(lambda messages: json.dumps(messages).encode()),
        words=_WORDS,
        megabytes=450.0,  # each answer has all messages before it, up to 20 million of them
    ),
)
