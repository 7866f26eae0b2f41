"""What the measured database holds: 200 users with a company and 500 contacts each, and sessions for some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, attempt
from app.extensions import db
from app.foundation.clock import now
from app.runtime import connections
from app.schema.histories import upgrade

USERS, CONTACTS_EACH, SIGNED_IN = 200, 500, 40
COLUMNS = (
    "id", "organization_id", "created_by_id", "first_name", "last_name", "email", "phone", "title", "company_id",
    "created_at", "updated_at",
)  # fmt: skip


@dataclass(frozen=True)
class Person:
    """A user with a company and contacts; ``token`` is empty for those who are not signed in."""

    id: UUID
    organization_id: UUID
    company_id: UUID
    contact_ids: tuple[UUID, ...]
    token: str


@dataclass(frozen=True)
class Population:
    people: tuple[Person, ...]
    admin_token: str

    @property
    def readers(self) -> tuple[Person, ...]:
        """Those whose records stay as they are."""
        return self.people[: SIGNED_IN // 2]

    @property
    def writers(self) -> tuple[Person, ...]:
        return self.people[SIGNED_IN // 2 : SIGNED_IN]


def populate(app: Flask) -> Population:
    """Migrate the database of ``app`` and fill it."""
    with app.app_context():
        upgrade()
        with attempt(SYSTEM) as unit:
            admin = AuthUser(email="admin@bench.example", name="Admin", email_verified=True, role="admin")
            organizations.provision_user(unit, admin)
            admin_token = sessions.open_session(unit, admin).token
            people = tuple(_person(unit, number) for number in range(USERS))
            _copy_contacts(unit.session, people)
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))
        connections.close_all()
    return Population(people, admin_token)


def _person(unit: Unit, number: int) -> Person:
    user = AuthUser(email=f"user{number}@bench.example", name=f"User {number}", email_verified=True)
    organization = organizations.provision_user(unit, user)
    company = CrmCompany(organization_id=organization.id, created_by_id=user.id, name=f"Company {number}")
    unit.session.add(company)
    unit.session.flush()
    token = sessions.open_session(unit, user).token if number < SIGNED_IN else ""
    contacts = tuple(uuid7() for _ in range(CONTACTS_EACH))
    return Person(user.id, organization.id, company.id, contacts, token)


def _copy_contacts(session: Session, people: tuple[Person, ...]) -> None:
    driver: Any = session.connection().connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY crm_contact ({', '.join(COLUMNS)}) FROM STDIN") as copy:
        for row in _contacts(people, now()):
            copy.write_row(row)


def _contacts(people: tuple[Person, ...], until: datetime) -> Iterator[tuple[Any, ...]]:
    """Rows in the order of their times, one minute apart, everybody's among everybody else's."""
    started = until - timedelta(minutes=USERS * CONTACTS_EACH)
    for number in range(USERS * CONTACTS_EACH):
        person = people[number % USERS]
        stamp = started + timedelta(minutes=number)
        yield (
            person.contact_ids[number // USERS], person.organization_id, person.id,
            f"First {number}", f"Last {number}", f"contact{number}@bench.example", f"+1 555 {number:07}",
            "Engineer", person.company_id, stamp, stamp,
        )  # fmt: skip
