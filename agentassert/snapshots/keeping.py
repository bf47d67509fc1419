"""One use of a snapshot: read it, compare, and write it where that was asked for."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from agentassert.books import EITHER
from agentassert.checks.unseen import unseen_executions
from agentassert.checks.view import Marks, View
from agentassert.failures import Failure, hidden
from agentassert.records import Outcome
from agentassert.snapshots import places, usage
from agentassert.snapshots.building import Wanted, built, not_comparable
from agentassert.snapshots.comparing import Mode, matching
from agentassert.snapshots.matching import TooManyAttemptsError
from agentassert.snapshots.placeholders import volatile_in, written_out
from agentassert.snapshots.reading import read
from agentassert.snapshots.telling import told
from agentassert.snapshots.trajectory import Groups, Node, all_slots, grown, nodes, rows
from agentassert.snapshots.values import Ignored, compared
from agentassert.snapshots.writing import written
from agentassert.stored.replaced_files import replacing
from agentassert.text.nearest import did_you_mean
from agentassert.text.terminals import shell_quoted

__tracebackhide__ = hidden


@attrs.frozen(kw_only=True)
class Snapshot:
    """A snapshot as an assertion asks for it.

    Args:
        name: its name.
        file: where it is.
        asker: the test.
        mode: how it is compared.
        wanted: what of the recording is compared.
    """

    name: str
    file: Path
    asker: places.Asker
    mode: Mode
    wanted: Wanted

    def check(self, view: View) -> Failure | Marks:
        """Compare what ran with the file; where the test may write and the two do not match, write the file.

        Raises:
            ValueError: when the file is no snapshot, naming the line, or has another one beside it that is nearly called the same.
        """
        places.refuse_near_name(self.file)
        usage.note(str(self.file), "used", self.asker.test)
        blocked = not_comparable(view, self._expected, self.wanted)
        if blocked is not None:
            return blocked
        try:
            expected = self._read()
        except FileNotFoundError:
            return self._written(view, "created") if self._may_write() else self._missing()
        except ValueError:
            if self._may_write():
                return self._written(view, "updated")
            raise
        return self._compared(view, expected)

    @property
    def _expected(self) -> str:
        return f"to match the snapshot {self.name!r} ({self.mode})"

    def _read(self) -> Groups:
        data = self.file.read_bytes()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{places.shown(self.file)}: is no text in UTF-8: {error}") from None
        return read(text, places.shown(self.file))

    def _compared(self, view: View, expected: Groups) -> Failure | Marks:
        actual = built(view.invocations, attrs.evolve(self.wanted, kept=frozenset(_written_out(expected))))
        whole, expected = expected, _without_ignored(expected, self.wanted.ignored)
        try:
            matched = matching(expected, actual, self.mode)
            open_tools = {one.name for one in view.executions if one.outcome is Outcome.UNKNOWN}
            if matched is None and open_tools and matching(expected, actual, self.mode, open_tools=open_tools) is not None:
                return view.undecided(self._expected, [one for one in view.executions if one.name in open_tools])
        except TooManyAttemptsError:
            return self._not_found_out()
        if matched is not None:
            return self._unseen(view) or _marks(matched)
        if self._may_write():
            return self._written(view, "updated")
        hints = [*self._moved(expected, actual), *self._ignored_nothing(view, whole)]
        return self._mismatch(expected, actual, hints)

    def _unseen(self, view: View) -> Failure | None:
        return None if self.mode == "superset" else unseen_executions(view, self._expected)

    def _may_write(self) -> bool:
        """What another use has just written stays: two that differ would never pass at once."""
        return self.asker.updates and str(self.file) not in self.asker.written

    def _written(self, view: View, use: usage.Use) -> Failure | Marks:
        unseen = self._unseen(view)
        if unseen is not None:
            return unseen
        kept = written_out(all_slots(built(view.invocations, self.wanted)))
        actual = built(view.invocations, attrs.evolve(self.wanted, kept=kept))
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.file) as file:  # at once, so that a process beside this one never reads half of it
            file.write(written(actual).encode("utf-8"))
        usage.note(str(self.file), use, self.asker.test)
        self.asker.written[str(self.file)] = self.asker.test
        if not self.asker.by_plugin:
            sys.stderr.write(f"agentassert: {use} {places.shown(self.file)}\n")
        return _marks(node for node, _ in nodes(actual))

    def _missing(self) -> Failure:
        others = [file.stem for file in self.file.parent.glob(f"*{places.SUFFIX}")]
        meant = did_you_mean(self.name, others)
        return Failure(
            expected=self._expected,
            found=f"but there is no file {places.shown(self.file)}{meant and f'; {meant}'}",
            advice=f"To create it, for review: {self._command()}",
            wanted=self.name,
        )

    def _moved(self, expected: Groups, actual: Groups) -> Iterator[str]:
        with contextlib.suppress(TooManyAttemptsError):
            if self.mode == "strict" and matching(expected, actual, "unordered") is not None:
                yield 'The same ran in another order, which mode="unordered" does not compare.'

    def _ignored_nothing(self, view: View, expected: Groups) -> Iterator[str]:
        whole = built(view.invocations, attrs.evolve(self.wanted, ignored=()))
        executions = [node for groups in (expected, whole) for node, _ in nodes(groups) if not node.is_invocation]
        for one in self.wanted.ignored:
            if not any(one.places(node.name, node.arguments) for node in executions):
                yield f"ignoring {one.text()!r} led to nothing, in the snapshot as in what ran."

    def _mismatch(self, expected: Groups, actual: Groups, hints: Iterable[str]) -> Failure:
        difference = told(expected, actual, self.mode)
        advice = f"If what ran is right, write {places.shown(self.file)} anew: {self._command()}"
        writer = self.asker.written.get(str(self.file))
        if writer is not None:
            advice = f"{places.shown(self.file)} was written in this run, by {writer}: give each use that differs its own name."
        return Failure(
            expected=self._expected,
            found="but it differs (- snapshot, + what ran)",
            details=difference.lines,
            advice="\n".join((*hints, advice)),
            wanted=written(expected),
            actual=written(actual),
            differences=difference.differences,
            important=difference.unexpected,
        )

    def _not_found_out(self) -> Failure:
        return Failure(
            expected=self._expected,
            found="but too many of its executions are alike to find out which of them belong together",
            advice='Leave out the ids that tell them apart, with ignoring=["$.id"], or compare with mode="strict".',
        )

    def _command(self) -> str:
        if self.asker.by_plugin:
            return f"pytest {shell_quoted(self.asker.test)} --agentassert-update"
        return "set AGENTASSERT_UPDATE=1 in the environment, and run it again"


def _marks(matched: Iterable[Node]) -> Marks:
    return {node.id: EITHER for node in matched if node.id is not None}


def _without_ignored(groups: Groups, ignored: tuple[Ignored, ...]) -> Groups:
    def kept(node: Node) -> Node:
        return attrs.evolve(node, arguments=compared(node.name, node.arguments, ignored))

    return grown((depth, group, kept(node)) for depth, group, node in rows(groups))


def _written_out(groups: Groups) -> Iterator[str]:
    """The values in a snapshot that would be volatile in what ran: whoever wrote them there wants them compared."""
    return (value for node, _ in nodes(groups) for value in volatile_in((node.arguments, node.result)))
