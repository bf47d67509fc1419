"""Settings: what stands in a `pyproject.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from agentassert.settings_reading import read
from tests.fuzzing.targets import Target

_EVERYTHING: Final = b"""
[project]
name = "shop"
[tool.agentassert]
suites = ["tests", "checks"]
default_environment = "staging"
unreported_tools = "succeeded"
all_checked = true
[tool.agentassert.agents]
support = "shop.agents:support"
[tool.agentassert.agents.triage]
target = "shop.agents:triage"
tools = ["look", "pay"]
discoverable_tools = ["search"]
variant_of = "support"
[tool.agentassert.environments.staging]
variables = {SHOP_URL = "http://localhost"}
[tool.agentassert.environments.staging.agents]
support = "shop.agents:other"
[tool.agentassert.rasa]
url = "http://localhost:5005"
judge = "shop.judges:judge"
pitfalls = "fail"
timeout_s = 1.5
"""


class _RefusedError(Exception):
    """Settings that are refused in the way that is promised."""


def _read(data: bytes) -> Any:
    try:
        settings = read(Path("shop/pyproject.toml"), data)
    except ValueError as error:
        if type(error) is not ValueError or not str(error).startswith("shop/pyproject.toml: "):
            raise
        raise _RefusedError(str(error)) from error
    hash((settings.suites, settings.rasa))
    assert settings.environment() is not None
    assert all(isinstance(path, Path) for path in settings.suite_directories)


TARGETS: Final = (
    Target(
        name="settings",
        run=_read,
        allowed=(_RefusedError,),
        corpus=lambda: [_EVERYTHING, b"", b"[tool]\n"],
        form="text",
        largest=4_000,  # to a dotted key of many parts Python's own reader takes the square of its length
        words=(
            *(
                "agents",
                "environments",
                "[[",
                "]]",
                "{",
                "}",
                "=",
                ".",
                '"""',
                "'''",
                "nan",
                "inf",
                "-inf",
                "0xff",
                "1979-05-27T07:32:00Z",
                "true",
            ),
            *(
                "0x" + "f" * 5_000,
                "a." * 500 + "a",
                "[" * 2_000,
                "{a=" * 500,
                '"\\u0000"',
                '"\\ud800"',
                "tool.agentassert",
                "\r",
                "#",
            ),
        ),
        seconds=0.5,
    ),
)
