"""The companies, contacts and deals of the sample data, all of them kept by one member."""

from __future__ import annotations

from uuid import UUID

from app.crm.hooks import PROBABILITY
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.ops.samples.context import Context
from app.ops.samples.deals import DEALS, Row
from app.ops.samples.people import Team

# Name, web address, industry, revenue in US dollars, employees, visibility, days since it was added.
COMPANIES = (
    ("Northquay Logistics", "https://northquay.example", "Logistics", 48_200_000, 310, "public", 52),
    ("Saltmarsh Foods", "https://saltmarsh.example", "Food", 126_500_000, 540, "private", 47),
    ("Tidewater Instruments", "https://tidewater.example", "Manufacturing", 21_750_000, 128, "public", 41),
    ("Beacon Marine Insurance", "https://beacon.example", "Insurance", 310_000_000, 860, "private", 33),
    ("Kestrel Shipyard", "https://kestrel.example", "Shipbuilding", 74_900_000, 415, "private", 26),
    ("Skerry Freight", None, "Logistics", None, 24, "private", 15),
)

# Company, first name, last name, title, telephone, days after the company.
CONTACTS = (
    ("Northquay Logistics", "Hanna", "Virtanen", "Head of Operations", "+44 20 7946 0121", 0),
    ("Northquay Logistics", "Peter", "Achebe", "IT Manager", "+44 20 7946 0138", 1),
    ("Northquay Logistics", "Lucia", "Romano", "Finance Director", None, 6),
    ("Saltmarsh Foods", "Daniel", "Whitlock", "Supply Chain Lead", "+44 20 7946 0245", 0),
    ("Saltmarsh Foods", "Amara", "Nwosu", "Quality Manager", "+44 20 7946 0251", 3),
    ("Tidewater Instruments", "Greta", "Holm", "Managing Director", "+1 202 555 0143", 0),
    ("Tidewater Instruments", "Samuel", "Ortiz", "Head of Service", "+1 202 555 0157", 2),
    ("Tidewater Instruments", "Yuki", "Tanabe", "Software Architect", None, 9),
    ("Beacon Marine Insurance", "Claire", "Dubois", "Claims Director", "+44 20 7946 0362", 0),
    ("Beacon Marine Insurance", "Rashid", "Karim", "Data Protection Officer", None, 5),
    ("Kestrel Shipyard", "Oskar", "Nilsen", "Yard Manager", "+44 20 7946 0419", 0),
    ("Kestrel Shipyard", "Fiona", "MacLeod", "Purchasing", "+44 20 7946 0427", 4),
    ("Skerry Freight", "Ewan", "Sinclair", "Owner", "+44 20 7946 0580", 0),
    ("Skerry Freight", "Maja", "Kowalska", "Dispatcher", None, 2),
)


def make(context: Context, team: Team) -> list[CrmDeal]:
    """Store companies and contacts, and return the deals made with them."""
    shared = {"organization_id": team.organization.id, "created_by_id": team.member.id}
    contacts = _contacts(context, shared, _companies(context, shared))
    return [_deal(context, shared, contacts[row.contact], row) for row in DEALS]


def _companies(context: Context, shared: dict[str, UUID]) -> dict[str, UUID]:
    made = {}
    for name, website, industry, revenue, employees, visibility, days in COMPANIES:
        company = CrmCompany(
            **shared, name=name, website=website, industry=industry, employees=employees, visibility=visibility,
            revenue=revenue * 100 if revenue else None,
        )  # fmt: skip
        made[name] = context.store(company, context.at(days, "11:10")).id
    return made


def _contacts(context: Context, shared: dict[str, UUID], companies: dict[str, UUID]) -> dict[str, CrmContact]:
    age = {company[0]: company[-1] for company in COMPANIES}
    made = {}
    for company, first, last, title, phone, later in CONTACTS:
        email = f"{first}.{last}@{company.split()[0]}.example".lower()
        contact = CrmContact(
            **shared, company_id=companies[company], first_name=first, last_name=last, email=email, title=title,
            phone=phone,
        )  # fmt: skip
        made[f"{first} {last}"] = context.store(contact, context.at(age[company] - later, "11:25"))
    return made


def _deal(context: Context, shared: dict[str, UUID], contact: CrmContact, row: Row) -> CrmDeal:
    made = context.at(row.made, "13:15")
    moved = made if row.moved == row.made else context.at(row.moved, "14:40")
    deal = CrmDeal(
        **shared, owner_id=shared["created_by_id"], name=row.name, company_id=contact.company_id,
        contact_id=contact.id, stage=row.stage, amount=row.amount * 100, probability=PROBABILITY[row.stage],
        priority=row.priority, source=row.source, expected_close_at=context.at(-row.closes_in, "12:00"),
        stage_changed_at=moved, closed_at=moved if row.stage in ("won", "lost") else None,
        lost_reason=row.lost_reason, next_step=row.next_step, description=row.description,
    )  # fmt: skip
    return context.store(deal, made, moved)
