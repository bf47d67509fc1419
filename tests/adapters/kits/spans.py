"""What frameworks that come in by spans have in common."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.util._once import Once

from agentassert.adapters.otel.adapter import OpenTelemetryAdapter
from tests.adapters.kits import Kit
from tests.adapters.scenarios import approvals

WITHOUT_APPROVALS: Final[Mapping[str, str]] = {
    name: "No convention of spans says that a tool waits for somebody, or what was decided."
    for name, scenario in vars(approvals).items()
    if getattr(scenario, "__module__", "") == approvals.__name__ and "approval" in name and scenario.__doc__
}


class SpansKit(Kit):
    """A framework whose spans are recorded, with whatever SDK writes them."""

    by_spans = True
    # Agent Framework gives up what runs beside a tool that fails, and AutoGen's spans tell too little to compare.
    random_run = None

    @property
    def versions(self) -> dict[str, str]:
        return {**super().versions, OpenTelemetryAdapter.distribution: version(OpenTelemetryAdapter.distribution)}


def spans_are_recorded() -> None:
    """Set up a provider as a user has to, unless there is one, and let the spans have content where that is off by default."""
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())
    if "agent_framework" in sys.modules:
        from agent_framework.observability import enable_instrumentation

        enable_instrumentation(enable_sensitive_data=True)


def forget_that_spans_are_recorded() -> None:
    """Leave the process as it was, for other tests."""
    trace._TRACER_PROVIDER, trace._TRACER_PROVIDER_SET_ONCE = None, Once()
    if "agent_framework" in sys.modules:
        from agent_framework.observability import OBSERVABILITY_SETTINGS

        OBSERVABILITY_SETTINGS.enable_sensitive_data = False
