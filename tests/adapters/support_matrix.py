"""The support matrix of the documentation, made from runs of the adapter contract.

python -m tests.adapters.support_matrix            writes the page from the recorded runs
python -m tests.adapters.support_matrix --record   runs the contract on the frameworks installed here first, and records the outcome
python -m tests.adapters.support_matrix            --record strands   does so for one of them
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from agentassert import CaptureWarning
from tests.adapters.contract import CONTRACT, SCENARIOS, check
from tests.adapters.kits import Kit, file_name, installed_kits, tolerate

PROJECT: Final = Path(__file__).parents[2]
RUNS: Final = Path(__file__).parent / "runs"
PAGE: Final = PROJECT / "docs" / "reference" / "support-matrix.md"

HEAD: Final = """\
# Support matrix

The same list of scenarios is run against every framework, in the oldest and the newest version named here, with a model that follows a
script. This page is what came out; a scenario that a framework has no way to pass is run too, and must fail.
"""
KINDS: Final = {
    "requests": "requests of tools",
    "tool_failures": "whether a tool failed",
    "chat": "calls of chat models",
    "embedding": "calls of embedding models",
    "scoring": "calls of scoring models",
    "moderation": "calls of moderation models",
    "sources": "retrieved sources",
    "approvals": "approvals",
}


@attrs.frozen(kw_only=True)
class Run:
    """The outcome of the contract for one framework, in one set of versions; `cannot` holds reasons by scenario."""

    title: str
    versions: Mapping[str, str]
    sees: Sequence[str]
    passed: Sequence[str]
    cannot: Mapping[str, str]

    @property
    def named(self) -> str:
        """The versions, in words."""
        return ", ".join(f"{distribution} {version}" for distribution, version in self.versions.items())


@attrs.frozen
class Framework:
    """The two runs of one framework."""

    oldest: Run
    newest: Run

    def cell(self, scenario: str) -> str:
        """What the table says of a scenario."""
        failing = [run for run in (self.oldest, self.newest) if scenario in run.cannot]
        if len(failing) == 1:
            return f"not with {failing[0].named}"
        return "no" if failing else "yes"


def file_of(kit: Kit, *, oldest: bool) -> Path:
    """Where a run is recorded."""
    return RUNS / f"{file_name(kit)}-{'oldest' if oldest else 'newest'}.json"


def outcome(kit: Kit) -> Run:
    """What a run of the contract gives for the installed versions, provided that it holds."""
    return Run(
        title=kit.title,
        versions=kit.versions,
        sees=sorted(kit.sees),
        passed=[scenario.__name__ for scenario in SCENARIOS if scenario.__name__ not in kit.cannot],
        cannot=dict(sorted(kit.cannot.items())),
    )


def record(kit: Kit) -> None:
    """Run the contract, and record the outcome.

    Raises:
        AssertionError: when it does not hold.
    """
    tolerate(kit)
    for scenario in SCENARIOS:
        check(kit, scenario)
    file_of(kit, oldest=kit.is_oldest).write_text(json.dumps(attrs.asdict(outcome(kit)), indent=2) + "\n", "utf-8")


def read(path: Path) -> Run:
    """A recorded run."""
    fields: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return Run(**fields)


def frameworks() -> list[Framework]:
    """Every framework of which runs are recorded, by title."""
    both = [
        Framework(read(path), read(path.with_name(path.name.replace("oldest", "newest")))) for path in RUNS.glob("*-oldest.json")
    ]
    return sorted(both, key=lambda framework: framework.newest.title)


def page(of: Sequence[Framework]) -> str:
    """The page, as Markdown."""
    return "\n".join([HEAD, *_versions(of), *_kinds(of), *_scenarios(of), *_reasons(of)])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)] + [""]


def _versions(of: Sequence[Framework]) -> list[str]:
    rows = [[one.newest.title, one.oldest.named, one.newest.named] for one in of]
    return ["## Versions\n", *_table(["framework", "oldest", "newest"], rows)]


def _kinds(of: Sequence[Framework]) -> list[str]:
    rows = [[words, *("yes" if kind in one.newest.sees else "no" for one in of)] for kind, words in KINDS.items()]
    return [
        "## What the adapters are able to see\n",
        "Yes means: every time. A question about anything else raises {class}`~agentassert.NotRecordedError`, for that nothing was seen says nothing: see "
        "[Not recorded, and none](../explanation/not-recorded.md).\n",
        *_table(["", *(one.newest.title for one in of)], rows),
    ]


def _scenarios(of: Sequence[Framework]) -> list[str]:
    lines = ["## What is recorded\n"]
    for part, scenarios in CONTRACT.items():
        rows = [[_title(one.__name__), *(framework.cell(one.__name__) for framework in of)] for one in scenarios]
        lines += [f"### {part}\n", *_table(["", *(one.newest.title for one in of)], rows)]
    return lines


def _reasons(of: Sequence[Framework]) -> list[str]:
    lines = ["## What is not, and why\n"]
    for titles, scenarios_by_reason in _shared(of).items():
        lines.append(f"### {', '.join(titles)}\n")
        for reason, scenarios in scenarios_by_reason.items():
            lines += [f"- {reason}", *(f"  - {_title(name)}" for name in scenarios)]
        lines.append("")
    return lines


def _shared(of: Sequence[Framework]) -> dict[tuple[str, ...], dict[str, list[str]]]:
    """The scenarios by reason, each once: under all frameworks for which it is the same."""
    titles: dict[tuple[str, str], tuple[str, ...]] = {}
    for framework in of:
        for scenario, reason in {**framework.oldest.cannot, **framework.newest.cannot}.items():
            titles[scenario, reason] = (*titles.get((scenario, reason), ()), framework.newest.title)
    shared: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for (scenario, reason), whose in titles.items():
        shared.setdefault(whose, {}).setdefault(reason, []).append(scenario)
    return shared


def _title(name: str) -> str:
    (scenario,) = [one for one in SCENARIOS if one.__name__ == name]
    return str(scenario.__doc__)


def main(arguments: Sequence[str]) -> None:
    """Record the frameworks that are installed here when asked to, and write the page."""
    if "--record" in arguments:
        warnings.simplefilter("error", CaptureWarning)
        RUNS.mkdir(exist_ok=True)
        names = [one for one in arguments if one != "--record"]
        for kit in installed_kits():
            if file_name(kit) in (names or [file_name(kit)]):
                record(kit)
    PAGE.write_text(page(frameworks()), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
