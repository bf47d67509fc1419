"""What type checkers know about running agents; read by them, never run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_type

from agentassert import (
    ApprovalAnswer,
    ApprovalDecision,
    Capture,
    Decision,
    delays,
    fails,
    mocked_tools,
    record,
    returns,
    run,
    run_async,
)


def clerk(payload: str) -> str:
    return payload


class Ladder:
    def find(self, tool_name: str) -> Callable[[str, Mapping[str, Any], Any], Any] | None:
        return None


def running_gives_a_capture() -> None:
    assert_type(run(clerk, "Hi"), Capture)
    assert_type(run("shop.agents:clerk", {"a": 1}, approvals=[{"tool": "pay", "decision": "approve"}], timeout_s=3), Capture)
    assert_type(run(clerk, "Hi", approvals=(ApprovalDecision("pay", "reject", reason="no"),), strict_approvals=True), Capture)
    assert_type(run(clerk, "Hi", mocks={"pay": returns(7), "get": clerk}, context={"id": 1}), Capture)
    assert_type(run(clerk, "Hi", mocks=Ladder()), Capture)


async def running_in_async_code_gives_a_capture() -> None:
    assert_type(
        await run_async(clerk, "Hi", mocks={"pay": fails(TimeoutError, times=1, then=delays(0.1, then=returns(7)))}), Capture
    )


def a_block_gives_its_doubles() -> None:
    with mocked_tools(clerk, {"pay": returns(7)}) as doubles:
        assert_type(doubles.arguments_of("pay"), list[Mapping[str, Any]])


@record.approver
def ask(tool: str, arguments: Mapping[str, Any]) -> bool:
    return True


@record.approver
async def ask_later(tool: str, arguments: Mapping[str, Any]) -> ApprovalAnswer:
    return ApprovalAnswer(Decision.APPROVE)


async def an_approver_gives_an_answer() -> None:
    assert_type(ask("pay", {}), ApprovalAnswer)
    assert_type(await ask_later("pay", {}), ApprovalAnswer)
    ask("pay")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def wrong_arguments_are_refused() -> None:
    run(clerk, 7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    run(clerk, "Hi", mocks={"pay": 7})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    run(clerk, "Hi", aprovals=[])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    fails("no")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    delays(1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
