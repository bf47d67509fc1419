"""Stands in for the tool that writes mail."""


def mock_notify(tool_name, params, context):
    return f"sent to {params['email']}"
