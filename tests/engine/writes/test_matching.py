"""Writes about all rows that match: by the conditions of lists, among what the caller sees and may change."""

from __future__ import annotations

from threading import Thread

import pytest
from sqlalchemy import text

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.testing.database import transaction
from app.testing.waiting import await_true
from app.testing.workshop import Workshop
from tests.engine.writes.twins import growth

CONTACT, DEAL, COMPANY = "/api/v1/crm/contact", "/api/v1/crm/deal", "/api/v1/crm/company"


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


@pytest.fixture
def deals(shop):
    company = shop.make(CrmCompany, name="Harbour", industry="shipping")["id"]
    return [
        shop.make(CrmDeal, companyId=company, name=name, **values)
        for name, values in {
            "Crane": {"stage": "lead", "amount": 100, "source": "event"},
            "Crate": {"stage": "won", "amount": 200},
            "Quay_1": {"stage": "qualified", "amount": None},
            "Quay%2": {"stage": "lead", "amount": 400, "expectedCloseAt": "2026-05-01T00:00:00.000Z"},
        }.items()
    ]


def match(actor, path, where, operation="update", **body):
    body = {"where": where, "max": 100, **({"set": {}} if operation == "update" else {}), **body}
    return actor.post(f"{path}/_matching/_{operation}", body)


CONDITIONS = [
    {}, {"name": "Crane"}, {"name": {"ne": "Crane"}}, {"amount": {"gt": 100}}, {"amount": {"gte": 200, "lt": 400}},
    {"amount": {"lte": 200}}, {"stage": {"in": ["lead", "won"]}}, {"stage": {"nin": ["lead"]}},
    {"name": {"contains": "ra"}}, {"name": {"startsWith": "quay"}}, {"name": {"endsWith": "%2"}},
    {"source": {"isNull": True}}, {"amount": None}, {"amount": {"ne": None}},
    {"expectedCloseAt": {"gt": "2026-04-01T00:00:00Z"}}, {"or": [{"name": "Crane"}, {"amount": 200}]},
    {"and": [{"stage": "lead"}, {"amount": {"gt": 100}}]}, {"not": {"stage": "lead"}},
    {"company": {"industry": "shipping"}}, {"not": {"company": {"name": {"contains": "harb"}}}},
]  # fmt: skip


@pytest.mark.parametrize("where", CONDITIONS, ids=str)
def test_what_a_list_finds_is_what_matches(shop, deals, where):
    found = shop.owner.post(f"{DEAL}/_query", {"where": where, "take": 100}).json["data"]
    counted = match(shop.owner, DEAL, where, dryRun=True)
    assert (counted.status_code, counted.json) == (200, {"meta": {"count": len(found)}})

    assert match(shop.owner, DEAL, where, set={"nextStep": "Call"}).json == {"meta": {"count": len(found)}}
    rows = shop.owner.get(DEAL).json["data"]
    assert {each["id"] for each in rows if each["nextStep"] == "Call"} == {each["id"] for each in found}

    assert match(shop.owner, DEAL, where, "delete").json == {"meta": {"count": len(found)}}
    left = {each["id"] for each in shop.owner.get(DEAL).json["data"]}
    assert left == {each["id"] for each in deals} - {each["id"] for each in found}


def test_effects_are_those_of_single_changes(shop, deals):
    answer = match(shop.owner, DEAL, {"stage": {"in": ["lead", "qualified"]}}, set={"stage": "won"})
    assert answer.json == {"meta": {"count": 3}}
    rows = shop.owner.get(DEAL).json["data"]
    assert {(each["stage"], each["probability"], each["closedAt"] is None) for each in rows} == {("won", 100, False)}


def test_a_row_that_may_not_change_so_refuses_all(app, shop, deals):
    with growth(app) as grown:
        answer = match(shop.owner, DEAL, {}, set={"stage": "lost"})
    assert answer.status_code == 400
    assert {name for each in answer.json["details"]["items"] for name in each["fields"]} <= {"stage", "lostReason"}
    assert grown == {}
    assert {each["stage"] for each in shop.owner.get(DEAL).json["data"]} == {"lead", "won", "qualified"}


def test_rows_of_others_are_left_alone(cast, shop, deals):
    stranger = Workshop(cast, cast.user())
    theirs = stranger.make(CrmDeal)
    assert match(stranger.owner, DEAL, {}, "delete").json == {"meta": {"count": 1}}
    assert stranger.owner.get(f"{DEAL}/{theirs['id']}").status_code == 404
    assert len(shop.owner.get(DEAL).json["data"]) == 4
    named = {"id": {"in": [each["id"] for each in deals]}}
    assert match(stranger.owner, DEAL, named, set={"name": "Mine"}).json == {"meta": {"count": 0}}
    assert match(cast.nobody, DEAL, {}).status_code == 401
    assert match(cast.key(shop.owner, "read"), DEAL, {}, dryRun=True).status_code == 403


def test_rows_that_are_seen_and_may_not_be_changed_are_left_alone(cast, shop):
    made = shop.make(CrmCompany, visibility="public", name="Everybody's")
    stranger = cast.user()
    assert stranger.get(f"{COMPANY}/{made['id']}").status_code == 200
    for operation, body in (("update", {"set": {"name": "Mine"}}), ("delete", {})):
        answer = match(stranger, COMPANY, {"id": made["id"]}, operation, **body)
        assert answer.json == {"meta": {"count": 0}}
    team = shop.owner.post("/api/v1/auth/team", {"name": "Crew"}).json
    member = cast.colleague(shop.owner)
    assert member.get(f"/api/v1/auth/team/{team['id']}").status_code == 200
    assert match(member, "/api/v1/auth/team", {"id": team["id"]}, "delete").json == {"meta": {"count": 0}}


@pytest.mark.parametrize("dry", [True, False])
def test_more_rows_than_expected_are_refused_and_nothing_is_done(app, shop, deals, dry):
    with growth(app) as grown:
        for operation in ("update", "delete"):
            answer = match(shop.owner, DEAL, {}, operation, max=3, dryRun=dry)
            assert (answer.status_code, answer.json["code"]) == (400, "TOO_MANY_ROWS")
            assert answer.json["details"] == {"max": 3}
    assert grown == {}
    assert match(shop.owner, DEAL, {}, max=4, dryRun=dry).json == {"meta": {"count": 4}}


def test_what_only_counts_changes_no_version(shop, deals):
    match(shop.owner, DEAL, {}, set={"name": "Other"}, dryRun=True)
    for made in deals:
        answer = shop.owner.get(f"{DEAL}/{made['id']}")
        assert (answer.json, answer.headers["ETag"].partition("-")[0]) == (made, '"1')


MALFORMED = [
    {"max": 0}, {"max": 1001}, {"max": True}, {"max": "5"}, {"max": None}, {"where": None}, {"where": []},
    {"dryRun": 1}, {"set": None}, {"set": []}, {"set": {"x": 1}}, {"set": {"createdById": "x"}}, {"x": 1},
    {"where": {"x": 1}}, {"where": {"amount": {"like": 1}}}, {"where": {"description": "x"}},
    {"where": {"searchText": "x"}}, {"where": {"rowVersion": 1}}, {"where": {"owner": {"passwordHash": "x"}}},
    {"set": {"rowVersion": 7}}, {"set": {"organizationId": "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"}},
]  # fmt: skip


@pytest.mark.parametrize("wrong", MALFORMED, ids=str)
def test_what_is_not_asked_properly_is_refused(shop, deals, wrong):
    answer = shop.owner.post(f"{DEAL}/_matching/_update", {"where": {}, "set": {"name": "x"}, "max": 9} | wrong)
    assert answer.status_code == 400, answer.json
    assert shop.owner.get(f"{DEAL}/{deals[0]['id']}").json == deals[0]


@pytest.mark.parametrize("where", [
    {"passwordHash": {"isNull": False}}, {"password": {"startsWith": "$"}}, {"banReason": "x"},
    {"member": {"some": {"role": "owner"}}},
], ids=str)  # fmt: skip
def test_conditions_on_what_the_caller_does_not_read_are_refused_as_in_lists(shop, where):
    listed = shop.owner.post("/api/v1/auth/user/_query", {"where": where})
    matched = match(shop.owner, "/api/v1/auth/user", where)
    assert (listed.status_code, listed.json["code"]) == (400, "INVALID_FILTER")
    assert matched.json == listed.json


def waits(app, most=0.0):
    """Whether a statement waits for a lock, and has for longer than ``most`` seconds."""
    asked = text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND clock_timestamp() - query_start > make_interval(secs => :most)"
    )
    with app.app_context(), transaction() as session:
        return bool(session.scalar(asked, {"most": most}))


def meanwhile(app, hold, act, most=0.0):
    """Do ``act`` while the transaction of ``hold`` keeps it waiting, and return what it returned."""
    answers = []
    with app.app_context(), transaction() as session:
        session.execute(text(hold[0]), hold[1])
        thread = Thread(target=lambda: answers.append(act()))
        thread.start()
        await_true(lambda: _elsewhere(app, most))
    thread.join()
    return answers[0]


def _elsewhere(app, most):
    found = []
    looking = Thread(target=lambda: found.append(waits(app, most)))
    looking.start()
    looking.join()
    return found[0]


def test_a_row_that_stops_matching_while_it_is_waited_for_is_left_alone(app, shop, deals):
    hold = ("UPDATE crm_deal SET name = 'Renamed' WHERE id = :id", {"id": deals[0]["id"]})
    answer = meanwhile(app, hold, lambda: match(shop.owner, DEAL, {"name": {"contains": "cra"}}, "delete"))
    assert answer.json == {"meta": {"count": 1}}
    assert shop.owner.get(f"{DEAL}/{deals[0]['id']}").json["name"] == "Renamed"
    assert shop.owner.get(f"{DEAL}/{deals[1]['id']}").status_code == 404


def test_a_row_that_goes_while_it_is_waited_for_is_not_counted(app, shop, deals):
    hold = ("DELETE FROM crm_deal WHERE id = :id", {"id": deals[0]["id"]})
    answer = meanwhile(app, hold, lambda: match(shop.owner, DEAL, {}, set={"nextStep": "Call"}))
    assert answer.json == {"meta": {"count": 3}}


def test_writes_may_take_longer_than_the_query_that_finds_their_rows(app, build, shop):
    """The limit of queries is no limit of what follows them in the same transaction."""
    hasty = type(shop.owner)(build(query_timeout=0.3), shop.owner.token)
    made, other = shop.make(CrmContact), shop.make(CrmCompany)
    hold = ("SELECT 1 FROM crm_company WHERE id = :id FOR UPDATE", {"id": other["id"]})
    answer = meanwhile(
        app, hold, lambda: match(hasty, CONTACT, {"id": made["id"]}, set={"companyId": other["id"]}), most=0.4
    )
    assert (answer.status_code, answer.json) == (200, {"meta": {"count": 1}})
