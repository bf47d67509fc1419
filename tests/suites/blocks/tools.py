"""Tests of the tools that an agent uses."""

from __future__ import annotations

from tests.suites.blocks import Block, Break

BRANCHING = """
    @record.tool("cars.measure")
    def measure():
        return 2.1

    @record.tool("bicycles.count")
    def count():
        return 1

    def agent(payload):
        return measure() if "car" in payload else count()
"""

BLOCKS = [
    Block(
        "a tool is used",
        """
        payload: '{"adults": 2}'
        expected_tool_calls:
          - ferry.fares.quote
        """,
        """
        @record.tool("ferry.fares.quote")
        def quote(adults):
            return 30 * adults

        def agent(payload):
            return quote(payload["adults"])
        """,
        [Break("return quote(payload", "return (payload", "to have executed 'ferry.fares.quote',\nbut it was never executed")],
    ),
    Block(
        "a tool is used so often at least",
        """
        payload: '{"legs": [12, 30, 8]}'
        expected_tool_calls:
          - ferry.fares.quote: invocations >= 3
        """,
        """
        @record.tool("ferry.fares.quote")
        def quote(miles):
            return 2 * miles

        def agent(payload):
            return sum(quote(miles) for miles in payload["legs"])
        """,
        [Break("""sum(quote(miles) for miles in payload["legs"])""", 'quote(sum(payload["legs"]))', "but invocations was 1")],
    ),
    Block(
        "a tool is used exactly once",
        """
        payload: Tell the captain
        expected_tool_calls:
          - radio.call: invocations == 1
        """,
        """
        @record.tool("radio.call")
        def call(words):
            return "heard"

        def agent(payload):
            return call(payload)
        """,
        [
            Break("return call(payload)", "return [call(payload), call(payload)]", "but invocations was 2"),
            Break("return call(payload)", "return 'heard'", "but invocations was 0"),
        ],
    ),
    Block(
        "a tool is used with what the payload says",
        """
        payload: '{"ship": "Nora", "knots": 18}'
        expected_tool_calls:
          - bridge.set_speed: params.ship == "Nora" and params.knots == 18
        """,
        """
        @record.tool("bridge.set_speed")
        def set_speed(ship, knots):
            return True

        def agent(payload):
            return set_speed(payload["ship"], payload["knots"])
        """,
        [
            Break('payload["knots"])', "20)", "params.knots was 20"),
            Break('payload["ship"]', "'Norma'", "params.ship was 'Norma'"),
        ],
    ),
    Block(
        "a tool is used once with each of two arguments",
        """
        payload: Quote 12 miles, and 30
        expected_tool_calls:
          - ferry.fares.quote: invocations == 1 and params.miles == 12
          - ferry.fares.quote: invocations == 1 and params.miles == 30
        """,
        """
        @record.tool("ferry.fares.quote")
        def quote(miles):
            return 2 * miles

        def agent(payload):
            return [quote(miles) for miles in (30, 12)]
        """,
        [
            Break("(30, 12)", "(42,)", "to have executed 'ferry.fares.quote' so that invocations == 1 and params.miles == 12"),
            Break("(30, 12)", "(12, 12, 30)", "but invocations was 2"),
        ],
    ),
    Block(
        "tools are used in this order",
        """
        payload: Find berth 4 and tell the captain
        expected_tool_call_order:
          - harbour.find_berth
          - radio.call
        """,
        """
        @record.tool("harbour.find_berth")
        def find_berth(number):
            return "free"

        @record.tool
        def look_out():
            return "clear"

        @record.tool("radio.call")
        def call(words):
            return "heard"

        def agent(payload):
            found = find_berth(4)
            look_out()
            return call(found)
        """,
        [
            Break("found = find_berth(4)", "found = call('free')", "but 'harbour.find_berth' did not start"),
            Break("return call(found)", "return found", "after [1] harbour.find_berth 'radio.call' did not start"),
            Break(
                "find_berth(4)\n            look_out()\n            return call(found)",
                "call(4)\n            return find_berth(4)",
                "after [2] harbour.find_berth 'radio.call' did not start",
            ),
        ],
    ),
    Block(
        "a tool is used on what the builder made",
        """
        builder: made
        expected_result: output.booking.id == context.booking_id
        expected_tool_calls:
          - bookings.fetch: params.id == context.booking_id and invocations == 1
        """,
        """
        @record.tool("bookings.fetch")
        def fetch(id):
            return {"id": id}

        def agent(payload):
            return {"booking": fetch(payload.split()[-1])}
        """,
        [
            Break("fetch(payload.split()[-1])", "fetch('7f000000-aaaa')", "output.booking.id was '7f000000-aaaa'"),
            Break("fetch(payload.split()[-1])", "{'id': payload.split()[-1]}", "but invocations was 0"),
        ],
        """
        import uuid

        def build(context, builder_args, test_name, payload, files):
            context["booking_id"] = str(uuid.uuid4())
            return f"Look up booking {context['booking_id']}"
        """,
    ),
    Block(
        "tools are left alone",
        """
        payload: Good morning
        expected_no_tool_calls:
          - ferry.fares.quote
          - radio.call
        """,
        """
        @record.tool("radio.call")
        def call(words):
            return "heard"

        def agent(payload):
            return "Good morning"
        """,
        [Break('return "Good morning"', "return call(payload)", "it had 1 execution of 'radio.call'")],
    ),
    Block(
        "a motorist is asked for the height of the car",
        """
        payload: '{"car": "van"}'
        expected_tool_calls: [cars.measure]
        expected_no_tool_calls: [bicycles.count]
        """,
        BRANCHING,
        [Break('"car" in payload', '"car" not in payload', "it had 1 execution of 'bicycles.count'")],
    ),
    Block(
        "a cyclist is asked for the number of bicycles",
        """
        payload: '{"bicycle": "tandem"}'
        expected_tool_calls: [bicycles.count]
        expected_no_tool_calls: [cars.measure]
        """,
        BRANCHING,
        [
            Break('"car" in payload', '"car" not in payload', "it had 1 execution of 'cars.measure'"),
            Break("else count()", "else (count(), measure())", "it had 1 execution of 'cars.measure'"),
        ],
    ),
]
