from deepeval import assert_test
from deepeval.metrics import ToolCorrectnessMetric
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

called = ToolCall(name="cancel_booking", input_parameters={"booking_number": "MS-777"})
case = LLMTestCase(input="Cancel MS-777", actual_output="ok", tools_called=[called], expected_tools=[called])
metric = ToolCorrectnessMetric(evaluation_params=[ToolCallParams.INPUT_PARAMETERS], async_mode=False)
assert_test(case, [metric], run_async=False)
