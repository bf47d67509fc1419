"""The public interface as it stands: a change of a name or a signature shows in the diff of `public_api.txt`.

`python -m tests.test_public_api` writes it anew.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import attrs

import agentassert
from agentassert.assertions.conversation import ConversationAssertion
from agentassert.assertions.judged import JudgedTextAssertion
from agentassert.assertions.model_call import ChatModelCallAssertion
from agentassert.handwritten import RecordedInvocation, RecordedModelCall

FILE = Path(__file__).parent / "public_api.txt"
MODULES = (
    "agentassert",
    "agentassert.conversations",
    "agentassert.conversations.rasa",
    "agentassert.judges",
    "agentassert.expressions",
    "agentassert.scripted",
)

LED_TO = (
    ChatModelCallAssertion,
    ConversationAssertion,
    JudgedTextAssertion,
    RecordedInvocation,
    RecordedModelCall,
)
"""What methods and functions of these modules give."""


def described(name: str, value: object) -> Iterator[str]:
    """A line for it, and one for each of its members."""
    if inspect.isclass(value):
        bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
        yield f"class {name}({bases})" if bases else f"class {name}"
        if issubclass(value, enum.Enum):
            yield from (f"{name}.{one.name} = {one.value!r}" for one in value)
        elif attrs.has(value):
            yield from (f"{name}.{field.name}: {field.type}" for field in attrs.fields(value) if not field.name.startswith("_"))
        yield from members(name, value)
    elif inspect.isroutine(value):
        yield f"{name}{inspect.signature(value)}"
    else:
        yield name
        if isinstance(value, type(agentassert.record)):
            yield from members(name, type(value))


def members(name: str, owner: type) -> Iterator[str]:
    """The public methods and properties that come from this package."""
    found = {}
    for ancestor in reversed(inspect.getmro(owner)):
        if ancestor.__module__.startswith("agentassert."):
            found.update({key: one for key, one in vars(ancestor).items() if not key.startswith("_")})
    for key, member in sorted(found.items()):
        if isinstance(member, classmethod | staticmethod):
            yield f"{name}.{key}{inspect.signature(member.__func__)}"
        elif inspect.isfunction(member):
            yield f"{name}.{key}{inspect.signature(member)}"
        elif isinstance(member, property):
            yield f"{name}.{key}: property"


def interface() -> str:
    """All of it, a line each."""
    lines = []
    for module_name in MODULES:
        module = __import__(module_name, fromlist=["__all__"])
        lines.append(f"# {module_name}")
        for name in sorted(module.__all__):
            lines += described(name, getattr(module, name))
    lines.append("# what they lead to, and nobody has to name")
    for owner in LED_TO:
        lines += described(owner.__name__, owner)
    return re.sub(r" at 0x[0-9a-f]+", "", "\n".join(lines)) + "\n"


def test_the_interface_is_the_one_that_was_agreed_on():
    assert interface() == FILE.read_text("utf-8"), "write it anew with `python -m tests.test_public_api`, and name the change"


if __name__ == "__main__":
    FILE.write_text(interface(), "utf-8")
