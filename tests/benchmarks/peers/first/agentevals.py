from agentevals.trajectory.match import create_trajectory_match_evaluator

called = {"function": {"name": "cancel_booking", "arguments": '{"booking_number": "MS-777"}'}}
messages = [
    {"role": "user", "content": "Cancel MS-777"},
    {"role": "assistant", "content": "", "tool_calls": [called]},
    {"role": "tool", "content": "ok"},
]
evaluate = create_trajectory_match_evaluator(trajectory_match_mode="superset")
assert evaluate(outputs=messages, reference_outputs=messages)["score"]
