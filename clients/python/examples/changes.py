"""What was, what has changed, and the way back: ``python changes.py http://localhost:3001 ada@example.com``."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from datetime import UTC, datetime

from rowgate_client import AuthenticatedClient, Client, Place, RowgateError, transactions
from rowgate_client.models import Rowgate
from rowgate_client.openapi.api.sign_in import sign_up
from rowgate_client.openapi.models import SignedUp, SignUp


def changes(address: str, email: str) -> None:
    account = sign_up.sync(client=Client(address), body=SignUp(email=email, password="correct horse battery"))
    assert isinstance(account, SignedUp), account
    rowgate = Rowgate(AuthenticatedClient(address, token=str(account.token)))
    companies = rowgate.crm.company

    since = next(rowgate.changes())["meta"]["next"]

    works = companies.create({"name": "Harbour Works"})
    moment = datetime.now(UTC)
    foods = companies.update(works, {"name": "Harbour Foods"})
    for version in companies.history(works["id"]):
        before, after = version["before"] or {}, version["after"] or {}
        print(
            f"version {version['version']}: {','.join(version['changed'])}",
            before.get("name", "nothing"),
            "to",
            after["name"],
        )
    print("then:", companies.get(works["id"], as_of=moment)["name"])
    print("reverted:", companies.revert(foods, 1)["name"])

    companies.delete(works["id"])
    for deleted in companies.deleted():
        print(f"deleted: {deleted['record']['name']} by a {deleted['actor']['type']}")
    print("restored:", companies.restore(works["id"])["name"])

    with transactions() as written:
        companies.create_many([{"name": "One"}, {"name": "Two"}])
    print("undone:", rowgate.undo(written[0])["deleted"], "deleted")
    try:
        rowgate.undo(written[0])
    except RowgateError as error:
        print("again:", error.status)

    for page in rowgate.changes(["crm/company"], since=since, take=3):
        told = (
            "delete" if change["operation"] == "delete" else f"{change['operation']} {change['record']['name']}"
            for change in page["data"]
        )  # fmt: skip
        print("changes:", ",".join(told))
        since = page["meta"]["next"]

    companies.create({"name": "Heard"})
    for heard in rowgate.follow(["crm/company"], place=Place(since)):
        if heard["operation"] == "create":
            print("heard:", heard["record"]["name"])
            break

    for kept in rowgate.live(["crm/company"], lambda: companies.list(where={"name": "Kept"})):
        if kept["data"]:
            print("live:", len(kept["data"]))
            break
        companies.create({"name": "Kept"})
    asyncio.run(keep(rowgate))


async def keep(rowgate: Rowgate) -> None:
    companies = rowgate.crm.company
    pages = rowgate.live_async(["crm/company"], lambda: companies.list(where={"name": "Kept"}))
    async with aclosing(pages):
        async for page in pages:
            if not page["data"]:
                print("live on a loop:", len(page["data"]))
                break
            await asyncio.to_thread(companies.delete, page["data"][0]["id"])


if __name__ == "__main__":
    changes(
        sys.argv[1] if len(sys.argv) > 1 else "http://localhost:3001",
        sys.argv[2] if len(sys.argv) > 2 else "ada@example.com",
    )
