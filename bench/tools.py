"""python -m bench.tools [RUNS]: what a call of a tool costs beside the same request over HTTP.

Both are answered in turn by one application in this process, on servers of their own. Told is the processor time of the
process, the median of all runs, of plain, hooked, parented and audited models.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import count
from statistics import median
from typing import Any

from app.factory import create_app
from app.schema.histories import upgrade
from bench.gate.operations import CONTACTS, DEALS, Client, account_of, operations
from bench.servers import NO_LIMIT, private_parts
from config import Settings

RUNS, WARM = 300, 30
Body = dict[str, Any]
numbers = count(1)


def main(arguments: list[str]) -> int:
    """Measure from nothing and print."""
    runs = int(arguments[0]) if arguments else RUNS
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT))
        with app.app_context():
            upgrade()
        operations(app)  # makes an account with contacts
        for name, pair in _pairs(Client(app, account_of(app))).items():
            http, tool = _measured(pair, runs)
            print(f"{name:<22} HTTP {http:6.3f} ms   tool {tool:6.3f} ms   {tool / http:.2f}")
    return 0


def _measured(pair: tuple[Callable[[], Any], Callable[[], Any]], runs: int) -> tuple[float, float]:
    """Milliseconds of processor time of both, in turns."""
    spent: tuple[list[float], list[float]] = ([], [])
    for number in range(WARM + runs):
        for times, prepare in zip(spent, pair, strict=True):
            work = prepare()
            began = time.process_time()
            work()
            if number >= WARM:
                times.append(1000 * (time.process_time() - began))
    return median(spent[0]), median(spent[1])


def _pairs(client: Client) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """By name, the request over HTTP and the call of a tool."""
    company = client.made("/api/v1/crm/company", {"name": "Tools"})
    project = client.made("/api/v1/ai-research/project", {"title": "Tools", "objective": "x"})
    contact = client.made(CONTACTS, _contact(company))
    team = client.made("/api/v1/auth/team", {"name": f"Tools {next(numbers)}"})
    deal = client.made(DEALS, {"name": "x", "companyId": company})
    source = client.made("/api/v1/ai-research/source", {"projectId": project, "title": "x"})

    def made(model: str, body: Callable[[], Body]) -> tuple[Callable[[], Any], Callable[[], Any]]:
        path = f"/api/v1/{model}"
        return (
            lambda: client.ready("POST", path, body(), 201),
            lambda: _call(client, "create_record", model=model, values=body()),
        )

    def changed(model: str, identifier: str, field: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
        path = f"/api/v1/{model}/{identifier}"
        return (
            lambda: client.ready("PATCH", path, {field: f"T {next(numbers)}"}),
            lambda: _call(client, "update_record", model=model, id=identifier, values={field: f"T {next(numbers)}"}),
        )

    asked = {"where": {"title": "Engineer"}, "sort": ["lastName"], "take": 20, "cursor": "", "count": "exact"}
    return {
        "item": (
            lambda: client.ready("GET", f"{CONTACTS}/{contact}"),
            lambda: _call(client, "get_record", model="crm/contact", id=contact),
        ),
        "query": (
            lambda: client.ready("POST", f"{CONTACTS}/_query", asked),
            lambda: _call(client, "query_records", model="crm/contact", **asked),
        ),
        "sums": (
            lambda: client.ready("POST", f"{CONTACTS}/_aggregate", {"group": ["title"], "measures": {"count": True}}),
            lambda: _call(client, "aggregate_records", model="crm/contact", group=["title"], measures={"count": True}),
        ),
        "create": made("crm/contact", lambda: _contact(company)),
        "hooked create": made("crm/deal", lambda: {"name": "x", "companyId": company}),
        "create below a parent": made("ai-research/source", lambda: {"projectId": project, "title": "x"}),
        "audited create": made("auth/team", lambda: {"name": f"Tools {next(numbers)}"}),
        "update": changed("crm/contact", contact, "title"),
        "hooked update": changed("crm/deal", deal, "name"),
        "update below a parent": changed("ai-research/source", source, "title"),
        "audited update": changed("auth/team", team, "name"),
    }


def _contact(company: str) -> Body:
    return {
        "firstName": "T", "lastName": "T", "email": f"tool{next(numbers)}@bench.example", "companyId": company,
    }  # fmt: skip


def _call(client: Client, tool: str, **arguments: Any) -> Any:
    params = {"name": tool, "arguments": arguments}
    return client.ready("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
