"""The rules: pure functions from records to a verdict. They know no chain, no capture and no framework."""
