"""The rental's items, typed: ``python rental.py http://localhost:3001 ada@example.com``."""

from __future__ import annotations

import sys

from rowgate_client import AuthenticatedClient, Client
from rowgate_client.models import Rowgate
from rowgate_client.openapi.api.sign_in import sign_up
from rowgate_client.openapi.models import SignedUp, SignUp


def items(address: str, email: str) -> None:
    account = sign_up.sync(client=Client(address), body=SignUp(email=email, password="correct horse battery"))
    assert isinstance(account, SignedUp), account
    rental = Rowgate(AuthenticatedClient(address, token=str(account.token))).rental

    boat, _ = rental.item.create_many(
        [
            {
                "name": "Boat", "dailyPrice": {"amount": "12.50", "currency": "EUR"}, "weightKg": "80.5",
                "boughtOn": "2026-11-23", "location": {"lat": 52.52, "lng": 13.405}, "shortest": "PT90M",
            },
            {
                "name": "Crane", "dailyPrice": {"amount": "900", "currency": "EUR"}, "boughtOn": "2026-12-01",
                "shortest": "P2D",
            },
        ]
    )  # fmt: skip
    near = rental.item.list(
        where={
            "location": {"near": {"lat": 52.5, "lng": 13.4, "km": 10}},
            "dailyPrice": {"gte": {"amount": "10", "currency": "EUR"}},
        },
        sort=["-dailyPrice"],
    )
    for item in near["data"]:
        price, location = item["dailyPrice"], item["location"]
        where = location["lat"] if location else ""
        print(f"near: {item['name']} {price['amount']} {price['currency']} {where} {item['shortest']}")
    in_november = rental.item.list(
        where={"boughtOn": {"by": "month", "eq": "2026-11"}}, sort=["boughtOn:week", "name"], time_zone="Europe/Berlin"
    )
    for item in in_november["data"]:
        weekly = item.get("weeklyPrice")
        print(f"in November: {item['name']} {weekly['amount'] if weekly else ''}")
    sums = rental.item.sum(
        group=["dailyPrice", {"field": "boughtOn", "by": "month"}],
        measures={"sum": ["dailyPrice", "shortest"], "max": ["boughtOn"]},
    )
    for each in sums["data"]:
        group, amounts, latest = each["group"], each["sum"], each["max"]
        told = (group["dailyPrice"], group["boughtOn"], amounts["dailyPrice"], amounts["shortest"], latest["boughtOn"])
        print("sum:", *told)
    print(f"first: {boat['name']}")


if __name__ == "__main__":
    items(*sys.argv[1:] or ("http://localhost:3001", "ada@example.com"))
