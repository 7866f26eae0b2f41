"""Somebody with rows to ask about, and a world in which a test knows every row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from app.auth.models.organizations import AuthMember
from app.extensions import db
from app.factory import create_app
from app.runtime.embedded import DATABASE, database_url
from app.schema.histories import upgrade
from app.testing.cast import Cast
from app.testing.parts import close_application
from config import Settings
from tests.engine.queries import world

DEALS, COMPANIES, TEAMS = "/api/v1/crm/deal", "/api/v1/crm/company", "/api/v1/auth/team"


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


@pytest.fixture(scope="module")
def asked_cast(app, var_dir):
    """The cast of a database of its own, in which a test knows every row."""
    with app.app_context(), db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE asked {world_options(connection)}"))
        url = database_url(var_dir).replace(DATABASE, "asked")
        other = create_app(Settings(var_dir=var_dir, database_url=url, default_limit="1000000 per minute"))
        with other.app_context():
            upgrade()
        yield Cast(other)
        close_application(other)
        connection.execute(text("DROP DATABASE asked"))


def world_options(connection):
    """As the embedded server makes its database."""
    name = connection.execute(text("SELECT current_database()")).scalar_one()
    return f"TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' -- like {name}"


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--fuzz-worlds")), scope="module")


@pytest.fixture(scope="module")
def known(asked_cast, seed):
    return world.build(asked_cast, seed)


@pytest.fixture(scope="module")
def examples(request):
    return request.config.getoption("--fuzz-queries")


@pytest.fixture(scope="module")
def narrowed(asked_cast, known):
    """A key of the owner, and a member, whose grants a test sets; each with how to set them."""
    owner, member = known.callers["owner"], known.callers["member"]
    actor = asked_cast.key(owner.actor, "read", "write")
    made = owner.actor.get("/api/v1/auth/api-key").json["data"][0]
    key = replace(owner, actor=actor, roles={owner.actor.organization_id: "owner"})
    home = owner.actor.organization_id
    row = next(
        each for each in known.rows[AuthMember] if (each["user_id"], each["organization_id"]) == (member.user_id, home)
    )

    def set_key(grants):
        answer = owner.actor.put(f"/api/v1/auth/api-key/{made['id']}", {"access": grants})
        assert answer.status_code == 200, answer.json
        return replace(key, lists=((None, grants),))

    def set_member(grants):
        answer = owner.actor.put(f"/api/v1/auth/member/{row['id']}/_access", {"access": grants})
        assert answer.status_code == 200, answer.json
        return replace(member, lists=((home, grants),))

    teams = [owner.actor.post(TEAMS, {"name": name}).json["id"] for name in ("One", "Two")]
    for each in teams:
        joined = owner.actor.post(f"{TEAMS}-member", {"teamId": each, "userId": str(member.user_id)})
        assert joined.status_code == 201, joined.json

    def set_teams(grants):
        """Part of the list in one team and the rest in another, of which the member has the union."""
        for each, part in zip(teams, (grants[::2], grants[1::2]), strict=True):
            answer = owner.actor.put(f"{TEAMS}/{each}/_access", {"access": part})
            assert answer.status_code == 200, answer.json
        return replace(member, lists=((home, grants),))

    def only(set_one, whose):
        """Set those of a kind, with none of the others."""

        def set_grants(grants):
            if whose == "member":
                for each in teams:
                    owner.actor.put(f"{TEAMS}/{each}/_access", {"access": None})
            if whose == "teams":
                owner.actor.put(f"/api/v1/auth/member/{row['id']}/_access", {"access": None})
            return set_one(grants)

        return set_grants

    setters = {"key": set_key, "member": set_member, "teams": set_teams}
    return {whose: only(set_one, whose) for whose, set_one in setters.items()}
