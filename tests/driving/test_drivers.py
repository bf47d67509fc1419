"""Adapters of others may drive agents too."""

from __future__ import annotations

import sys
import types
from typing import ClassVar

import pytest

from agentassert import AgentAssertionError, Status, adapters, record, recorder, returns, run
from agentassert.adapters.base import APPROVALS, TOOL_FAILURES, Adapter
from agentassert.adapters.driver import Driver, Pause, PendingApproval
from agentassert.driving import tools_of


class Robot:
    """An agent of a framework that this library does not know."""

    def __init__(self):
        self.told = []


class RobotDriver(Driver):
    def drives(self, agent):
        return isinstance(agent, Robot)

    def tools_of(self, agent):
        return ["weigh"]

    async def start(self, agent, payload, *, name):
        agent.event = recorder.start_invocation(name or "robot", adapter="robots", input=payload)
        agent.event.suspend()
        recorder.add_approval("weigh", {}, adapter="robots", parent=agent.event)
        return Pause((PendingApproval("weigh", {}),), "state")

    async def resume(self, agent, pause, answers):
        agent.told = [(one.approves, one.words) for one in answers]
        agent.event.resume()
        agent.event.complete(pause.state)


class RobotsAdapter(Adapter):
    name = "robots"
    distribution = "attrs"
    tested = ("1.0", "99.0")
    sees = frozenset({TOOL_FAILURES, APPROVALS})
    is_broken: ClassVar[bool] = False

    def install(self):
        pass

    @classmethod
    def driver(cls):
        if cls.is_broken:
            raise RuntimeError("broken")
        return RobotDriver()


@pytest.fixture(autouse=True)
def robots(monkeypatch):
    monkeypatch.setitem(sys.modules, "robots", types.ModuleType("robots"))
    loaders = adapters._loaders()
    monkeypatch.setattr(adapters, "_loaders", lambda: {**loaders, "robots": lambda: RobotsAdapter})


def test_its_agents_are_run_and_answered():
    robot = Robot()

    cap = run(robot, "Weigh it", approvals=[{"tool": "weigh", "decision": "timeout"}], name="packer")

    assert (cap.invocation.name, cap.invocation.status, cap.output) == ("packer", Status.COMPLETED, "state")
    assert robot.told == [(False, "nobody decided in time")]
    assert run(robot, "Weigh it").invocation.status == Status.AWAITING_APPROVAL


def test_its_tools_are_listed():
    assert tools_of(Robot()) == ["weigh"]


def test_a_driver_that_cannot_replace_tools_says_so():
    with pytest.raises(NotImplementedError, match="RobotDriver cannot replace tools by mocks"):
        run(Robot(), "Weigh it", mocks={"weigh": returns(1)})


def test_a_driver_that_cannot_replace_tools_hinders_no_other_agent():
    @record.tool
    def lift():
        raise AssertionError("the mock stands in")

    assert run(lambda payload: lift(), "Lift it", mocks={"lift": returns("lifted")}).output == "lifted"


def test_an_adapter_that_is_broken_drives_nothing_and_hinders_nobody(monkeypatch):
    monkeypatch.setattr(RobotsAdapter, "is_broken", True)

    assert run(lambda payload: payload, "Hi").output == "Hi"
    with pytest.raises(TypeError, match="agent must be a callable"):
        run(Robot(), "Hi")


def test_strict_approvals_name_the_decision_with_its_condition():
    with pytest.raises(AgentAssertionError, match=r"nothing asked for the decision to reject 'pay' where params.amount > 1"):
        run(
            lambda payload: payload,
            "Hi",
            approvals=[{"tool": "pay", "decision": "reject", "params": "params.amount > 1"}],
            strict_approvals=True,
        )
