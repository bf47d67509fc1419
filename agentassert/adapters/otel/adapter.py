"""Where OpenTelemetry is hooked into."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opentelemetry.sdk.trace import Tracer
from opentelemetry.trace import SpanKind

from agentassert import recorder
from agentassert.adapters.base import SOURCES, TOOL_FAILURES, Adapter, guarded
from agentassert.adapters.otel import ADAPTER
from agentassert.adapters.otel.covered import is_covered, is_telling
from agentassert.adapters.otel.providers import Providers
from agentassert.adapters.otel.router import Router
from agentassert.adapters.patching import wrap_method
from agentassert.telemetry.spans import Span


class OpenTelemetryAdapter(Adapter):
    """Adds a processor to each provider of the user's that starts a span, whoever holds it and whenever it was made."""

    name = ADAPTER
    distribution = "opentelemetry-sdk"
    tested = ("1.39.0", "1.45.2")
    sees = frozenset({TOOL_FAILURES, SOURCES})
    detaches = True

    def __init__(self) -> None:
        self._router = Router()
        self._providers = Providers(self._router)

    def install(self) -> None:
        wrap_method(Tracer, "start_span", self._starting)
        self.resolver = self._router.current

    def uninstall(self) -> None:
        super().uninstall()
        self._providers.leave()

    def _starting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def start_span(
            tracer: Tracer,
            name: str,
            context: Any = None,
            kind: SpanKind = SpanKind.INTERNAL,
            attributes: Mapping[str, Any] | None = None,
            *args: Any,
            **kwargs: Any,
        ) -> Any:
            heard = recorder.listening()
            if heard:
                self._join(tracer)
            span = original(tracer, name, context, kind, attributes, *args, **kwargs)
            if heard and not span.is_recording():
                _say_that_it_is_left_out(tracer, name, attributes)
            return span

        return start_span

    @guarded(ADAPTER)
    def _join(self, tracer: Tracer) -> None:
        self._providers.join(tracer.span_processor)


@guarded(ADAPTER)
def _say_that_it_is_left_out(tracer: Tracer, name: str, attributes: Mapping[str, Any] | None) -> None:
    """Note that the user's provider does not record a span that would tell of an agent's work."""
    scope = tracer.instrumentation_info.name
    if is_telling(Span("", "", None, name, scope, attributes=attributes or {})) and not is_covered(scope):
        recorder.note(
            f"the provider's sampler leaves out spans of {scope!r}, and nothing of them is recorded: have it sample everything in tests"
        )
