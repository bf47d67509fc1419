"""The figures as pictures: text in the format of SVG, which brings its own ground, light or dark as the reader's system asks."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.sax.saxutils import escape

from tests.benchmarks.peers.contests import BY_HAND, CHECKS, FIRST, OURS, PLUGINS, SIZES, Check

Figures = Mapping[str, Any]

_STYLE: Final = """
text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 14px } .small { font-size: 11px; fill: #666 }
.ground { fill: #fff } .grid { stroke: #e3e3e3 } .line { fill: none; stroke-width: 2 } .cap { stroke: #999; stroke-dasharray: 2 3 }
.ours { stroke: #0068b3; fill: #0068b3 } .hand { stroke: #777; fill: #777 } .agentevals { stroke: #b97a00; fill: #b97a00 }
.deepeval { stroke: #cc4a00; fill: #cc4a00 } .pydantic { stroke: #008060; fill: #008060 } .other { stroke: #777; fill: #777 }
.ours.line { stroke-width: 3.5 } .hand.line { stroke-dasharray: 6 4 } .line { fill: none } .open { fill: #fff }
@media (prefers-color-scheme: dark) {
text { fill: #ddd } .small { fill: #aaa } .ground, .open { fill: #16181c } .grid { stroke: #33363c } .cap { stroke: #777 }
.ours { stroke: #5cb8ff; fill: #5cb8ff } .hand, .other { stroke: #999; fill: #999 } .agentevals { stroke: #f0b63c; fill: #f0b63c }
.deepeval { stroke: #ff8c55; fill: #ff8c55 } .pydantic { stroke: #3fd0a4; fill: #3fd0a4 } .line { fill: none } .open { fill: #16181c }
}
"""
_WIDTH: Final = 920
_PANEL: Final = 360, 230
_CLASSES: Final = {
    OURS: "ours",
    BY_HAND: "hand",
    "agentevals": "agentevals",
    "deepeval": "deepeval",
    "pydantic-evals": "pydantic",
}
_LEAST: Final = -7  # a power of ten of seconds


def plots(figures: Figures) -> dict[str, str]:
    """Every picture, by the name of its file."""
    return {"checks.svg": _checks(figures), "costs.svg": _costs(figures)}


def _svg(width: float, height: float, title: str, parts: Iterator[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img"><title>{escape(title)}</title>'
    return "\n".join(
        [head, f"<style>{_STYLE}</style>", '<rect class="ground" width="100%" height="100%" rx="8"/>', *parts, "</svg>\n"]
    )


def _text(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def _checks(figures: Figures) -> str:
    def parts() -> Iterator[str]:
        for number, (name, style) in enumerate(_CLASSES.items()):
            x = 60 + 170 * number
            yield f'<path class="line {style}" d="M{x} 24h26"/>{_marker(x + 13, 24, style)}{_text(x + 33, 28, name)}'
        for number, (name, check) in enumerate(CHECKS.items()):
            left, top = 60 + 440 * (number % 2), 76 + 310 * (number // 2)
            yield from _panel(left, top, check, figures["checks"][name], figures["made"]["cap"])

    return _svg(_WIDTH, 76 + 310 * math.ceil(len(CHECKS) / 2), "How long a check takes, by the number of executions", parts())


def _panel(left: float, top: float, check: Check, cells: Mapping[str, Any], cap: float) -> Iterator[str]:
    width, height = _PANEL
    most = math.ceil(math.log10(cap))

    def place(size: float, seconds: float) -> tuple[float, float]:
        across = (math.log10(size) - 1) / (math.log10(SIZES[-1]) - 1)
        up = (math.log10(seconds) - _LEAST) / (most - _LEAST)
        return round(left + across * width, 1), round(top + (1 - up) * height, 1)

    yield _text(left, top - 12, check.title, "title")
    for power in range(_LEAST, most + 1):
        _, y = place(SIZES[0], 10.0**power)
        yield f'<path class="grid" d="M{left} {y}h{width}"/>{_text(left - 6, y + 4, _POWERS[power], "small", "end")}'
    for size in SIZES:
        x, y = place(size, 10.0**_LEAST)
        yield _text(x, y + 18, f"{size:,}", "small", "middle")
    x, y = place(SIZES[0], cap)
    yield f'<path class="cap" d="M{x} {y}h{width}"/>{_text(x + 4, y + 13, f"ended after {cap:g} s", "small")}'
    yield _text(left + width / 2, top + height + 36, "executions", "small", "middle")
    for contestant in sorted(check.contestants.keys() & cells.keys(), key=lambda name: (name == OURS, name)):
        by_size = cells[contestant]
        style = next(style for name, style in _CLASSES.items() if contestant.startswith(name))
        points = [
            (*place(int(size), statistics.median(seconds) if seconds else cap), bool(seconds))
            for size, seconds in by_size.items()
        ]
        yield f'<path class="line {style}" d="M{"L".join(f"{x} {y}" for x, y, _ in points)}"/>'
        yield from (_marker(x, y, f"{style}{'' if is_measured else ' open'}") for x, y, is_measured in points)


_POWERS: Final = dict(
    zip(
        range(-7, 4),
        ["100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "1", "000 s"],
        strict=False,
    )
)


def _marker(x: float, y: float, style: str) -> str:
    """A shape for each contestant, for those to whom the colours look alike; hollow where the cap ended the check."""
    shapes = {
        "ours": "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0",
        "hand": "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0",
        "agentevals": "m-4 -4h8v8h-8z",
        "deepeval": "m0 -5l5 9h-10z",
        "pydantic": "m0 -5l5 5l-5 5l-5 -5z",
    }
    return f'<path class="{style}" d="M{x:g} {y:g}{shapes[style.split(maxsplit=1)[0]]}"/>'


def _costs(figures: Figures) -> str:
    bars = [
        ("Import and a first assertion", FIRST, figures["first"]),
        ("One empty test of pytest, with the library installed", PLUGINS, figures["plugins"]),
    ]

    def parts() -> Iterator[str]:
        top = 34
        for title, names, seconds in bars:
            yield _text(20, top, title, "title")
            longest = max(min(one) for one in seconds.values())
            for row, name in enumerate(name for name in names if name in seconds):
                yield _bar(top + 14 + 28 * row, name, min(seconds[name]), longest)
            top += 14 + 28 * len(names) + 40

    height = sum(54 + 28 * len(names) for _, names, _ in bars)
    return _svg(_WIDTH, height, "What a library costs before it has done anything", parts())


def _bar(y: float, name: str, seconds: float, longest: float) -> str:
    style, length = _CLASSES.get(name, "other"), round(560 * seconds / longest, 1)
    shown = f"{seconds * 1e3:,.0f} ms"
    return (
        f'{_text(160, y + 14, name, "", "end")}<rect class="{style}" x="170" y="{y:g}" width="{length}" height="18" rx="3"/>'
        f"{_text(178 + length, y + 14, shown, 'small')}"
    )
