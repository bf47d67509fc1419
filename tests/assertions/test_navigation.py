"""From a chain to plain values."""

from __future__ import annotations

import pytest

from agentassert import NOT_RECORDED, AgentAssertionError, AmbiguousError, NotRecordedError, assert_that, soft_assertions
from tests.factories import UNKNOWN, captured, execution, failed, invocation, message

OUTPUT = {"booking": {"id": "MS-777"}, "items": [{"n": 1}, {"n": 2}]}


def support(output=None, *executions, **fields):
    return captured(invocation("support", *executions, output=output, output_text=str(output), **fields))


def test_the_output_and_its_text():
    assert_that(support("Cancelled.")).output().is_equal_to("Cancelled.")
    assert_that(support("Cancelled.")).output_text().starts_with("Canc")


@pytest.mark.parametrize("output", [OUTPUT, '{"booking": {"id": "MS-777"}, "items": [{"n": 1}, {"n": 2}]}'])
def test_a_part_of_the_output_whose_json_text_is_decoded(output):
    assert_that(support(output)).output_at("$.booking.id").is_equal_to("MS-777")
    assert_that(support(output)).output_at("$.items[1].n").is_equal_to(2)
    assert_that(support(output)).output_at("$.items[*].n").is_equal_to([1, 2])
    assert_that(support(output)).output_at("$.missing[*]").is_empty()


def test_a_definite_path_that_leads_nowhere_fails():
    assert message(assert_that(support({"a": 1})).output_at, "$.b") == (
        "Expected invocation 'support' to have an output with $.b,\nbut it was {'a': 1}.\nTool executions: none"
    )


def test_an_agent_may_produce_none_which_is_no_text():
    cap = captured(invocation("support", output=None))

    assert_that(cap).output().is_none()
    assert message(assert_that(cap).output_text).startswith(
        "Expected invocation 'support' to have an output text,\nbut it produced None.\n"
        "If that is what the test expects: output().is_none().\n"
    )


@pytest.mark.parametrize(("implicit", "advice"), [(True, "@record.agent"), (False, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE")])
def test_an_output_that_nobody_saw_is_not_taken_for_none(implicit, advice):
    cap = captured(invocation("loop", execution("pay"), output=NOT_RECORDED, implicit=implicit))

    with pytest.raises(NotRecordedError, match=advice):
        assert_that(cap).output()


def test_what_is_no_json_path_is_refused():
    with pytest.raises(ValueError, match="JSONPath"):
        assert_that(support()).output_at("$..[")
    with pytest.raises(ValueError, match="output_at: json_path must not be empty"):
        assert_that(support()).output_at("")


def test_names_and_executions_hold_failed_ones_too_and_nested_ones_after_own():
    nested = invocation("reader", execution("read"))
    cap = captured(invocation("support", execution("ask"), execution("pay", error="no"), nested=[nested]))

    assert_that(cap).including_nested().executed_tool_names().is_equal_to(["ask", "pay", "read"])
    assert_that(cap).top_level_only().executed_tool_names().is_equal_to(["ask", "pay"])
    assert_that(cap).including_nested().tool_executions().extracting("name", "failed").is_equal_to(
        [("ask", False), ("pay", True), ("read", False)]
    )
    with pytest.raises(AmbiguousError):
        assert_that(cap).executed_tool_names()


def test_arguments_and_results_are_those_of_successful_executions():
    cap = support(None, execution("pay", {"n": 1}), execution("pay", {"n": 2}, error="no"), execution("pay", {"n": 3}, [7]))

    assert_that(cap).arguments_of("pay").is_equal_to([{"n": 1}, {"n": 3}])
    assert_that(cap).results_of("pay").is_equal_to(["ok", [7]])
    assert_that(cap).arguments_of("refund").is_empty()


def test_what_a_test_does_to_a_value_changes_no_record():
    cap = support({"items": [1]}, execution("pay", {"n": 1}, {"id": 7}))
    chain = assert_that(cap)
    for value in (chain.arguments_of("pay"), chain.results_of("pay")):
        value.val[0].clear()
    chain.output().val.clear()
    chain.output_at("$.items").val.clear()

    chain.arguments_of("pay").is_equal_to([{"n": 1}])
    chain.results_of("pay").is_equal_to([{"id": 7}])
    chain.output().is_equal_to({"items": [1]})


@pytest.mark.parametrize("method", ["arguments_of", "results_of"])
def test_secrets_and_long_texts_stay_out_of_messages_about_values(method):
    secret = {"password": "hunter2", "note": "a" * 1_000_000}
    chain = assert_that(support(None, execution("login", secret, secret)))

    shown = message(getattr(chain, method)("login").is_equal_to, [{"password": "other1"}])

    assert shown.startswith(f"[{method}('login') of invocation 'support'] Expected <[{{'password': '***', 'note': 'aaa")
    assert "other1" not in shown
    assert len(shown) < 2_100
    assert "hunter2" not in message(chain.tool_executions().is_empty)


def test_executions_of_unknown_outcome_are_not_taken_for_successful_ones():
    cap = support(None, execution("pay", outcome=UNKNOWN), execution("look"))

    with pytest.raises(NotRecordedError) as caught:
        assert_that(cap).results_of("pay")
    assert str(caught.value) == (
        "Expected invocation 'support' to have known successful executions of 'pay',\n"
        "but that depends on 1 execution of 'pay' whose outcome was not reported.\n"
        "The result alone does not say whether it means success. "
        "Decorate the function with `@record.tool` to have its outcome recorded, "
        'or say by `capture(unreported_tools="succeeded")` that a result means success.\n'
        "Tool executions:\n"
        "  [1] pay() -> 'ok' (outcome not reported)\n"
        "  [2] look() -> 'ok'"
    )
    assert_that(cap).results_of("look").is_equal_to(["ok"])
    assert_that(cap).executed_tool_names().contains("pay")


@pytest.mark.parametrize("method", ["arguments_of", "results_of"])
def test_a_tools_name_is_text(method):
    with pytest.raises(TypeError, match=f"{method}: name must be a string"):
        getattr(assert_that(support()), method)(3)


@pytest.mark.parametrize("method", ["output", "output_text", "executed_tool_names", "tool_executions"])
def test_a_failed_invocation_gives_no_value(method):
    assert "\nbut it failed with TimeoutError: no answer." in message(getattr(assert_that(captured(failed())), method))


def test_a_value_that_is_not_as_expected_is_our_failure_and_says_where_it_comes_from():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(support("Cancelled.")).described_as("refund").output().is_equal_to("Done.")

    assert (
        str(caught.value) == "[refund: output of invocation 'support'] Expected <Cancelled.> to be equal to <Done.>, but was not."
    )
    assert (caught.value.subject, caught.value.actual) == ("refund: output of invocation 'support'", "Cancelled.")
    assert "[output_at('$.booking.id') of invocation 'support'] Expected" in message(
        assert_that(support(OUTPUT)).output_at("$.booking.id").is_equal_to, "x"
    )


def test_in_a_soft_block_what_follows_a_failed_navigation_is_ignored():
    with pytest.raises(AssertionError) as caught, soft_assertions():
        ignored = assert_that(support({"a": 1})).output_at("$.b").is_not_none().extracting("c").described_as("d")
        ignored.error("is ignored too")
        assert not isinstance(ignored, dict)
        chain = assert_that(captured(invocation())).nested_invocation("reader").has_tool_executed("read").described_as("e")
        chain.output().is_equal_to(3)

    assert [str(one).splitlines()[0] for one in caught.value.failures] == [
        "Expected invocation 'support' to have an output with $.b,",
        "Expected invocation 'support' to have one nested invocation 'reader',",
    ]


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        (lambda chain: chain.output(), "output"),
        (lambda chain: chain.output_text(), "output_text"),
        (lambda chain: chain.output_at("$.a"), "output_at('$.a')"),
        (lambda chain: chain.executed_tool_names(), "executed_tool_names"),
        (lambda chain: chain.tool_executions(), "tool_executions"),
        (lambda chain: chain.arguments_of("pay"), "arguments_of('pay')"),
        (lambda chain: chain.results_of("pay"), "results_of('pay')"),
    ],
)
@pytest.mark.parametrize(("scope", "of"), [("top_level_only", "invocation 'support'"), ("whole_capture", "the whole capture")])
def test_a_value_that_is_not_as_expected_says_what_it_is(lead, said, scope, of):
    chain = getattr(assert_that(support({"a": 1}, execution("pay"))), scope)()
    if said.startswith("output") and scope == "whole_capture":
        with pytest.raises(AmbiguousError):
            lead(chain)
        return

    assert message(lead(chain).is_equal_to, 7).startswith(f"[{said} of {of}] Expected <")
    described = lead(chain.described_as("shop"))
    assert message(described.is_equal_to, 7).startswith(f"[shop: {said} of {of}] Expected <")
