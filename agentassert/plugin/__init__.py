"""What the pytest plugin does where agents are captured; `agentassert.pytest_plugin` loads it when the first one is."""
