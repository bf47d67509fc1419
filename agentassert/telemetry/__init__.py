"""Spans of the OpenTelemetry GenAI and OpenInference conventions, turned into records; nothing here imports OpenTelemetry."""
