"""Events of trackers, as Rasa writes them, and judges that always say the same."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from agentassert.conversations import Conversation, rasa

DATA = Path(__file__).parent / "data"


def stored(name):
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def user(text, **metadata):
    return {"event": "user", "text": text, "metadata": metadata, "parse_data": {"commands": []}}


def bot(text, *, name=None, source="TemplatedNaturalLanguageGenerator", buttons=None, **metadata):
    said = {"utter_source": source, **({} if name is None else {"utter_action": name}), **metadata}
    return {"event": "bot", "text": text, "data": {"buttons": buttons, "image": None}, "metadata": said}


def slot(name, value, **metadata):
    return {"event": "slot", "name": name, "value": value, "metadata": metadata}


def action(name):
    return {"event": "action", "name": name, "policy": "FlowPolicy", "confidence": 1.0}


def flow_started(flow, **metadata):
    return {"event": "flow_started", "flow_id": flow, "metadata": metadata}


def flow_completed(flow, step=None):
    return {"event": "flow_completed", "flow_id": flow, "step_id": step}


def flow_cancelled(flow, step=None):
    return {"event": "flow_cancelled", "flow_id": flow, "step_id": step}


def clarification(**options):
    """`options` are readable names by the ids of flows."""
    return flow_started("pattern_clarification", names=list(options.values()), clarification_ids=list(options))


SESSION = [action("action_session_start"), {"event": "session_started"}, action("action_listen")]


def conversation(*events):
    return Conversation.from_rasa_tracker([*SESSION, *events])


class FixedJudge:
    """Gives one score, and keeps what it was asked."""

    def __init__(self, score):
        self.score = score
        self.asked: list[dict[str, Any]] = []

    def relevance(self, *, question, answer):
        self.asked.append({"question": question, "answer": answer})
        return self.score

    def groundedness(self, *, answer, ground_truth):
        self.asked.append({"answer": answer, "ground_truth": ground_truth})
        return self.score


def verdict(events, *assertions, said="Hi", **options):
    """The verdict on the only step of a test, and the pitfalls that were warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = rasa.check_step(conversation(user(said), *events), assertions, user=said, **options)
    return found, [str(one.message) for one in caught]
