"""So many test cases for its own runner, with the two of the questions that its metrics ask without a model."""

import contextlib
import io
import sys
import time

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric, ToolCorrectnessMetric
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

cases = int(sys.argv[1])


def support(payload: dict) -> tuple[list[ToolCall], str]:
    return [ToolCall(name="look_up", input_parameters=payload)], f"order {payload['number']} is shipped"


def case(number: int) -> LLMTestCase:
    called, output = support({"number": number})
    return LLMTestCase(
        input=f"order {number}",
        actual_output=output,
        expected_output=f"order {number} is shipped",
        tools_called=called,
        expected_tools=[ToolCall(name="look_up", input_parameters={"number": number})],
    )


began = time.process_time()
metrics = [
    ExactMatchMetric(),
    ToolCorrectnessMetric(evaluation_params=[ToolCallParams.INPUT_PARAMETERS], include_reason=False, async_mode=False),
]
with contextlib.redirect_stdout(io.StringIO()):
    result = evaluate(
        [case(number) for number in range(cases)],
        metrics,
        async_config=AsyncConfig(run_async=False),
        cache_config=CacheConfig(write_cache=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
print(time.process_time() - began)
assert len(result.test_results) == cases
assert all(one.success for one in result.test_results)
