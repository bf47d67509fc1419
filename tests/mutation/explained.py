"""The mutants that survive for a reason."""

from __future__ import annotations

import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("survivors.toml")


def explained() -> dict[str, str]:
    """By the name of each such mutant, why it survives."""
    by_reason = tomllib.loads(FILE.read_text(encoding="utf-8")).get("survivors", [])
    return {mutant: one["because"] for one in by_reason for mutant in one["mutants"]}
