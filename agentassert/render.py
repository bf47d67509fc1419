"""How values, tool executions and errors are shown in messages: on one line, in bounded room, secrets masked, never raising.

Only what is no `Exception` (an interrupt, an exit) passes through from an object that is shown.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from agentassert.jsonlike import decode
from agentassert.records import NOT_RECORDED, Outcome, ToolExecution
from agentassert.stored.recorded_errors import RecordedError, message_of
from agentassert.text.masking import is_secret_path, secrets_shown, show_secrets
from agentassert.text.pieces import SHORTEST, Pieces, type_name

__all__ = [
    "arguments",
    "chosen",
    "difference",
    "ending",
    "error",
    "execution",
    "executions",
    "json_text",
    "pair",
    "show_secrets",
    "value",
    "words",
]

LIMIT: Final = 200
"""Characters that one value takes at most, unless a caller has more room."""

_UNSHOWN: Final = "<cannot be shown>"
"""A constant, because the usual cause is that the stack has no room for one more call."""

_LONGEST_NAME: Final = 100
_MOST_COMPARED: Final = 20_000
"""Pieces of text in which the first difference of two values is looked for."""


class _TooFarError(Exception):
    """Two values are alike as far as is looked."""


class _Absent(enum.Enum):
    ABSENT = "absent"


def value(obj: Any, *, limit: int = LIMIT, mask: bool = True, secret: bool = False) -> str:
    """Show any value much as `repr` does; long texts lose their middle, long containers their end.

    Args:
        obj: the value, hostile ones included.
        limit: characters at most, 40 or more.
        mask: whether what looks like a secret is masked, which :func:`show_secrets` also switches off.
        secret: whether its name is that of a secret.

    Example:
        >>> value({"id": 7, "api_key": "sk-123", "tags": ("a",)})
        "{'id': 7, 'api_key': '***', 'tags': ('a',)}"
        >>> value("a" * 1000, limit=50)
        "'aaaaaaaaaaaaaaaaaa…(972 characters)…aaaaaaaaaa'"
    """
    return _bounded(lambda room: _pieces(mask, room).of(obj, secret=secret), limit)


def words(text: str, limit: int = LIMIT) -> str:
    """Show a text as it is, without quotation marks, on one line.

    Example:
        >>> words("two\\nlines, token=abc")
        'two\\\\nlines, token=***'
    """
    return _bounded(lambda room: _pieces(True, room).of_words(text), limit)


def json_text(obj: Any) -> str:
    """The JSON text of a value; what JSON does not know is shown in it as :func:`value` shows it.

    Example:
        >>> json_text({"on": "2026-01-02", "by": {1, 2}}), json_text({(1, 2): 3})
        ('{"on": "2026-01-02", "by": "{1, 2}"}', '{(1, 2): 3}')
    """
    try:
        return json.dumps(obj, ensure_ascii=False, default=value)
    except Exception:  # a key that JSON does not know, or a hostile container
        return value(obj)


def arguments(parsed: Mapping[str, Any] | None, raw: Any = None, *, limit: int = LIMIT) -> str:
    """Show the arguments of a tool as a call shows them.

    Args:
        parsed: the arguments, or `None` when they do not parse to an object.
        raw: the arguments as they arrived, shown instead where they do not parse.
        limit: characters at most, 40 or more.

    Example:
        >>> arguments({"booking_number": "MS-778", "odd key": True})
        "booking_number='MS-778', 'odd key'=True"
        >>> arguments(None, '{"a":'), arguments(None, "[1]"), arguments(None)
        ('<not JSON: \\'{"a":\\'>', "<no object: '[1]'>", '...')
    """
    if parsed is not None:
        return _bounded(lambda room: _pieces(True, room).of_call(parsed), limit)
    if raw is None:
        return "..."
    unparsable = isinstance(raw, str) and decode(raw) is raw
    return f"<{'not JSON' if unparsable else 'no object'}: {value(raw, limit=limit)}>"


def error(raised: BaseException | str, *, limit: int = LIMIT) -> str:
    """Show an exception, live or loaded, or the text that stands for one.

    Example:
        >>> error(TimeoutError("no answer")), error(KeyError()), error("gone")
        ('TimeoutError: no answer', 'KeyError', 'gone')
    """
    if isinstance(raised, str):
        return words(raised, limit)
    name = error_type(raised)
    message = message_of(raised)
    return words(f"{name}: {message}" if message else name, limit)


def error_type(raised: BaseException) -> str:
    """The name of the class of an exception, live or loaded.

    Example:
        >>> error_type(TimeoutError("no answer"))
        'TimeoutError'
    """
    return raised.type_name.rpartition(".")[2] if isinstance(raised, RecordedError) else type_name(type(raised))


def execution(shown: ToolExecution, number: int, *, result: bool = True, limit: int = LIMIT) -> str:
    """Show a tool execution on one line.

    Args:
        shown: the execution.
        number: its place in the list that the message shows, from 1.
        result: whether to show how it ended, too.
        limit: characters that the arguments and the result take at most, each.

    Example:
        >>> execution(ToolExecution(id="1", name="cancel", arguments={"id": "MS-7"}, result="ok"), 2)
        "[2] cancel(id='MS-7') -> 'ok'"
        >>> execution(ToolExecution(id="1", name="notify", error=TimeoutError("no answer"), outcome=Outcome.FAILED), 3)
        '[3] notify(...) FAILED TimeoutError: no answer'
    """
    marks = {
        f" (attempt {shown.attempt})": shown.attempt > 1,
        " (cached)": shown.cached,
        " (inferred)": shown.inferred,
    }
    called = f"{words(shown.name, _LONGEST_NAME)}({arguments(shown.arguments, shown.raw_arguments, limit=limit)})"
    marked = "".join(mark for mark, applies in marks.items() if applies)
    return f"[{number}] {called}{marked}{ending(shown, limit) if result else ''}"


def ending(shown: ToolExecution, limit: int = LIMIT) -> str:
    """Say how a tool execution ended, as :func:`execution` does behind the call.

    Example:
        >>> ending(ToolExecution(id="1", name="get", outcome=Outcome.CANCELLED))
        ' CANCELLED'
    """
    if shown.result is NOT_RECORDED:
        return " (result not recorded)"
    if shown.outcome is Outcome.SUCCEEDED:
        return f" -> {value(shown.result, limit=limit)}"
    if shown.outcome is Outcome.UNKNOWN and shown.may_not_have_run:
        return " (may never have run: nothing answered)"
    if shown.outcome is Outcome.UNKNOWN:
        return f" -> {value(shown.result, limit=limit)} (outcome not reported)"
    if shown.error is not None:
        return f" {shown.outcome.name} {error(shown.error, limit=limit)}"
    return f" {shown.outcome.name}" + ("" if shown.result is None else f" {value(shown.result, limit=limit)}")


def executions(
    shown: Sequence[ToolExecution],
    *,
    first: int = 1,
    most: int = 200,
    important: Collection[int] = (),
) -> list[str]:
    """Show tool executions, a line each, numbered.

    Args:
        shown: the executions.
        first: the number of the first one.
        most: how many to show; of a longer list the first, the last and the important ones.
        important: places in `shown`, from 0, of those that the message is about.

    Example:
        >>> many = [ToolExecution(id=str(index), name=f"tool_{index}", arguments={}) for index in range(9)]
        >>> for line in executions(many, most=4, important=[5]):
        ...     print(line)
        [1] tool_0() -> None
        [2] tool_1() -> None
        … 3 more …
        [6] tool_5() -> None
        … 2 more …
        [9] tool_8() -> None
    """
    lines, last = [], -1
    for index in chosen(len(shown), most, important):
        if index - last > 1:
            lines.append(f"… {index - last - 1:,} more …")
        lines.append(execution(shown[index], index + first))
        last = index
    if last < len(shown) - 1:
        lines.append(f"… {len(shown) - last - 1:,} more …")
    return lines


def chosen(size: int, most: int, important: Collection[int] = ()) -> Sequence[int]:
    """The places of those items of a long list that are shown: the first, the last, and important ones between them.

    Example:
        >>> list(chosen(9, 4, [5]))
        [0, 1, 5, 8]
    """
    if size <= most:
        return range(size)
    first, last = range(most // 2), range(size - most // 4, size)
    between = sorted({index for index in important if first.stop <= index < last.start})
    return (*first, *between[: most // 4], *last)


def pair(expected: Any, actual: Any, *, limit: int = LIMIT, secret: bool = False) -> tuple[str, str]:
    """Show two values that differ, so that the difference can be seen: cut around it, and told apart where both print alike.

    Args:
        expected: the one value.
        actual: the other one.
        limit: characters that each takes at most, 40 or more, without the words that tell them apart.
        secret: whether their name is that of a secret.

    Example:
        >>> pair("a" * 1000 + "b" + "c" * 1000, "a" * 1000 + "d", limit=40)
        ('…aaaaaaaaaaaaabcccccccccccccccccccccccc…', "…aaaaaaaaaaaaad'")
        >>> pair(1, True), pair("secret", "other", secret=True)
        (('1 (int)', 'True (bool)'), ("'***'", "'***' (a different value, masked)"))
    """
    limit = max(limit, SHORTEST)
    try:
        return _pair(expected, actual, limit, secret)
    except _TooFarError:
        return value(
            expected, limit=limit, secret=secret
        ), f"{value(actual, limit=limit, secret=secret)} (the difference lies further on)"
    except Exception:  # a message about a difference must not be lost over showing it
        return _UNSHOWN, _UNSHOWN


def difference(
    path: str,
    expected: Any = _Absent.ABSENT,
    actual: Any = _Absent.ABSENT,
    *,
    limit: int = LIMIT,
) -> str:
    """Say in a line what differs at a path; leave out the side on which there is nothing.

    Args:
        path: the place as a JSONPath; values at and below a secret's name are masked.
        expected: what was expected there.
        actual: what was there.
        limit: characters that each value takes at most.

    Example:
        >>> difference("$.booking_number", "MS-777", "MS-778")
        "$.booking_number: expected 'MS-777', was 'MS-778'"
        >>> difference("$.x", expected=3), difference("$.y", actual=3)
        ('$.x: expected 3, but it is missing', '$.y: not expected, was 3')
    """
    place, secret = words(path, limit), is_secret_path(path)
    if actual is _Absent.ABSENT:
        return f"{place}: expected {value(expected, limit=limit, secret=secret)}, but it is missing"
    if expected is _Absent.ABSENT:
        return f"{place}: not expected, was {value(actual, limit=limit, secret=secret)}"
    wanted, found = pair(expected, actual, limit=limit, secret=secret)
    return f"{place}: expected {wanted}, was {found}"


def _pieces(mask: bool, room: int | None = None, quote: Literal["'"] | None = None) -> Pieces:
    return Pieces(mask=mask and not secrets_shown(), room=room, quote=quote)


def _bounded(pieces: Callable[[int | None], Iterator[str]], limit: int) -> str:
    """What fits into the limit: everything, or a form that is cut to less and less room."""
    limit = max(limit, SHORTEST)
    text = ""
    try:
        for room in (None, limit, limit * 2 // 3, limit // 3):
            text = _taken(pieces(room), limit)
            if len(text) <= limit:
                return text
    except Exception:  # a message must not be lost over a value in it
        return _UNSHOWN
    return text[: limit - 1] + "…"


def _taken(pieces: Iterator[str], limit: int) -> str:
    """The text as far as one character beyond the limit, at least."""
    taken, size = [], 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size > limit:
            break
    return "".join(taken)


def _pair(expected: Any, actual: Any, limit: int, secret: bool) -> tuple[str, str]:
    one, other = (_taken(_pieces(True).of(side, secret=secret), limit) for side in (expected, actual))
    if max(len(one), len(other)) > limit:
        around = _around(_compared(expected, secret), _compared(actual, secret), limit)
        one, other = around or (value(expected, limit=limit, secret=secret), value(actual, limit=limit, secret=secret))
    if one != other and not _is_number_and_bool(expected, actual):
        return one, other
    bare_one, bare_other = (_compared(side, secret, mask=False) for side in (expected, actual))
    if one == other and _around(bare_one, bare_other, limit) is not None:
        return one, f"{one} (a different value, masked)"
    kind, other_kind = type_name(type(expected)), type_name(type(actual))
    if kind != other_kind:
        return f"{one} ({kind})", f"{other} ({other_kind})"
    return one, f"{other} (another {kind} that prints the same)"


def _compared(side: Any, secret: bool, *, mask: bool = True) -> Iterator[str]:
    return filter(None, _pieces(mask, quote="'").of(side, secret=secret))


def _is_number_and_bool(expected: Any, actual: Any) -> bool:
    kinds = type(expected), type(actual)
    numbers = all(kind is bool or kind is int or kind is float for kind in kinds)
    return numbers and kinds[0] is not kinds[1] and bool in kinds and bool(expected == actual)


def _around(one: Iterator[str], other: Iterator[str], limit: int) -> tuple[str, str] | None:
    """Both texts around their first difference, or `None` when there is none."""
    shared, length = "", 0
    left = right = ""
    for _ in range(_MOST_COMPARED):
        left, right = left or next(one, ""), right or next(other, "")
        if not left and not right:
            return None
        size = min(len(left), len(right))
        if left[:size] != right[:size]:
            size = next(index for index in range(size) if left[index] != right[index])
        shared, length = (shared + left[:size])[-limit:], length + size
        left, right = left[size:], right[size:]
        if size == 0:
            before = shared if length <= limit // 2 else "…" + shared[-(limit // 3) :]
            return before + _after(left, one, limit - len(before)), before + _after(right, other, limit - len(before))
    raise _TooFarError


def _after(text: str, rest: Iterator[str], room: int) -> str:
    text += _taken(rest, room)
    return text if len(text) <= room else text[: room - 1] + "…"
