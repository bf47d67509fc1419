"""The modules that are agents: those that a program calls, and those that use tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dspy.predict.code_act import CodeAct
from dspy.predict.predict import Predict

from agentassert import recorder
from agentassert.adapters.dspy import ADAPTER, predictions
from agentassert.adapters.dspy.programs import alone, name_of, tools_of, without_history
from agentassert.recording.events import InvocationEvent

_ELSEWHERE: Final = "dspy.CodeAct copies tools into the sandbox where its code runs, so that what code calls is not recorded"


def begin(module: Any, *args: Any, **inputs: Any) -> InvocationEvent | None:
    """It starts; what an agent is made of is part of it, and no agent of its own."""
    if isinstance(module, Predict):
        predictions.begin(module, inputs)
    if isinstance(module, CodeAct) and module.tools:
        recorder.note(_ELSEWHERE)
    if recorder.open_around(InvocationEvent, ADAPTER) is not None and not tools_of(module):
        return None
    return recorder.start_invocation(name_of(module), adapter=ADAPTER, input=alone(inputs) if inputs else args)


def end(event: InvocationEvent, prediction: Any) -> None:
    """It gave a prediction."""
    fields = prediction.toDict() if hasattr(prediction, "toDict") else prediction
    output = alone(without_history(fields)) if isinstance(fields, Mapping) else fields
    event.complete(output, output if isinstance(output, str) else None)
