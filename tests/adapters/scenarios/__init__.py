"""What must be recorded of an agent, whatever its framework. `contract.py` holds the list."""
