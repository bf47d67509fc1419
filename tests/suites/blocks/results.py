"""Tests of what an agent gives."""

from __future__ import annotations

from tests.suites.blocks import Block, Break

BLOCKS = [
    Block(
        "completes",
        """
        payload: anybody there?
        expected_result: status == "completed"
        """,
        """
        def agent(payload):
            return "yes"
        """,
        [Break('return "yes"', 'raise OSError("line is dead")', "but status was 'failed'")],
    ),
    Block(
        "completes, though nothing is said of it",
        "payload: anybody there?",
        """
        def agent(payload):
            return "yes"
        """,
        [Break('return "yes"', 'raise OSError("line is dead")', "agent error: line is dead")],
    ),
    Block(
        "an object in the output is read by its keys",
        """
        payload: '{"adults": 2, "cars": 1}'
        expected_result: output.fare == 95
        """,
        """
        import json

        def agent(payload):
            return json.dumps({"fare": 30 * payload["adults"] + 35 * payload["cars"]})
        """,
        [
            Break("35", "36", "but output.fare was 96"),
            Break('"fare"', '"price"', "output.fare: output has no 'fare'; it has 'price'"),
            Break('{"fare": 30 * payload["adults"] + 35 * payload["cars"]}', '"95"', "output has no 'fare'; it was '95'"),
        ],
    ),
    Block(
        "a text has a word in it",
        """
        payload: Where do you sail?
        expected_result: '"Bergen" in output'
        """,
        """
        def agent(payload):
            return "From Newcastle to Bergen"
        """,
        [Break("Bergen", "Oslo", "but output was 'From Newcastle to Oslo'")],
    ),
    Block(
        "numbers and conditions are joined",
        """
        payload: My ticket is wet
        expected_result: output.certainty >= 0.7 and output.topic != "other"
        """,
        """
        def agent(payload):
            return {"certainty": 0.9, "topic": "tickets"}
        """,
        [
            Break("0.9", "0.4", "but output.certainty was 0.4"),
            Break('"tickets"', '"other"', "but output.topic was 'other'"),
            Break(', "topic": "tickets"', "", "output.topic: output has no 'topic'; it has 'certainty'"),
        ],
    ),
    Block(
        "a failure is what is expected",
        """
        payload: '{"harbour": ""}'
        expected_result: status == "failed" and "no harbour" in error
        """,
        """
        def agent(payload):
            if not payload["harbour"]:
                raise ValueError("there is no harbour to sail to")
            return "sailing"
        """,
        [
            Break("not payload", "payload", "status was 'completed'"),
            Break("there is no harbour to sail to", "404", "but error was '404'"),
        ],
    ),
]
