"""Whether the assertions of a step hold, by Rasa's rules."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import attrs

from agentassert import render
from agentassert.checks.conversation import not_recorded
from agentassert.conversations.rasa.finding import find_turn
from agentassert.conversations.rasa.order import OrderProgress
from agentassert.conversations.rasa.reading import read_assertion
from agentassert.conversations.rasa.scene import Finding, RasaAssertion, Scene
from agentassert.errors import RasaPitfallWarning
from agentassert.failures import Failure, levels_to_the_test
from agentassert.raw_events import RawEvent
from agentassert.turns import Conversation

if TYPE_CHECKING:
    from agentassert.judges.responses import ResponseJudge

Pitfalls: TypeAlias = Literal["warn", "fail"]
PITFALLS: Final = ("warn", "fail")


@attrs.frozen(kw_only=True)
class TurnFailure(Failure):
    """Why an assertion does not hold; its text names the user's message, and what the assertion is about.

    Args:
        subject: what was looked at.

    Example:
        >>> print(TurnFailure(subject="the conversation", expected="to have a turn", found="but it has none"))
        Expected the conversation to have a turn,
        but it has none.
    """

    subject: str

    def __str__(self) -> str:
        return self.text(self.subject)


@attrs.frozen
class StepPitfall:
    """Why a verdict is hardly what was meant.

    Args:
        words: in one sentence.
        assertion: the place of the assertion that it is about; `None` where it is about which turn was found.

    Example:
        >>> StepPitfall("the slot 'seats' was only emptied, which counts as set", 0).assertion
        0
    """

    words: str
    assertion: int | None = None


@attrs.frozen(kw_only=True)
class StepVerdict:
    """What came of the assertions of one step, of which the first that fails is the last that runs.

    Args:
        failure: why the step fails; `None` when it passes.
        assertion: the place of the one that failed; `None` when the user's message was not found, or none failed.
        entry: of a list of slots, the place of the one that failed.
        passed: how many passed before.
        pitfalls: where the verdict is hardly what was meant, unless pitfalls fail: then the failure says so.
        prior: the events before the user's message; `turn`: that message and what follows it.

    Example:
        >>> StepVerdict().passes
        True
    """

    failure: TurnFailure | None = None
    assertion: int | None = None
    entry: int | None = None
    passed: int = 0
    pitfalls: tuple[StepPitfall, ...] = ()
    prior: tuple[RawEvent, ...] = attrs.field(default=(), repr=False)
    turn: tuple[RawEvent, ...] = attrs.field(default=(), repr=False)

    @property
    def passes(self) -> bool:
        """Whether every assertion holds."""
        return self.failure is None


def check(
    conversation: Conversation,
    assertion: Mapping[str, Any] | RasaAssertion,
    *,
    user: str,
    step: int = 0,
    judge: ResponseJudge | None = None,
    metadata: Mapping[str, Any] | None = None,
    pitfalls: Pitfalls = "warn",
) -> TurnFailure | None:
    """Whether one assertion of a Rasa end-to-end test holds, by Rasa's rules.

    Args:
        conversation: what happened.
        assertion: one item of the list `assertions` of a test file, such as `{"flow_started": "book_ferry"}`.
        user: the user's message of the step that it belongs to.
        step: the step's place in its test case; in the first one, 0, some assertions also look at what came before the message.
        judge: who scores generated responses; needed by the two assertions on them.
        metadata: what must be among the metadata of the user's message.
        pitfalls: what follows where Rasa's verdict is hardly what was meant: `"warn"`, or `"fail"` the assertion.

    Returns:
        Why it does not hold, or `None`. `str(failure)` is the message.

    Raises:
        ValueError: when the assertion is not well-formed, or a judge is needed and missing.
        TypeError: when the conversation, the message or the judge is none.
        JudgeError: when the judge gives no usable score.

    Example:
        >>> from agentassert.conversations import Conversation, rasa
        >>> conversation = Conversation.from_rasa_tracker(
        ...     [{"event": "user", "text": "ferry"}, {"event": "flow_started", "flow_id": "book_ferry"}]
        ... )
        >>> rasa.check(conversation, {"flow_started": "book_ferry"}, user="ferry") is None
        True
        >>> print(rasa.check(conversation, {"flow_started": "book_hotel"}, user="ferry"))
        Expected the turn 'ferry' to have started the flow 'book_hotel',
        but it started 'book_ferry'.
    """
    return check_step(conversation, [assertion], user=user, step=step, judge=judge, metadata=metadata, pitfalls=pitfalls).failure


def check_step(
    conversation: Conversation,
    assertions: Sequence[Mapping[str, Any] | RasaAssertion],
    *,
    user: str,
    step: int = 0,
    ordered: bool = False,
    judge: ResponseJudge | None = None,
    metadata: Mapping[str, Any] | None = None,
    pitfalls: Pitfalls = "warn",
) -> StepVerdict:
    """Whether the assertions of one step hold, in the order listed; what follows the first that fails is not looked at.

    Args:
        conversation: what happened.
        assertions: the list `assertions` of the step.
        user: the user's message.
        step: the step's place in its test case.
        ordered: whether what they match must come in their order (`assertion_order_enabled`).
        judge, metadata, pitfalls: as for :func:`check`.

    Returns:
        The verdict. Each of its pitfalls was warned of, too.

    Raises:
        ValueError, TypeError, JudgeError: as for :func:`check`; every assertion is read before the first one is looked at.

    Example:
        >>> from agentassert.conversations import Conversation, rasa
        >>> events = [{"event": "user", "text": "Hi"}, {"event": "action", "name": "greet"}, {"event": "slot", "name": "seen"}]
        >>> steps = [{"slot_was_set": [{"name": "seen"}]}, {"action_executed": "greet"}, {"action_executed": "bow"}]
        >>> verdict = rasa.check_step(Conversation.from_rasa_tracker(events), steps[1:], user="Hi")
        >>> verdict.passes, verdict.assertion, verdict.passed
        (False, 1, 1)
    """
    verdict = judge_step(
        conversation, assertions, user=user, step=step, ordered=ordered, judge=judge, metadata=metadata, pitfalls=pitfalls
    )
    for one in verdict.pitfalls:
        warnings.warn(RasaPitfallWarning(one.words), stacklevel=levels_to_the_test())
    return verdict


def judge_step(
    conversation: Conversation,
    assertions: Sequence[Mapping[str, Any] | RasaAssertion],
    *,
    user: str,
    step: int,
    ordered: bool,
    judge: ResponseJudge | None,
    metadata: Mapping[str, Any] | None,
    pitfalls: Pitfalls,
) -> StepVerdict:
    """As :func:`check_step`, without warnings."""
    if not isinstance(conversation, Conversation):
        raise TypeError(f"conversation must be a Conversation, but was {render.value(conversation)}")
    if not isinstance(user, str):
        raise TypeError(f"user must be the text of a message, but was {render.value(user)}")
    if pitfalls not in PITFALLS:
        raise ValueError(f"pitfalls must be 'warn' or 'fail', but was {pitfalls!r}")
    read = [one if isinstance(one, RasaAssertion) else read_assertion(one) for one in assertions]
    user = user.strip()
    found = find_turn(conversation, user, metadata)
    if isinstance(found, Failure):
        return StepVerdict(failure=_told(found, "the conversation"))
    doubt, noted = _settled(Finding(pitfalls=found.pitfalls), None, pitfalls)
    verdict = StepVerdict(prior=found.prior, turn=found.turn, pitfalls=noted)
    if doubt is not None:
        return attrs.evolve(verdict, failure=_told(doubt, f"the turn {user!r}"))
    scene = Scene(prior=found.prior, turn=found.turn, user=user, first=step == 0, judge=judge)
    return _run(conversation, read, scene, verdict, ordered=ordered, pitfalls=pitfalls)


def _run(
    conversation: Conversation,
    assertions: Iterable[RasaAssertion],
    scene: Scene,
    verdict: StepVerdict,
    *,
    ordered: bool,
    pitfalls: Pitfalls,
) -> StepVerdict:
    progress = OrderProgress(scene)
    for index, assertion in enumerate(assertions):
        finding = _unseen(conversation, assertion) or assertion.evaluate(progress.scene)
        if ordered:
            finding = progress.go_on(assertion, finding)
        failure, noted = _settled(finding, index, pitfalls)
        verdict = attrs.evolve(verdict, pitfalls=(*verdict.pitfalls, *noted))
        if failure is not None:
            return attrs.evolve(verdict, failure=_told(failure, f"the turn {scene.user!r}"), assertion=index, entry=finding.entry)
        verdict = attrs.evolve(verdict, passed=index + 1)
    return verdict


def _unseen(conversation: Conversation, assertion: RasaAssertion) -> Finding | None:
    """What is not recorded did not fail to happen."""
    missing = [one for one in assertion.needs if one in conversation.not_recorded]
    return Finding(failure=not_recorded(missing[0])) if missing else None


def _settled(finding: Finding, assertion: int | None, pitfalls: Pitfalls) -> tuple[Failure | None, tuple[StepPitfall, ...]]:
    """Why it fails, and what is to be said beside the verdict."""
    if pitfalls == "warn":
        return finding.failure, tuple(StepPitfall(words, assertion) for words in (*finding.pitfalls, *finding.notes))
    if finding.failure is not None:
        return attrs.evolve(finding.failure, details=(*finding.failure.details, *finding.pitfalls)), ()
    if finding.pitfalls:
        return Failure(expected="to be as meant", found="but Rasa's rules alone let it pass", details=finding.pitfalls), ()
    return None, ()


def _told(failure: Failure, subject: str) -> TurnFailure:
    return TurnFailure(subject=subject, **attrs.asdict(failure, recurse=False))
