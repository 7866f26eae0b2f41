"""Somebody with rows to ask about."""

from __future__ import annotations

import pytest

DEALS, COMPANIES = "/api/v1/crm/deal", "/api/v1/crm/company"


@pytest.fixture(scope="module")
def owner(cast):
    """Somebody with five deals of two companies."""
    actor = cast.user()
    works, steel = (
        actor.post(COMPANIES, {"name": name, "industry": industry}).json["id"]
        for name, industry in (("Harbour, Works", "shipping"), ("Élan", "steel"))
    )
    rows = (("Crane", 500, works), ("crane two", 1500, steel), ("Boat", None, works), ("50% off_x\\", 7, steel),
            ("Zulu", 1500, works))  # fmt: skip
    for name, amount, company in rows:
        actor.post(DEALS, {"name": name, "amount": amount, "companyId": company})
    return actor
