"""Makes a charge for one run, and takes it away again."""

import uuid

from refunds import CHARGES


def build(context, builder_args, test_name, payload, files):
    context["charge_id"] = f"ch_{uuid.uuid4().hex}"
    CHARGES[context["charge_id"]] = {"id": context["charge_id"], "amount": builder_args["amount"], "email": "bo@shop.example"}
    return {"charge_id": context["charge_id"]}


def cleanup(run, context, builder_args):
    del CHARGES[context["charge_id"]]
