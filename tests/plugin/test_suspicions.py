"""Tests that check less than they seem to are warned of, and no others."""

from __future__ import annotations

import pytest

UNREAD = "*NothingCheckedWarning: nobody looked at what was captured here*"
DROPPED = "*NothingCheckedWarning: assert_that() was called here, but no assertion on what it gave*"
SHARED = "*SharedChecksWarning: this capture was asserted on by test_it.py::test_first before*"


@pytest.fixture
def warned(project):
    def run(text, *arguments):
        project.tests(text)
        return project.run(*arguments)

    return run


def test_a_capture_that_nobody_looked_at(warned):
    ran = warned("""
        def test_cancels():
            with capture() as cap:
                support(1)
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines(["test_it.py::test_cancels", f"*/test_it.py:19: {UNREAD[1:]}"])


def test_the_captured_fixture_that_nobody_looked_at(warned):
    ran = warned("""
        def test_cancels(captured):
            support(1)
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines([f"*/test_it.py:18: {UNREAD[1:]}"])


def test_a_run_that_nobody_looked_at(warned):
    ran = warned("""
        from agentassert import run

        def test_cancels():
            run(support, "7")
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines([UNREAD])


def test_a_chain_without_an_assertion(warned):
    ran = warned("""
        def test_cancels():
            with capture() as cap:
                support(1)
            assert_that(cap)
            assert_that(cap).described_as("cancelling").including_nested()
    """)
    ran.assert_outcomes(passed=1, warnings=2)
    ran.stdout.fnmatch_lines([f"*/test_it.py:21: {DROPPED[1:]}", f"*/test_it.py:22: {DROPPED[1:]}"])


@pytest.mark.parametrize("chain", ["assert_that(1 == 2)", "assert_that([1]).described_as('numbers')"])
def test_a_chain_on_a_value_without_an_assertion(warned, chain):
    ran = warned(f"""
        def test_adds():
            {chain}
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines([DROPPED])


def test_a_chain_on_a_conversation_without_an_assertion(warned):
    ran = warned("""
        from agentassert.conversations import Conversation

        def test_talks():
            with capture() as cap:
                support("Hi")
            assert_that(Conversation.from_capture(cap).turn(0))
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines([DROPPED])


def test_a_chain_that_a_helper_forgot_to_go_on_with(warned):
    ran = warned("""
        def check(cap):
            assert_that(cap)

        def test_cancels(captured):
            support(1)
            check(captured)
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines([DROPPED])


SHARING = """
    @pytest.fixture(scope="module")
    def cap():
        with capture() as cap:
            support(1)
        return cap

    def test_first(cap):
        assert_that(cap).has_tool_executed("look_up")

    def test_second(cap):
        {before}
        assert_that(cap).has_tool_executed("cancel")
"""


def test_a_capture_on_which_two_tests_assert(warned):
    ran = warned(SHARING.format(before="pass"))
    ran.assert_outcomes(passed=2, warnings=1)
    ran.stdout.fnmatch_lines(["test_it.py::test_second", f"*/test_it.py:29: {SHARED[1:]}"])


def test_a_capture_of_a_module_on_which_two_tests_assert(warned):
    ran = warned("""
        with capture() as cap:
            support(1)

        def test_first():
            assert_that(cap).has_tool_executed("look_up")

        def test_second():
            assert_that(cap).has_tool_executed("cancel")
    """)
    ran.assert_outcomes(passed=2, warnings=1)
    ran.stdout.fnmatch_lines([SHARED])


def test_a_capture_whose_checks_are_forgotten_between_tests_is_not_shared(warned):
    warned(SHARING.format(before="cap.forget_checks()")).assert_outcomes(passed=2, warnings=0)


def test_a_capture_that_the_second_test_only_reads_is_not_shared(warned):
    warned(SHARING.format(before="assert cap.output == 'cancelled'; return")).assert_outcomes(passed=2, warnings=0)


@pytest.mark.parametrize(
    "looking",
    [
        "assert cap.output == 'cancelled'",
        "assert cap.output_text",
        "assert cap.invocation.status == 'completed'",
        "assert [one.name for one in cap.invocations]",
        "assert cap.error is None",
        "assert cap.health.doubts == ()",
        "cap.to_json()",
        "cap.save('cap.json')",
        "repr(cap)",
        "print(cap.tree())",
        "cap._repr_html_()",
        "print(assert_that(cap))",
        "assert_that(cap).has_succeeded()",
        "assert_that(cap.output).is_equal_to('cancelled')",
        "assert_that(cap.invocation).has_succeeded()",
        "assert_that(cap.output).described_as('output').is_equal_to('cancelled')",
        "chain = assert_that(cap); chain.has_succeeded()",
    ],
)
def test_whoever_looks_at_a_capture_in_any_way_is_not_accused(warned, looking):
    warned(f"""
        def test_cancels():
            with capture() as cap:
                support(1)
            {looking}
    """).assert_outcomes(passed=1, warnings=0)


INNOCENT = {
    "a block that expects a failure, which is a check": """
        def test_fails():
            with capture(expecting_failure=True), record.invocation("support"):
                raise ValueError("no")
    """,
    "an error that left the block": """
        def test_fails():
            with pytest.raises(ValueError):
                with capture(), record.invocation("support"):
                    raise ValueError("no")
    """,
    "a helper that captures for itself": """
        def ask():
            with capture():
                return support(1)

        def test_cancels():
            assert ask() == "cancelled"
    """,
    "an application that captures what it does": """
        from agentassert import run

        def app(number):
            with capture() as cap:
                support(number)
            return "done"

        def test_cancels():
            assert app(1) == "done"
    """,
    "a fixture around every test, so that reports show trees": """
        @pytest.fixture(autouse=True)
        def traced():
            with capture() as cap:
                yield cap

        def test_cancels():
            assert support(1) == "cancelled"
    """,
    "the fixture, asked for by a mark": """
        @pytest.mark.usefixtures("captured")
        def test_cancels():
            assert support(1) == "cancelled"
    """,
    "a fixture that looks after the test": """
        @pytest.fixture
        def cap():
            with capture() as cap:
                yield cap
            assert_that(cap).has_tool_executed("cancel")

        def test_cancels(cap):
            support(1)
    """,
    "a list of captures that a fixture looks at after the test": """
        @pytest.fixture
        def captures():
            found = []
            yield found
            assert [one.output for one in found] == ["cancelled"]

        def test_cancels(captures):
            with capture() as cap:
                support(1)
            captures.append(cap)
    """,
    "a fixture of which later tests make use": """
        @pytest.fixture(scope="module")
        def cap():
            with capture() as cap:
                support(1)
            return cap

        def test_runs(cap):
            pass

        def test_cancels(cap):
            assert_that(cap).has_tool_executed("cancel")
    """,
    "a chain that a fixture keeps": """
        @pytest.fixture
        def chain(captured):
            support(1)
            return assert_that(captured)

        def test_cancels(chain):
            chain.has_tool_executed("cancel")

        def test_nothing(chain):
            pass
    """,
    "a fixture that checks what later tests look at": """
        @pytest.fixture(scope="module")
        def cap():
            with capture() as cap:
                support(1)
            assert_that(cap).has_tool_executed("look_up")
            yield cap
            assert_that(cap).has_no_more_tool_executions()

        def test_reads(cap):
            assert cap.output == "cancelled"

        def test_cancels(cap):
            assert_that(cap).has_tool_executed("cancel")

        def test_reads_again(cap):
            assert cap.output == "cancelled"
    """,
    "a chain that a class keeps for those of its tests that need it": """
        import unittest

        class TestCancelling(unittest.TestCase):
            def setUp(self):
                with capture() as cap:
                    support(1)
                self.chain = assert_that(cap)

            def test_cancels(self):
                self.chain.has_tool_executed("cancel")

            def test_nothing(self):
                pass
    """,
    "a test that was skipped": """
        def test_cancels():
            with capture() as cap:
                support(1)
            pytest.skip("not today")
    """,
    "a test that fails as expected": """
        @pytest.mark.xfail
        def test_cancels():
            with capture() as cap:
                support(1)
            assert_that(cap)
            raise ValueError("no")
    """,
    "a value whose chain raises": """
        def test_adds():
            with pytest.raises(AssertionError):
                assert_that(1).is_equal_to(2)
    """,
}


@pytest.mark.parametrize("what", INNOCENT)
def test_nobody_is_accused_for(warned, what):
    ran = warned(INNOCENT[what])
    assert ran.parseoutcomes().keys().isdisjoint({"warnings", "warning", "failed", "errors", "error"})


def test_a_test_that_fails_is_not_accused_on_top(warned):
    ran = warned("""
        def test_cancels(captured):
            with capture() as cap:
                support(1)
            assert_that(cap)
            raise ValueError("mine")
    """)
    ran.assert_outcomes(failed=1, warnings=0)


def test_an_error_in_a_fixture_is_not_accused_on_top(warned):
    ran = warned("""
        @pytest.fixture
        def broken(captured):
            raise ValueError("no")

        def test_cancels(captured, broken):
            pass
    """)
    ran.assert_outcomes(errors=1, warnings=0)


@pytest.mark.parametrize("how", ["-W error", "ini", "mark"])
def test_filters_turn_a_warning_into_a_failure(warned, project, how):
    filter_ = "error::agentassert.NothingCheckedWarning"
    if how == "ini":
        project.warnings_are("default", filter_)
    mark = f"@pytest.mark.filterwarnings('{filter_}')" if how == "mark" else ""
    ran = warned(
        f"""
        {mark}
        def test_forgets():
            with capture() as cap:
                support(1)
            assert_that(cap)

        {mark}
        def test_looks_away():
            with capture() as cap:
                support(1)
    """,
        *(["-W", filter_] if how == "-W error" else []),
    )
    ran.assert_outcomes(failed=1, passed=1, errors=1, warnings=0)
    ran.stdout.fnmatch_lines([UNREAD[1:], "*/test_it.py:26", DROPPED[1:], "*/test_it.py:22"])
    assert "agentassert/plugin" not in ran.stdout.str()


def test_a_shared_capture_can_fail_the_later_test(warned):
    ran = warned(SHARING.format(before="pass"), "-W", "error::agentassert.SharedChecksWarning")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines([SHARED[1:], "*/test_it.py:29", "FAILED test_it.py::test_second*"])


def test_a_warning_can_be_silenced(warned):
    ran = warned(SHARING.format(before="pass"), "-W", "ignore::agentassert.SharedChecksWarning")
    ran.assert_outcomes(passed=2, warnings=0)


def test_values_are_let_go_of_when_their_chain_is(warned):
    warned("""
        import gc, weakref

        class Anything:
            pass

        def test_adds():
            value = Anything()
            gone = weakref.ref(value)
            assert_that(value).is_not_none()
            del value
            assert gone() is None
    """).assert_outcomes(passed=1, warnings=0)


def test_a_chain_that_a_fixture_forgets_after_the_test(warned):
    ran = warned("""
        @pytest.fixture
        def cap(captured):
            yield captured
            assert_that(captured)

        def test_cancels(cap):
            support(1)
            assert cap.output == "cancelled"
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines([f"*/test_it.py:21: {DROPPED[1:]}"])


def test_a_judged_chain_without_an_assertion(warned):
    ran = warned("""
        from agentassert.judges import Judge

        def test_greets():
            Judge(lambda prompt: "").assert_that("Hello").given("Hi")
    """)
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines([f"*/test_it.py:21: {DROPPED[1:]}"])


def test_a_test_is_not_accused_of_what_another_one_left_behind(warned):
    warned("""
        import gc

        def test_first():
            keeps_itself = []
            keeps_itself += [keeps_itself, assert_that(1)]

        def test_second():
            gc.collect()
    """).assert_outcomes(passed=2, warnings=0)
