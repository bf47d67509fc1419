"""Model calls, tokens, sources and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import attrs

from agentassert import render
from agentassert.checks.bounds import Bound, decided
from agentassert.checks.view import NO_MARKS, Marks, View, depends_on_strays
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure, counted, shortened
from agentassert.records import KIND_OF_CALL, NOT_RECORDED, ChatModelCall, FinishReason, ModelCall, Source

_ALL_KINDS: Final = tuple(KIND_OF_CALL.values())
_HOW_TO_COUNT: Final = "Count the kinds that can be seen, such as has_model_call_count(ChatModelCall, n)."
_HOW_TO_SEE_SOURCES: Final = "Record them with record.sources([...]), or retrieve with a retriever of the framework."


def model_call_count(view: View, kind: type[ModelCall] | None, count: int) -> Failure | Marks:
    """So many model calls, failed ones included; of one kind, or of all."""
    aspects = _ALL_KINDS if kind is None else (KIND_OF_CALL[kind],)
    calls = [call for call in view.model_calls if kind is None or type(call) is kind]
    what = "model call" if kind is None else f"{KIND_OF_CALL[kind]} model call"
    expected = f"to have made {counted(count, what)}"
    unseen = view.cannot_see(expected, "every kind of model call" if kind is None else f"{what}s", *aspects)
    if unseen is not None:
        return attrs.evolve(unseen, advice=_HOW_TO_COUNT) if kind is None else unseen
    return _count(view, calls, count, "exactly", expected)


def own_chat_model_call_count(view: View, count: int, bound: Bound) -> Failure | Marks:
    """So many chat calls of the agent's own loop, failed ones included."""
    limit = "" if bound == "exactly" else f"{bound.replace('_', ' ')} "
    expected = f"to have made {limit}{counted(count, 'chat model call')} of its own"
    unseen = view.cannot_see(expected, "chat model calls", "chat")
    if unseen is not None:
        return unseen
    calls = [call for call in view.model_calls if isinstance(call, ChatModelCall) and call.own]
    return _count(view, calls, count, bound, expected)


def total_tokens_at_most(view: View, most: int) -> Failure | Marks:
    """All model calls in scope together used at most so many tokens; of a call that failed nothing may have been reported."""
    expected = f"to have used at most {counted(most, 'token')}"
    reported = [(call, _tokens(call)) for call in view.model_calls]
    used = [(call, total) for call, total in reported if total is not None or not call.failed]
    own = [(call, total) for call, total in used if call.id not in view.stray_ids]
    if not own:
        found = "but no model call that could say was recorded"
        return Failure(expected=expected, found=found, kind=NotRecordedError)
    certain = sum(total or 0 for _, total in own)
    if certain > most:
        return Failure(expected=expected, found=f"but it used {certain}", wanted=most, actual=certain)
    silent = [call for call, total in own if total is None]
    if silent:
        calls = ", ".join(call.model or call.kind for call in silent[:5])
        found = f"but {len(silent)} of {counted(len(own), 'model call')} reported no token usage ({calls})"
        return Failure(expected=expected, found=found, kind=NotRecordedError)
    strays = used[len(own) :]
    fits = all(total is not None for _, total in strays) and certain + sum(total or 0 for _, total in strays) <= most
    return NO_MARKS if fits else _stray_calls(expected, [call for call, _ in strays])


def _tokens(call: ModelCall) -> int | None:
    """The tokens of a call, if they were reported; an answer out of a cache used none."""
    if call.token_usage is None:
        return 0 if call.cached else None
    return call.token_usage.total_tokens


def duration_at_most(view: View, seconds: float) -> Failure | Marks:
    """The invocation took at most so long."""
    took = view.root.duration
    expected = f"to have taken at most {_seconds(seconds)}"
    if took is None:
        return Failure(expected=expected, found="but its duration was not recorded", kind=NotRecordedError)
    if took <= seconds:
        return NO_MARKS
    return Failure(expected=expected, found=f"but it took {_seconds(took)}", wanted=seconds, actual=took)


def finish_reason(view: View, reason: FinishReason) -> Failure | Marks:
    """The final response of this invocation has that finish reason."""
    expected = f"to have the finish reason {reason.value!r}"
    actual, raw = view.root.finish_reason, view.root.raw_finish_reason
    if actual is None:
        calls = view.root.own_chat_model_calls
        found = (
            "but no finish reason was reported for its final response"
            if calls
            else "but no response of a chat model was recorded"
        )
        return Failure(expected=expected, found=found, kind=NotRecordedError)
    if actual is reason:
        return NO_MARKS
    said = "" if raw in (None, actual.value) else f" (the provider said {raw!r})"
    return Failure(expected=expected, found=f"but it was {actual.value!r}{said}", wanted=reason, actual=actual)


def source_containing(view: View, text: str) -> Failure | Marks:
    """Some retrieved source contains the text, case-sensitively."""
    expected = f"to have retrieved a source containing {text!r}"
    sources = view.sources
    if sources is not NOT_RECORDED and any(text in source.text for source in sources):
        return NO_MARKS
    if any(text in source.text for source in view.stray_sources):
        return depends_on_strays(expected, "sources")
    if sources is NOT_RECORDED:
        return _no_retriever(expected)
    if not sources:
        return Failure(expected=expected, found="but it retrieved nothing", wanted=text, actual=sources)
    found = f"but none of {len(sources)} does" if len(sources) > 1 else "but the only one does not"
    return Failure(expected=expected, found=found, details=_listed(sources), wanted=text, actual=sources)


def no_sources(view: View) -> Failure | Marks:
    """A retriever was seen, and found nothing."""
    expected = "to have retrieved no sources"
    if view.sources is NOT_RECORDED:
        return _no_retriever(expected)
    if view.sources:
        return Failure(
            expected=expected, found=f"but it retrieved {len(view.sources)}", details=_listed(view.sources), actual=view.sources
        )
    return depends_on_strays(expected, "sources") if view.stray_sources else NO_MARKS


def _count(view: View, calls: Sequence[ModelCall], count: int, bound: Bound, expected: str) -> Failure | Marks:
    strays = [call for call in calls if call.id in view.stray_ids]
    fewest, most = len(calls) - len(strays), len(calls)
    holds = decided(fewest, most, count, bound)
    if holds is None:
        return _stray_calls(expected, strays)
    if holds:
        return NO_MARKS
    by_model = Counter((call.kind, call.model or "unnamed", call.failed) for call in calls if call.id not in view.stray_ids)
    details = tuple(f"{kind} {model}: {n}{' failed' if failed else ''}" for (kind, model, failed), n in by_model.items())
    return Failure(expected=expected, found=f"but it made {fewest or 'none'}", details=details, wanted=count, actual=fewest)


def _stray_calls(expected: str, strays: Sequence[ModelCall]) -> Failure:
    return depends_on_strays(expected, counted(len(strays), "model call"))


def _no_retriever(expected: str) -> Failure:
    found = "but no retriever was seen, so nobody knows"
    return Failure(expected=expected, found=found, kind=NotRecordedError, advice=_HOW_TO_SEE_SOURCES)


def _listed(sources: Sequence[Source]) -> tuple[str, ...]:
    return shortened(sources, lambda source: render.value(source.text))


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} second{'' if seconds == 1 else 's'}"
