"""The chain over a turn of a conversation, or over a whole one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import attrs

from agentassert import render
from agentassert.assertions.base import said
from agentassert.assertions.conversation_judging import Judging, grounded, relevant
from agentassert.assertions.given import text_argument
from agentassert.assertions.misuse import Guarded
from agentassert.assertions.soft import collected
from agentassert.books import Written, in_words
from agentassert.captures import Capture
from agentassert.checks import conversation as checks
from agentassert.checks import conversation_messages as messages
from agentassert.checks.conversation import ANY_VALUE, Passage, transcript
from agentassert.checks.conversation_messages import ButtonPattern, MessagePattern
from agentassert.checks.endings import gate
from agentassert.checks.expectations import prepare
from agentassert.failures import Failure, hidden, shortened
from agentassert.turns import Button, Conversation, Turn

if TYPE_CHECKING:
    from agentassert.judges.responses import ResponseJudge

__tracebackhide__ = hidden

ButtonGiven: TypeAlias = str | tuple[str, str | None] | Mapping[str, str | None] | Button
"""A title, a title and a payload, a mapping of these, or a button as it was recorded."""


class ConversationAssertion(Guarded):
    """Assertions on one turn, or on a whole conversation. Made by `assert_that`.

    On a conversation each assertion holds when it holds anywhere in it, what came before the first user message included; after
    :meth:`in_order`, when it holds after what the one before was about.

    Example:
        >>> from agentassert.conversations import Conversation
        >>> conversation = Conversation.from_rasa_tracker(
        ...     [
        ...         {"event": "user", "text": "I'd like to book a ferry"},
        ...         {"event": "flow_started", "flow_id": "book_ferry"},
        ...         {"event": "bot", "text": "Which crossing?", "data": {"buttons": [{"title": "Moss", "payload": "/moss"}]}},
        ...         {"event": "user", "text": "Moss"},
        ...         {"event": "slot", "name": "crossing", "value": "moss"},
        ...         {"event": "flow_completed", "flow_id": "book_ferry", "step_id": "confirm"},
        ...     ]
        ... )
        >>> chain = assert_that(conversation.turn(0)).has_flow_started("book_ferry").has_bot_uttered(buttons=["Moss"])
        >>> chain = assert_that(conversation).in_order().has_slot_set("crossing", "moss").has_flow_completed("book_ferry")
    """

    def __init__(self, subject: Turn | Conversation) -> None:
        self._parts = (subject,) if isinstance(subject, Turn) else subject.stretches
        name = f"turn {subject.index} {render.value(subject.user.text)}" if isinstance(subject, Turn) else "the conversation"
        self._passage = Passage(subject=name, stretches=self._parts, not_recorded=subject.not_recorded)
        self._ordered = False
        self._dead = False
        self._description: str | None = None
        self._passed: list[Written] = []
        self.__agentassert_checked__ = False

    def described_as(self, text: str) -> Self:
        """Begin the messages of the assertions that follow with `[text]`.

        Raises:
            TypeError, ValueError: when it is no text, or empty.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> conversation = Conversation.from_rasa_tracker([{"event": "action", "name": "action_greet"}])
            >>> chain = assert_that(conversation).described_as("greeting").has_action_executed("action_greet")
        """
        self._description = text_argument("described_as", text, "text", empty_one="describes nothing")
        return self

    def in_order(self) -> Self:
        """Let each assertion that follows be about what comes after what the one before was about.

        Each takes the first event that it can. What says that something did not happen has no place in an order, and is refused.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> events = [{"event": "action", "name": "look_up"}, {"event": "action", "name": "answer"}]
            >>> conversation = Conversation.from_rasa_tracker(events)
            >>> chain = assert_that(conversation).in_order().has_action_executed("look_up").has_action_executed("answer")
        """
        self._ordered = True
        self._passage = attrs.evolve(self._passage, after=-1)
        return self

    def has_flow_started(self, flow: str) -> Self:
        """Pass when the flow started.

        Args:
            flow: its id.

        Raises:
            AgentAssertionError: when it did not.
            NotRecordedError: when flows were not recorded.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> conversation = Conversation.from_rasa_tracker([{"event": "flow_started", "flow_id": "book_ferry"}])
            >>> chain = assert_that(conversation).has_flow_started("book_ferry")
        """
        text_argument("has_flow_started", flow, "flow")
        return self._met(lambda passage: checks.flow_started(passage, flow), said("has_flow_started", flow))

    def has_flow_completed(self, flow: str, *, step: str | None = None) -> Self:
        """Pass when the flow completed; a flow that was cancelled did not.

        Args:
            flow: its id.
            step: the id of the last step before its end; without it any will do.

        Raises:
            AgentAssertionError: when it did not, or at other steps only.
            NotRecordedError: when flows were not recorded.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> events = [{"event": "flow_completed", "flow_id": "book_ferry", "step_id": "confirm"}]
            >>> chain = assert_that(Conversation.from_rasa_tracker(events)).has_flow_completed("book_ferry", step="confirm")
        """
        _flow_and_step("has_flow_completed", flow, step)
        return self._met(lambda passage: checks.flow_completed(passage, flow, step), said("has_flow_completed", flow))

    def has_flow_cancelled(self, flow: str, *, step: str | None = None) -> Self:
        """Pass when the flow was cancelled.

        Args:
            flow: its id.
            step: the id of the step in which it was; without it any will do.

        Raises:
            AgentAssertionError: when it was not, or in other steps only.
            NotRecordedError: when flows were not recorded.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> events = [{"event": "flow_cancelled", "flow_id": "book_ferry", "step_id": "pay"}]
            >>> chain = assert_that(Conversation.from_rasa_tracker(events)).has_flow_cancelled("book_ferry", step="pay")
        """
        _flow_and_step("has_flow_cancelled", flow, step)
        return self._met(lambda passage: checks.flow_cancelled(passage, flow, step), said("has_flow_cancelled", flow))

    def has_clarification_offering(self, *options: str) -> Self:
        """Pass when the bot asked which flow was meant, and offered all of these, among others or not.

        Args:
            options: ids of flows, or their readable names.

        Raises:
            AgentAssertionError: when it did not ask, or offered less.
            NotRecordedError: when clarifications were not recorded.
            ValueError: without options.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> asked = {"event": "flow_started", "flow_id": "pattern_clarification"}
            >>> asked["metadata"] = {"clarification_ids": ["book_ferry", "change_booking"]}
            >>> chain = assert_that(Conversation.from_rasa_tracker([asked])).has_clarification_offering("change_booking")
        """
        if not options:
            raise ValueError("has_clarification_offering needs at least one option")
        for option in options:
            text_argument("has_clarification_offering", option, "an option")
        spoken = said("has_clarification_offering", *options)
        return self._met(lambda passage: checks.clarification_offering(passage, options), spoken)

    def has_slot_set(self, name: str, value: Any = ANY_VALUE) -> Self:
        """Pass when the slot was set to the value, even if it was set to another one afterwards.

        Args:
            name: the slot's name.
            value: compared as JSON; a compiled regex, a predicate or an object with its own `__eq__` as in arguments. Without it, any
                value but an empty one will do; `None` asks that the slot was emptied.

        Raises:
            AgentAssertionError: when it was not, with the values that it was set to.
            NotRecordedError: when slots were not recorded.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> conversation = Conversation.from_rasa_tracker([{"event": "slot", "name": "seats", "value": 2.0}])
            >>> chain = assert_that(conversation).has_slot_set("seats", 2).has_slot_set("seats")
        """
        text_argument("has_slot_set", name)
        wanted = prepare(value)
        return self._met(lambda passage: checks.slot_set(passage, name, wanted), said("has_slot_set", name))

    def does_not_have_slot_set(self, name: str, value: Any = ANY_VALUE) -> Self:
        """Pass when the slot was never set to the value, not even for a while.

        Args:
            name: the slot's name.
            value: as for :meth:`has_slot_set`; without it, any value but an empty one counts.

        Raises:
            AgentAssertionError: when it was.
            NotRecordedError: when slots were not recorded.
            ValueError: after :meth:`in_order`.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> conversation = Conversation.from_rasa_tracker([{"event": "slot", "name": "seats", "value": 2}])
            >>> chain = assert_that(conversation).does_not_have_slot_set("seats", 3).does_not_have_slot_set("cabin")
        """
        self._refuse_order("does_not_have_slot_set")
        text_argument("does_not_have_slot_set", name)
        wanted = prepare(value)
        return self._met(lambda passage: checks.slot_not_set(passage, name, wanted), said("does_not_have_slot_set", name))

    def has_action_executed(self, name: str) -> Self:
        """Pass when the action was executed: of a Rasa assistant, responses included; of another agent, a tool that succeeded.

        Args:
            name: its name.

        Raises:
            AgentAssertionError: when it was not, with those that were.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> chain = assert_that(Conversation.from_capture(cap)).has_action_executed("cancel_booking")
        """
        text_argument("has_action_executed", name)
        return self._met(lambda passage: checks.action_executed(passage, name), said("has_action_executed", name))

    def has_bot_uttered(
        self,
        *,
        name: str | None = None,
        text_matching: str | re.Pattern[str] | None = None,
        buttons: Sequence[ButtonGiven] | None = None,
    ) -> Self:
        """Pass when the bot said one message that is all of this.

        Args:
            name: of the response that it was made from.
            text_matching: a regular expression that is searched for in its text.
            buttons: all its buttons in order, each a title, a title and a payload, or a mapping of these; an empty list asks for a
                message without buttons.

        Raises:
            AgentAssertionError: when it did not, with what it said.
            NotRecordedError: when names or buttons are asked for, and were not recorded.
            ValueError: when nothing is asked for, or the regular expression is none.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> chain = assert_that(Conversation.from_capture(cap)).has_bot_uttered(text_matching=r"^Cancelled\\.$")
        """
        pattern = _pattern("has_bot_uttered", name, text_matching, buttons)
        return self._met(lambda passage: messages.uttered(passage, pattern), said("has_bot_uttered", str(pattern)))

    def has_no_bot_utterance(
        self,
        *,
        name: str | None = None,
        text_matching: str | re.Pattern[str] | None = None,
        buttons: Sequence[ButtonGiven] | None = None,
    ) -> Self:
        """Pass when the bot said no message that is all of this; without arguments, when it said nothing.

        Args:
            name: of the response that it is made from.
            text_matching: a regular expression that is searched for in its text.
            buttons: of which it offers at least one.

        Raises:
            AgentAssertionError: when it said such a message.
            NotRecordedError: when names or buttons are asked for, and were not recorded.
            ValueError: after :meth:`in_order`, or when the regular expression is none.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> chain = assert_that(Conversation.from_capture(cap)).has_no_bot_utterance(text_matching="sorry")
        """
        self._refuse_order("has_no_bot_utterance")
        pattern = MessagePattern()
        if (name, text_matching, buttons) != (None, None, None):
            pattern = attrs.evolve(_pattern("has_no_bot_utterance", name, text_matching, buttons), any_button=True)
            if pattern.buttons == ():
                raise ValueError("has_no_bot_utterance: buttons must name at least one button")
        return self._met(lambda passage: messages.not_uttered(passage, pattern), said("has_no_bot_utterance", str(pattern)))

    def has_relevant_response(
        self, threshold: float, *, judge: ResponseJudge, name: str | None = None, source: str | None = None
    ) -> Self:
        """Pass when the bot's message answers the user's message of its turn well enough.

        Args:
            threshold: the least score, above 0 and at most 1.
            judge: who scores: a `RatingJudge`, a `StatementJudge`, or anything with their two methods.
            name: of the response that the message was made from; `source`: what made it. Where there are several messages with a
                text, they say which one is meant.

        Raises:
            AgentAssertionError: when the score is lower, with the judge's reasoning; or when there is no such message.
            AmbiguousError: when several messages can be meant.
            JudgeError: when there is no usable score.
            ValueError: when the threshold is out of range.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> from agentassert.judges import RatingJudge
            >>> judge = RatingJudge(lambda prompt: '{"reasoning": "It does.", "rating": 5}')
            >>> chain = assert_that(Conversation.from_capture(cap)).has_relevant_response(0.8, judge=judge)
        """
        judging = Judging.of("has_relevant_response", threshold, judge, name, source)
        return self._met(lambda passage: relevant(passage, judging), said("has_relevant_response", threshold))

    def has_grounded_response(
        self,
        threshold: float,
        *,
        judge: ResponseJudge,
        ground_truth: str | Iterable[str] | None = None,
        name: str | None = None,
        source: str | None = None,
    ) -> Self:
        """Pass when the bot's message says only what the ground truth says, well enough.

        Args:
            threshold: the least score, above 0 and at most 1.
            judge: who scores, as for :meth:`has_relevant_response`; `name`, `source`: likewise.
            ground_truth: what the message may rest on; without it, what was recorded: search results, what it rephrases, or the
                sources that the agent retrieved.

        Raises:
            AgentAssertionError: when the score is lower, with the judge's reasoning; or when there is no such message.
            NotRecordedError: without `ground_truth`, when none was recorded.
            AmbiguousError, JudgeError, ValueError: as for :meth:`has_relevant_response`.

        Example:
            >>> from agentassert.conversations import Conversation
            >>> from agentassert.judges import RatingJudge
            >>> judge = RatingJudge(lambda prompt: '{"reasoning": "All of it.", "rating": 5}')
            >>> chain = assert_that(Conversation.from_capture(cap)).has_grounded_response(0.8, judge=judge)
        """
        judging = Judging.of("has_grounded_response", threshold, judge, name, source, ground_truth)
        return self._met(lambda passage: grounded(passage, judging), said("has_grounded_response", threshold))

    def _met(self, check: Callable[[Passage], Failure | int | None], spoken: Written) -> Self:
        """Run a check; every assertion ends here."""
        self.__agentassert_checked__ = True
        if self._dead:
            return self
        failure = self._gate()
        self._dead = failure is not None
        found = failure or check(self._passage)
        if isinstance(found, Failure):
            return self._told(found)
        if self._ordered and found is not None:
            self._passage = attrs.evolve(self._passage, after=found)
        self._passed.append(spoken)
        return self

    def _gate(self) -> Failure | None:
        """Why nothing may be asserted: an agent that answered a turn failed, and nobody has looked at that."""
        for one in self._parts:
            invocation = one.invocation if isinstance(one, Turn) else None
            if invocation is not None and isinstance(invocation.home, Capture):
                failure = gate(invocation, invocation.id in invocation.home.books.unlocked)
                if failure is not None:
                    expected = f"to have been answered by an invocation {invocation.name!r} that completed"
                    advice = (failure.advice or "").replace("say so first: ", "say so first: assert_that(turn.invocation).")
                    return attrs.evolve(failure, expected=expected, advice=advice)
        return None

    def _told(self, failure: Failure) -> Self:
        lines = shortened(tuple(transcript(self._parts)), str)
        behind = "" if self._passage.after < 0 else "Looked at was only what came after the assertion before."
        section = "\n".join(["What happened:", *(f"  {line}" for line in lines)]) if lines else "What happened: nothing"
        error = failure.error(self._passage.subject, behind, section, description=self._description)
        if not collected(error):
            raise error
        return self

    def _refuse_order(self, method: str) -> None:
        if self._ordered:
            raise ValueError(f"{method}: what did not happen has no place in an order; assert it before in_order(), or on a turn")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self._passage.subject}, passed: {', '.join(map(in_words, self._passed)) or 'nothing yet'}>"


def _flow_and_step(method: str, flow: str, step: str | None) -> None:
    text_argument(method, flow, "flow")
    if step is not None:
        text_argument(method, step, "step")


def _pattern(
    method: str, name: str | None, text: str | re.Pattern[str] | None, buttons: Sequence[ButtonGiven] | None
) -> MessagePattern:
    if (name, text, buttons) == (None, None, None):
        raise ValueError(f"{method} needs one of name, text_matching and buttons")
    if name is not None:
        text_argument(method, name)
    return MessagePattern(name=name, text=_regex(method, text), buttons=None if buttons is None else _buttons(method, buttons))


def _regex(method: str, text: Any) -> re.Pattern[str] | None:
    if text is None or (isinstance(text, re.Pattern) and isinstance(text.pattern, str)):
        return text
    try:
        return re.compile(text_argument(method, text, "text_matching"))
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{method}: text_matching is no regular expression: {error}: {render.value(text)}") from None


def _buttons(method: str, buttons: Any) -> tuple[ButtonPattern, ...]:
    if isinstance(buttons, (str, Mapping)) or not isinstance(buttons, Sequence):
        raise TypeError(f"{method}: buttons must be a list, but was {render.value(buttons)}; write [...] around it")
    return tuple(_button(method, one) for one in buttons)


def _button(method: str, button: Any) -> ButtonPattern:
    if isinstance(button, str):
        return ButtonPattern(title=text_argument(method, button, "a button's title"), any_payload=True)
    if isinstance(button, Button) and button.title is not None:
        return ButtonPattern(title=button.title, payload=button.payload)
    if isinstance(button, tuple) and len(button) == 2:  # noqa: PLR2004  # title and payload
        return ButtonPattern(title=text_argument(method, button[0], "a button's title"), payload=button[1])
    if isinstance(button, Mapping) and "title" in button and set(button) <= {"title", "payload"}:
        title = text_argument(method, button["title"], "a button's title")
        return ButtonPattern(title=title, payload=button.get("payload"), any_payload="payload" not in button)
    raise TypeError(
        f"{method}: a button is a title, a title and a payload, or a mapping of these, but was {render.value(button)}"
    )
