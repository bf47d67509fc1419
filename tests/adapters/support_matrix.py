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
from tests.adapters.contract import CONTRACT, SCENARIOS, Scenario, check
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

    @property
    def missing(self) -> Mapping[str, str]:
        """The scenarios that do not hold in one version or the other, with the reasons."""
        return {**self.oldest.cannot, **self.newest.cannot}

    def count(self, scenarios: Sequence[Scenario]) -> str:
        """How many of some scenarios hold in the newest version."""
        passed = sum(one.__name__ not in self.newest.cannot for one in scenarios)
        return f"{passed} of {len(scenarios)}"


def file_of(kit: Kit, *, oldest: bool) -> Path:
    """Where a run is recorded."""
    return RUNS / f"{file_name(kit)}-{'oldest' if oldest else 'newest'}.json"


def files_of(kit: Kit) -> list[Path]:
    """Where a run of the versions that are installed is recorded: in both places, where an adapter knows one version so far."""
    has_one = all(oldest == newest for oldest, newest in (adapter.tested for adapter in kit.adapters))
    return [file_of(kit, oldest=oldest) for oldest in ({True, False} if has_one else {kit.is_oldest})]


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
    for path in files_of(kit):
        path.write_text(json.dumps(attrs.asdict(outcome(kit)), indent=2) + "\n", "utf-8")


def read(path: Path) -> Run:
    """A recorded run.

    Raises:
        FileNotFoundError: when it is still to be recorded, saying how.
    """
    if not path.is_file():
        name, _, age = path.stem.rpartition("-")
        command = f"python -m tests.adapters.support_matrix --record {name}"
        raise FileNotFoundError(
            f"{path.name} is still to be recorded: install the {age} version that is claimed, and `{command}`"
        )
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
    rows = [[one.newest.title, *("yes" if kind in one.newest.sees else "no" for kind in KINDS)] for one in of]
    return [
        "## What the adapters are able to see\n",
        "Yes means: every time. A question about anything else raises `NotRecordedError`, for that nothing was seen says nothing: see "
        "[Not recorded, and none](../explanation/not-recorded.md).\n",
        *_table(["framework", *KINDS.values()], rows),
    ]


def _scenarios(of: Sequence[Framework]) -> list[str]:
    lines = ["## What is recorded\n", *_counts(of)]
    for part, scenarios in CONTRACT.items():
        rows = [[_title(one.__name__), _where(one.__name__, of)] for one in scenarios]
        lines += [f"### {part}\n", *_table(["scenario", "recorded with"], rows)]
    return lines


def _counts(of: Sequence[Framework]) -> list[str]:
    """How much of each part a framework passes, at a glance."""
    rows = [[one.newest.title, *(one.count(scenarios) for scenarios in CONTRACT.values())] for one in of]
    return [
        "How many scenarios of each part hold with the newest version. The tables below say which; [the last part](#what-is-not-and-why) says of each one that does not, why.\n",
        *_table(["framework", *CONTRACT], rows),
    ]


def _where(scenario: str, of: Sequence[Framework]) -> str:
    """The frameworks with which a scenario holds, in as few words as can be."""
    holding = [one for one in of if one.cell(scenario) != "no"]
    partly = [f"{one.newest.title} {one.cell(scenario)}" for one in holding if one.cell(scenario) != "yes"]
    without = [one.newest.title for one in of if one not in holding]
    if len(holding) == len(of) and not partly:
        return "all"
    if len(holding) > len(without):
        return "; ".join(["all" + (f" but {_listed(without)}" if without else ""), *partly])
    return _listed(
        [one.newest.title if one.cell(scenario) == "yes" else f"{one.newest.title} ({one.cell(scenario)})" for one in holding]
    )


def _listed(titles: Sequence[str]) -> str:
    return ", ".join(titles) or "none"


def _reasons(of: Sequence[Framework]) -> list[str]:
    lines = ["## What is not, and why\n"]
    for framework in of:
        lines.append(f"### {framework.newest.title}\n")
        for reason, scenarios in _by_reason(framework).items():
            lines += [f"- {reason}", *(f"  - {_titled(scenario, framework)}" for scenario in scenarios)]
        lines.append("" if framework.missing else "Nothing is missing.\n")
    return lines


def _by_reason(framework: Framework) -> dict[str, list[str]]:
    """The scenarios that do not hold, in the order of the contract, by the reason."""
    found: dict[str, list[str]] = {}
    for scenario in (one.__name__ for one in SCENARIOS):
        if scenario in framework.missing:
            found.setdefault(framework.missing[scenario], []).append(scenario)
    return found


def _titled(scenario: str, framework: Framework) -> str:
    cell = framework.cell(scenario)
    return _title(scenario) if cell == "no" else f"{_title(scenario)} ({cell})"


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
