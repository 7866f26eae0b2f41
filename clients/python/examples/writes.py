"""What can be written, and how nothing is lost or done twice:
``python writes.py http://localhost:3001 ada@example.com``."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from rowgate_client import AuthenticatedClient, Client, RowgateError, VersionConflict, reference, version_of
from rowgate_client.models import CrmContactDraft, CrmDealDraft, Rowgate
from rowgate_client.openapi.api.sign_in import sign_up
from rowgate_client.openapi.models import SignedUp, SignUp


def one(rowgate: Rowgate, works: str, grace: str) -> None:
    deals = rowgate.crm.deal
    cranes = deals.create({"name": "Cranes", "amount": 3000, "companyId": works, "contactId": grace})
    print(f"created: {cranes['name']}, version {version_of(cranes)}")

    # By the record, only while nobody has changed it since; by its id, whatever became of it.
    dearer = deals.update(cranes, {"amount": 3500})
    print(f"updated: {dearer['amount']}, version {version_of(dearer)}")
    try:
        deals.update(cranes, {"amount": 2500})
    except VersionConflict as error:
        print(f"conflict: {error.status} {error.code}, version {error.version}")
    print(f"anyway: {deals.update(cranes['id'], {'amount': 4000})['amount']}")

    # Many at once add to the same number, and none is lost.
    with ThreadPoolExecutor(8) as pool:
        for _ in range(8):
            pool.submit(deals.modify, cranes["id"], lambda deal: {"amount": (deal["amount"] or 0) + 1})
    print(f"modified: {deals.get(cranes['id'])['amount']}")


def many(rowgate: Rowgate, works: str, grace: str) -> None:
    deals = rowgate.crm.deal

    def draft(name: str) -> CrmDealDraft:
        return {"name": name, "amount": 10, "companyId": works, "contactId": grace}

    made = deals.create_many([draft(name) for name in ("Buoys", "Docks", "Ferries")])
    print("made:", ",".join(deal["name"] for deal in made))
    listed = deals.list(where={"amount": 10}, sort=["name"], versions=True)["data"]
    changed = deals.update_many([(deal, {"nextStep": f"Call about {deal['name']}"}) for deal in listed])
    print("changed:", ",".join(deal["nextStep"] or "" for deal in changed))
    low = deals.update_matching(where={"amount": {"lte": 10}}, set={"priority": "high"}, max=10, dry_run=True)
    print("counted:", low)
    print("matched:", deals.update_matching(where={"amount": {"lte": 10}}, set={"priority": "high"}, max=10))
    deals.delete(changed[0]["id"])
    print("deleted:", deals.delete_many([changed[1]["id"]]))
    print("removed:", deals.delete_matching(where={"amount": {"lte": 10}}, max=10))

    for deal in deals.export(where={"amount": {"gt": 0}}, fields=["name", "amount"], sort=["name"]):
        print("exported:", deal["name"], deal["amount"])

    people: list[CrmContactDraft] = [
        {"firstName": "Grace", "lastName": "Hopper", "email": "grace@example.com", "companyId": works},
        {"firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com", "companyId": works},
    ]
    meta = rowgate.crm.contact.upsert(people, on_conflict="email")["meta"]
    print(f"upserted: {meta['created']} created, {meta['updated']} updated")

    try:
        deals.create_many([draft("Good"), draft("")])
    except RowgateError as error:
        items = ",".join(f"{item['index']} {item['code']}" for item in error.details["items"])
        print(f"refused: {error.status}, {items}")


def writes(address: str, email: str) -> None:
    account = sign_up.sync(client=Client(address), body=SignUp(email=email, password="correct horse battery"))
    assert isinstance(account, SignedUp), account
    rowgate = Rowgate(AuthenticatedClient(address, token=str(account.token)))
    company, contact = rowgate.batch(
        [
            {"ref": "works", "method": "POST", "path": "/api/v1/crm/company", "body": {"name": "Harbour Works"}},
            {
                "method": "POST",
                "path": "/api/v1/crm/contact",
                "body": {
                    "firstName": "Grace",
                    "lastName": "Hopper",
                    "email": "grace@example.com",
                    "companyId": reference("works"),
                },
            },
        ]
    )
    print("batch:", company["status"], contact["status"])
    one(rowgate, company["body"]["id"], contact["body"]["id"])
    many(rowgate, company["body"]["id"], contact["body"]["id"])


if __name__ == "__main__":
    writes(
        sys.argv[1] if len(sys.argv) > 1 else "http://localhost:3001",
        sys.argv[2] if len(sys.argv) > 2 else "ada@example.com",
    )
