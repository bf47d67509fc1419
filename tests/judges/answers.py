"""Answers of judges' models, and models that give them."""

from __future__ import annotations

import json


def verdicts(*said):
    """An answer that gives these verdicts, in order."""
    entries = [{"criterion": number, "reasoning": f"reason {number}", "verdict": one} for number, one in enumerate(said, 1)]
    return json.dumps({"assessments": entries})


class Asked:
    """A callable model that gives answers one after the other, and keeps the prompts."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.prompts = []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def document(self):
        """The data that was last asked about."""
        return json.loads(self.prompts[-1].rpartition("\n\n")[2])
