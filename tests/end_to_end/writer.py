"""Makes companies with the Python client, and prints what came of it: ``python writer.py ADDRESS TOKEN WAY NAME``."""

from __future__ import annotations

import asyncio
import sys

import httpx
from rowgate_client import AuthenticatedClient, Client, RowgateError
from rowgate_client.models import Rowgate
from rowgate_client.openapi.api.company import create_crm_company
from rowgate_client.openapi.models import CrmCompanyCreate

address, token, way, name = sys.argv[1:]
patience = httpx.Timeout(2.0)
client = AuthenticatedClient(address, token=token, timeout=patience) if token else Client(address, timeout=patience)
rowgate = Rowgate(client)
WEBSITE = "https://example.com/" + "x" * 1900


def generated():
    return [create_crm_company.sync(client=client, body=CrmCompanyCreate(name=name)).to_dict()]


def awaited():
    return [asyncio.run(create_crm_company.asyncio(client=client, body=CrmCompanyCreate(name=name))).to_dict()]


def batch():
    asked = rowgate.batch([{"method": "POST", "path": "/api/v1/crm/company", "body": {"name": name}}])
    return [reply["body"] for reply in asked]


WAYS = {
    "records": lambda: [rowgate.crm.company.create({"name": name})],
    "generated": generated,
    "awaited": awaited,
    "batch": batch,
    # Too many for the service to keep all of the answer.
    "many": lambda: rowgate.crm.company.create_many([{"name": name, "website": WEBSITE}] * 200),
}

try:
    made = WAYS[way]()
    print("made:", len(made), ",".join({each["name"] for each in made}))
except RowgateError as refusal:
    print("refused:", refusal.status, refusal.code)
except httpx.TransportError as error:
    print("broken:", type(error).__name__)
