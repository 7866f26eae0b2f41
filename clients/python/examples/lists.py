"""What can be asked of lists: ``python lists.py http://localhost:3001 ada@example.com``."""

from __future__ import annotations

import sys

from rowgate_client import AuthenticatedClient, Client, RowgateError
from rowgate_client.models import Rowgate
from rowgate_client.openapi.api.company import create_crm_company
from rowgate_client.openapi.api.crm import create_crm_contact, create_crm_deal
from rowgate_client.openapi.api.sign_in import sign_up
from rowgate_client.openapi.models import (
    CrmCompany,
    CrmCompanyCreate,
    CrmContact,
    CrmContactCreate,
    CrmDealCreate,
    SignedUp,
    SignUp,
)


def lists(address: str, email: str) -> None:
    account = sign_up.sync(client=Client(address), body=SignUp(email=email, password="correct horse battery"))
    assert isinstance(account, SignedUp), account
    client = AuthenticatedClient(address, token=str(account.token))

    works = CrmCompanyCreate(name="Harbour Works", industry="shipping")
    company = create_crm_company.sync(client=client, body=works)
    assert isinstance(company, CrmCompany), company
    person = CrmContactCreate(first_name="Grace", last_name="Hopper", email="grace@example.com", company_id=company.id)
    contact = create_crm_contact.sync(client=client, body=person)
    assert isinstance(contact, CrmContact), contact
    for name, amount in (("Buoys", 500), ("Cranes", 3000), ("Docks", 2000), ("Ferries", 1000)):
        made = CrmDealCreate(name=name, amount=amount, company_id=company.id, contact_id=contact.id)
        create_crm_deal.sync(client=client, body=made)

    rowgate = Rowgate(client)

    large = rowgate.crm.deal.list(
        where={"amount": {"gte": 1000}, "stage": "lead", "company": {"industry": "shipping"}},
        sort=["-amount"],
        expand=["company", "contact.company"],
    )
    for deal in large["data"]:
        owner, known = deal["company"], deal["contact"]
        further = known["company"] if known else None
        print("large:", deal["name"], owner and owner["name"], further and further["name"])
    print("counted:", large["meta"]["count"])

    companies = rowgate.crm.company.list(
        fields=["name"],
        expand={
            "deals": {
                "fields": ["name"],
                "where": {"amount": {"lt": 1000}},
                "expand": {"contact": {"fields": ["lastName"]}},
            }
        },
    )
    for each in companies["data"]:
        found = [(deal["name"], deal["contact"]) for deal in each["deals"]]
        print(f"company: {each['name']},", ",".join(f"{name} by {by and by['lastName']}" for name, by in found))
    print("total:", companies["total"])

    for part in rowgate.crm.deal.each(sort=["name"], fields=["name"], take=2):
        print("each:", part["name"])
    for whole in rowgate.crm.company.each(take=1):
        print("each:", whole["name"])

    one = rowgate.crm.contact.get(str(contact.id), fields=["email"], expand=["company"])
    print("one:", one["email"], "of", one["company"] and one["company"]["name"])

    sums = rowgate.crm.deal.sum(
        group=["company.name"],
        measures={"count": True, "sum": ["amount"], "max": ["amount"]},
        sort=["-sum.amount"],
    )
    for row in sums["data"]:
        print("sum:", row["group"]["company.name"], row["count"], row["sum"]["amount"], row["max"]["amount"])

    try:
        rowgate.crm.deal.list(take=100_000)
    except RowgateError as error:
        print("refused:", error.status, error.code)


if __name__ == "__main__":
    lists(
        sys.argv[1] if len(sys.argv) > 1 else "http://localhost:3001",
        sys.argv[2] if len(sys.argv) > 2 else "ada@example.com",
    )
