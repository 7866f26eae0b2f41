"""Changes of lists that meet: whoever comes later sees what the earlier has written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy import select, text

from app.auth.models.organizations import AuthMember
from app.auth.organizations import member_access
from app.testing.database import transaction
from app.testing.waiting import await_true
from tests.auth.access.granting import grant
from tests.auth.access.test_members import JOINED, MEMBERS, TEAMS, membership, team

WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
def member(cast, owner):
    return cast.colleague(owner)


def hold(session, owner, person):
    mine = (AuthMember.organization_id == owner.organization_id, AuthMember.user_id == person.user_id)
    session.execute(select(AuthMember.id).where(*mine).with_for_update())


def test_of_two_teams_that_are_narrowed_at_once_both_count(owner, member):
    first, second = team(owner, member), team(owner, member)
    lists = {first: [grant("crm/deal")], second: [grant("crm/company")]}
    with ThreadPoolExecutor(2) as pool, owner.app.app_context(), transaction() as session:
        hold(session, owner, member)
        sent = [pool.submit(owner.put, f"{TEAMS}/{each}/_access", {"access": lists[each]}) for each in lists]
        await_true(lambda: session.scalar(WAITING) >= 2)
        session.commit()
        assert [each.result().status_code for each in sent] == [200, 200]
    found = owner.get(f"{MEMBERS}/{membership(owner, member)}/_access").json["teamAccess"]
    assert sorted(found, key=str) == sorted([grant("crm/deal"), grant("crm/company")], key=str)


def test_who_joins_a_team_while_it_is_narrowed_is_narrowed_as_well(cast, owner, member, monkeypatch):
    made, laid, going = team(owner, member), Event(), Event()
    check = member_access._check_bounds

    def check_and_wait(*arguments):
        check(*arguments)
        laid.set()
        assert going.wait(30)

    monkeypatch.setattr(member_access, "_check_bounds", check_and_wait)
    with ThreadPoolExecutor(2) as pool, owner.app.app_context(), transaction() as session:
        narrowing = pool.submit(owner.put, f"{TEAMS}/{made}/_access", {"access": [grant("crm/deal")]})
        assert laid.wait(30)
        joining = cast.colleague(owner)
        joined = pool.submit(owner.post, JOINED, {"teamId": made, "userId": str(joining.user_id)})
        await_true(lambda: joined.done() or session.scalar(WAITING))
        going.set()
        assert (narrowing.result().status_code, joined.result().status_code) == (200, 201)
    found = owner.get(f"{MEMBERS}/{membership(owner, joining)}/_access").json["teamAccess"]
    assert found == [grant("crm/deal")]


def test_of_two_lists_at_once_the_later_says_that_it_replaced_the_earlier(owner, member):
    path = f"{MEMBERS}/{membership(owner, member)}/_access"
    with ThreadPoolExecutor(2) as pool, owner.app.app_context(), transaction() as session:
        hold(session, owner, member)
        sent = [pool.submit(owner.put, path, {"access": [grant(model)]}) for model in ("crm/deal", "crm/company")]
        await_true(lambda: session.scalar(WAITING) >= 2)
        session.commit()
        assert [each.result().status_code for each in sent] == [200, 200]
    asked = {"action": "auth.member.access", "organizationId": str(owner.organization_id)}
    rows = [each["changes"] for each in owner.get("/api/v1/platform/audit-log", query_string=asked).json["data"]]
    (earlier,) = (each for each in rows if each["before"] is None)
    (later,) = (each for each in rows if each["before"] is not None)
    assert later["before"] == earlier["after"]
