"""What belongs to the interface, and what every part of it owes its users."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

import agentassert

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
EXCEPT_FOR_VERBS = {"may_not_have_run", "run", "run_async"}
"""What one does to an agent or a tool does, and no name for what comes of it."""
EXCEPT_FOR_FLOWS = {"step"}
"""A flow of a conversation has steps; a turn has none."""
FORBIDDEN_PAIRS = {"tool_call", "tool_calls", "stop_reason", "prompt_tokens", "completion_tokens", "function_call"}


def public_classes():
    return [value for name in agentassert.__all__ if inspect.isclass(value := getattr(agentassert, name))]


def public_members(owner):
    """The names that a user may call or read on it, with what they are; inherited ones only from our own classes."""
    for ancestor in inspect.getmro(owner):
        if ancestor.__module__.startswith("agentassert."):
            for name, member in vars(ancestor).items():
                if not name.startswith("_"):
                    yield name, member


def public_names():
    yield from agentassert.__all__
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


def test_every_public_name_stands_in_the_reference(project):
    reference = "\n".join(page.read_text("utf-8") for page in (project / "docs" / "reference").glob("*.md"))
    documented = set(re.findall(r"auto\w+:: agentassert\.(\w+)", reference))
    assert set(agentassert.__all__) - documented == set()


@pytest.mark.parametrize("name", [name for name in agentassert.__all__ if name != "NOT_RECORDED"])
def test_every_public_name_is_explained_with_an_example(name):
    assert ">>>" in inspect.getdoc(getattr(agentassert, name))


@pytest.mark.parametrize("owner", [agentassert.InvocationAssertion, agentassert.Capture, type(agentassert.record)])
def test_every_public_method_is_explained_with_an_example(owner):
    silent = [
        name
        for name, member in public_members(owner)
        if name not in EXCEPT_FOR_CAMEL_CASE and inspect.isroutine(member) and ">>>" not in (inspect.getdoc(member) or "")
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


def test_public_names_use_the_words_of_the_glossary():
    def is_forbidden(name):
        return name not in EXCEPT_FOR_VERBS | EXCEPT_FOR_FLOWS and (
            FORBIDDEN_WORDS & set(name.split("_")) or any(pair in name for pair in FORBIDDEN_PAIRS)
        )

    snake_case = [re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.rpartition(".")[2]).lower() for name in public_names()]
    assert [name for name in snake_case if is_forbidden(name)] == []


def test_only_two_names_are_in_camel_case():
    methods = {name.rpartition(".")[2] for name in public_names() if "." in name and not name.rpartition(".")[2].isupper()}
    assert {name for name in methods if re.search("[a-z][A-Z]", name)} == EXCEPT_FOR_CAMEL_CASE
