"""Rights: an endpoint hears what its user may see in the moment of each attempt, and ends with the membership."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, update

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthMember
from app.testing.database import transaction
from tests.webhooks.conftest import HOOKS

COMPANY = "/api/v1/crm/company"


def execute(app, statement):
    with app.app_context(), transaction() as session:
        session.execute(statement)


def test_changes_of_others_are_not_heard(owner, cast, receive, deliver):
    hook = receive(owner, eventTypes=["*"])
    cast.user().post(COMPANY, {"name": "Of others"})
    deliver()
    assert [type for type, _ in hook.heard() if type.startswith("crm.")] == []


LOSES = {
    "left": lambda who: delete(AuthMember).where(AuthMember.user_id == who.user_id),
    "banned": lambda who: update(AuthUser).where(AuthUser.id == who.user_id).values(banned=True),
}


@pytest.mark.parametrize("how", LOSES)
def test_what_waits_is_not_sent_to_whoever_has_lost_the_right(app, owner, cast, receive, deliver, loopback, clock, how):
    colleague = cast.colleague(owner)
    hook = receive(colleague, organizationId=str(owner.organization_id))
    loopback.answer(hook.path, status=500, times=1)
    owner.post(COMPANY, {"name": "Waits"})
    deliver()
    assert hook.heard() == [("crm.company.create", "Waits")]
    execute(app, LOSES[how](colleague))
    owner.post(COMPANY, {"name": "After"})
    clock.move(seconds=10)
    deliver()
    assert hook.heard() == []


def test_what_went_out_of_sight_before_it_could_be_sent_is_told_as_gone(owner, cast, receive, deliver, loopback, clock):
    hook = receive(owner, where={"industry": "food"})
    works = owner.post(COMPANY, {"name": "Works", "industry": "food"}).json["id"]
    deliver()
    hook.heard()
    loopback.answer(hook.path, status=500, times=1)
    owner.patch(f"{COMPANY}/{works}", {"name": "Secret plans"})
    deliver()
    hook.heard()
    owner.patch(f"{COMPANY}/{works}", {"industry": "shipping"})
    clock.move(seconds=6)
    deliver()
    assert hook.heard() == [("crm.company.delete", None)]


def test_an_endpoint_goes_with_the_membership(owner, cast, receive):
    colleague = cast.colleague(owner)
    hook = receive(colleague, organizationId=str(owner.organization_id))
    members = owner.get(f"/api/v1/auth/member?userId={colleague.user_id}").json["data"]
    assert owner.delete(f"/api/v1/auth/member/{members[0]['id']}").status_code == 200
    assert owner.get(HOOKS).json["data"] == []
    assert colleague.get(f"{HOOKS}/{hook.id}").status_code == 404


def test_a_member_who_is_narrowed_hears_what_the_grants_open_alone(app, owner, cast, receive, deliver):
    colleague = cast.colleague(owner)
    hook = receive(colleague, organizationId=str(owner.organization_id))
    narrow = [{"models": ["crm/company"], "operations": ["list", "read"], "where": {"industry": "food"}}]
    members = owner.get(f"/api/v1/auth/member?userId={colleague.user_id}").json["data"]
    assert owner.put(f"/api/v1/auth/member/{members[0]['id']}/_access", {"access": narrow}).status_code == 200
    for industry in ("shipping", "food"):
        owner.post(COMPANY, {"name": industry, "industry": industry})
    deliver()
    assert hook.heard() == [("crm.company.create", "food")]


def test_an_admin_hears_of_the_organization_alone(cast, owner, receive, deliver):
    admin = cast.admin
    hook = receive(admin, eventTypes=["crm.company.*"])
    owner.post(COMPANY, {"name": "Of others"})
    admin.post(COMPANY, {"name": "Own"})
    deliver()
    assert hook.heard() == [("crm.company.create", "Own")]
