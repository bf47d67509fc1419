"""The chains: thin faces over `agentassert.checks`."""
