"""Doubles: what stands in for tools, and for the people who are asked, while an agent is tested."""
