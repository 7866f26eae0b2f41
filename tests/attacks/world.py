"""Who is there during the assaults of `make attacks`, and what belongs to whom."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from tests.attacks.caller import Caller

if TYPE_CHECKING:  # the processes that send requests know the world, and need not load the service
    from tests.attacks.service import Service

COMPANY, CONTACT, DEAL = "/api/v1/crm/company", "/api/v1/crm/contact", "/api/v1/crm/deal"
PASSWORD = "correct horse battery"
SIGN_UPS, ACCOMPLICES = 10, 30
# Deals for each company of the attacker.
DEALS_EACH = 100


@dataclass(frozen=True)
class World:
    """What those who send requests have to know: addresses of records, credentials, and emails of accounts."""

    port: int
    # The session of who attacks, the organization and a company of all attackers, and sessions of further accounts.
    attacker: str
    organization: str
    company: str
    accomplices: list[str]
    # The innocents' key, a record that it reads, public companies, and those who sign in.
    key: str
    item: str
    public: list[str]
    people: list[str]

    def caller(self, token: str | None, address: str = "198.19.255.1", timeout: float = 30.0) -> Caller:
        return Caller(self.port, address, token, timeout)

    def written(self) -> str:
        """The world in one line."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> World:
        return cls(**json.loads(line))


def make_world(service: Service, rows: int) -> World:
    """Make an attacker with ``rows`` deals and innocents with a few records."""
    cast = service.cast
    owner, attacker, accomplices = cast.user(), cast.user(), [cast.user() for _ in range(ACCOMPLICES)]
    key = cast.key(owner, "read", "write").token
    caller, public = service.caller().holding(key or ""), {"name": "Open House", "visibility": "public"}
    companies = [caller.made(COMPANY, public)["id"] for _ in range(2)]
    person = {"firstName": "Ida", "lastName": "Innocent", "email": "ida@example.com", "companyId": companies[0]}
    item = f"{CONTACT}/{caller.made(CONTACT, person)['id']}"
    own = service.caller().holding(attacker.token or "").made(COMPANY, {"name": "Mallory & Co"})["id"]
    service.execute(FILLING, organization=attacker.organization_id, rows=rows, companies=max(1, rows // DEALS_EACH))
    return World(
        port=service.port, attacker=attacker.token or "", organization=str(attacker.organization_id), company=own,
        accomplices=[each.token or "" for each in accomplices],
        key=key or "", item=item, public=[f"{COMPANY}/{each}" for each in companies],
        people=[_sign_up(service, number) for number in range(SIGN_UPS)],
    )  # fmt: skip


def with_newcomer(service: Service, world: World) -> World:
    """The same world attacked by somebody else of the organization, who has not used up what a user may."""
    newcomer = service.cast.user()
    service.execute(MOVING, user=newcomer.user_id, organization=world.organization)
    return replace(world, attacker=newcomer.token or "")


def _sign_up(service: Service, number: int) -> str:
    """Give the email of somebody new who signs in with the password."""
    email = f"innocent{number}@example.com"
    person = {"email": email, "password": PASSWORD, "name": f"Innocent {number}"}
    answer = service.caller(signed_in=False).post("/api/auth/signup", person)
    assert answer.status == 200, answer
    return email


# Out of the organization that everybody has, so that this one is the only one.
MOVING = (
    "UPDATE auth_member SET organization_id = %(organization)s WHERE user_id = %(user)s",
    "UPDATE auth_session SET active_organization_id = %(organization)s WHERE user_id = %(user)s",
)
FILLING = (
    """INSERT INTO crm_company (id, created_at, updated_at, organization_id, name, industry, visibility)
    SELECT gen_random_uuid(), now() - n * interval '1 minute', now(), %(organization)s, 'company ' || n,
        (ARRAY['steel', 'shipping', 'paper'])[1 + n %% 3], 'private'
    FROM generate_series(1, %(companies)s::int) AS n""",
    """INSERT INTO crm_contact (id, created_at, updated_at, organization_id, first_name, last_name, email, company_id)
    SELECT gen_random_uuid(), now(), now(), %(organization)s, 'Ada', 'Name ' || row_number() OVER (),
        'p' || row_number() OVER () || '@mallory.example', id
    FROM crm_company WHERE organization_id = %(organization)s AND name LIKE 'company %%'""",
    """INSERT INTO crm_deal (id, created_at, updated_at, organization_id, name, company_id, contact_id, stage, amount,
        currency, probability, priority, stage_changed_at)
    SELECT gen_random_uuid(), now() - n * interval '1 second', now(), %(organization)s,
        'deal ' || n || ' harbour' || n %% 1000, company.id, company.contact,
        (ARRAY['lead', 'qualified', 'won', 'lost'])[1 + n %% 4], n, 'EUR', 10,
        (ARRAY['low', 'medium', 'high'])[1 + n %% 3], now()
    FROM generate_series(1, %(rows)s::int) AS n JOIN (
        SELECT c.id, row_number() OVER () AS place, (SELECT id FROM crm_contact WHERE company_id = c.id) AS contact
        FROM crm_company AS c WHERE organization_id = %(organization)s AND name LIKE 'company %%'
    ) AS company ON company.place = 1 + n %% %(companies)s::int""",
    "VACUUM ANALYZE",
)
