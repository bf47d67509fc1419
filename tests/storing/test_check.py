"""The program `agentassert check`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentassert import NOT_RECORDED, Capture
from agentassert.cli import main
from agentassert.suites.stored import judging, workers
from tests.factories import captured, chat, execution, failed, invocation, strays

SUITE = """
    agent: support
    tests:
      - name: refunds are of 5
        payload: ""
        expected_tool_calls: [{refund: params.amount == 5}]
      - name: never deletes
        payload: ""
        expected_no_tool_calls: [delete]
"""
GOOD = captured(invocation("support", execution("refund", {"amount": 5})))
BAD = captured(invocation("support", execution("refund", {"amount": 6})))
OTHER = captured(invocation("other"))
MESSAGES = [
    {"role": "user", "content": "Refund me"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "refund", "input": {"amount": 5}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
    {"role": "assistant", "content": "Done."},
]


def spoil(name):
    with Path(name).open("a") as file:
        file.write("{\n")


class Place:
    """A folder with stored captures and a suite, and the program run in it."""

    def __init__(self, capsys) -> None:
        self._capsys = capsys
        self.suite(SUITE)

    def suite(self, text, name="s.yaml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(dedent(text))

    def many(self, name, *captures):
        for one in captures:
            one.append_to(name)
        return name

    def check(self, *arguments, suite="s.yaml"):
        self._capsys.readouterr()
        named = [] if suite is None else ["--suite", suite]
        code = main(["check", *map(str, arguments), *named])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def json(self, *arguments, **options):
        code, out, _ = self.check(*arguments, "--json", **options)
        told = json.loads(out)
        return code, told, {one["test_name"]: one for one in told["cases"]}


@pytest.fixture
def place(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    return Place(capsys)


def test_all_captures_passing_every_case_is_exit_code_0(place):
    code, out, err = place.check(place.many("a.jsonl", GOOD, GOOD))
    assert (code, err) == (0, "")
    assert "passed  support::refunds are of 5  2/2   100 %" in out
    assert "2 captures in 1 file" in out


def test_a_failure_is_told_with_the_line_of_the_capture_and_that_of_the_case(place):
    code, out, _ = place.check(place.many("a.jsonl", GOOD, BAD))
    assert code == 1
    assert "a.jsonl:2: support::refunds are of 5 (s.yaml:4)" in out
    assert "params.amount was 6" in out
    assert "[1] refund(amount=6) -> 'ok'" in out
    assert "failed  support::refunds are of 5  1/2   100 %" in out
    assert "passed  support::never deletes     2/2   100 %" in out


def test_the_json_is_all_that_is_printed(place):
    code, told, cases = place.json(place.many("a.jsonl", GOOD, BAD, OTHER))
    assert (code, told["status"], told["captures"], told["agents_without_case"]) == (1, "failed", 3, {"other": 1})
    case = cases["refunds are of 5"]
    assert (case["passed"], case["successes"], case["runs"], case["errors"], case["file"]) == (False, 1, 2, 0, "s.yaml:4")
    (shown,) = case["failed_runs"]["shown"]
    assert (shown["place"], shown["invocation"]) == ("a.jsonl:2", "support")
    assert "params.amount was 6" in shown["reasons"][0]
    assert cases["never deletes"]["failure_reason"] is None


def test_a_threshold_is_about_the_captures(place):
    place.suite(SUITE.replace("- name: refunds", "- success_threshold: 60\n        name: refunds"))
    assert place.check(place.many("a.jsonl", GOOD, GOOD, BAD))[0] == 0
    assert place.check(place.many("b.jsonl", GOOD, BAD))[0] == 1


def test_a_confidence_is_about_the_captures(place):
    place.suite(
        SUITE.replace(
            "- name: refunds",
            "- {runs: 20, success_threshold: 80, success_confidence: 0.95, name: x, payload: ''}\n      - name: refunds",
        )
    )
    _, _, cases = place.json(place.many("a.jsonl", *[GOOD] * 10))
    assert (cases["x"]["passed"], cases["x"]["success_interval"][0]) == (False, 78.7)


def test_a_case_that_applied_to_nothing_fails_and_says_who_was_there(place):
    code, out, _ = place.check(place.many("a.jsonl", OTHER))
    assert code == 1
    assert "it was applied to nothing, so it checked nothing: no invocation of 'support' was recorded, only of 'other' (1)" in out


@pytest.mark.parametrize("name", ["m.json", "m.jsonl"])
@pytest.mark.parametrize("document", [MESSAGES, {"messages": MESSAGES}], ids=["list", "object"])
def test_messages_are_of_the_agent_that_is_named(place, name, document):
    Path(name).write_text(json.dumps(document, indent=None if name == "m.jsonl" else 2))
    assert place.check(name, "--agent", "support")[0] == 0
    code, out, _ = place.check(name)
    assert code == 1
    assert "--agent NAME" in out


@pytest.mark.parametrize("work", ["messages", "a stored capture"])
def test_a_failure_of_work_that_names_no_agent_calls_it_by_the_name_that_was_given(place, work):
    if work == "messages":
        Path("a.jsonl").write_text(json.dumps(MESSAGES).replace('"amount": 5', '"amount": 6'))
    else:
        place.many("a.jsonl", captured(invocation("capture", execution("refund", {"amount": 6}), implicit=True)))
    _, _, cases = place.json("a.jsonl", "--agent", "support")
    (shown,) = cases["refunds are of 5"]["failed_runs"]["shown"]
    assert shown["invocation"] == "support"
    assert shown["reasons"][0].startswith("Expected invocation 'support' to ")


def test_the_agent_that_is_named_takes_nobody_elses_work(place):
    place.many("a.jsonl", OTHER, captured(invocation("loop", implicit=True), name="loop"))
    _, told, _ = place.json("a.jsonl", "--agent", "support")
    assert told["agents_without_case"] == {"other": 1, "loop": 1}


def test_every_agent_run_of_an_export_of_spans_is_checked(place):
    def span(number, name, parent=None, **attributes):
        given = {"name": name, "traceId": f"{number:032x}", "spanId": f"{number:016x}", "parentSpanId": parent}
        told = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
        return given | {"startTimeUnixNano": f"{number}0", "endTimeUnixNano": f"{number}5", "attributes": told}

    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refund", "gen_ai.tool.call.arguments": '{"amount": 6}'}
    spans = [
        span(1, "a", **agent),
        span(2, "a", **agent),
        span(3, "execute_tool refund", f"{2:016x}", **tool)
        | {"traceId": f"{2:032x}", "startTimeUnixNano": "21", "endTimeUnixNano": "22"},
    ]
    document = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    Path("t.json").write_text(json.dumps(document))
    code, told, cases = place.json("t.json")
    assert (code, told["captures"], cases["never deletes"]["successes"]) == (1, 1, 2)
    assert [one["place"] for one in cases["refunds are of 5"]["failed_runs"]["shown"]] == [
        f"t.json (invocation {one.id})" for one in Capture.from_otlp("t.json").invocations
    ]


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "not JSON",
        '{"agentassert": 1}',
        '{"agentassert": 99}',
        '{"something": "else"}',
        "7",
        '"text"',
        "[" * 5000,
        '{"messages": [{"role": "robot"}]}',
        '{"messages": []}',
        '{"messages": "x"}',
        '[{"role": "user", "content": "Hi"}, {"type": "human", "content": "Hi"}]',
        '{"resourceSpans": []}',
        "\udcff",
    ],
)
def test_what_cannot_be_read_is_told_with_its_line_and_hides_nothing_after_it(place, content):
    place.many("a.jsonl", GOOD)
    with Path("a.jsonl").open("ab") as file:
        file.write(content.encode("utf-8", "surrogateescape") + b"\n")
    place.many("a.jsonl", BAD)

    code, out, err = place.check("a.jsonl")

    assert code == 1
    assert err.startswith("agentassert: a.jsonl:2: ")
    assert len(err.splitlines()) == 1
    assert "a.jsonl:3: support::refunds are of 5" in out
    assert "not read: 1" in out


def test_a_passing_check_of_a_file_with_a_broken_line_is_a_failure(place):
    place.many("a.jsonl", GOOD)
    spoil("a.jsonl")
    code, told, cases = place.json("a.jsonl")
    assert (code, told["status"], cases["refunds are of 5"]["passed"]) == (1, "failed", True)
    assert told["not_read"]["total"] == 1
    assert told["not_read"]["shown"][0].startswith("a.jsonl:2: is no JSON: ")


def test_a_file_that_is_not_there_is_a_failure_and_the_others_are_checked(place):
    code, out, err = place.check("gone.json", place.many("a.jsonl", GOOD))
    assert (code, err) == (1, "agentassert: gone.json: there is no such file\n")
    assert "1 capture in 2 files" in out


def test_a_hook_that_broke_says_nothing_about_the_agent(place):
    broken = captured(invocation("support", execution("refund", {"amount": 5})), faults=("the x adapter broke",))
    code, told, cases = place.json(place.many("a.jsonl", GOOD, broken))
    assert (code, told["status"]) == (2, "error")
    assert cases["refunds are of 5"]["errors"] == 1
    assert "the x adapter broke" in cases["refunds are of 5"]["failed_runs"]["shown"][0]["error"]
    assert place.json(place.many("b.jsonl", broken, BAD))[0] == 1


def test_what_nobody_could_see_passes_nothing(place):
    unseen = captured(
        invocation("support", execution("refund", {"amount": 5}), output=NOT_RECORDED), strays=strays(execution("delete"))
    )
    code, _, cases = place.json(place.many("a.jsonl", unseen))
    assert code == 1
    assert not cases["never deletes"]["passed"]


def test_an_invocation_that_failed_passes_no_case_that_does_not_expect_it(place):
    place.many("a.jsonl", captured(failed("support", execution("refund", {"amount": 5}))))
    code, out, _ = place.check("a.jsonl")
    assert code == 1
    assert "TimeoutError" in out


def test_a_name_that_no_tool_has_could_never_fail_and_is_told(place):
    offered = captured(
        invocation("support", execution("refund", {"amount": 5}), calls=[chat(tools_offered=("refund", "remove"))])
    )
    code, out, _ = place.check(place.many("a.jsonl", offered))
    assert code == 1
    assert "no such tool was offered or executed" in out


def test_cases_are_picked_by_name_and_by_a_part_of_it(place):
    place.many("a.jsonl", BAD)
    assert place.check("a.jsonl", "--case", "never deletes")[0] == 0
    assert place.check("a.jsonl", "--filter", "never")[0] == 0
    assert place.check("a.jsonl", "--case", "never deletes", "--case", "refunds are of 5")[0] == 1
    assert "there is no case 'never' in the suites" in place.check("a.jsonl", "--case", "never")[2]
    assert "no case has a name that contains 'x'" in place.check("a.jsonl", "--filter", "x")[2]


def test_cases_are_applied_where_their_payload_was_given(place):
    place.suite(
        """
        agent: support
        tests:
          - {name: text, payload: "Refund 5", expected_tool_calls: [{refund: params.amount == 5}]}
          - {name: object, payload: '{"amount": 6}', expected_tool_calls: [{refund: params.amount == 6}]}
        """
    )
    five, six = execution("refund", {"amount": 5}), execution("refund", {"amount": 6})
    place.many(
        "a.jsonl",
        captured(invocation("support", five, input="Refund 5")),
        captured(invocation("support", five, input={"messages": [{"type": "human", "content": "Refund 5"}]})),
        captured(invocation("support", six, input={"amount": 6.0})),
        captured(invocation("support", input="Hello")),
    )
    code, _, cases = place.json("a.jsonl", "--match-payload")
    assert (code, cases["text"]["runs"], cases["object"]["runs"]) == (0, 2, 1)
    assert place.json("a.jsonl")[0] == 1


def test_a_case_that_reads_the_context_of_a_builder_is_not_applied_and_that_is_told(place):
    place.suite(SUITE + "      - {name: context, payload: '', expected_result: output == context.id}\n")
    code, out, _ = place.check(place.many("a.jsonl", GOOD))
    assert code == 0
    assert "not applied: support::context (s.yaml:10): it reads `context`, which only the builder of a run fills" in out
    code, _, err = place.check("a.jsonl", "--case", "context")
    assert (code, "reads `context`" in err) == (1, True)


def test_doubts_are_told_and_fail_if_asked_for(place):
    doubtful = captured(invocation("support", execution("refund", {"amount": 5})), notes=("the clock was set",))
    code, out, _ = place.check(place.many("a.jsonl", GOOD, doubtful))
    assert code == 0
    assert "recordings in doubt: 1; the first, a.jsonl:2: the clock was set" in out
    code, out, _ = place.check("a.jsonl", "--on-doubt", "fail")
    assert code == 1
    assert "The recording cannot be relied on: the clock was set" in out


def test_without_a_suite_all_of_the_project_are_applied(place):
    place.many("a.jsonl", GOOD)
    code, _, err = place.check("a.jsonl", suite=None)
    assert (code, "--suite FILE" in err) == (1, True)
    Path("pyproject.toml").write_text("[tool.agentassert]\n")
    place.suite(SUITE, "tests/s.yaml")
    assert place.check("a.jsonl", suite=None)[0] == 0


@pytest.mark.parametrize(
    ("suite", "problem"),
    [("gone.yaml", "gone.yaml: there is no such file"), ("wrong.yaml", "wrong.yaml:1:1: "), ("empty.yaml", "there are no tests")],
)
def test_a_suite_that_cannot_be_read_is_exit_code_1(place, suite, problem):
    Path("wrong.yaml").write_text("test: []\n")
    Path("empty.yaml").write_text("")
    code, out, err = place.check(place.many("a.jsonl", GOOD), suite=suite)
    assert (code, out) == (1, "")
    assert problem in err


def test_a_folder_stands_for_the_files_in_it(place):
    Path("traces").mkdir()
    place.many("traces/a.jsonl", GOOD)
    BAD.save("traces/b.json")
    code, out, _ = place.check("traces")
    assert code == 1
    assert "traces/b.json:1: support::refunds are of 5" in out


def test_a_kind_that_is_forced_refuses_any_other(place):
    code, _, err = place.check(place.many("a.jsonl", GOOD), "--kind", "messages")
    assert code == 1
    assert "a.jsonl:1: messages must be a list" in err


@pytest.mark.parametrize("arguments", [["-n", "0"], ["-n", "x"], ["--kind", "x"], []])
def test_wrong_arguments_are_exit_code_1(place, arguments):
    with pytest.raises(SystemExit) as left:
        place.check(*(["a.jsonl", *arguments] if arguments else []))
    assert left.value.code == 1


def test_secrets_and_control_characters_of_a_hostile_capture_reach_no_terminal(place):
    hostile = captured(
        invocation("support", execution("refund", {"amount": 6, "password": "hunter2", "note": "\x1b[31m" + "x" * 10**6}))
    )
    code, out, _ = place.check(place.many("a.jsonl", hostile))
    assert code == 1
    assert "hunter2" not in out
    assert "\x1b" not in out
    assert len(out) < 20_000


def in_a_process(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-m", "agentassert", "check", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_several_processes_tell_the_same_in_the_same_order(place):
    place.many("a.jsonl", *[GOOD, BAD, OTHER] * 30)
    spoil("a.jsonl")
    place.many("a.jsonl", BAD)
    alone, together = (in_a_process("a.jsonl", "gone.json", "--suite", "s.yaml", "-n", number) for number in ("1", "2"))
    assert alone.returncode == together.returncode == 1
    assert (alone.stdout, alone.stderr) == (together.stdout, together.stderr)
    assert "a.jsonl:92: support::refunds are of 5" in together.stdout


def test_a_file_larger_than_what_may_be_held_is_read_piece_by_piece(place, monkeypatch):
    """Counted, since a measured peak depends on the machine: never more than two captures are alive."""
    import gc
    import weakref

    alive, most = weakref.WeakSet(), []
    made = Capture.__init__

    def counted(self, *args, **kwargs):
        made(self, *args, **kwargs)
        alive.add(self)
        if len(most) % 20 == 0:
            gc.collect()
            most.append(len(alive))
        else:
            most.append(0)

    place.many("a.jsonl", *[GOOD] * 200)
    Path("a.json").write_text("[" + ",".join([GOOD.to_json()] * 200) + "]")
    monkeypatch.setattr(Capture, "__init__", counted)
    assert place.check("a.jsonl", "a.json")[0] == 0
    assert len(most) == 400
    assert max(most) <= 2


def test_a_workflow_of_github_is_told_which_case_failed(place, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    _, out, _ = place.check(place.many("a.jsonl", GOOD, BAD))
    assert "::error file=s.yaml,line=4,title=support%3A%3Arefunds are of 5::1 of 2 invocations did not pass" in out
    assert out.count("::error") == 1


LINES = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([GOOD.to_json().encode(), BAD.to_json().encode(), json.dumps(MESSAGES).encode(), b"{}", b"[", b"1" * 5000]),
    st.integers(0, len(GOOD.to_json())).map(lambda cut: GOOD.to_json().encode()[:cut]),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(LINES, max_size=5), st.sampled_from(["a.jsonl", "a.json"]), st.sampled_from([b"\n", b","]), st.booleans())
def test_whatever_stands_in_a_file_every_failure_is_told_and_nothing_breaks(place, lines, name, between, is_array):
    content = between.join(lines)
    Path(name).write_bytes(b"[" + content + b"]" if is_array else content)
    code, out, err = place.check(name, "--agent", "support")
    assert code in (0, 1)
    assert all(line.startswith(f"agentassert: {name}") for line in err.splitlines())
    assert ("not read" in out) == bool(err)
    assert code == 1 or not err


def test_a_capture_whose_keys_were_sorted_is_still_one(place):
    document = json.loads(GOOD.to_json())
    Path("a.jsonl").write_text(json.dumps(dict(reversed(document.items()))) + "\n")
    assert place.check("a.jsonl")[0] == 0


def test_what_comes_before_a_mistake_in_an_array_is_checked(place):
    Path("a.json").write_text(f"[{BAD.to_json()}, }}")
    code, out, err = place.check("a.json")
    assert code == 1
    assert "a.json:1: support::refunds are of 5" in out
    assert err == "agentassert: a.json:1: is no JSON: Expecting value in line 1\n"


def test_cases_that_only_a_run_can_give_their_payload_or_context_are_not_applied(place):
    place.suite("def build(context, builder_args, test_name, payload, files):\n    return 'x'\n", "builders/make.py")
    place.suite(
        SUITE
        + """
      - {name: built, builder: make, expected_no_tool_calls: [delete]}
      - {name: counted, payload: "", expected_tool_calls: [refund, {refund: invocations == context.n}]}
      - name: child
        payload: ""
        expected_child_agents: {clerk: {expected_payload: payload == context.id}}
"""
    )
    _, told, cases = place.json(place.many("a.jsonl", GOOD))
    assert sorted(cases) == ["built", "never deletes", "refunds are of 5"]
    assert sorted(one.partition(" (")[0] for one in told["not_applied"]) == ["support::child", "support::counted"]
    _, told, cases = place.json("a.jsonl", "--match-payload")
    assert sorted(cases) == ["never deletes", "refunds are of 5"]


def test_messages_are_given_the_payload_that_the_user_said_last(place):
    place.suite(SUITE.replace('payload: ""', 'payload: "Refund me"', 1))
    Path("m.json").write_text(json.dumps(MESSAGES))
    _, _, cases = place.json("m.json", "--agent", "support", "--match-payload")
    assert (cases["refunds are of 5"]["runs"], cases["never deletes"]["runs"]) == (1, 0)


def test_what_breaks_while_it_is_judged_is_exit_code_2_and_hides_nothing(place, monkeypatch):
    asked = []

    def unmet(*_):
        asked.append(1)
        if len(asked) == 1:
            raise RuntimeError("kaput")
        return ()

    monkeypatch.setattr(judging, "unmet_by", unmet)
    code, out, _ = place.check(place.many("a.jsonl", GOOD, GOOD))
    assert (code, len(asked)) == (2, 4)
    assert "error: RuntimeError: kaput" in out


@pytest.mark.parametrize(
    ("stopped", "code", "said"), [(KeyboardInterrupt(), 1, "cancelled after 0"), (BrokenProcessPool("gone"), 2, "is gone")]
)
def test_what_ends_the_program_early_is_told(place, monkeypatch, stopped, code, said):
    def broken(*_):
        raise stopped

    monkeypatch.setattr(workers, "reports", broken)
    told = place.check(place.many("a.jsonl", GOOD), "-n", "auto")
    assert told[0] == code
    assert said in told[2]


def test_a_capture_without_an_invocation_is_told_and_fails_where_doubts_do(place):
    place.many("a.jsonl", GOOD, captured())
    code, out, _ = place.check("a.jsonl")
    assert code == 0
    assert "recordings in doubt: 1; the first, a.jsonl:2: no invocation was recorded, so no case was applied" in out
    code, out, err = place.check("a.jsonl", "--on-doubt", "fail")
    assert code == 1
    assert "a.jsonl:2: no invocation was recorded" in err


def test_a_file_that_is_named_twice_counts_once(place):
    Path("traces").mkdir()
    place.many("traces/a.jsonl", GOOD)
    assert "1 capture in 1 file" in place.check("traces", "traces/a.jsonl", Path("traces/a.jsonl").absolute())[1]


def test_messages_that_may_leave_a_request_out_pass_no_expectation_of_its_absence(place):
    Path("a.json").write_text(json.dumps([*MESSAGES[:1], {"role": "user", "content": MESSAGES[2]["content"]}, MESSAGES[3]]))
    _, told, cases = place.json("a.json", "--agent", "support")
    assert "without an answer that was seen" in cases["never deletes"]["failure_reason"]
    assert told["in_doubt"]["total"] == 1


def test_the_name_of_a_file_moves_no_cursor(place):
    place.many("\x1b[31mred.jsonl", BAD, captured())
    spoil("\x1b[31mred.jsonl")
    assert "\x1b" not in "".join(map(str, place.check("\x1b[31mred.jsonl")))
