"""The tables of the page about performance, made from the recorded figures; what stands around them is written by hand.

python -m tests.benchmarks.peers.page            writes the tables and the pictures from the figures that are recorded
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from agentassert.failures import counted
from tests.benchmarks.measuring import Measurement
from tests.benchmarks.peers.contests import BY_HAND, CHECKS, EVENTS, FIRST, OURS, PLUGINS, SIZES, SUITES
from tests.benchmarks.peers.environments import PROJECT
from tests.benchmarks.peers.goals import added, goals, ratio
from tests.benchmarks.peers.plots import plots

FIGURES: Final = Path(__file__).with_name("figures.json")
PAGE: Final = PROJECT / "docs" / "explanation" / "performance.md"
PICTURES: Final = PAGE.with_suffix("")

_BLOCK: Final = re.compile(r"(<!-- figures: (.+?) -->\n).*?(<!-- end of figures -->)", re.DOTALL)

Figures = Mapping[str, Any]


def read() -> Figures:
    """The recorded figures."""
    figures: Figures = json.loads(FIGURES.read_text("utf-8"))
    return figures


def record(figures: Figures, measured: Mapping[str, Sequence[Measurement]]) -> None:
    """Record what a run has measured; what it left out stays as it was."""
    before = read() if FIGURES.is_file() else {"own": {}}
    own = {name: [attrs.asdict(one) for one in several] for name, several in measured.items() if name != "peers"}
    write({**before, **figures, "own": {**before["own"], **own}})


def write(figures: Figures) -> None:
    """Record figures, and write what is made from them."""
    FIGURES.write_text(json.dumps(_rounded(figures), indent=1) + "\n", "utf-8")
    recorded = read()
    PAGE.write_text(page(PAGE.read_text("utf-8"), recorded), "utf-8")
    PICTURES.mkdir(exist_ok=True)
    for name, text in plots(recorded).items():
        (PICTURES / name).write_text(text, "utf-8")


def page(text: str, figures: Figures) -> str:
    """The page, with the tables that follow from the figures."""
    return _BLOCK.sub(lambda block: "\n".join([block[1], *TABLES[block[2]](figures), block[3]]), text)


def blocks(text: str) -> list[str]:
    """The names of the tables on a page."""
    return [name for _, name, _ in _BLOCK.findall(text)]


def _rounded(value: Any) -> Any:
    """Four digits are more than a clock is good for."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {str(key): _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    aligned = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, aligned, *rows)] + [""]


def _made(figures: Figures) -> list[str]:
    made, versions = figures["made"], figures["versions"]
    rows = [
        [name, ", ".join(f"{distribution} {number}" for distribution, number in installed.items())]
        for name, installed in versions.items()
    ]
    said = (
        f"Made on {made['date']} with Python {made['python']}, on {made['processors']} processors ({made['machine']}), in "
        f"{counted(made['minutes'], 'minute')}. A check was ended after {made['cap']:g} seconds."
    )
    return [said, "", *_table(["environment", "what it holds"], rows)]


def _goals(figures: Figures) -> list[str]:
    """Goals, one line each; what is to hold for every size is one line, with the worst of them."""
    rows = [[one.what, _limit(one), _value(one), _verdict(one)] for one in goals(figures) if one.goal is not None]
    return _table(["what", "goal", "measured", ""], rows)


def _limit(one: Measurement) -> str:
    return f"≤ {one.goal:g}{'' if one.unit == 'ratio' else f' {one.unit}'}"


def _value(one: Measurement) -> str:
    return _number(one.value) if one.unit == "ratio" else f"{_number(one.value)} {one.unit}"


def _verdict(one: Measurement) -> str:
    return "met" if one.value <= one.goal else "**missed**"


def _beside_ours(names: Sequence[str], seconds: Mapping[str, Sequence[float]]) -> list[str]:
    rows = [[name, _number(ratio(seconds[name], seconds[OURS])), _time(min(seconds[name]))] for name in names if name in seconds]
    return _table(["", f"beside {OURS}", "processor's time"], rows)


def _first(figures: Figures) -> list[str]:
    return _beside_ours(FIRST, figures["first"])


def _plugins(figures: Figures) -> list[str]:
    alone, seconds = PLUGINS[0], figures["plugins"]
    rows = [
        [name, _number(ratio(seconds[name], seconds[alone])), _time(max(0.0, min(seconds[name]) - min(seconds[alone])))]
        for name in PLUGINS[1:]
        if name in seconds
    ]
    return _table(["installed", f"beside {alone}", "added"], rows)


def _suites(figures: Figures) -> list[str]:
    suites = figures["suites"]
    rows = [
        [name, _number(ratio(one, suites["seconds"]["pytest"])), f"{suites['cases'] / statistics.median(one):,.0f}"]
        for name, one in suites["seconds"].items()
    ]
    return _table(["", "beside pytest", "cases a second"], sorted(rows, key=lambda row: SUITES.index(row[0])))


def _events(figures: Figures) -> list[str]:
    rows = []
    for what, names in EVENTS.items():
        seconds = figures["events"][what]
        ours = added(seconds, OURS, "bare")
        rows += [
            [f"{_WATCHED[what]}, {name}", _number(ratio(extra, ours)), _time(statistics.median(extra))]
            for name in names[1:]
            for extra in [added(seconds, name, "bare")]
        ]
    return _table(["", f"beside {OURS}", "added to an execution"], rows)


_WATCHED: Final = {"tool": "a tool", "agent": "an agent of LangChain"}


def _checks(figures: Figures) -> list[str]:
    lines = []
    for name, check in CHECKS.items():
        cells = figures["checks"][name]
        rows = [[BY_HAND, *(_time(statistics.median(cells[BY_HAND][str(size)])) for size in SIZES)]]
        rows += [
            [contestant, *(_cell(by_size, cells[BY_HAND], str(size)) for size in SIZES)]
            for contestant, by_size in cells.items()
            if contestant != BY_HAND
        ]
        title = f"{check.title[0].upper()}{check.title[1:]}"
        lines += [f"**{title}**\n", *_table(["", *(f"{size:,}" for size in SIZES)], rows)]
    return lines


def _cell(by_size: Mapping[str, Sequence[float] | None], by_hand: Mapping[str, Sequence[float]], size: str) -> str:
    if size not in by_size:
        return "not run"
    seconds = by_size[size]
    return "over the cap" if seconds is None else _number(ratio(seconds, by_hand[size]))


def _own(figures: Figures) -> list[str]:
    rows = []
    for name, measurements in figures["own"].items():
        for fields in measurements:
            one = Measurement(**fields)
            rows.append([f"{name}: {one.what}", "" if one.goal is None else _limit(one), _value(one)])
    return _table(["what", "goal", "measured"], rows)


def _number(value: float) -> str:
    """Two digits, for the next run gives others behind them."""
    if value >= 9.95:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.2g}" if value < 1 else f"{value:.1f}"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{_number(seconds / size)} {unit}"
    return f"{_number(seconds / 1e-9)} ns"


TABLES: Final[Mapping[str, Callable[[Figures], list[str]]]] = {
    "made": _made,
    "goals": _goals,
    "first": _first,
    "plugins": _plugins,
    "events": _events,
    "checks": _checks,
    "suites": _suites,
    "own": _own,
}


if __name__ == "__main__":
    write(read())
