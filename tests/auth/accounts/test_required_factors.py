"""Organizations that ask for a second factor: members without one count as if they were none."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from app.auth.models.identity import AuthPasskey
from app.auth.models.organizations import AuthMember
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.accounts.people import PASSWORD, Person, next_code, sign_up_person
from tests.auth.sign_in.visitors import session_of

ORGANIZATIONS, TEAMS = "/api/v1/auth/organization", "/api/v1/auth/team"


def told(answer):
    return answer.status_code, answer.json["code"]


def enter(person, organization_id, role="member"):
    with person.app.app_context(), transaction() as session:
        session.add(AuthMember(organization_id=UUID(organization_id), user_id=UUID(person.id), role=role))


def add_passkey(person):
    with person.app.app_context(), transaction() as session:
        made = AuthPasskey(user_id=person.id, public_key="x", credential_id=uuid4().hex, device_type="single_device")
        session.add(made)


@pytest.fixture
def founder(app):
    """The owner of an organization, with a second factor; ``secret`` is that of the authenticator."""
    person = sign_up_person(app)
    person.secret_of_factor = person.add_factor()
    return person


@pytest.fixture
def home(founder):
    """The id of an organization that asks for a second factor, and has a team."""
    made = founder.actor.post(ORGANIZATIONS, {"name": "Harbour"}).json["id"]
    assert founder.actor.put(f"{ORGANIZATIONS}/{made}", {"requireTwoFactor": True}).json["requireTwoFactor"] is True
    founder.actor.post(TEAMS, {"name": "Crew", "organizationId": made})
    return made


@pytest.fixture
def member(app, home):
    """A member without a second factor."""
    person = sign_up_person(app)
    enter(person, home)
    return person


def teams(actor, home):
    return actor.get(TEAMS, query_string={"organizationId": home}).json["meta"]["count"]


def test_a_session_of_a_member_without_a_factor_acts_as_one_of_no_member(member, home):
    assert teams(member.actor, home) == 0
    assert member.actor.get(f"{ORGANIZATIONS}/{home}").status_code == 404
    assert member.actor.post(TEAMS, {"name": "X", "organizationId": home}).status_code == 400
    assert member.post("session/organization", organizationId=home).status_code == 400


def test_a_key_of_a_member_without_a_factor_is_refused(app, founder, home):
    person = sign_up_person(app)
    secret = person.add_factor()
    enter(person, home)
    person.post("session/organization", organizationId=home)
    key = Actor(app, person.actor.post("/api/v1/auth/api-key", {"name": "mine"}).json["key"])
    assert teams(key, home) == 1
    code = next_code(secret)
    assert person.post("two-factor/disable", password=PASSWORD, code=code).status_code == 200
    assert key.get(TEAMS).status_code == 401
    assert teams(person.actor, home) == 0


@pytest.mark.parametrize("factor", [Person.add_factor, add_passkey])
def test_a_factor_of_either_kind_makes_a_member_count_again_at_once(member, home, factor):
    factor(member)
    assert teams(member.actor, home) == 1


def test_a_factor_that_was_never_confirmed_is_none(member, home):
    assert member.post("two-factor/enroll").status_code == 200
    assert teams(member.actor, home) == 0


def test_other_organizations_of_the_member_go_on_as_before(member):
    made = member.actor.post(TEAMS, {"name": "Mine"})
    assert made.status_code == 201


def test_sign_in_and_session_say_where_a_factor_is_missing(member, home):
    assert member.sign_in().json["twoFactorSetup"] == [home]
    assert session_of(member.browser)["twoFactorSetup"] == [home]
    assert member.actor.get("/api/auth/session").json["twoFactorSetup"] == [home]
    member.add_factor()
    assert "twoFactorSetup" not in member.actor.get("/api/auth/session").json


def test_who_misses_no_factor_is_told_nothing(founder, home, ada):
    assert "twoFactorSetup" not in founder.actor.get("/api/auth/session").json
    assert "twoFactorSetup" not in ada.sign_in().json


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_a_manager_with_a_factor_switches_it_on(app, founder, role):
    made = founder.actor.post(ORGANIZATIONS, {"name": "Shipyard"}).json["id"]
    manager = sign_up_person(app)
    enter(manager, made, role)
    path = f"{ORGANIZATIONS}/{made}"
    assert told(manager.actor.put(path, {"requireTwoFactor": True})) == (403, "FORBIDDEN")
    assert founder.actor.get(path).json["requireTwoFactor"] is False
    manager.add_factor()
    assert manager.actor.put(path, {"requireTwoFactor": True}).json["requireTwoFactor"] is True


def test_a_member_does_not_switch_it_on(app, founder):
    made = founder.actor.post(ORGANIZATIONS, {"name": "Shipyard"}).json["id"]
    person = sign_up_person(app)
    person.add_factor()
    enter(person, made)
    assert person.actor.put(f"{ORGANIZATIONS}/{made}", {"requireTwoFactor": True}).status_code == 403


def test_an_organization_is_not_founded_with_it_by_whoever_has_no_factor(ada):
    refused = ada.actor.post(ORGANIZATIONS, {"name": "Harbour", "requireTwoFactor": True})
    assert told(refused) == (403, "FORBIDDEN")
    ada.add_factor()
    assert ada.actor.post(ORGANIZATIONS, {"name": "Harbour", "requireTwoFactor": True}).status_code == 201


def test_a_manager_without_a_factor_does_not_switch_it_off(app, founder, home):
    manager = sign_up_person(app)
    enter(manager, home, "admin")
    assert manager.actor.put(f"{ORGANIZATIONS}/{home}", {"requireTwoFactor": False}).status_code == 404
    assert founder.actor.put(f"{ORGANIZATIONS}/{home}", {"requireTwoFactor": False}).status_code == 200
    assert manager.actor.get(f"{ORGANIZATIONS}/{home}").status_code == 200


def test_other_fields_are_changed_without_a_word_about_factors(ada):
    made = ada.actor.post(ORGANIZATIONS, {"name": "Harbour"}).json["id"]
    assert ada.actor.put(f"{ORGANIZATIONS}/{made}", {"name": "Shipyard"}).status_code == 200
    assert ada.actor.put(f"{ORGANIZATIONS}/{made}", {"requireTwoFactor": False}).status_code == 200


def test_an_admin_who_looks_through_the_eyes_of_a_member_sees_no_more(cast, member, home):
    token = cast.user(role="admin").post("/api/auth/impersonate", {"userId": member.id}).json["token"]
    assert teams(Actor(member.app, token), home) == 0
