"""The commands of the program `agentassert` that have a module of their own."""
