"""Captures in files, and captures made of what others store: message lists."""
