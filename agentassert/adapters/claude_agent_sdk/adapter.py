"""Where the SDK is hooked into."""

from __future__ import annotations

from agentassert.adapters.base import APPROVALS, CHAT, REQUESTS, TOOL_FAILURES, Adapter, HookMissingError, needs
from agentassert.adapters.claude_agent_sdk import ADAPTER, connections, tools
from agentassert.adapters.claude_agent_sdk.controls import handling
from agentassert.adapters.driver import Driver
from agentassert.adapters.patching import wrap_method


class ClaudeAgentSDKAdapter(Adapter):
    """Hears what Claude Code says over each connection, and what it is answered.

    The agent's loop is in another process, so its messages are all that there is to see of its models and its own tools. Tools that run
    in this process are seen themselves: where the SDK keeps their functions, and where it is asked to call them.
    """

    name = ADAPTER
    distribution = "claude-agent-sdk"
    tested = ("0.1.76", "0.2.189")
    sees = frozenset({TOOL_FAILURES, CHAT, APPROVALS, REQUESTS})

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.claude_agent_sdk.driving import ClaudeAgentSDKDriver

        return ClaudeAgentSDKDriver()

    def install(self) -> None:
        with needs():
            from claude_agent_sdk import ClaudeSDKClient, SdkMcpTool
            from claude_agent_sdk._internal.client import InternalClient
            from claude_agent_sdk._internal.query import Query
        if connections.STREAM not in Query.__init__.__code__.co_names:
            raise HookMissingError(f"{Query.__module__}.Query has no attribute {connections.STREAM!r}")
        wrap_method(InternalClient, "process_query", connections.querying)
        wrap_method(ClaudeSDKClient, "connect", connections.connecting)
        wrap_method(ClaudeSDKClient, "query", connections.asking)
        wrap_method(Query, "start", connections.starting)
        wrap_method(Query, "receive_messages", connections.receiving)
        wrap_method(Query, "close", connections.closing)
        wrap_method(Query, "_handle_control_request", handling)
        tools.hook(SdkMcpTool)
