"""Modules of DSPy: which of them are invocations, what their models are asked, and what their tools do."""

from __future__ import annotations

import contextlib
import threading

import pytest

pytest.importorskip("dspy")

import dspy
from dspy.primitives.code_interpreter import FinalOutput
from dspy.utils.exceptions import AdapterParseError

from agentassert import CaptureWarning, Outcome, Status, assert_that, capture
from tests.adapters.dspy_parts import FINISH, PLAIN, executed, get_booking, predict, quietly, react, refund
from tests.adapters.scenarios.parts import only, recording
from tests.scripted.dspy import ScriptedLM, calls, chooses

pytestmark = quietly
BOOKED = chooses("get_booking", {"number": "MS-777"}), FINISH, {"reasoning": "It says so.", "answer": "Confirmed."}


class Support(dspy.Module):
    """A program of the user's own."""

    def __init__(self, agent, summary):
        super().__init__()
        self.agent = agent
        self.summary = summary

    def forward(self, question, language):
        found = self.agent(question=question).answer
        return self.summary(question=f"{found} in {language}")


def test_react_looks_finishes_and_extracts():
    with recording() as cap:
        react(*BOOKED)(question="MS-777?")

    first, second, third = cap.invocation.model_calls
    assert [one.tools_offered for one in (first, second, third)] == [("get_booking", "refund"), ("get_booking", "refund"), ()]
    assert [one.response_text for one in (first, second, third)] == ["", "That is all.", "Confirmed."]
    assert [(one.name, one.arguments, one.answered) for one in cap.invocation.tool_execution_requests] == [
        ("get_booking", {"number": "MS-777"}, True)
    ]
    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("ReAct", "MS-777?", "Confirmed.")
    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "MS-777"}).has_no_more_tool_executions()


def test_react_asks_for_a_tool_that_does_not_exist():
    with recording(expecting_failure=True) as cap, dspy.context(adapter=PLAIN), pytest.raises(AdapterParseError):
        react(chooses("nope", {}))(question="?")

    assert (cap.invocation.tool_execution_requests, cap.invocation.tool_executions) == ((), ())
    assert "nope" in only(cap.invocation.model_calls).response_text
    assert_that(cap).has_failed_with(AdapterParseError)


@pytest.mark.parametrize(("amount", "error"), [(500, "at most 100"), ("much", "Arg amount is invalid")])
def test_react_tells_its_model_of_a_failure(amount, error):
    with recording() as cap:
        react(chooses("refund", {"amount": amount}), FINISH, {"reasoning": "", "answer": "No."})(question="?")

    execution = only(cap.invocation.tool_executions)
    assert (execution.outcome, execution.arguments) == (Outcome.FAILED, {"amount": amount})
    assert isinstance(execution.error, ValueError)
    assert error in str(execution.error)
    assert cap.invocation.status is Status.COMPLETED


def test_an_agent_in_a_program_is_nested_and_a_predictor_is_part_of_it():
    program = Support(react(*BOOKED), predict({"answer": "Bestätigt."}))
    with recording() as cap:
        program(question="MS-777?", language="German")

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.name, nested.name) == ("Support", "ReAct")
    assert cap.invocation.input == {"question": "MS-777?", "language": "German"}
    assert (cap.output_text, nested.output_text) == ("Bestätigt.", "Confirmed.")
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [1, 3]
    assert [one.name for one in nested.tool_executions] == ["get_booking"]


def test_the_failure_of_a_tool_that_a_program_calls_is_its_own():
    class Cashier(dspy.Module):
        def forward(self, amount):
            return dspy.Tool(refund)(amount=amount)

    with recording(expecting_failure=True) as cap, pytest.raises(ValueError, match="at most 100"):
        Cashier()(amount=500)

    assert_that(cap).has_failed_with(ValueError).has_tool_execution_failed("refund")


def test_names():
    class Answer(dspy.Signature):
        """Answer."""

        question: str = dspy.InputField()
        answer: str = dspy.OutputField()

    step = {"answer": "yes"}
    with capture() as cap:
        predict(step, signature=Answer)(question="?")
        predict({"reasoning": "so", **step}, signature=Answer, kind=dspy.ChainOfThought)(question="?")
        predict(step)(question="?")

    assert [one.name for one in cap.invocations] == ["Answer", "ChainOfThought", "Predict"]
    assert [one.output for one in cap.invocations] == ["yes"] * 3


def test_a_program_that_calls_the_tools_itself():
    class Loop(dspy.Module):
        def __init__(self):
            super().__init__()
            asked = calls(("refund", {"amount": 1}, "c1"), ("refund", {"amount": 2}, "c2"))["tool_calls"]
            self.choose = predict({"outputs": asked}, signature="question, tools: list[dspy.Tool] -> outputs: dspy.ToolCalls")

        def forward(self, question):
            tools = {"refund": dspy.Tool(refund)}
            chosen = self.choose(question=question, tools=list(tools.values())).outputs.tool_calls
            return dspy.Prediction(answer=[tools[one.name](**one.args) for one in chosen])

    with recording() as cap:
        Loop()(question="?")

    assert [(one.arguments["amount"], one.call_id) for one in cap.invocation.tool_executions] == [(1, "c1"), (2, "c2")]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]
    assert cap.invocation.model_calls[0].tools_offered == ("refund",)
    assert cap.invocation.output == ["paid 1", "paid 2"]


def test_parallel_and_batch_run_each_in_a_thread():
    agents = [react(*BOOKED) for _ in range(2)]
    with recording() as cap:
        dspy.Parallel(num_threads=2, disable_progress_bar=True)([(agent, {"question": str(i)}) for i, agent in enumerate(agents)])

    assert sorted(one.input for one in cap.invocations) == ["0", "1"]
    assert [[tool.name for tool in one.tool_executions] for one in cap.invocations] == [["get_booking"]] * 2


def test_a_bare_thread_needs_no_callbacks():
    agent = react(*BOOKED)
    with recording() as cap, dspy.context(callbacks=[]):
        thread = threading.Thread(target=agent, kwargs={"question": "MS-777?"})
        thread.start()
        thread.join()

    assert_that(cap).has_succeeded().has_tool_executed("get_booking")


def test_the_second_format_is_a_second_model_call():
    answers = ScriptedLM("no format at all", '{"answer": "yes"}')
    predictor = dspy.Predict("question -> answer")
    predictor.set_lm(answers)
    with recording() as cap:
        predictor(question="?")

    assert [one.response_text for one in cap.invocation.model_calls] == ["no format at all", "yes"]
    assert [one.failed for one in cap.invocation.model_calls] == [False, False]
    assert_that(cap).has_total_tokens_at_most(28)


def test_tokens_are_known_without_a_history():
    predictor = predict({"answer": "yes"})
    with recording() as cap, dspy.context(disable_history=True):
        predictor(question="?")

    call = only(cap.invocation.model_calls)
    assert (call.token_usage.total_tokens, call.raw_finish_reason) == (14, "stop")
    assert predictor.history == []


def test_a_model_that_a_program_asks_itself():
    with capture() as cap:
        ScriptedLM("yes")("Really?")

    call = only(cap.invocation.model_calls)
    assert (call.response_text, call.messages[-1]["content"]) == ("yes", "Really?")
    assert cap.invocation.implicit


def test_retrievers_that_score():
    pytest.importorskip("numpy")
    import numpy
    from dspy.retrievers.embeddings import EmbeddingsWithScores

    def embed(texts):
        return numpy.array([[1.0, float(len(text))] for text in texts], dtype=numpy.float32)

    class Library(dspy.Module):
        def __init__(self):
            super().__init__()
            self.search = EmbeddingsWithScores(["a", "bb"], embed, k=1)

        def forward(self, question):
            return dspy.Prediction(answer=self.search(question).passages[0])

    with recording() as cap:
        found = Library()(question="bb").answer

    source = only(cap.invocation.sources)
    assert source.text == found
    assert source.score == pytest.approx(1.0)


def test_a_history_that_is_handed_on_is_none_of_the_output():
    agent = dspy.ReActV2("question -> answer", tools=[get_booking])
    agent.set_lm(ScriptedLM(calls(("get_booking", {"number": "1"}, "c1")), calls(("submit", {"answer": "ok"}, None))))
    with recording() as cap, dspy.context(adapter=PLAIN):
        agent(question="?")

    assert (cap.invocation.name, cap.invocation.output, executed(cap)) == ("ReActV2", "ok", [("get_booking", Outcome.SUCCEEDED)])


def test_code_that_an_agent_writes_runs_where_nobody_sees_its_tools():
    def refuse():
        raise ValueError("no sandbox here")

    agent = dspy.CodeAct("question -> answer", tools=[get_booking], interpreter_factory=refuse)
    agent.set_lm(ScriptedLM({"generated_code": "print(1)", "finished": "True"}))
    with pytest.warns(CaptureWarning, match="CodeAct copies tools"), capture() as cap, contextlib.suppress(Exception):
        agent(question="?")

    assert ["CodeAct copies tools" in note for note in cap.health.notes] == [True]
    assert cap.invocation.name == "CodeAct"


class Interpreter:
    """What runs the code of a model, which is but one word here."""

    def __init__(self):
        self.tools = {}

    def start(self):
        """Nothing to start."""

    def shutdown(self):
        """Nothing to shut down."""

    def execute(self, code, variables=None):
        return FinalOutput({"answer": self.tools["get_booking"](number="1")}) if code == "look" else None


def test_code_that_calls_tools_where_they_are_seen():
    agent = dspy.RLM("question -> answer", tools=[get_booking], interpreter_factory=Interpreter)
    agent.set_lm(ScriptedLM({"reasoning": "", "code": "look"}))
    with recording() as cap:
        agent(question="?")

    execution = only(cap.invocation.tool_executions)
    assert (execution.name, execution.arguments, cap.output_text) == ("get_booking", {"number": "1"}, "1: confirmed")
    assert only(cap.invocation.model_calls).tools_offered is None
