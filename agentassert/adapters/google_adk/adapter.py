"""Where ADK is hooked into."""

from __future__ import annotations

from agentassert.adapters.base import APPROVALS, CHAT, REQUESTS, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.patching import wrap_family, wrap_method


class GoogleADKAdapter(Adapter):
    """Wraps the methods by which runners run agents, and agents other agents, tools and models.

    No plugin is added: what ADK tells plugins of a tool is what callbacks made of it, a soft failure and a question like a result.
    """

    name = ADAPTER
    distribution = "google-adk"
    tested = ("2.0.0", "2.13.0")
    sees = frozenset({TOOL_FAILURES, CHAT, APPROVALS, REQUESTS})

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.google_adk.driving import GoogleADKDriver

        return GoogleADKDriver()

    def install(self) -> None:
        with needs():
            # Each from the module that defines it: when the trigger was imported, the package itself may not be complete.
            from google.adk.agents.base_agent import BaseAgent
            from google.adk.models.base_llm import BaseLlm
            from google.adk.plugins.plugin_manager import PluginManager
            from google.adk.runners import Runner
            from google.adk.tools.base_tool import BaseTool

            from agentassert.adapters.google_adk import approvals, models, runner, tools
        wrap_method(Runner, "run_async", runner.run_async)
        wrap_method(Runner, "run_live", runner.run_live)
        wrap_method(BaseAgent, "run_async", runner.agent_run)
        wrap_method(BaseAgent, "run_live", runner.agent_run)
        wrap_method(PluginManager, "run_on_user_message_callback", approvals.deciding)
        wrap_family(BaseLlm, {"generate_content_async": models.generating})
        wrap_family(BaseTool, {"run_async": tools.running})
