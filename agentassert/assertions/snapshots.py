"""The assertion that compares an invocation with a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from agentassert import render
from agentassert.assertions.base import Chain, said
from agentassert.checks.callbacks import hard_mode
from agentassert.failures import hidden
from agentassert.text.nearest import did_you_mean

if TYPE_CHECKING:
    from agentassert.snapshots.comparing import Mode

__tracebackhide__ = hidden


class SnapshotAssertions(Chain):
    """What an invocation did, compared with a file that people review."""

    def matches_snapshot(
        self,
        name: str,
        *,
        ignoring: Sequence[str] = (),
        mode: Mode = "strict",
        results: bool = False,
        directory: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Pass when the tools that ran, their arguments, how they ended and what they started are as the snapshot says.

        Without the file, and where it differs, this fails; `pytest --agentassert-update`, or `AGENTASSERT_UPDATE=1` in the
        environment, writes it. UUIDs, times with seconds, addresses of objects, temporary paths and long hexadecimal ids
        are placeholders in it, which fit any such value; where one number stands twice, it is one value.

        Marks as checked what the snapshot accounts for: with `superset` what it has, else all that ran.

        Args:
            name: of the snapshot, and of its file in `__snapshots__`, beside the test.
            ignoring: places in arguments that are not compared, as JSONPath: `"$.request_id"`, or for one tool
                `"pay:$.request_id"`; `"pay:$"` for all of its arguments.
            mode: `strict` for the same in the same order, `unordered` for the same in any order, `subset` when nothing may run that
                the snapshot does not have, `superset` when more may run.
            results: whether results are compared too.
            directory: where the file is, instead; relative to the test's folder.

        Raises:
            AgentAssertionError: when it differs, or there is no snapshot.
            NotRecordedError: when arguments, results or outcomes were not recorded.
            ValueError: when the file cannot be read, naming the line.

        Example:
            >>> try:
            ...     chain = assert_that(cap_of_greeter).matches_snapshot("greets Ann", directory=folder)
            ... except AssertionError as error:
            ...     print(error)
            Expected invocation 'greeter' to match the snapshot 'greets Ann' (strict),
            but there is no file .../greets Ann.trajectory.
            To create it, for review: ...
        """
        from pathlib import Path

        from agentassert.snapshots import places
        from agentassert.snapshots.building import Wanted
        from agentassert.snapshots.comparing import MODES
        from agentassert.snapshots.keeping import Snapshot
        from agentassert.snapshots.values import ignored_place

        if mode not in MODES:
            meant = did_you_mean(str(mode), MODES)
            raise ValueError(
                f"matches_snapshot: mode is one of {', '.join(map(repr, MODES))}, but was {render.value(mode)}; {meant}"
            )
        if isinstance(ignoring, str):
            raise TypeError(f"matches_snapshot: ignoring is a list of places, such as [{ignoring!r}], but was a string")
        if hard_mode.get():
            raise ValueError(
                "matches_snapshot: inside a callback, which tries several candidates, no snapshot belongs to one of them: "
                "use nested_invocation(name).matches_snapshot(...)"
            )
        file_name = places.file_name(name)
        asker = places.asker()
        folder = asker.folder if directory is None else Path(os.path.normpath(asker.base / directory))
        snapshot = Snapshot(
            name=name,
            file=folder / file_name,
            asker=asker,
            mode=mode,
            wanted=Wanted(tuple(map(ignored_place, ignoring)), results),
        )
        return self._passes(snapshot.check, said("matches_snapshot", name))
