"""Which texts are read as numbers: those that JSON reads as one, and no others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies

from agentassert.checks.values import coarse

TEXTS = strategies.text("0123456789.eE+- ", max_size=8)


@given(TEXTS)
def test_a_text_is_read_as_a_number_where_json_reads_one(text):
    try:
        expected = coarse(json.loads(text))
    except ValueError:
        expected = text
    assert expected == coarse(text)


@pytest.mark.parametrize("text", ["2026-01-02", "1.2.3", "01", "1.", ".5", "1e", "+1", "-", "1 2", "XTrue", "TrueX", "X1"])
def test_what_only_looks_like_a_number_or_a_boolean_stays_text(text):
    assert coarse(text) is text
