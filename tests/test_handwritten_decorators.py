"""`@record.agent` and `@record.tool`: every kind of function behaves as without them, and its calls are recorded."""

from __future__ import annotations

import asyncio
import functools
import inspect
import traceback

import pytest

from agentassert import Outcome, Status, capture, record
from agentassert.jsonlike import snapshot


def plain(a, b=2, *rest, c=3, **more):
    """Add up."""
    return [a, b, *rest, c, *more]


def echo(name):
    received = yield f"hello {name}"
    while received is not None:
        try:
            received = yield received
        except KeyError as error:
            received = yield f"caught {error}"
    return "bye"


async def acoroutine(name):
    await asyncio.sleep(0)
    return f"hello {name}"


async def aecho(name):
    received = yield f"hello {name}"
    while received is not None:
        try:
            received = yield received
        except KeyError as error:
            received = yield f"caught {error}"


def drive(generator):
    steps = [next(generator), generator.send("a"), generator.throw(KeyError("b")), generator.send("c")]
    try:
        next(generator)
    except StopIteration as stop:
        steps.append(stop.value)
    return steps


async def adrive(generator):
    steps = [
        await anext(generator),
        await generator.asend("a"),
        await generator.athrow(KeyError("b")),
        await generator.asend("c"),
    ]
    with pytest.raises(StopAsyncIteration):
        await anext(generator)
    return steps


decorators = pytest.mark.parametrize("decorate", [record.tool, record.agent], ids=["tool", "agent"])
listening = pytest.mark.parametrize("captured", [True, False], ids=["captured", "passed through"])


def executions_of(work):
    with capture() as cap:
        work()
    return cap.invocation.tool_executions


def arguments_of(work):
    (execution,) = executions_of(work)
    return execution.arguments


@decorators
@listening
def test_each_kind_of_function_behaves_as_without_the_decorator(decorate, captured):
    def run(plain, acoroutine, echo, aecho):
        return [
            plain(1, c=5),
            asyncio.run(acoroutine("Ann")),
            drive(echo("Ann")),
            asyncio.run(adrive(aecho("Ann"))),
        ]

    recorded = [decorate(function) for function in (plain, acoroutine, echo, aecho)]
    if captured:
        with capture():
            result = run(*recorded)
    else:
        result = run(*recorded)

    assert result == run(plain, acoroutine, echo, aecho)


@decorators
def test_a_decorated_function_is_of_the_same_kind_and_looks_the_same(decorate):
    for function in (plain, acoroutine, echo, aecho):
        recorded = decorate(function)
        assert recorded.__wrapped__ is function
        assert (recorded.__name__, recorded.__doc__) == (function.__name__, function.__doc__)
        assert inspect.signature(recorded) == inspect.signature(function)
    assert inspect.iscoroutinefunction(decorate(acoroutine))


@decorators
def test_what_a_call_gives_is_of_the_same_kind(decorate):
    with capture(wait=0):
        generator, agenerator = decorate(echo)("Ann"), decorate(aecho)("Ann")

    assert inspect.isgenerator(generator)
    assert inspect.isasyncgen(agenerator)


@pytest.mark.parametrize("kind", ["function", "coroutine", "generator", "async generator"])
@decorators
def test_each_kind_of_function_is_recorded_with_its_result(decorate, kind):
    def run():
        if kind == "function":
            return decorate(plain)(1)
        if kind == "coroutine":
            return asyncio.run(decorate(acoroutine)("Ann"))
        if kind == "generator":
            return drive(decorate(echo)("Ann"))
        return asyncio.run(adrive(decorate(aecho)("Ann")))

    with capture() as cap:
        result = run()

    expected = {"generator": "bye", "async generator": "hello Annacaught 'b'c"}.get(kind, result)
    if decorate == record.agent:
        assert (cap.output, cap.invocation.status) == (expected, Status.COMPLETED)
    else:
        (execution,) = cap.invocation.tool_executions
        assert (execution.result, execution.outcome) == (expected, Outcome.SUCCEEDED)


def fails(name):
    raise LookupError(name)


async def afails(name):
    await asyncio.sleep(0)
    raise LookupError(name)


def gfails(name):
    yield 1
    raise LookupError(name)


async def agfails(name):
    yield 1
    raise LookupError(name)


async def exhaust(items):
    async for _ in items:
        pass


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (fails, lambda function: function("x")),
        (afails, lambda function: asyncio.run(function("x"))),
        (gfails, lambda function: [*function("x")]),
        (agfails, lambda function: asyncio.run(exhaust(function("x")))),
    ],
    ids=["function", "coroutine", "generator", "async generator"],
)
@decorators
def test_an_exception_reaches_the_caller_as_the_very_object_with_the_users_frames(decorate, function, call):
    with pytest.raises(LookupError) as raised, capture() as cap:
        call(decorate(function))

    frames = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert frames[-1] == function.__name__
    assert (raised.value.args, raised.value.__cause__, raised.value.__context__) == (("x",), None, None)
    recorded = cap.invocation if decorate == record.agent else cap.invocation.tool_executions[0]
    assert recorded.error is raised.value
    assert getattr(recorded, "status", None) is Status.FAILED or recorded.outcome is Outcome.FAILED


def test_an_exception_that_is_thrown_into_a_stream_and_not_caught_ends_it():
    with capture() as cap, pytest.raises(ValueError, match="no"):
        stream = record.tool(echo)("Ann")
        next(stream)
        stream.throw(ValueError("no"))

    assert cap.invocation.tool_executions[0].outcome is Outcome.FAILED


def test_a_finally_of_a_closed_stream_runs_and_its_error_is_raised():
    @record.agent
    def agent():
        try:
            yield 1
        finally:
            raise LookupError("in the finally")

    with capture() as cap:
        stream = agent()
        next(stream)
        with pytest.raises(LookupError, match="in the finally"):
            stream.close()

    assert cap.invocation.status is Status.FAILED


def test_a_function_that_stops_iteration_raises_it_to_the_caller():
    @record.tool
    def stops():
        raise StopIteration("enough")

    with capture() as cap, pytest.raises(StopIteration, match="enough"):
        stops()

    assert cap.invocation.tool_executions[0].outcome is Outcome.FAILED


def test_a_call_with_wrong_arguments_fails_as_it_does_and_is_recorded_as_it_was_made():
    @record.tool
    def get(number):
        return number

    with capture() as cap, pytest.raises(TypeError, match="unexpected keyword argument 'nr'"):
        get(nr=1)

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.outcome) == ({"nr": 1}, Outcome.FAILED)


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        ((1,), {}, {"a": 1}),
        ((1, 2), {}, {"a": 1, "b": 2}),
        ((), {"a": 1}, {"a": 1}),
        ((1, 2, 3, 4), {"c": 5}, {"a": 1, "b": 2, "rest": [3, 4], "c": 5}),
        ((1,), {"x": 6, "y": 7}, {"a": 1, "x": 6, "y": 7}),
        ((None,), {}, {"a": None}),
    ],
)
def test_arguments_are_recorded_under_their_names_without_defaults_that_were_not_passed(args, kwargs, expected):
    assert arguments_of(lambda: record.tool(plain)(*args, **kwargs)) == expected


def test_a_parameter_that_is_positional_only_is_recorded_under_its_name():
    def get(number, /):
        return number

    assert arguments_of(lambda: record.tool(get)(1)) == {"number": 1}


def test_a_builtin_without_a_signature_is_recorded_by_position():
    assert arguments_of(lambda: record.tool(max)(1, 2)) == {"args": [1, 2]}


def test_one_argument_is_the_input_itself_and_several_are_a_mapping():
    @record.agent
    def agent(question=None, user=None, **more):
        return None

    with capture() as cap:
        agent("Hi")
        agent("Hi", "Ann")
        agent("Hi", locale="en")
        agent()
        agent(user={"name": "Ann"})

    assert [one.input for one in cap.invocations] == [
        "Hi",
        {"question": "Hi", "user": "Ann"},
        {"question": "Hi", "locale": "en"},
        None,
        {"name": "Ann"},
    ]


class Shop:
    """Methods of every kind."""

    @record.tool
    def method(self, number):
        return self, number

    @record.tool
    @classmethod
    def above_class(cls, number):
        return cls, number

    @classmethod
    @record.tool
    def below_class(cls, number):
        return cls, number

    @record.tool
    @staticmethod
    def above_static(number):
        return number

    @staticmethod
    @record.tool("renamed")
    def below_static(number):
        return number

    @record.tool
    async def coroutine(self, number):
        return self, number

    @record.tool
    def stream(self, number):
        yield number

    def bound(self, number):
        return self, number

    def __call__(self, number):
        return number


class Slow:
    async def __call__(self, number):
        return number


class Streaming:
    def __call__(self, number):
        yield number


def test_methods_are_recorded_without_self_and_cls_and_work_from_object_and_class():
    shop = Shop()

    with capture() as cap:
        assert shop.method(1) == Shop.method(shop, 1) == (shop, 1)
        assert shop.above_class(1) == Shop.below_class(1) == (Shop, 1)
        assert shop.above_static(1) == Shop.above_static(1) == Shop.below_static(1) == shop.below_static(1) == 1
        assert asyncio.run(shop.coroutine(1)) == (shop, 1)
        assert [*shop.stream(1)] == [1]
        assert record.tool(shop.bound)(1) == (shop, 1)

    executions = cap.invocation.tool_executions
    assert [execution.arguments for execution in executions] == [{"number": 1}] * 11
    assert [execution.name for execution in executions] == [
        *("method", "method", "above_class", "below_class"),
        *("above_static", "above_static", "renamed", "renamed"),
        *("coroutine", "stream", "bound"),
    ]


def test_partials_and_callable_objects_are_recorded_under_a_name_that_says_what_they_are():
    (partial, keyword, of_object, called, named) = executions_of(
        lambda: [
            record.tool(functools.partial(plain, 1))(2),
            record.tool(functools.partial(plain, b=7))(2),
            record.tool(functools.partial(Shop()))(3),
            record.tool(Shop())(4),
            record.tool(name="shop")(Shop())(5),
        ]
    )

    assert (partial.name, partial.arguments) == ("plain", {"b": 2})
    assert (keyword.name, keyword.arguments) == ("plain", {"a": 2})
    assert (of_object.name, of_object.arguments) == ("Shop", {"number": 3})
    assert (called.name, called.arguments) == ("Shop", {"number": 4})
    assert (named.name, named.arguments) == ("shop", {"number": 5})


def test_objects_that_are_called_like_coroutines_and_generators_are_recorded_as_such():
    slow, streaming, partial = executions_of(
        lambda: [
            asyncio.run(record.tool(Slow())(1)),
            [*record.tool(Streaming())(2)],
            asyncio.run(record.tool(functools.partial(acoroutine, "Ann"))()),
        ]
    )

    assert (slow.result, streaming.result, partial.result) == (1, [2], "hello Ann")


def test_a_class_is_called_like_a_function_whatever_its_objects_are():
    with capture():
        made = record.tool(Slow)()

    assert isinstance(made, Slow)


@pytest.mark.parametrize(
    ("decorate", "name"),
    [
        (record.tool, "plain"),
        (record.tool(), "plain"),
        (record.tool("other"), "other"),
        (record.tool(name="other"), "other"),
        (lambda function: record.tool(function, name="other"), "other"),
    ],
)
def test_a_tool_has_its_functions_name_or_the_one_it_was_given(decorate, name):
    assert [execution.name for execution in executions_of(lambda: decorate(plain)(1))] == [name]


@pytest.mark.parametrize(
    ("decorate", "name"),
    [(record.agent, "plain"), (record.agent(), "plain"), (record.agent("support"), "support"), (record.agent(name="x"), "x")],
)
def test_an_agent_has_its_functions_name_or_the_one_it_was_given(decorate, name):
    with capture() as cap:
        decorate(plain)(1)

    assert (cap.invocation.name, cap.invocation.framework) == (name, "record")


def test_arguments_and_results_are_snapshots_of_the_moment():
    @record.tool
    def add(basket, item):
        basket["items"].append(item)
        return basket

    basket = {"items": []}
    with capture() as cap:
        result = add(basket, "tea")
        result["items"].append("milk")

    (execution,) = cap.invocation.tool_executions
    assert execution.arguments == {"basket": {"items": []}, "item": "tea"}
    assert execution.result == {"items": ["tea"]}
    assert execution.raw_result is basket


def test_an_input_and_an_output_are_snapshots_of_the_moment():
    @record.agent
    def agent(messages):
        messages.append("answer")
        return messages

    messages = ["question"]
    with capture() as cap:
        agent(messages).append("more")

    assert (cap.invocation.input, cap.output) == (["question"], ["question", "answer"])


def test_a_result_that_is_json_text_is_decoded_and_the_text_is_kept():
    (execution,) = executions_of(record.tool(lambda: '{"id": 7}'))

    assert (execution.result, execution.raw_result) == ({"id": 7}, '{"id": 7}')


def test_a_generator_among_the_arguments_is_not_consumed():
    @record.tool
    def total(numbers):
        return sum(numbers)

    with capture() as cap:
        result = total(number for number in (1, 2, 3))

    assert result == 6
    assert snapshot(cap.invocation.tool_executions[0].arguments["numbers"]).__name__ == "<genexpr>"


def test_a_recursive_agent_nests_in_itself():
    @record.agent
    def count(number):
        return 0 if number == 0 else 1 + count(number - 1)

    with capture() as cap:
        count(2)

    assert [one.output for one in cap.invocation.with_nested()] == [2, 1, 0]
    assert all(one.awaited for one in cap.invocation.with_nested()[1:])


@decorators
@pytest.mark.parametrize("function", [echo, aecho], ids=["generator", "async generator"])
def test_a_stream_that_is_called_wrongly_fails_as_it_does_and_is_recorded_as_failed(decorate, function):
    with capture() as cap, pytest.raises(TypeError, match="unexpected keyword argument 'nr'"):
        decorate(function)(nr=1)

    recorded = cap.invocation if decorate == record.agent else cap.invocation.tool_executions[0]
    assert isinstance(recorded.error, TypeError)


def hidden_behind_a_wrapper(function):
    @functools.wraps(function)
    def call(*args):
        return function(*args)

    return call


def test_a_coroutine_function_behind_a_plain_wrapper_ends_when_its_coroutine_does():
    @record.tool
    @hidden_behind_a_wrapper
    async def fetch(number):
        await asyncio.sleep(0)
        raise TimeoutError("no answer")

    async def scenario():
        with capture() as cap, pytest.raises(TimeoutError):
            await fetch(1)
        return cap

    cap = asyncio.run(scenario())
    assert [one.outcome for one in cap.invocation.tool_executions] == [Outcome.FAILED]


def test_generators_that_take_turns_leave_nothing_behind():
    def team(name):
        with record.invocation(name) as invocation:
            yield name
            invocation.output = name

    @record.tool
    def get():
        return 1

    with capture() as cap:
        assert list(zip(team("a"), team("b"), strict=True)) == [("a", "b")]
        with record.invocation("c"):
            get()

    assert [one.name for one in cap.invocations] == ["a", "c"]
    assert [one.name for one in cap.invocations[0].nested_invocations] == ["b"]
    assert {one.status for top in cap.invocations for one in top.with_nested()} == {Status.COMPLETED}
    assert [one.name for one in cap.invocations[1].tool_executions] == ["get"]
    assert cap.health.doubts == ()
