"""Files of records, and how they are sent."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import requests

from app.testing.cast import Actor
from tests.writes import created

COMPANIES, CONTACTS, QUESTIONS = "crm/company", "crm/contact", "ai-research/question"
TYPES = {"csv": "text/csv", "ndjson": "application/x-ndjson", "json": "application/json"}


def table(*rows: dict[str, Any], delimiter: str = ",") -> bytes:
    """Rows as CSV, with the names of the first as header."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def array(*rows: dict[str, Any]) -> bytes:
    return json.dumps(rows, indent=1).encode()


WRITERS = {"csv": table, "ndjson": lines, "json": array}


def send(actor: Actor, model: str, content: bytes | str, form: str = "csv", **options: Any) -> Any:
    """The answer to an import; options other than headers are parameters."""
    data = content.encode() if isinstance(content, str) else content
    headers = options.pop("headers", {})
    asked = {name: str(value).lower() if isinstance(value, bool) else value for name, value in options.items()}
    path = f"/api/v1/{model}/_import"
    return actor.send("POST", path, query_string=asked, data=data, content_type=TYPES[form], headers=headers)


def in_form(actor: Actor, model: str, content: bytes, form: str = "csv", **options: Any) -> Any:
    """The same in a form, as browsers send it."""
    sent = requests.Request("POST", "http://x", files={"file": ("records", content, TYPES[form])}).prepare()
    kind, asked = sent.headers["Content-Type"], {"as": form, **options}
    return actor.send("POST", f"/api/v1/{model}/_import", query_string=asked, data=sent.body, content_type=kind)


def meta(response: Any) -> dict[str, int]:
    """What an import came to, without the counts that are zero."""
    assert response.status_code == 200, response.json
    return {name: count for name, count in response.json["meta"].items() if count}


def faults(response: Any) -> dict[int, dict[str, list[str]]]:
    """What is wrong, by line."""
    assert response.status_code == 200, response.json
    return {each["line"]: each["fields"] for each in response.json["data"]}


def refused(response: Any) -> tuple[int, str, int | None]:
    """The status of a file that is refused as a whole, what is said, and the line where it breaks off."""
    return response.status_code, response.json["error"], response.json.get("details", {}).get("line")


def all_of(actor: Actor, model: str, **asked: Any) -> list[dict[str, Any]]:
    """All records that somebody sees, the oldest first."""
    found = actor.get(f"/api/v1/{model}/_export", query_string={"as": "json", **asked})
    assert found.status_code == 200, found.json
    return list(reversed(found.json))


def values(actor: Actor, model: str, name: str) -> list[Any]:
    return sorted((each[name] for each in all_of(actor, model)), key=str)


def project(actor: Actor) -> str:
    """A project, whose questions refer to each other."""
    made: str = created(actor, "ai-research/project", title="Cranes", objective="To know where they stand.")["id"]
    return made
