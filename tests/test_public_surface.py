"""What belongs to the interface, and what every part of it owes its users."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from types import FunctionType

import pytest

import agentassert
from tests.test_public_api import LED_TO, MODULES

EXCEPT_FOR_CAMEL_CASE = {"includingNested", "topLevelOnly"}
FORBIDDEN_WORDS = {
    "action",
    "child",
    "completion",
    "confirmation",
    "document",
    "llm",
    "run",
    "runs",
    "session",
    "step",
    "steps",
    "trace",
}
EXCEPT_FOR_CONVERSATIONS = {"action", "actions", "has_action_executed"}
"""What Rasa's trackers call so: responses, too, and whatever else is no tool."""
EXCEPT_FOR_SUITES = {"child_agents", "child_expectation", "no_tool_calls", "tool_call_order", "tool_calls"}
"""The keys of the suites, `expected_tool_calls` and so on, are those of the specification that they come from."""
EXCEPT_FOR_VERBS = {"may_not_have_run", "run", "run_async"}
"""What one does to an agent or a tool does, and no name for what comes of it."""
EXCEPT_FOR_STEPS = {"check_step", "step", "step_pitfall", "step_verdict", "steps"}
"""A flow of a conversation, a script of a model and a test case of Rasa's have steps; a turn has none."""
EXCEPTIONS = EXCEPT_FOR_CONVERSATIONS | EXCEPT_FOR_SUITES | EXCEPT_FOR_VERBS | EXCEPT_FOR_STEPS
FORBIDDEN_PAIRS = {"tool_call", "tool_calls", "stop_reason", "prompt_tokens", "completion_tokens", "function_call"}


PUBLIC = {
    f"{module}.{name}": getattr(importlib.import_module(module), name)
    for module in MODULES
    for name in importlib.import_module(module).__all__
}
"""What stands in the `__all__` of a public module."""


def public_classes():
    return [*(value for value in dict.fromkeys(PUBLIC.values()) if inspect.isclass(value)), *LED_TO]


def public_members(owner):
    """The names that a user may call or read on it, with what they are; inherited ones only from our own classes."""
    for ancestor in inspect.getmro(owner):
        if ancestor.__module__.startswith("agentassert."):
            for name, member in vars(ancestor).items():
                if not name.startswith("_"):
                    yield name, member


def public_names():
    yield from (path.rpartition(".")[2] for path in PUBLIC)
    for owner in [*public_classes(), type(agentassert.record)]:
        for name, _ in public_members(owner):
            yield f"{owner.__name__}.{name}"


def names_that_type_checkers_see(project):
    module = ast.parse((project / "agentassert" / "__init__.py").read_text("utf-8"))
    block = next(node for node in module.body if isinstance(node, ast.If))
    return {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_the_table_the_list_and_the_type_checkers_agree(project):
    assert sorted(agentassert._MODULE_OF) == sorted(agentassert.__all__)
    assert agentassert._MODULE_OF == names_that_type_checkers_see(project)


def test_every_public_name_is_there():
    for name in agentassert.__all__:
        assert getattr(agentassert, name) is not None
        assert name in dir(agentassert)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'captured'"):
        _ = agentassert.captured


def test_no_public_name_is_listed_twice():
    for module in MODULES:
        names = importlib.import_module(module).__all__
        assert len(set(names)) == len(names)


def test_every_public_name_stands_in_the_reference(project):
    reference = "\n".join(page.read_text("utf-8") for page in (project / "docs" / "reference").glob("*.md"))
    documented = set(re.findall(r"^\.\. auto\w+:: (agentassert[\w.]*)", reference, re.MULTILINE))
    at_the_root = {path: f"agentassert.{path.rpartition('.')[2]}" for path in PUBLIC}
    assert {path for path, short in at_the_root.items() if not {path, short} & documented} == set()


def with_docstring():
    return [path for path, value in PUBLIC.items() if inspect.isclass(value) or inspect.isroutine(value)]


@pytest.mark.parametrize("path", with_docstring())
def test_every_public_name_is_explained_with_an_example(path):
    assert ">>>" in (inspect.getdoc(PUBLIC[path]) or "")


@pytest.mark.parametrize("owner", [*public_classes(), type(agentassert.record)])
def test_every_public_method_is_explained_with_an_example(owner):
    if getattr(owner, "_is_protocol", False):
        return  # its own example has all of its methods
    silent = [
        name
        for name, member in public_members(owner)
        if name not in EXCEPT_FOR_CAMEL_CASE
        and isinstance(member, FunctionType | classmethod | staticmethod)
        and ">>>" not in (inspect.getdoc(member) or "")
    ]
    assert silent == []


@pytest.mark.parametrize("owner", public_classes())
def test_every_public_member_is_explained(owner):
    silent = [
        name
        for name, member in public_members(owner)
        if (inspect.isroutine(member) or isinstance(member, property)) and not inspect.getdoc(member)
    ]
    assert silent == []


def public_functions():
    for path, value in PUBLIC.items():
        if inspect.isroutine(value):
            yield path, value
    for owner in [*public_classes(), type(agentassert.record)]:
        for name, member in public_members(owner):
            function = getattr(member, "__func__", getattr(member, "fget", getattr(member, "func", member)))
            if inspect.isfunction(function):
                yield f"{owner.__name__}.{name}", function


@pytest.mark.parametrize(("path", "function"), list(public_functions()))
def test_every_public_function_says_all_of_its_types(path, function):
    signature = inspect.signature(function)
    untyped = [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.annotation is parameter.empty and parameter.name not in {"self", "cls"}
    ]
    assert untyped == []
    assert signature.return_annotation is not signature.empty


def test_public_names_use_the_words_of_the_glossary():
    def is_forbidden(name):
        words = FORBIDDEN_WORDS & set(name.split("_")) or any(pair in name for pair in FORBIDDEN_PAIRS)
        return name not in EXCEPTIONS and words

    snake_case = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.rpartition(".")[2]).lower() for name in public_names()]
    assert [name for name in snake_case if is_forbidden(name)] == []
    assert set(snake_case) >= EXCEPTIONS


def test_only_two_names_are_in_camel_case():
    methods = {name.rpartition(".")[2] for name in public_names() if "." in name and not name.rpartition(".")[2].isupper()}
    assert {name for name in methods if re.search("[a-z][A-Z]", name)} == EXCEPT_FOR_CAMEL_CASE
