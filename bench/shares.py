"""What shares cost: lists over a million rows by somebody with whom ten thousand are shared, beside the same lists by a
colleague without any. The two take turns within one process; told are ratios of medians, of its own time and of all."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import text

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, attempt
from app.extensions import db
from app.factory import create_app
from app.schema.histories import upgrade
from bench.gate.operations import Client
from bench.servers import NO_LIMIT, private_parts
from bench.shapes import ratios
from config import Settings

ROWS, SHARED, FEW, AT_ONCE = 1_000_000, 10_000, 1000, 20_000
PATH = "/api/v1/crm/deal"
# Each with how often it is asked.
LISTS = {
    "plain": (f"{PATH}?take=20", 15, 1),
    "bounded count": (f"{PATH}?take=20&count=bounded", 100, 2),
    "no count": (f"{PATH}?take=20&count=none", 200, 5),
    "walked": (f"{PATH}?take=20&cursor=&count=none", 200, 5),
}
DEALS = """
INSERT INTO crm_deal (id, created_at, updated_at, organization_id, name, company_id, stage, currency, probability,
                      priority, stage_changed_at)
SELECT uuidv7(moment - now()), moment, moment, :organization, 'Deal ' || n, :company, 'lead', 'EUR', 50, 'low', moment
FROM generate_series(:first ::integer, :last ::integer) AS n,
     LATERAL (SELECT now() - n * interval '1 second') AS at (moment)
"""
SHARES = """
INSERT INTO auth_share (id, created_at, updated_at, model, record_id, record_created_at, recipient, user_id, may,
                        organization_id, outside)
SELECT gen_random_uuid(), now(), now(), 'crm/deal', id, created_at, :recipient, :user, 'read',
       organization_id, true
FROM (SELECT * FROM crm_deal WHERE organization_id = :organization ORDER BY md5(id::text) LIMIT :shared) AS chosen
"""


def main() -> None:
    """Measure, and print a line for each list: by members of an organization with nearly all rows, and with few."""
    with private_parts() as folder:
        app = create_app(Settings(var_dir=folder, default_limit=NO_LIMIT))
        with app.app_context():
            upgrade()
            others = _organization("others", 2 * SHARED)
            pairs = {
                "many rows": _pair("many", ROWS - 2 * SHARED - FEW, others),
                "few rows": _pair("few", FEW, others),
            }
            with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("VACUUM ANALYZE"))
        print(f"{'':28}{'own time':>10}{'all':>8}")
        for whose, tokens in pairs.items():
            for name, (path, rounds, batch) in LISTS.items():
                one, other = (partial(Client(app, token).ready, "GET", path) for token in tokens)
                own, together = ratios(one, other, rounds, batch)
                print(f"{f'{whose}, {name}':28}{own:10.2f}{together:8.2f}")


def _organization(name: str, rows: int) -> UUID:
    """The organization of a new user, with so many deals."""
    with attempt(SYSTEM) as unit:
        user = _user(unit, name)
        home: Any = organizations.personal_organization_of(unit.session, user.id)
        company = CrmCompany(organization_id=home, name=name)
        unit.store(company)
    values = {"organization": home, "company": company.id}
    for first in range(1, rows + 1, AT_ONCE):
        with attempt(SYSTEM) as unit:
            window = {"first": first, "last": min(rows, first + AT_ONCE - 1)}
            unit.session.execute(text(DEALS), values | window)
    found: UUID = home
    return found


def _pair(name: str, rows: int, others: UUID) -> tuple[str, str]:
    """Two members of one organization: nothing is shared with the first, and rows of ``others`` with the second."""
    home, tokens = _organization(name, rows), []
    with attempt(SYSTEM) as unit:
        for each in ("without", "with"):
            user = _user(unit, f"{name}-{each}")
            unit.store(AuthMember(organization_id=home, user_id=user.id, role="member"))
            tokens.append(sessions.open_session(unit, user).token)
        shared = {"recipient": str(user.id), "user": user.id, "organization": others, "shared": SHARED}
        unit.session.execute(text(SHARES), shared)
    return tokens[0], tokens[1]


def _user(unit: Unit, name: str) -> AuthUser:
    user = AuthUser(email=f"{name}@bench.example", name=name, email_verified=True)
    organizations.provision_user(unit, user)
    return user


if __name__ == "__main__":
    main()
