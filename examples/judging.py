"""Let a model judge what no exact check can decide, after the exact checks. Run it: `python examples/judging.py`.

The judge's model follows rules here, so that the example needs no key; in its place comes `Judge(OpenAI(), model_name="…")`, a model of LangChain, or an
agent of Pydantic AI.
"""

from __future__ import annotations

import json

from agentassert import AgentAssertionError, Criterion, Judge, JudgeError, assert_that, capture, record

POLITE = Criterion("is polite", not_satisfied_when="it blames the customer")


def rules(prompt: str) -> str:
    """Stands for a chat model: is given the prompt of the judge, and answers as that asks."""
    blames = "you typed" in prompt.lower()
    verdict = {"criterion": 1, "reasoning": "It blames the customer." if blames else "It is friendly."}
    return json.dumps({"assessments": [{**verdict, "verdict": "not_satisfied" if blames else "satisfied"}]})


@record.tool
def find_booking(number: str) -> None:
    """Look a booking up, in vain."""


@record.agent
def support_agent(message: str) -> str:
    find_booking("MS-000")
    return "You typed it wrong." if "!" in message else "I cannot find MS-000. May I look for your name?"


def check(message: str, judge: Judge) -> None:
    """What was done is checked exactly; only the tone is left to the judge."""
    with capture() as cap:
        support_agent(message)
    assert_that(cap).has_tool_executed_with("find_booking", {"number": "MS-000"}).has_no_more_tool_executions()
    judge.assert_that(cap.output_text or "").given(message).satisfies(POLITE)


def main() -> None:
    """An answer that is polite, one that is not, and a judge that gives no verdict."""
    judge = Judge(rules)
    check("Where is MS-000?", judge)
    print("Polite.\n")
    try:
        check("My booking is gone!", judge)
    except AgentAssertionError as error:
        print(f"{error}\n")
    try:
        check("Where is MS-000?", Judge(lambda _: "Looks fine to me."))
    except JudgeError as error:
        print(f"Neither a pass nor a failure: {error}")


if __name__ == "__main__":
    main()
