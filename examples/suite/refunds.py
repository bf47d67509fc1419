"""An agent without a framework, and its tools. In its place could stand a LangGraph, OpenAI Agents or Pydantic AI agent."""

from collections.abc import Mapping
from typing import Any

from agentassert import record

CHARGES: dict[str, dict[str, Any]] = {"ch_1": {"id": "ch_1", "amount": 1200, "email": "ann@shop.example"}}


@record.tool
def get_charge(charge_id: str) -> dict[str, Any] | None:
    """Look a charge up."""
    return CHARGES.get(charge_id)


@record.tool
def refund(charge_id: str, amount: int) -> str:
    """Give money back."""
    return f"refunded {amount} of {charge_id}"


@record.tool
def notify(email: str, text: str) -> str:
    """Write to a customer."""
    raise ConnectionError(f"there is no mail server in tests, so {text!r} does not reach {email}")


def refunds(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Refund a charge, and tell the customer."""
    charge = get_charge(payload["charge_id"])
    if charge is None:
        raise LookupError(f"there is no charge {payload['charge_id']}")
    done = refund(charge["id"], charge["amount"])
    notify(charge["email"], done)
    return {"status": "refunded", "charge_id": charge["id"]}
