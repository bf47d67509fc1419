"""Wrong steps are refused where they are written, and what is public is explained."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from agentassert import scripted
from agentassert.scripted import call_tool, disconnect, fail, malformed, refuse, reply, script, scripted_model, time_out
from tests.scripted_server.asking import post


async def coroutine(request):
    return reply("x")


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (reply, TypeError, 'write reply("")'),
        (lambda: reply(7), TypeError, "a part of a reply must be a text or call_tool(...), but was 7"),
        (lambda: reply(["a"]), TypeError, "a part of a reply must be a text"),
        (lambda: reply("x", finish_reason=7), TypeError, "finish_reason must be a text, but was 7"),
        (lambda: reply("x", tokens=7), TypeError, "tokens must be the numbers of tokens read and written"),
        (lambda: reply("x", tokens=(1, True)), TypeError, "tokens must be the numbers"),
        (lambda: reply("x", tokens=(1, -1)), ValueError, "tokens must be 0 or more, but was (1, -1)"),
        (lambda: reply("x", latency="1"), TypeError, "latency must be a number of seconds, but was '1'"),
        (lambda: reply("x", pace=-1), ValueError, "pace must be a number of seconds from 0 on, but was -1"),
        (lambda: refuse(None), TypeError, "text must be a text, but was None"),
        (lambda: call_tool(7), TypeError, "name must be a text, but was 7"),
        (lambda: call_tool(""), ValueError, "name must be the name of a tool"),
        (lambda: call_tool("get", [1]), TypeError, "arguments of 'get' must be a mapping or a text, but were [1]"),
        (lambda: call_tool("get", {"id": {1}}), TypeError, "arguments of 'get' must be values that JSON has"),
        (lambda: call_tool("get", {}, call_id=7), TypeError, "call_id must be a text, but was 7"),
        (lambda: fail("500"), TypeError, "status must be a whole number, but was '500'"),
        (lambda: fail(200), ValueError, "status must be an HTTP status from 400 to 599, but was 200"),
        (lambda: fail(500, 7), TypeError, "message must be a text, but was 7"),
        (lambda: fail(500, headers="x"), TypeError, "headers must be a mapping, but was 'x'"),
        (lambda: fail(500, headers={"x": "a\r\nb"}), ValueError, "headers must be printable ASCII"),
        (lambda: fail(500, retry=1), TypeError, "retry must be True or False, but was 1"),
        (lambda: disconnect(after=7), TypeError, "after must be a text, but was 7"),
        (lambda: time_out(retry="no"), TypeError, "retry must be True or False, but was 'no'"),
        (lambda: malformed(7), TypeError, "body must be a text, but was 7"),
        (lambda: scripted_model("done"), TypeError, "steps must be a list of steps, but was 'done'"),
        (lambda: scripted_model(reply("done")), TypeError, "steps must be a list of steps"),
        (lambda: scripted_model(["done"]), TypeError, "step 1 is a text: write reply('done')"),
        (lambda: scripted_model([reply("a"), [call_tool("b")]]), TypeError, "step 2 is a list: several tools in one response"),
        (lambda: scripted_model([None]), TypeError, "step 1 must be reply(...)"),
        (lambda: scripted_model([coroutine]), TypeError, "step 1 is a coroutine function"),
        (lambda: scripted_model([], then_repeats="x"), TypeError, "then_repeats is a text: write reply('x')"),
        (lambda: scripted_model([script([]), reply("x")]), TypeError, "takes steps or scripts, not both"),
        (lambda: scripted_model([script([])], then_repeats=reply("x")), TypeError, "each says what it repeats"),
        (lambda: scripted_model([script([]), script([])]), ValueError, "at most one script may be without when"),
        (lambda: scripted_model([], embeddings=7), TypeError, "embeddings must be a function of a text or fail(...), but was 7"),
        (lambda: scripted_model([], moderations=[]), TypeError, "moderations must be a function of a text or fail(...)"),
        (lambda: script([], when=True), TypeError, "when must be a function of the request, but was True"),
    ],
)
def test_what_is_no_step_is_refused_and_named(make, error, words):
    with pytest.raises(error, match=re.escape(words)):
        make()


def test_a_step_keeps_the_arguments_that_it_was_made_with():
    arguments = {"id": 7}
    step = call_tool("get", arguments)
    arguments["id"] = 8

    assert step.arguments == {"id": 7}


@pytest.mark.parametrize("name", scripted.__all__)
def test_every_public_name_is_explained_with_an_example_and_stands_in_the_reference(name, project):
    public = getattr(scripted, name)
    reference = (project / "docs" / "reference" / "scripted-models.md").read_text("utf-8")

    assert re.search(rf"auto\w+:: agentassert\.scripted\.{name}\b", reference)
    if inspect.isroutine(public) or inspect.isclass(public):
        assert ">>>" in inspect.getdoc(public)


def test_the_conftest_of_the_how_to_has_every_client_answered(project, monkeypatch):
    page = (project / "docs" / "how-to" / "scripted-models.md").read_text("utf-8")
    (code,) = re.findall(r"^```py\n# conftest.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    names, undone = {}, []
    exec(code, names)
    names["pytest_configure"](SimpleNamespace(add_cleanup=undone.append))
    try:
        url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
        _, answer = post(url, {"model": "m", "messages": [{"role": "user", "content": "MS-777"}]})
    finally:
        (undo,) = undone
        undo()
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"number": "MS-777"}


def test_importing_it_loads_no_server():
    code = "import agentassert.scripted, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert {"http.server", "socketserver", "asyncio", "agentassert.adapters", "openai", "pytest"} & set(loaded) == set()
