"""OpenTelemetry: what frameworks and instrumentation say in spans, recorded while it happens."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "opentelemetry"
