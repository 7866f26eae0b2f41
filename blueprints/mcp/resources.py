"""Resources: records by their address, and the documentation that is made of the catalogue."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.auth.credentials.authentication import caller
from app.engine.operations import verbs
from app.engine.read import records
from app.foundation.errors import Invalid, NotFound
from app.foundation.identifiers import uuid_of
from blueprints.mcp import catalogue, results
from schemas.catalogue import CallerProfile

SCHEME, DOCUMENTATION = "rowgate://", "rowgate://docs/"
RECORD = re.compile(r"rowgate://([a-z][a-z0-9-]{0,79}/[a-z][a-z0-9-]{0,79})/([0-9a-fA-F-]{36})")
MAX_URI_LENGTH = 300
TEMPLATES = [
    {
        "uriTemplate": "rowgate://{domain}/{model}/{id}", "name": "record", "title": "A record",
        "description": "One record as the caller reads it; list_models names domains and models.",
        "mimeType": "application/json",
    }
]  # fmt: skip
QUERIES = """# Asking for records

`query_records` takes the model and, as arguments:

- `where`: `{"stage": "won"}`, `{"amount": {"gte": 1000}}`, `{"name": {"contains": "harbour"}}`, `{"or": [{…}, {…}]}`,
  `{"not": {…}}`, and through relations `{"company": {"industry": "Trade"}}`.
- `sort`: `["-closeDate", "name"]`; `fields` and `expand`: names.
- `search`: words that the searchable fields hold.
- `take` (50 at most) and `cursor`, the `next` of the page before.

`aggregate_records` takes `group`, `["stage"]`, and `measures`, `{"count": true, "sum": ["amount"]}`, beside `where`.

# Changing records

Read the record with `get_record`, and send the `version` that it tells with `update_record` or `delete_record`: where
somebody was faster, nothing is written. An `idempotencyKey` of yours makes sending a call again safe.
"""


@dataclass(frozen=True)
class RecordAddress:
    """The record that an address names."""

    uri: str
    model: catalogue.Model
    identifier: UUID


def address_of(uri: str) -> RecordAddress:
    """The record behind an address; raises NotFound for what is none."""
    found = RECORD.fullmatch(uri) if len(uri) <= MAX_URI_LENGTH else None
    identifier = uuid_of(found[2]) if found else None
    if found is None or identifier is None:
        raise NotFound("No resource has this address")
    try:
        return RecordAddress(uri, catalogue.find(found[1]), identifier)
    except Invalid:
        raise NotFound("No resource has this address") from None


def listed(profile: CallerProfile) -> list[dict[str, Any]]:
    """The documentation; records are found by tools, and read by their address."""
    pages = [{"uri": f"{DOCUMENTATION}queries", "name": "queries", "title": "Asking for records, and changing them"}]
    for domain in _domains(profile):
        pages.append({"uri": f"{DOCUMENTATION}{domain}", "name": domain, "title": f"The models of {domain}"})
    return [{**each, "mimeType": "text/markdown"} for each in pages]


def read(uri: str) -> dict[str, Any]:
    """What is at an address, as a resource has it; raises NotFound, Forbidden and AnswerTooLarge."""
    if uri.startswith(DOCUMENTATION):
        return {"uri": uri, "mimeType": "text/markdown", "text": _page(uri.removeprefix(DOCUMENTATION))}
    address = address_of(uri)
    catalogue.require(address.model, verbs.READ)
    found = records.get(address.model, caller(), address.identifier)
    body, _ = results.fitted(found)
    return {"uri": uri, "mimeType": "application/json", "text": body.decode()}


def _page(name: str) -> str:
    profile = catalogue.profile()
    if name == "queries":
        return QUERIES
    if name not in _domains(profile):
        raise NotFound("No resource has this address")
    lines = [f"# {name}", ""]
    for model, entry in catalogue.entries(profile).items():
        if model.partition("/")[0] == name:
            fields = ", ".join(f"`{each['name']}` ({each['type']})" for each in entry["fields"])
            lines += [f"## {model}", "", entry["summary"], "", f"Fields: {fields}.", ""]
    return "\n".join(lines)


def _domains(profile: CallerProfile) -> list[str]:
    return list(dict.fromkeys(name.partition("/")[0] for name in catalogue.entries(profile)))
