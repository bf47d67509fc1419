"""Model calls, tokens, sources, finish reason and time."""

from __future__ import annotations

import math

import pytest

from agentassert import (
    ChatModelCall,
    EmbeddingModelCall,
    FinishReason,
    ModelCall,
    ModerationModelCall,
    NotRecordedError,
    ScoringModelCall,
    assert_that,
)
from tests.factories import KINDS, captured, chat, failed_chat, invocation, message

EMBEDDING = EmbeddingModelCall(id="", model="vectors", inputs=("text",))
NONE = "Tool executions: none"


def calling(*calls, **fields):
    return captured(invocation("support", calls=calls, **fields))


def seen_by(name, *aspects):
    """An invocation recorded by an adapter which sees only that much."""
    return captured(
        invocation("support", recorded_by=(name,), calls=[chat()]), visibility={name: frozenset(aspects), "record": KINDS}
    )


def test_failed_model_calls_count_and_every_kind_does():
    cap = calling(chat(), failed_chat(), chat(own=False), EMBEDDING)

    assert_that(cap).has_model_call_count(4).has_model_call_count(ChatModelCall, 3).has_model_call_count(EmbeddingModelCall, 1)
    assert_that(cap).has_model_call_count(ScoringModelCall, 0).has_model_call_count(ModerationModelCall, 0)
    assert_that(cap).has_own_chat_model_call_count(2)
    assert_that(cap).has_own_chat_model_call_count_at_most(2).has_own_chat_model_call_count_at_most(3)


@pytest.mark.parametrize(
    ("method", "arguments", "text"),
    [
        (
            "has_model_call_count",
            (1,),
            "to have made 1 model call,\nbut it made 3:\n  chat small: 1\n  chat small: 1 failed\n  embedding vectors: 1",
        ),
        (
            "has_model_call_count",
            (ChatModelCall, 3),
            "to have made 3 chat model calls,\nbut it made 2:\n  chat small: 1\n  chat small: 1 failed",
        ),
        ("has_model_call_count", (ScoringModelCall, 1), "to have made 1 scoring model call,\nbut it made none."),
        (
            "has_own_chat_model_call_count",
            (1,),
            "to have made 1 chat model call of its own,\nbut it made 2:\n  chat small: 1\n  chat small: 1 failed",
        ),
        (
            "has_own_chat_model_call_count_at_most",
            (0,),
            "to have made at most 0 chat model calls of its own,\nbut it made 2:\n  chat small: 1\n  chat small: 1 failed",
        ),
    ],
)
def test_another_number_of_model_calls_is_shown_by_kind_and_model(method, arguments, text):
    shown = message(getattr(assert_that(calling(chat(), failed_chat(), EMBEDDING)), method), *arguments)

    assert shown == f"Expected invocation 'support' {text}\n{NONE}"


def test_an_invocation_without_model_calls_made_none():
    assert_that(calling()).has_model_call_count(0).has_own_chat_model_call_count(0)
    assert "\nbut it made none." in message(assert_that(calling()).has_own_chat_model_call_count, 1)


def test_a_count_of_all_kinds_needs_an_adapter_that_sees_them_all():
    with pytest.raises(NotRecordedError) as caught:
        assert_that(seen_by("langchain", "chat")).has_model_call_count(1)

    assert str(caught.value) == (
        "Expected invocation 'support' to have made 1 model call,\n"
        "but the 'langchain' adapter cannot see every kind of model call.\n"
        "Count the kinds that can be seen, such as has_model_call_count(ChatModelCall, n).\n"
        f"{NONE}"
    )
    assert_that(seen_by("langchain", "chat")).has_model_call_count(ChatModelCall, 1)
    assert_that(seen_by("langchain", *KINDS)).has_model_call_count(1)


def test_a_kind_that_an_adapter_cannot_see_is_not_counted():
    with pytest.raises(NotRecordedError) as caught:
        assert_that(seen_by("langchain", "chat")).has_model_call_count(EmbeddingModelCall, 0)

    assert str(caught.value) == (
        "Expected invocation 'support' to have made 0 embedding model calls,\n"
        f"but the 'langchain' adapter cannot see embedding model calls.\n{NONE}"
    )


def test_own_chat_model_calls_that_two_adapters_cannot_see_are_not_counted():
    cap = captured(invocation("support", recorded_by=("one", "two")), visibility={"one": frozenset()})

    with pytest.raises(NotRecordedError) as caught:
        assert_that(cap).has_own_chat_model_call_count_at_most(3)
    assert "\nbut the 'one' and 'two' adapters cannot see chat model calls." in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((True,), TypeError, "has_model_call_count: n must be a whole number, but was True (bool)"),
        ((-1,), ValueError, "has_model_call_count: n must be 0 or more, but was -1"),
        (
            (ModelCall, 1),
            TypeError,
            "has_model_call_count: kind must be one of ChatModelCall, EmbeddingModelCall, ScoringModelCall, ModerationModelCall, "
            "or left out, but was <class 'agentassert.records.ModelCall'>",
        ),
        (
            ([], 1),
            TypeError,
            "has_model_call_count: kind must be one of ChatModelCall, EmbeddingModelCall, ScoringModelCall, ModerationModelCall, "
            "or left out, but was []",
        ),
    ],
)
def test_a_count_of_nothing_known_is_refused(arguments, error, text):
    with pytest.raises(error) as caught:
        assert_that(calling()).has_model_call_count(*arguments)

    assert str(caught.value) == text


@pytest.mark.parametrize(
    "method", ["has_own_chat_model_call_count", "has_own_chat_model_call_count_at_most", "has_total_tokens_at_most"]
)
def test_a_number_that_is_none_is_refused(method):
    with pytest.raises(TypeError, match=f"{method}: n must be a whole number, but was '3'"):
        getattr(assert_that(calling()), method)("3")


def test_tokens_of_all_model_calls_count_and_failed_calls_without_usage_are_skipped():
    cap = calling(chat(tokens=10), chat(tokens=5, own=False), failed_chat())

    assert_that(cap).has_total_tokens_at_most(15).has_total_tokens_at_most(16)
    assert message(assert_that(cap).has_total_tokens_at_most, 14) == (
        f"Expected invocation 'support' to have used at most 14 tokens,\nbut it used 15.\n{NONE}"
    )


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ((), "but no model call that could say was recorded."),
        ((failed_chat(),), "but no model call that could say was recorded."),
        ((chat(tokens=1), chat(), EMBEDDING), "but 2 of 3 model calls reported no token usage (small, vectors)."),
        ((chat(model=None),), "but 1 of 1 model call reported no token usage (chat)."),
        ((chat(completed=False),), "but 1 of 1 model call reported no token usage (small)."),
    ],
)
def test_tokens_that_were_not_reported_are_not_taken_for_none(calls, found):
    with pytest.raises(NotRecordedError) as caught:
        assert_that(calling(*calls)).has_total_tokens_at_most(100)

    assert str(caught.value) == f"Expected invocation 'support' to have used at most 100 tokens,\n{found}\n{NONE}"


def test_too_many_tokens_are_too_many_whatever_was_not_reported():
    assert "\nbut it used 10." in message(assert_that(calling(chat(tokens=10), chat())).has_total_tokens_at_most, 1)


@pytest.mark.parametrize("reason", ["length", FinishReason.LENGTH])
def test_the_finish_reason_is_that_of_the_final_own_response(reason):
    cap = calling(
        chat(finish_reason=FinishReason.STOP),
        chat(finish_reason=FinishReason.LENGTH),
        chat(finish_reason=FinishReason.STOP, own=False),
        failed_chat(),
    )

    assert_that(cap).has_finish_reason(reason)


@pytest.mark.parametrize(("raw", "said"), [("end_turn", " (the provider said 'end_turn')"), ("stop", ""), (None, "")])
def test_another_finish_reason_is_shown_in_the_providers_words_too(raw, said):
    cap = calling(chat(finish_reason=FinishReason.STOP, raw_finish_reason=raw))

    assert message(assert_that(cap).has_finish_reason, "length") == (
        f"Expected invocation 'support' to have the finish reason 'length',\nbut it was 'stop'{said}.\n{NONE}"
    )


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ((), "but no response of a chat model was recorded."),
        ((chat(),), "but no finish reason was reported for its final response."),
    ],
)
def test_a_finish_reason_that_was_not_reported_is_not_guessed(calls, found):
    with pytest.raises(NotRecordedError) as caught:
        assert_that(calling(*calls)).has_finish_reason("stop")

    assert str(caught.value) == f"Expected invocation 'support' to have the finish reason 'stop',\n{found}\n{NONE}"


def test_an_unknown_finish_reason_is_refused():
    with pytest.raises(ValueError, match=r"must be one of 'stop', 'length', 'tool_execution', .* but was 'end_turn'"):
        assert_that(calling()).has_finish_reason("end_turn")


def test_a_source_contains_a_text_case_sensitively():
    cap = captured(invocation("support", sources=["Paris is in France", "Rome is in Italy"]))

    assert_that(cap).has_retrieved_source_containing("Rome")
    assert message(assert_that(cap).has_retrieved_source_containing, "rome") == (
        "Expected invocation 'support' to have retrieved a source containing 'rome',\n"
        f"but none of 2 does:\n  'Paris is in France'\n  'Rome is in Italy'\n{NONE}"
    )


@pytest.mark.parametrize(
    ("sources", "found"), [([], "but it retrieved nothing."), (["Paris"], "but the only one does not:\n  'Paris'")]
)
def test_few_sources_contain_nothing(sources, found):
    assert message(assert_that(captured(invocation("support", sources=sources))).has_retrieved_source_containing, "Rome") == (
        f"Expected invocation 'support' to have retrieved a source containing 'Rome',\n{found}\n{NONE}"
    )


def test_nothing_retrieved_is_said_by_a_retriever_that_was_seen():
    assert_that(captured(invocation("support", sources=[]))).has_no_retrieved_sources()

    assert message(assert_that(captured(invocation("support", sources=["Paris"]))).has_no_retrieved_sources) == (
        f"Expected invocation 'support' to have retrieved no sources,\nbut it retrieved 1:\n  'Paris'\n{NONE}"
    )


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("has_no_retrieved_sources", (), "to have retrieved no sources"),
        ("has_retrieved_source_containing", ("Rome",), "to have retrieved a source containing 'Rome'"),
    ],
)
def test_without_a_retriever_nobody_knows_about_sources(method, arguments, expected):
    with pytest.raises(NotRecordedError) as caught:
        getattr(assert_that(captured(invocation())), method)(*arguments)

    assert str(caught.value) == (
        f"Expected invocation 'support' {expected},\nbut no retriever was seen, so nobody knows.\n"
        f"Record them with record.sources([...]), or retrieve with a retriever of the framework.\n{NONE}"
    )


def test_an_empty_text_is_in_every_source():
    with pytest.raises(ValueError, match="has_retrieved_source_containing: text must not be empty"):
        assert_that(captured(invocation())).has_retrieved_source_containing("")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "at most 1 second,\nbut it took 2.5 seconds."), (0.25, "at most 0.25 seconds,\nbut it took 2.5 seconds.")],
)
def test_an_invocation_took_so_long(seconds, text):
    cap = captured(invocation("support", duration=2.5))

    assert_that(cap).has_duration_at_most(2.5).has_duration_at_most(3)
    assert message(assert_that(cap).has_duration_at_most, seconds) == (
        f"Expected invocation 'support' to have taken {text}\n{NONE}"
    )


@pytest.mark.parametrize(
    ("seconds", "error", "text"),
    [
        ("3", TypeError, "has_duration_at_most: seconds must be a number, but was '3' (str)"),
        (True, TypeError, "has_duration_at_most: seconds must be a number, but was True (bool)"),
        (0, ValueError, "has_duration_at_most: seconds must be more than 0 and finite, but was 0"),
        (math.inf, ValueError, "has_duration_at_most: seconds must be more than 0 and finite, but was inf"),
        (math.nan, ValueError, "has_duration_at_most: seconds must be more than 0 and finite, but was nan"),
    ],
)
def test_a_duration_that_no_invocation_could_exceed_is_refused(seconds, error, text):
    with pytest.raises(error) as caught:
        assert_that(captured(invocation("support", duration=2.5))).has_duration_at_most(seconds)

    assert str(caught.value) == text


def test_an_answer_out_of_a_cache_used_no_tokens():
    cap = calling(chat(cached=True), chat(tokens=7))

    assert_that(cap).has_total_tokens_at_most(7)
    with pytest.raises(AssertionError, match="\nbut it used 7"):
        assert_that(cap).has_total_tokens_at_most(6)
