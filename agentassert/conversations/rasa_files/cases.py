"""From the list `test_cases` to test cases."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from agentassert.conversations.rasa.reading import CALM, MANTLE, read_assertion
from agentassert.conversations.rasa_files.format import (
    LEGACY_KINDS,
    LegacyKind,
    LegacyStep,
    RasaCase,
    Remark,
    Step,
    UserStep,
)
from agentassert.conversations.rasa_files.refusing import refuse_unknown
from agentassert.suites.kinds import Reader, label, told
from agentassert.suites.marks import DataPath, Marks

_CASE: Final = ("test_case", "fixtures", "metadata", "steps")
_OF_USER: Final = ("metadata", "assertions", "assertion_order_enabled")
_STEP: Final = ("user", *_OF_USER, *LEGACY_KINDS)


def read_cases(value: Any, reader: Reader) -> tuple[RasaCase, ...]:
    """The test cases; what is wrong with them is noted.

    Args:
        value: what stands under `test_cases`.
        reader: what notes it.
    """
    if not isinstance(value, list):
        reader.refuse_kind(("test_cases",), "a list", value)
        return ()
    cases = tuple(_case(one, ("test_cases", index), reader) for index, one in enumerate(value))
    _refuse_two_engines(value, reader)
    return cases


def _case(value: Any, path: DataPath, reader: Reader) -> RasaCase:
    line = reader.marks.of_value(path)[0]
    if not isinstance(value, dict):
        reader.refuse_kind(path, "a mapping with 'test_case' and 'steps'", value)
        return RasaCase(name="", steps=(), line=line)
    refuse_unknown(reader, path, value, _CASE, "a test case")
    name = _text(value, "test_case", path, reader)
    if not isinstance(value.get("steps"), list):
        reader.refuse((*path, "steps"), f"a test case needs a list 'steps', but it is {told(value.get('steps'))}")
        return RasaCase(name=name, steps=(), line=line)
    steps = tuple(step for index, one in enumerate(value["steps"]) for step in _steps(one, (*path, "steps", index), reader))
    case = RasaCase(
        name=name,
        steps=tuple(one for one in steps if not isinstance(one, UserStep) or one.text),
        fixtures=_names(value.get("fixtures", []), (*path, "fixtures"), reader),
        metadata=_text(value, "metadata", path, reader) if "metadata" in value else None,
        line=line,
    )
    return attrs.evolve(case, remarks=(*_empty_messages(steps), *_remarks(case)))


def _text(data: Mapping[str, Any], key: str, path: DataPath, reader: Reader) -> str:
    value = data.get(key)
    if isinstance(value, str):
        return value.strip()
    if key not in data:
        reader.refuse(path, f"{key!r} is missing")
    else:
        date = isinstance(value, datetime.date)
        reader.refuse((*path, key), f"{key!r} must be a text, but is {'a date: put it in quotes' if date else told(value)}")
    return ""


def _names(value: Any, path: DataPath, reader: Reader) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    reader.refuse_kind(path, "a list of names", value)
    return ()


def _steps(value: Any, path: DataPath, reader: Reader) -> Iterator[Step]:
    """The steps that an entry stands for: one, or one for each slot in it."""
    if not isinstance(value, dict):
        reader.refuse_kind(path, "a mapping", value)
        return
    refuse_unknown(reader, path, value, _STEP, "a step")
    kinds = [one for one in ("user", *LEGACY_KINDS) if one in value]
    if len(kinds) != 1:
        what = " and ".join(map(repr, kinds)) or "none"
        reader.refuse(path, f"a step has one of 'user', {', '.join(map(repr, LEGACY_KINDS))}, but this one has {what}")
        return
    if kinds[0] == "user":
        yield _user_step(value, path, reader)
        return
    for key in _OF_USER:
        if key in value:
            reader.refuse_key((*path, key), f"{key!r} belongs to a step with 'user', and this one has {kinds[0]!r}")
    yield from _legacy_steps(kinds[0], value, path, reader)  # type: ignore[arg-type]  # 'user' is gone


def _user_step(value: Mapping[str, Any], path: DataPath, reader: Reader) -> UserStep:
    assertions = _assertions(value["assertions"], (*path, "assertions"), reader) if "assertions" in value else None
    ordered = value.get("assertion_order_enabled")
    if "assertion_order_enabled" in value:
        place = (*path, "assertion_order_enabled")
        if not isinstance(ordered, bool):
            reader.refuse_kind(place, "true or false", ordered)
        if assertions is None:
            reader.refuse_key(place, "'assertion_order_enabled' needs 'assertions' beside it")
    return UserStep(
        text=_text(value, "user", path, reader),
        metadata=_text(value, "metadata", path, reader) if "metadata" in value else None,
        assertions=assertions,
        ordered=ordered,
        marks=_marks_at(reader.marks, path),
    )


def _marks_at(marks: Marks, path: DataPath) -> Marks:
    for step in path:
        marks = marks.items[step]  # type: ignore[index]  # the value is there, so its marks are
    return marks


def _assertions(value: Any, path: DataPath, reader: Reader) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list):
        reader.refuse_kind(path, "a list", value)
        return ()
    for index, one in enumerate(value):
        try:
            read_assertion(one)
        except ValueError as error:
            reader.refuse((*path, index), str(error))
    return tuple(one for one in value if isinstance(one, dict) and one)


def _legacy_steps(kind: LegacyKind, value: Mapping[str, Any], path: DataPath, reader: Reader) -> Iterator[LegacyStep]:
    place = (*path, kind)
    line = reader.marks.of_key(place)[0]
    if not kind.startswith("slot"):
        yield LegacyStep(kind=kind, name=_text(value, kind, path, reader), line=line)
        return
    entries = value[kind]
    if not isinstance(entries, list) or not entries:
        reader.refuse_kind(place, "a list of slots", entries)
        return
    for index, entry in enumerate(entries):
        line = reader.marks.of_value((*place, index))[0]
        if isinstance(entry, str):
            yield LegacyStep(kind=kind, name=entry, line=line)
        elif isinstance(entry, dict) and len(entry) == 1:
            ((name, wanted),) = entry.items()
            yield LegacyStep(kind=kind, name=name, value=wanted, line=line)
        else:
            reader.refuse((*place, index), f"{label((kind, index))} must be the name of a slot, or one name with its value")


def _refuse_two_engines(cases: list[Any], reader: Reader) -> None:
    """No model understands the assertions of both engines."""
    seen: dict[str, str] = {}
    for path, kind in _kinds(cases):
        engine = "CALM" if kind in CALM else "Mantle" if kind in MANTLE else None
        if engine is None:
            continue
        seen.setdefault(engine, kind)
        if len(seen) > 1:
            other = seen["CALM" if engine == "Mantle" else "Mantle"]
            reader.refuse(
                path, f"{kind!r} is for the {engine} engine, and {other!r} in this file for the other: no model has both"
            )
            return


def _kinds(cases: list[Any]) -> Iterator[tuple[DataPath, str]]:
    for c, case in enumerate(cases):
        steps = case.get("steps") if isinstance(case, dict) else None
        for s, step in enumerate(steps if isinstance(steps, list) else ()):
            assertions = step.get("assertions") if isinstance(step, dict) else None
            for a, one in enumerate(assertions if isinstance(assertions, list) else ()):
                if isinstance(one, dict) and one:
                    yield ("test_cases", c, "steps", s, "assertions", a), next(iter(one))


def _empty_messages(steps: tuple[Step, ...]) -> Iterator[Remark]:
    for step in steps:
        if isinstance(step, UserStep) and not step.text:
            yield Remark(step.line, "the user's message is empty, so the step is left out, with all that it asserts")


def _remarks(case: RasaCase) -> Iterator[Remark]:
    users = [step for step in case.steps if isinstance(step, UserStep)]
    if not any(step.assertions for step in users) and (case.asserts or not case.has_legacy_steps):
        yield Remark(case.line, f"the test case {case.name!r} asserts nothing, so it passes whatever the assistant does")
    for step in users:
        for index, one in enumerate(step.assertions or ()):
            yield from _dates(step, index, one)


def _dates(step: UserStep, index: int, assertion: Mapping[str, Any]) -> Iterator[Remark]:
    kind, entries = next(iter(assertion.items()))
    for place, entry in enumerate(entries if isinstance(entries, list) else ()):
        value = entry.get("value") if isinstance(entry, dict) else None
        if isinstance(value, datetime.date):
            words = f"{kind}: the value {value} is a date, which equals no value of a tracker: put it in quotes"
            yield Remark(step.line_of(index, place), words)
