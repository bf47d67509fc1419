"""What the report of a failed test shows of its captures."""

from __future__ import annotations

import json

import pytest

FAILS = """
    def test_cancels():
        with capture("refund") as cap:
            support("MS-777")
        assert cap.output == "refunded"
"""


def test_a_failing_test_shows_the_tree_of_its_capture(project):
    project.tests(FAILS)
    project.run().stdout.fnmatch_lines(
        [
            "*- Captured agents -*",
            "*refund*",
            "*support*completed*",
            "*look_up(number='MS-777')*",
            "*cancel(number='MS-777') -> 'cancelled'*",
        ]
    )


def test_a_passing_test_shows_nothing(project):
    project.tests(FAILS.replace("refunded", "cancelled"))
    ran = project.run("-rP")
    ran.assert_outcomes(passed=1)
    assert "Captured agents" not in ran.stdout.str()


def test_all_captures_are_shown_in_their_order(project):
    project.tests("""
        def test_cancels():
            with capture("first"):
                support(1)
            with capture("second") as cap:
                support(2)
            assert cap.output == "refunded"
    """)
    ran = project.run()
    ran.stdout.fnmatch_lines(["*Captured agents*", "*capture first*", "*capture second*"])
    assert ran.stdout.str().count("agent support") == 2


def test_what_lies_inside_another_capture_is_shown_once(project):
    project.tests("""
        def test_cancels(captured):
            for number in (1, 2):
                with capture("inside") as cap:
                    support(number)
            assert cap.output == "refunded"
    """)
    ran = project.run()
    ran.stdout.fnmatch_lines(["*Captured agents*", "*cancel(number=1)*", "*cancel(number=2)*"])
    assert ran.stdout.str().count("agent support") == 2
    assert "capture inside" not in ran.stdout.str()


def test_the_turns_of_a_conversation_are_shown_once(project):
    project.tests("""
        from agentassert.conversations import conversation

        def test_cancels():
            with conversation(support) as talk:
                talk.say("first")
                talk.say("second")
            assert talk.capture.invocations == ()
    """)
    ran = project.run()
    ran.stdout.fnmatch_lines(["*Captured agents*", "*cancel(number='first')*", "*cancel(number='second')*"])
    assert ran.stdout.str().count("agent support") == 2


@pytest.mark.parametrize(
    "text",
    [
        """
        with capture("around") as around:
            with capture("inside") as inside:
                support(1)
            inside.doubt("the clock was set")
        """,
        """
        around, inside = capture("around"), capture("inside")
        around.__enter__()
        inside.__enter__()
        support(1)
        around.__exit__(None, None, None)
        inside.__exit__(None, None, None)
        """,
    ],
)
def test_a_capture_inside_another_is_shown_if_it_tells_more(project, text):
    from textwrap import dedent, indent

    project.tests("def test_cancels():\n" + indent(dedent(text), "    ") + "    assert False\n")
    project.run().stdout.fnmatch_lines(["*Captured agents*", "*capture around*", "*capture inside*"])


def test_a_capture_that_a_helper_drops_is_shown(project):
    project.file("helper.py", "from agentassert import capture\ndef ask(agent):\n    with capture():\n        return agent(7)\n")
    project.tests("""
        from helper import ask

        def test_cancels():
            assert ask(support) == "refunded"
    """)
    project.run().stdout.fnmatch_lines(["*Captured agents*", "*cancel(number=7)*"])


def test_a_capture_of_a_wider_fixture_is_shown_by_each_test_that_asserts_on_it(project):
    project.tests("""
        @pytest.fixture(scope="module")
        def cap():
            with capture() as cap:
                support(7)
            return cap

        def test_first(cap):
            assert_that(cap).has_no_tool_executions("refund")

        def test_second(cap):
            cap.forget_checks()
            assert_that(cap).has_tool_executed("refund")
    """)
    ran = project.run()
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*Captured agents*", "*cancel(number=7)*"])


def test_a_fixture_that_fails_shows_what_was_captured_before(project):
    project.tests("""
        @pytest.fixture
        def broken(captured):
            support(7)
            raise ValueError("no")

        def test_cancels(broken):
            pass
    """)
    ran = project.run()
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["*Captured agents*", "*cancel(number=7)*"])


def test_output_that_is_captured_by_pytest_can_be_hidden_with_it(project):
    project.tests(FAILS)
    assert "Captured agents" not in project.run("--show-capture=no").stdout.str()


def test_a_hostile_capture_does_not_keep_a_report_from_coming_out(project):
    project.tests("""
        def test_cancels():
            with capture("\\ud800") as cap:
                support("\\ud800 \\x1b[31m <script>")
            assert cap.output == "refunded"
    """)
    ran = project.run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*Captured agents*", "*cancel(*"])
    assert "\x1b[31m <script>" not in ran.stdout.str()


def test_a_tree_that_cannot_be_drawn_is_said(project):
    project.tests("""
        from agentassert import Capture

        def test_cancels(monkeypatch):
            monkeypatch.setattr(Capture, "tree", lambda self: 1 / 0)
            with capture("refund") as cap:
                support(7)
            assert cap.output == "refunded"
    """)
    project.run().stdout.fnmatch_lines(["refund cannot be shown: ZeroDivisionError*"])


def test_of_very_many_captures_the_last_ones_are_shown(project):
    project.tests("""
        def test_often():
            for number in range(1, 31):
                with capture() as cap:
                    support(number)
            assert cap.output == "refunded"
    """)
    ran = project.run()
    ran.stdout.fnmatch_lines(["10 earlier captures are not shown.", "*cancel(number=11)*", "*cancel(number=30)*"])
    assert "cancel(number=10)" not in ran.stdout.str()


def test_nothing_is_kept_beyond_the_report(project):
    project.tests("""
        import gc, weakref

        class Anything:
            pass

        seen = []

        def test_first():
            with capture() as cap:
                value = Anything()
                look_up(value)
            seen.extend([weakref.ref(value), weakref.ref(cap)])
            assert_that(cap).has_tool_executed("look_up")

        def test_second():
            gc.collect()
            assert [one() for one in seen] == [None, None]
    """)
    project.run().assert_outcomes(passed=2)


class Reports:
    def __init__(self):
        self.seen = {}

    def pytest_runtest_logreport(self, report):
        self.seen[report.when] = report


@pytest.mark.parametrize("expected", ["cancelled", "refunded"])
def test_the_html_report_is_given_the_captures_of_every_test(project, expected):
    project.tests(
        FAILS.replace("refunded", expected).replace("assert cap", 'assert_that(cap).has_tool_executed("cancel"); assert cap')
    )
    reports = Reports()
    project.pytester.inline_run("-p", "agentassert", "--agentassert-html", "report.html", plugins=[reports])
    (told,) = json.loads(reports.seen["call"].agentassert_captures)
    assert told["capture"]["name"] == "refund"
    cancel = told["capture"]["invocations"][0]["tool_executions"][1]
    assert told["checked"] == [cancel["id"]]


def test_what_was_checked_inside_another_capture_is_checked_in_its_data(project):
    project.tests("""
        def test_cancels(captured):
            support(1)
            with capture() as cap:
                support(2)
            assert_that(cap).has_tool_executed("cancel")
    """)
    reports = Reports()
    project.pytester.inline_run("-p", "agentassert", "--agentassert-html", "report.html", plugins=[reports])
    (told,) = json.loads(reports.seen["call"].agentassert_captures)
    cancel = told["capture"]["invocations"][1]["tool_executions"][1]
    assert (cancel["name"], told["checked"]) == ("cancel", [cancel["id"]])


def test_without_an_html_report_no_data_is_made(project):
    project.tests(FAILS)
    reports = Reports()
    project.pytester.inline_run("-p", "agentassert", plugins=[reports])
    assert not hasattr(reports.seen["call"], "agentassert_captures")
