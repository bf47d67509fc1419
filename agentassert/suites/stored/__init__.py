"""Suites applied to what was recorded elsewhere: stored captures, production traces, lists of messages."""
