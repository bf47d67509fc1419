"""Running callables: what they are given, and what becomes of their ends."""

from __future__ import annotations

import asyncio
import functools
import threading
import time

import pytest
from pydantic_ai import Agent

from agentassert import Status, capture, record, run, run_async
from tests.scripted.openai_agents import ScriptExhaustedError

OBJECT = '{"a": 4, "b": 6}'


def echo(payload):
    return payload


@pytest.mark.parametrize(
    ("payload", "given"),
    [(OBJECT, {"a": 4, "b": 6}), ({"a": 4}, {"a": 4}), ("Hi", "Hi"), ("[1]", "[1]"), ("4", "4"), ("", ""), ("{", "{")],
)
def test_a_payload_is_a_mapping_or_text(payload, given):
    cap = run(echo, payload)

    assert (cap.invocation.input, cap.output) == (given, given)


@pytest.mark.parametrize("payload", [None, 4, ["Hi"], b"Hi"])
def test_any_other_payload_is_refused(payload):
    with pytest.raises(TypeError, match="payload must be text or a mapping"):
        run(echo, payload)


def test_an_undecorated_callable_gets_an_invocation_that_is_named_after_it():
    assert run(echo, "Hi").invocation.name == "echo"
    assert run(functools.partial(echo), "Hi").invocation.name == "echo"
    assert run(echo, "Hi", name="parrot").invocation.name == "parrot"


def test_a_builtin_method_is_given_the_payload_as_its_object():
    assert run(str.upper, "Hi").invocation.input == "Hi"


def test_a_decorated_agent_is_the_invocation_itself():
    @record.agent("parrot")
    def speak(payload):
        return payload

    class Cage:
        @record.agent
        def talk(self, payload):
            return payload

    class Bird:
        @record.agent
        def __call__(self, payload):
            return payload

    for agent, name in ((speak, "parrot"), (functools.partial(speak), "parrot"), (Cage().talk, "talk"), (Bird(), "__call__")):
        invocation = run(agent, "Hi", name="another").invocation
        assert (invocation.name, invocation.output, invocation.nested_invocations) == (name, "Hi", ())


def test_every_flavour_of_callable_is_run_to_its_end():
    async def coroutine(payload):
        await asyncio.sleep(0)
        return payload

    def hidden(payload):
        return coroutine(payload)

    def generator(payload):
        yield payload
        yield "!"

    async def async_generator(payload):
        yield payload
        yield "!"

    class Caller:
        async def __call__(self, payload):
            return payload

    outputs = [run(one, "Hi").output for one in (coroutine, hidden, generator, async_generator, Caller())]

    assert outputs == ["Hi", "Hi", "Hi!", "Hi!", "Hi"]
    assert asyncio.run(_outputs([echo, coroutine, hidden, generator, async_generator])) == [*("Hi", "Hi", "Hi", "Hi!", "Hi!")]


async def _outputs(agents):
    return [(await run_async(one, "Hi")).output for one in agents]


def test_a_function_that_hides_a_coroutine_function_is_no_coroutine_function():
    async def agent(payload):
        return payload

    @functools.wraps(agent)
    def bridge(payload):
        return asyncio.run(agent(payload))

    assert run(bridge, "Hi").output == "Hi"
    assert asyncio.run(run_async(bridge, "Hi")).output == "Hi"


def test_decorated_agents_of_every_flavour_are_run_to_their_end():
    @record.agent
    async def coroutine(payload):
        return payload

    @record.agent
    def generator(payload):
        yield payload

    @record.agent
    async def async_generator(payload):
        yield payload

    agents = [coroutine, generator, async_generator]

    assert [run(one, "Hi").output for one in agents] == ["Hi"] * 3
    assert [run(one, "Hi", timeout_s=30).output for one in agents] == ["Hi"] * 3
    assert asyncio.run(_outputs(agents)) == ["Hi"] * 3


def test_what_an_agent_fails_with_is_in_the_capture():
    error = RuntimeError("no")

    def agent(payload):
        raise error

    async def agent_async(payload):
        raise error

    for one in (agent, agent_async):
        cap = run(one, "Hi")
        assert (cap.invocation.status, cap.error) == (Status.FAILED, error)


def test_what_ends_a_program_is_never_kept():
    for error in (KeyboardInterrupt, SystemExit):

        def agent(payload, error=error):
            raise error

        with pytest.raises(error):
            run(agent, "Hi")
        with pytest.raises(error):
            run(agent, "Hi", timeout_s=5)


def test_a_callable_that_takes_no_payload_is_refused():
    with pytest.raises(TypeError, match="agent must take the payload as its only argument"):
        run(lambda: "Hi", "Hi")


def test_a_class_without_a_signature_is_a_callable_like_any_other():
    assert run(dict, '{"a": 1}').output == {"a": 1}


def test_time_that_is_up_before_an_invocation_began_is_an_error(monkeypatch):
    async def never(self, agent, payload, *, name):
        await asyncio.sleep(60)

    monkeypatch.setattr("agentassert.adapters.pydantic_ai.driving.PydanticAIDriver.start", never)

    with pytest.raises(TimeoutError, match=r"the run timed out after 0\.05 s"):
        run(Agent(), "Hi", timeout_s=0.05)


def test_what_is_no_agent_is_refused():
    with pytest.raises(TypeError, match=r"must be a callable.*; wrap an agent of another framework in a function that runs it"):
        run(7, "Hi")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"timeout_s": 0}, "timeout_s must be more than 0 seconds"),
        ({"timeout_s": "5"}, "timeout_s must be a number of seconds"),
        ({"timeout_s": True}, "timeout_s must be a number of seconds"),
        ({"context": ["a"]}, "context must be a mapping"),
        ({"mocks": ["a"]}, "mocks must be a mapping of tool names to doubles"),
        ({"mocks": {1: echo}}, "mocks must name tools by text"),
        ({"mocks": {"a": 7}}, r"mocks\['a'\] must be callable, but was 7; for a fixed result write returns\(7\)"),
    ],
)
def test_wrong_arguments_are_refused(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run(echo, "Hi", **given)


def test_inside_an_event_loop_the_message_names_the_way_out():
    async def main():
        run(echo, "Hi")

    with pytest.raises(RuntimeError, match=r"await run_async\(...\)"):
        asyncio.run(main())


def test_a_text_names_an_agent():
    assert run("tests.driving.test_running:echo", "Hi").output == "Hi"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("echo", "an agent is named as 'module:object'"),
        ("a b:c", "an agent is named as 'module:object'"),
        ("no_such_module_here:echo", "there is no module 'no_such_module_here'"),
        ("tests.driving.no_such:echo", "there is no module 'tests.driving.no_such'"),
        ("tests.driving.test_running:ecko", "did you mean 'echo'?"),
    ],
)
def test_a_text_that_names_nothing_says_what_was_meant(target, message):
    with pytest.raises(ValueError, match=message):
        run(target, "Hi")


def test_a_module_that_fails_to_import_says_why_itself(tmp_path, monkeypatch):
    (tmp_path / "broken_agent.py").write_text("import no_such_dependency", "utf-8")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ModuleNotFoundError, match="no_such_dependency"):
        run("broken_agent:agent", "Hi")


def test_an_agent_is_found_in_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "agent_of_this_directory.py").write_text("def agent(payload): return 'here'", "utf-8")
    monkeypatch.chdir(tmp_path)

    assert run("agent_of_this_directory:agent", "Hi").output == "here"


def test_an_agent_is_found_in_the_folder_of_the_project_from_any_below_it(tmp_path, monkeypatch):
    (tmp_path / "agent_of_the_project.py").write_text("def agent(payload): return 'here'", "utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.agentassert]", "utf-8")
    (tmp_path / "shop" / "agents").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop" / "agents")

    assert run("agent_of_the_project:agent", "Hi").output == "here"


def test_a_function_that_makes_the_agent_is_not_the_agent():
    with pytest.raises(TypeError, match="name the agent, not a function that makes it"):
        run(lambda: print, "Hi")


def is_timed_out(cap):
    return cap.invocation.status == Status.FAILED and "timed out after 0.05 s" in str(cap.invocation.error)


def test_a_function_that_takes_too_long_has_failed():
    done = threading.Event()

    def slow(payload):
        done.wait(5)

    cap = run(slow, "Hi", timeout_s=0.05)
    done.set()

    assert is_timed_out(cap)


def test_a_coroutine_that_takes_too_long_is_cancelled_and_has_failed():
    ended = []

    @record.agent
    async def inner(payload):
        try:
            await asyncio.sleep(5)
        finally:
            ended.append("cancelled")

    async def slow(payload):
        await inner(payload)

    cap = run(slow, "Hi", timeout_s=0.05)

    assert is_timed_out(cap)
    assert ended == ["cancelled"]
    assert cap.invocation.nested_invocations[0].status == Status.CANCELLED


def test_a_coroutine_that_cannot_be_cancelled_is_left_behind(monkeypatch):
    monkeypatch.setattr("agentassert.driving.looping._GRACE", 0.05)

    async def stubborn(payload):
        for _ in range(4):
            try:
                await asyncio.sleep(0.1)
            except asyncio.CancelledError:
                continue

    began = time.monotonic()

    assert is_timed_out(run(stubborn, "Hi", timeout_s=0.05))
    assert time.monotonic() - began < 5


def test_time_limits_hold_in_async_code():
    async def slow(payload):
        await asyncio.sleep(5)

    async def main():
        gate = threading.Event()
        caps = await asyncio.gather(
            run_async(slow, "Hi", timeout_s=0.05), run_async(lambda _: gate.wait(5) and None, "Hi", timeout_s=0.05)
        )
        gate.set()
        return caps

    assert all(is_timed_out(cap) for cap in asyncio.run(main()))


def test_an_agent_in_time_is_not_affected_by_its_limit():
    assert run(echo, "Hi", timeout_s=30).output == "Hi"
    assert asyncio.run(run_async(echo, "Hi", timeout_s=30)).output == "Hi"


def test_a_run_is_part_of_a_capture_around_it():
    with capture() as cap:
        inner = run(echo, "Hi", timeout_s=30)

    assert [one.name for one in cap.invocations] == [one.name for one in inner.invocations] == ["echo"]


def test_runs_side_by_side_do_not_mix():
    async def main():
        return await asyncio.gather(*(run_async(echo, str(number)) for number in range(20)))

    assert [cap.output for cap in asyncio.run(main())] == [str(number) for number in range(20)]


def test_the_event_loop_of_the_program_stays_in_its_place():
    async def agent(payload):
        return payload

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        run(agent, "Hi")
        assert asyncio.get_event_loop_policy().get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def test_runs_of_the_main_thread_share_a_loop_so_that_connections_stay_usable():
    loops = []

    async def agent(payload):
        loops.append(asyncio.get_running_loop())

    run(agent, "Hi")
    run(agent, "Hi")

    assert loops[0] is loops[1]
    assert not loops[0].is_closed()


def test_what_an_agent_leaves_behind_is_ended():
    left = []

    async def agent(payload):
        left.append(asyncio.ensure_future(asyncio.sleep(60)))

    run(agent, "Hi")

    assert left[0].cancelled()


def test_an_agent_runs_in_a_thread_that_is_not_the_main_one():
    async def agent(payload):
        return payload

    outputs = []
    thread = threading.Thread(target=lambda: outputs.append(run(agent, "Hi").output))
    thread.start()
    thread.join()

    assert outputs == ["Hi"]


def test_a_function_may_start_an_event_loop_of_its_own():
    def agent(payload):
        return asyncio.run(_later(payload))

    assert run(agent, "Hi").output == "Hi"
    assert asyncio.run(run_async(agent, "Hi")).output == "Hi"


async def _later(value):
    await asyncio.sleep(0)
    return value


def test_an_error_that_an_agent_wraps_is_its_own():
    def agent(payload):
        try:
            raise ScriptExhaustedError("no")
        except ScriptExhaustedError as error:
            raise RuntimeError("gave up") from error

    assert run(agent, "Hi").invocation.status == Status.FAILED


@pytest.mark.parametrize("timeout_s", [None, 5])
def test_an_async_agent_that_exits_leaves_the_next_run_alone(timeout_s):
    async def leaves(payload):
        raise SystemExit(3)

    async def stays(payload):
        await asyncio.sleep(0)
        return "stayed"

    with pytest.raises(SystemExit):
        run(leaves, "Hi", timeout_s=timeout_s)

    assert run(stays, "Hi", timeout_s=timeout_s).output == "stayed"


@pytest.mark.parametrize("timeout_s", [float("inf"), float("nan"), 1e12, 0])
def test_a_time_that_nothing_can_wait_for_is_refused(timeout_s):
    with pytest.raises(ValueError, match="timeout_s must be more than 0 seconds and finite"):
        run(echo, "Hi", timeout_s=timeout_s)
