"""A key that may do little, and what it says of itself: ``python access.py http://localhost:3001 ada@example.com``."""

from __future__ import annotations

import sys

from rowgate_client import AuthenticatedClient, Client, RowgateError
from rowgate_client.models import Rowgate
from rowgate_client.openapi.api.sign_in import sign_up
from rowgate_client.openapi.models import SignedUp, SignUp


def access(address: str, email: str) -> None:
    account = sign_up.sync(client=Client(address), body=SignUp(email=email, password="correct horse battery"))
    assert isinstance(account, SignedUp), account
    rowgate = Rowgate(AuthenticatedClient(address, token=str(account.token)))

    works = rowgate.crm.company.create({"name": "Harbour Works"})["id"]
    grace = rowgate.crm.contact.create(
        {"firstName": "Grace", "lastName": "Hopper", "email": "grace@example.com", "companyId": works}
    )["id"]
    owner = str(account.user.id)
    rowgate.crm.deal.create(
        {"name": "Cranes", "amount": 3000, "stage": "won", "companyId": works, "contactId": grace, "ownerId": owner}
    )
    rowgate.crm.deal.create(
        {"name": "Docks", "amount": 2000, "stage": "lead", "companyId": works, "contactId": grace, "ownerId": owner}
    )

    made = rowgate.access.create_api_key(
        {
            "name": "Partner",
            "access": [
                {
                    "models": ["crm/deal"],
                    "fields": ["name", "stage"],
                    "where": {"stage": "won", "ownerId": {"is": "me"}},
                }
            ],
        }
    )

    partner = Rowgate(AuthenticatedClient(address, token=made["key"]))
    for deal in partner.crm.deal.each():
        print("deal:", deal["name"], "true" if "amount" in deal else "false")
    for each in partner.access.read()["models"]:
        print("may:", each["model"], ",".join(each["operations"]), ",".join(each["fields"] or []))
    try:
        partner.crm.contact.list()
    except RowgateError as error:
        print("refused:", error.status, error.code)
    told = rowgate.access.explain({"model": "crm/deal", "operation": "update", "as": {"keyId": made["id"]}})
    print("update:", "true" if told["allowed"] else "false")

    rowgate.access.update_api_key(made["id"], {"access": [{"models": ["crm/deal"], "fields": ["name"]}]})
    found = partner.crm.deal.list(where={"name": {"contains": "D"}})["data"]
    print("now:", ",".join(each["name"] for each in found))


if __name__ == "__main__":
    access(
        sys.argv[1] if len(sys.argv) > 1 else "http://localhost:3001",
        sys.argv[2] if len(sys.argv) > 2 else "ada@example.com",
    )
