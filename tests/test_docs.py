"""The documentation is true: its code runs, and what it shows is what comes out.

A `python` block is run, and the `test_` functions that it defines are called. What it prints, and the message of the assertion that
fails in it, must stand in the `text` block that follows.
"""

from __future__ import annotations

import asyncio
import contextlib
import doctest
import gc
import importlib
import inspect
import io
import pkgutil
import warnings
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.myst import CodeBlockParser

import agentassert
from agentassert.doubles import functions
from tests.adapters import crewai_warnings, llama_index_warnings
from tests.adapters.litellm_parts import quietly
from tests.doctest_captures import captures

PROJECT = Path(__file__).parent.parent
PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")])
MODULES = ["agentassert", *(module.name for module in pkgutil.walk_packages(agentassert.__path__, "agentassert."))]

NEEDS = {
    "agno.md": "agno",
    "claude-agent-sdk.md": "claude_agent_sdk",
    "crewai.md": "tests.scripted.crewai",
    "dspy.md": "dspy",
    "google-adk.md": "google.adk",
    "haystack.md": "haystack",
    "llama-index.md": "llama_index.core",
    "litellm.md": "litellm",
    "smolagents.md": "smolagents",
    "strands.md": "strands",
}
"""What pages need that shares no environment with everything else; their examples run where that is installed."""
OWN_WARNINGS = {"crewai.md": crewai_warnings.quietly, "litellm.md": quietly, "llama-index.md": llama_index_warnings.quietly}
"""What is left out of account on pages whose framework warns of itself."""

execute = PythonEvaluator()


def run_block(example):
    refuse_hidden_output(example.namespace)
    known, written = set(example.namespace), io.StringIO()
    with contextlib.redirect_stdout(written):
        try:
            execute(example)
            for name in [name for name in example.namespace if name.startswith("test_") and name not in known]:
                call(example.namespace[name])
        except AssertionError as error:
            written.write(str(error))
    example.namespace["written"] = written.getvalue().rstrip()


def call(test):
    outcome = test()
    if inspect.iscoroutine(outcome):
        asyncio.run(outcome)


def compare_block(example: Example) -> None:
    written = example.namespace.pop("written", None)
    if written is None:
        raise AssertionError("a `text` block stands for what the `python` block before it shows")
    assert written == example.parsed.rstrip()


def refuse_hidden_output(namespace):
    assert not namespace.pop("written", ""), "what a block shows must stand in a `text` block after it"


def blocks(page):
    parsers = [CodeBlockParser("python", run_block), CodeBlockParser("text", compare_block)]
    return Sybil(parsers).parse(page)


@pytest.fixture
def only_reading():
    """Nothing is known of tools that were decorated elsewhere, nor elsewhere of those that are here: advice depends on it."""
    others = set(functions.known)
    functions.known.clear()
    yield
    functions.known.clear()
    functions.known.update(others)


def marked(page):
    return pytest.param(page, marks=OWN_WARNINGS.get(page.name, ()))


@pytest.mark.usefixtures("only_reading")
@pytest.mark.parametrize("page", [marked(page) for page in PAGES], ids=lambda page: str(page.relative_to(PROJECT)))
def test_every_code_block_runs_and_shows_what_it_really_shows(page, monkeypatch):
    monkeypatch.chdir(PROJECT)
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    document = blocks(page)
    for example in document.examples():
        example.evaluate()
    refuse_hidden_output(document.namespace)
    if page.name in OWN_WARNINGS:
        gc.collect()  # what it left behind is to warn here or nowhere


def test_pages_hold_code_that_is_run():
    assert sum(1 for page in PAGES for _ in blocks(page).examples()) > 20


def imported(module):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a framework warns of as it is imported is its own affair
            return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("agentassert"):
            raise
        pytest.skip(f"needs {missing.name}, which is not installed")


@pytest.mark.parametrize("module", MODULES)
def test_every_docstring_example_is_true(module, tmp_path):
    """The examples have the public names at hand, some captures, a folder to write in, and nothing else."""
    given = {name: getattr(agentassert, name) for name in agentassert.__all__} | captures() | {"folder": tmp_path}
    results = doctest.testmod(imported(module), extraglobs=given, optionflags=doctest.ELLIPSIS)
    assert results.failed == 0
