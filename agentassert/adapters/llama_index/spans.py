"""What dispatchers tell of spans and events, each handed to what it is about."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.llama_index import ADAPTER, models, retrieving, working
from agentassert.adapters.llama_index.opened import Entered, Span, opened

Begin: TypeAlias = Callable[[Entered], Span | None]

_UUID: Final = len("-00000000-0000-0000-0000-000000000000")
_CHATS: Final = frozenset(f"{way}{what}" for way in ("", "a", "stream_", "astream_") for what in ("chat", "complete"))
_TALKS: Final = frozenset({"query", "aquery", "chat", "achat"})
_EMBEDDINGS: Final = frozenset(
    f"{way}get_{what}_embedding{many}" for way in ("", "a") for what in ("query", "text") for many in ("", "_batch")
)
_KINDS: Final[Mapping[tuple[str, str], tuple[frozenset[str], Begin]]] = {
    ("workflows.workflow", "Workflow"): (frozenset({"run"}), working.begin_run),
    ("llama_index.core.tools.types", "BaseTool"): (frozenset({"call", "acall", "__call__"}), working.begin_tool),
    ("llama_index.core.base.base_query_engine", "BaseQueryEngine"): (_TALKS, working.begin_talk),
    ("llama_index.core.chat_engine.types", "BaseChatEngine"): (_TALKS, working.begin_talk),
    ("llama_index.core.base.llms.base", "BaseLLM"): (_CHATS, models.begin_call),
    ("llama_index.core.multi_modal_llms.base", "MultiModalLLM"): (_CHATS, models.begin_call),
    ("llama_index.core.llms.structured_llm", "StructuredLLM"): (_CHATS, models.pass_on),
    ("llama_index.core.base.embeddings.base", "BaseEmbedding"): (_EMBEDDINGS, models.begin_embedding),
    ("llama_index.core.base.embeddings.base_sparse", "BaseSparseEmbedding"): (_EMBEDDINGS, models.begin_embedding),
    ("llama_index.core.base.base_retriever", "BaseRetriever"): (frozenset({"retrieve", "aretrieve"}), retrieving.begin),
    ("llama_index.core.postprocessor.types", "BaseNodePostprocessor"): (
        frozenset({"_postprocess_nodes", "_apostprocess_nodes"}),
        retrieving.begin_ranking,
    ),
}
"""By the class that defines an interface, none of which is imported here: what begins when one of these methods does."""

_EVENTS: Final[Mapping[str, Callable[[Any], None]]] = {
    "LLMChatEndEvent": models.hear_end,
    "LLMCompletionEndEvent": models.hear_end,
    "LLMChatInProgressEvent": models.hear_part,
    "LLMCompletionInProgressEvent": models.hear_part,
    "ExceptionEvent": models.hear_error,
    "EmbeddingStartEvent": models.hear_embedding,
    "EmbeddingEndEvent": models.hear_embedded,
    "SparseEmbeddingStartEvent": models.hear_embedding,
    "SparseEmbeddingEndEvent": models.hear_embedded,
    "ReRankEndEvent": retrieving.hear_ranked,
}


def entering(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Dispatcher.span_enter`, after which what the span is about begins."""

    def span_enter(self: Any, id_: str, bound_args: Any, instance: Any = None, parent_id: str | None = None, **more: Any) -> None:
        original(self, id_=id_, bound_args=bound_args, instance=instance, parent_id=parent_id, **more)
        if recorder.listening():
            _enter(id_, bound_args.arguments, instance, parent_id)

    return span_enter


def exiting(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Dispatcher.span_exit`."""

    def span_exit(self: Any, id_: str, bound_args: Any, instance: Any = None, result: Any = None, **more: Any) -> None:
        if id_ in opened:
            _exit(opened.pop(id_), result)
        original(self, id_=id_, bound_args=bound_args, instance=instance, result=result, **more)

    return span_exit


def dropping(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Dispatcher.span_drop`: an error has left the span."""

    def span_drop(self: Any, id_: str, bound_args: Any, instance: Any = None, err: Any = None, **more: Any) -> None:
        if id_ in opened:
            _drop(opened.pop(id_), err)
        original(self, id_=id_, bound_args=bound_args, instance=instance, err=err, **more)

    return span_drop


def hearing(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Dispatcher.event`."""

    def event(self: Any, event: Any, **more: Any) -> None:
        if recorder.listening():
            _hear(event)
        original(self, event, **more)

    return event


@guarded(ADAPTER)
def _enter(id_: str, arguments: Mapping[str, Any], instance: Any, parent_id: str | None) -> None:
    around = None if parent_id is None else opened.get(parent_id)
    if isinstance(around, working.Task):
        opened[id_] = working.begin_step(around, arguments)
        return
    kind: Any = type(instance)
    begin = _beginning(kind, id_[:-_UUID].rpartition(".")[2])
    span = None if begin is None else begin(Entered(instance, arguments, around, id_))
    if span is not None:
        opened[id_] = span
    if isinstance(around, working.Step) and isinstance(span, models.Call):
        around.calls.append(span)


@guarded(ADAPTER)
def _exit(span: Span, result: Any) -> None:
    span.leave()
    span.end(result)


@guarded(ADAPTER)
def _drop(span: Span, error: BaseException) -> None:
    span.leave()
    span.stop(error)


@guarded(ADAPTER)
def _hear(event: Any) -> None:
    hear = _EVENTS.get(type(event).__name__)
    if hear is not None:
        hear(event)


@functools.lru_cache(maxsize=1000)
def _beginning(kind: Any, method: str) -> Begin | None:
    for one in kind.__mro__:
        methods, begin = _KINDS.get((one.__module__, one.__qualname__), (frozenset(), None))
        if method in methods:
            return begin
    return None
