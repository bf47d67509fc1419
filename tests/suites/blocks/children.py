"""Tests of the agents that an agent triggers."""

from __future__ import annotations

from tests.suites.blocks import Block, Break

WAITING = """
    @record.tool("glossary.look_up")
    def look_up(word):
        return "a place for a ship"

    @record.tool("post.send")
    def send(letter):
        return "sent"

    @record.agent("translator")
    def translate(payload):
        look_up("berth")
        return {"german": payload["english"].upper()}

    @record.tool
    def trigger_agent(agent_name, payload):
        return translate(payload)

    def agent(payload):
        return trigger_agent("translator", {"english": payload["note"]})
"""

CHAIN = """
    @record.tool("radio.broadcast")
    def broadcast(channel, words):
        return "heard"

    @record.agent("announcer")
    def announce(payload):
        broadcast("decks", payload)

    @record.agent("forecaster")
    def forecast(payload):
        announce("Wind from the west")
        return '{"wind": "west"}'

    @record.agent
    def agent(payload):
        return forecast(payload)
"""

BESIDE = """
    import threading

    @record.agent("logbook")
    def write(payload, told):
        told.wait(5)

    @record.tool
    def trigger_agent(payload, wait_for_response):
        told = threading.Event()
        thread = threading.Thread(target=write, args=(payload, told))
        thread.start()
        return thread, told

    def agent(payload):
        thread, told = trigger_agent({"event": payload["event"]}, wait_for_response=False)
        told.set()
        thread.join()
"""

BLOCKS = [
    Block(
        "what a triggered agent is given, gives and does",
        """
        payload: '{"note": "free berth"}'
        expected_child_agents:
          translator:
            expected_payload: payload.english != ""
            expected_result: output.german == "FREE BERTH"
            expected_tool_calls:
              - glossary.look_up: invocations >= 1
            expected_no_tool_calls: [post.send]
        """,
        WAITING,
        [
            Break('trigger_agent("translator", {"english": payload["note"]})', "payload", "but it triggered no agent"),
            Break('{"english": payload["note"]}', '{"english": ""}', "but payload.english was ''"),
            Break(".upper()", "", "but output.german was 'free berth'"),
            Break('look_up("berth")', "pass", "but invocations was 0"),
            Break('look_up("berth")', 'look_up("berth"), send("x")', "it had 1 execution of 'post.send'"),
            Break("return translate(payload)", "record.trigger(agent_name, payload)", "Let the agent wait for the response"),
        ],
    ),
    Block(
        "what the builder made reaches the triggered agent as it was",
        """
        builder: made
        builder_args: {cents: 950}
        expected_child_agents:
          cashier:
            expected_payload: payload.ticket == context.ticket and payload.cents == 950
        """,
        """
        @record.agent("cashier")
        def refund(payload):
            return "refunded"

        def agent(payload):
            return refund({"ticket": payload["ticket"], "cents": payload["cents"]})
        """,
        [
            Break('payload["ticket"]', '"T-1"', "payload.ticket was 'T-1'"),
            Break('payload["cents"]', "9.50", "but payload.cents was 9.5"),
        ],
        """
        import uuid

        def build(context, builder_args, test_name, payload, files):
            context["ticket"] = str(uuid.uuid4())
            return {"ticket": context["ticket"], **builder_args}
        """,
    ),
    Block(
        "a text for the triggered agent has what the builder made in it",
        """
        builder: made
        expected_child_agents:
          cashier:
            expected_payload: context.ticket in payload_raw
            expected_result: context.ticket in output
        """,
        """
        @record.agent("cashier")
        def refund(payload):
            return f"Refunded {payload.split()[-1]}"

        def agent(payload):
            return refund(f"Refund {payload}")
        """,
        [
            Break("Refund {payload}", "Refund this", "payload_raw was 'Refund this'"),
            Break("{payload.split()[-1]}", "it", "output was 'Refunded it'"),
        ],
        """
        import uuid

        def build(context, builder_args, test_name, payload, files):
            context["ticket"] = str(uuid.uuid4())
            return context["ticket"]
        """,
    ),
    Block(
        "what an agent does that a triggered agent triggers",
        """
        payload: Will it be windy?
        expected_child_agents:
          forecaster:
            expected_result: output.wind != ""
            expected_child_agents:
              announcer:
                expected_tool_calls:
                  - radio.broadcast: params.channel == "decks"
        """,
        CHAIN,
        [
            Break('"decks"', '"bridge"', "params.channel was 'bridge'"),
            Break('announce("Wind from the west")', "pass", "to have triggered 'announcer', but it triggered no agent"),
            Break('{"wind": "west"}', "west", "output has no 'wind'; it was 'west'"),
            Break(
                "return forecast(payload)",
                "return announce(payload)",
                "to have triggered 'forecaster',\nbut it triggered 'announcer'",
            ),
        ],
    ),
    Block(
        "an agent that nobody waits for is given this",
        """
        payload: '{"event": "departure"}'
        expected_child_agents:
          logbook:
            expected_triggered: 1
            expected_payload: payload.payload.event == "departure"
        """,
        BESIDE,
        [
            Break('{"event": payload["event"]}', '{"event": "arrival"}', "but payload.payload.event was 'arrival'"),
            Break("thread.start()", "thread = threading.Thread(target=print); thread.start()", "but it triggered no agent"),
        ],
    ),
    Block(
        "an agent that nobody waits for has no response",
        """
        payload: '{"event": "departure"}'
        expected_child_agents:
          logbook:
            expected_result: output is null
        """,
        BESIDE.replace("thread.start()", "thread.start(); told.set(); thread.join()"),
        [Break("told.set(); thread.join()", "", "Let the agent wait for the response")],
    ),
    Block(
        "an agent is scheduled for later, twice",
        """
        payload: Remind me before departure
        expected_child_agents:
          reminder:
            expected_triggered: 2
            expected_payload: payload.hours == 1
        expected_tool_calls:
          - trigger_agent_at: invocations == 2
        """,
        """
        @record.tool
        def trigger_agent_at(agent_name, payload, at):
            record.trigger(agent_name, payload)

        def agent(payload):
            for hours in (1, 24):
                trigger_agent_at("reminder", {"hours": hours}, f"-{hours}h")
        """,
        [
            Break("(1, 24)", "(1,)", "to have triggered 'reminder' 2 times at least,"),
            Break("(1, 24)", "(2, 24)", "1. to have had a payload with payload.hours == 1, but payload.hours was 2"),
            Break("record.trigger(agent_name, payload)", "return agent_name", "but it triggered no agent"),
        ],
    ),
    Block(
        "one of several triggers satisfies everything",
        """
        payload: Read both letters
        expected_child_agents:
          reader:
            expected_triggered: 2
            expected_payload: payload.letter == 2
            expected_result: output.sender == "Ann"
        """,
        """
        @record.agent("reader")
        def read(payload):
            return {"sender": ["Bob", "Ann"][payload["letter"] - 1]}

        def agent(payload):
            return [read({"letter": 1}), read({"letter": 2})]
        """,
        [Break('["Bob", "Ann"]', '["Ann", "Bob"]', "but none of 2 invocations of it meets what is expected")],
    ),
]
