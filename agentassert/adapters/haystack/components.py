"""The components that call models or retrieve, wherever they run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from haystack.core.component.component import component

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.haystack import ADAPTER
from agentassert.adapters.haystack.messages import message_of, meta_of, response_of, usage_in
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_method
from agentassert.recording.events import ModelCallEvent, RetrievalEvent
from agentassert.records import ChatModelCall, EmbeddingModelCall, ModelCall, ScoringModelCall, Source

_METHODS: Final = ("run", "run_async")
_MODELS: Final = ("model", "azure_deployment", "model_name", "model_name_or_path")
"""Where components keep the name of their model."""
_wrapped: Final[WeakKeyDictionary[type, set[str]]] = WeakKeyDictionary()


def registering(original: Callable[..., Any]) -> Callable[..., Any]:
    """`_Component._component`, by which every class of components is registered."""

    def register(self: Any, kind: type) -> Any:
        registered = original(self, kind)
        wrap(registered)
        return registered

    return register


def wrap_registered() -> None:
    """Wrap the components that there are."""
    for kind in list(component.registry.values()):
        wrap(kind)


@guarded(ADAPTER)
def wrap(kind: type) -> None:
    """Wrap the methods that run a component, if it calls a model or retrieves, each once."""
    for name in _METHODS:
        owner = next((one for one in kind.__mro__ if name in vars(one)), None)
        if owner is None or name in _wrapped.setdefault(owner, set()):
            continue
        role = _role_of(owner, vars(owner)[name])
        if role is not None:
            _wrapped[owner].add(name)
            wrap_method(owner, name, recorded(ADAPTER, role.begin, role.over))


class _Role(NamedTuple):
    begin: Callable[..., Any]
    end: Callable[[Any, Any], None]

    def over(self, event: Any, outputs: Any) -> None:
        """It has returned; whoever asked it fails by what is no mapping."""
        if isinstance(outputs, Mapping):
            self.end(event, outputs)
        else:
            recorder.end_by(event, TypeError(f"a component is to return a mapping, not {type(outputs).__name__}"))


def _role_of(kind: type, method: Any) -> _Role | None:
    """What a class of components does: a generator takes messages, or a prompt; the others tell it by Haystack's names."""
    taken = inspect.signature(method).parameters
    if "messages" in taken or "prompt" in taken:
        return _GENERATOR
    return next((role for ending, role in _BY_ENDING.items() if kind.__name__.endswith(ending)), None)


def _is_within(kind: type[ModelCall]) -> bool:
    """Whether a component of its own carries it out: one that falls back to others, or a method that calls what it overrides."""
    around = recorder.open_around(ModelCallEvent, ADAPTER)
    return around is not None and around.kind is kind


def _begin_chat(generator: Any, /, *args: Any, **inputs: Any) -> ModelCallEvent | None:
    outputs = getattr(generator, "__haystack_output__", None)
    if _is_within(ChatModelCall) or (outputs is not None and outputs.get("replies") is None):
        return None  # what takes messages may do other things with them: run tools, or route them
    given = args[0] if args else inputs.get("messages", inputs.get("prompt"))
    return recorder.start_model_call(
        adapter=ADAPTER,
        model=_model_of(generator),
        inputs=[message_of(one) for one in (given if isinstance(given, list) else [given])],
        # What else is given by its place, only the class of the generator can tell.
        tools_offered=None if args[1:] else _names_of(inputs.get("tools") or getattr(generator, "tools", None) or ()),
    )


def _end_chat(event: ModelCallEvent, outputs: Any) -> None:
    if event.model is None:
        event.model = meta_of(outputs).get("model")
    beside = outputs.get("meta")
    if isinstance(beside, Mapping):  # of a generator that falls back to others
        event.attempts = beside.get("total_attempts", 1)
    event.respond(**response_of(outputs))


def _begin_embedding(embedder: Any, /, *args: Any, **inputs: Any) -> ModelCallEvent | None:
    if _is_within(EmbeddingModelCall):
        return None
    given = args[0] if args else next(iter(inputs.values()), ())
    texts = [getattr(one, "content", one) for one in (given if isinstance(given, list) else [given])]
    return recorder.start_model_call(adapter=ADAPTER, kind=EmbeddingModelCall, model=_model_of(embedder), inputs=texts)


def _begin_scoring(ranker: Any, /, query: Any = None, documents: Any = (), **_: Any) -> ModelCallEvent | None:
    if _model_of(ranker) is None or _is_within(ScoringModelCall):
        return None  # many rank by a rule, without a model
    texts = [query, *(one.content for one in documents or ())]
    return recorder.start_model_call(adapter=ADAPTER, kind=ScoringModelCall, model=_model_of(ranker), inputs=texts)


def _end_call(event: ModelCallEvent, outputs: Any) -> None:
    event.respond(usage=usage_in(meta_of(outputs)))


def _begin_retrieval(*_: Any, **__: Any) -> RetrievalEvent | None:
    return None if recorder.open_around(RetrievalEvent, ADAPTER) is not None else recorder.start_retrieval(adapter=ADAPTER)


def _end_retrieval(event: RetrievalEvent, outputs: Any) -> None:
    event.retrieve([Source(text=one.content or "", metadata=one.meta, score=one.score) for one in outputs.get("documents") or ()])


def _names_of(tools: Iterable[Any]) -> list[str]:
    """The names of tools, those in sets of them included."""
    return [name for one in tools for name in ([one.name] if hasattr(one, "tool_spec") else _names_of(one))]


def _model_of(model: Any) -> str | None:
    return next((name for name in (getattr(model, attribute, None) for attribute in _MODELS) if isinstance(name, str)), None)


_GENERATOR: Final = _Role(_begin_chat, _end_chat)
_RETRIEVER: Final = _Role(_begin_retrieval, _end_retrieval)
_BY_ENDING: Final = {
    "Retriever": _RETRIEVER,
    "WebSearch": _RETRIEVER,
    "Embedder": _Role(_begin_embedding, _end_call),
    "Ranker": _Role(_begin_scoring, _end_call),
}
