"""Upserts: by every unique rule that callers may name, what is there is merged into or left, and the rest is made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from app.ai.models.answering import AiChain
from app.analytics.models import AnalyticsEvent
from app.auth.models.organizations import AuthTeamMember
from app.crm.models import CrmCompany, CrmContact
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Parent
from app.engine.write import conflicts as uniqueness
from app.engine.write import upserts
from app.testing.workshop import Workshop
from tests.engine.writes.twins import CREATABLE, MODELS, growth

CONTACT = "/api/v1/crm/contact"
RULES = [(model, named) for model in CREATABLE for named in upserts.rules_of(model)]
by_rule = pytest.mark.parametrize(("model", "named"), RULES, ids=lambda each: each if isinstance(each, str) else "")
FIXED = [(model, named) for model, named in RULES if model.policy.update is Rule.NONE]
resolutions = pytest.mark.parametrize("resolution", ["merge", "ignore"])


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


def upsert(actor, model, body, named, resolution=None):
    asked = {"onConflict": named} | ({"resolution": resolution} if resolution else {})
    return actor.post(model.collection_path(), body, query_string=asked)


def body_of(shop, model, named):
    """What makes a record whose key has values."""
    body, fields = shop.body(model), {field.name: field for field in model.fields().values()}
    shop.make_room(model)
    return {name: shop.value(model, fields[name]) for name in named.split(",") if not fields[name].references} | body


def key_of(model, named, made):
    """What of a record is sent again, so that the rule finds it."""
    scope = model.policy.scope.column
    rule = upserts.rule_of(model, tuple(named.split(",")))
    fields = model.fields()
    return {fields[each].name: made[fields[each].name] for each in rule.attributes
            if each != scope or fields[each].required}  # fmt: skip


@by_rule
def test_a_record_that_is_not_there_is_made(shop, model, named):
    body = body_of(shop, model, named)
    answer = upsert(shop.maker(model), model, body, named)
    assert answer.status_code == 201, answer.json
    assert answer.json["meta"] == {"count": 1, "created": 1, "updated": 0, "ignored": 0}
    (made,) = answer.json["data"]
    assert shop.maker(model).get(f"{model.collection_path()}/{made['id']}").json == made


@pytest.mark.parametrize(("model", "named"), [each for each in RULES if each not in FIXED], ids=str)
@resolutions
def test_a_record_that_is_there_is_merged_into_or_left(app, shop, model, named, resolution):
    body, actor = body_of(shop, model, named), shop.maker(model)
    made = actor.post(model.collection_path(), body).json
    sent = body | key_of(model, named, made)
    with growth(app) as grown:
        answer = upsert(actor, model, [sent], named, resolution)
    assert answer.status_code == 200, answer.json
    updated, ignored = (1, 0) if resolution == "merge" else (0, 1)
    assert answer.json["meta"] == {"count": 1, "created": 0, "updated": updated, "ignored": ignored}
    assert answer.json["data"] == [made]
    assert grown == {}


@pytest.mark.parametrize(("model", "named"), FIXED, ids=str)
def test_a_record_that_no_caller_changes_is_in_the_way_as_of_a_create(shop, cast, model, named):
    body = body_of(shop, model, named)
    made = shop.maker(model).post(model.collection_path(), body).json
    sent = body | key_of(model, named, made)
    for actor in (shop.owner, cast.admin):
        path = model.collection_path()
        if actor is cast.admin and "organizationId" in made:
            sent = {**sent, "organizationId": made["organizationId"]}
        single, answer = actor.post(path, sent), upsert(actor, model, sent, named)
        assert (answer.status_code, answer.json["code"]) == (single.status_code, single.json["code"])
        assert answer.json["details"]["items"][0]["fields"] == single.json["details"]["fields"]
    assert shop.maker(model).get(f"{path}/{made['id']}").json == made


@pytest.mark.parametrize(("model", "named"), FIXED, ids=str)
def test_a_record_that_no_caller_changes_is_left_to_whoever_may_make_it(app, shop, model, named):
    body, actor = body_of(shop, model, named), shop.maker(model)
    made = upsert(actor, model, body, named, "ignore").json["data"][0]
    with growth(app) as grown:
        answer = upsert(actor, model, body, named, "ignore")
    assert (answer.status_code, answer.json["data"]) == (200, [made])
    assert answer.json["meta"] == {"count": 1, "created": 0, "updated": 0, "ignored": 1}
    assert grown == {}


def test_a_record_that_no_caller_changes_is_in_the_way_of_those_who_may_not_make_it(shop, cast):
    member = cast.colleague(shop.owner)
    team = shop.owner.post("/api/v1/auth/team", {"name": "Crew"}).json["id"]
    sent = {"teamId": team, "userId": str(member.principal.user_id)}
    assert shop.owner.post("/api/v1/auth/team-member", sent).status_code == 201
    assert upsert(member, AuthTeamMember, sent, "userId", "ignore").status_code in (403, 409)
    assert upsert(shop.owner, AuthTeamMember, sent, "userId", "ignore").status_code == 200


def test_made_merged_and_left_records_come_back_in_the_order_sent(shop):
    company = shop.make(CrmCompany)["id"]
    there = [shop.make(CrmContact, companyId=company, email=f"{name}@mixed.example") for name in "bd"]
    sent = [{"firstName": "New", "lastName": "N", "companyId": company, "email": f"{name}@mixed.example"}
            for name in "abcd"]  # fmt: skip
    merged = upsert(shop.owner, CrmContact, sent, "email", "merge")
    assert merged.status_code == 201
    assert merged.json["meta"] == {"count": 4, "created": 2, "updated": 2, "ignored": 0}
    assert [(each["email"][0], each["firstName"]) for each in merged.json["data"]] == [(name, "New") for name in "abcd"]
    assert [merged.json["data"][place]["id"] for place in (1, 3)] == [each["id"] for each in there]
    again = [{**each, "firstName": "Other"} for each in sent]
    left = upsert(shop.owner, CrmContact, again, "email", "ignore")
    assert (left.status_code, left.json["meta"]["ignored"]) == (200, 4)
    assert left.json["data"] == merged.json["data"]


def test_a_merge_changes_what_was_sent_and_nothing_else(shop):
    made = shop.make(CrmContact, title="kept", phone="1")
    sent = {"email": made["email"], "firstName": "New", "lastName": made["lastName"], "companyId": made["companyId"]}
    (merged,) = upsert(shop.owner, CrmContact, sent, "email").json["data"]
    assert merged == {**made, "firstName": "New", "updatedAt": merged["updatedAt"]}


def test_a_row_of_somebody_else_is_in_the_way_as_of_a_single_create(shop, cast):
    """The slug of an organization is unique among all."""
    stranger = Workshop(cast, cast.user())
    slug = stranger.owner.post("/api/v1/auth/organization", {"name": "Theirs", "slug": "theirs-only"}).json["slug"]
    path, sent = "/api/v1/auth/organization", {"name": "Mine", "slug": slug}
    single = shop.owner.post(path, sent)
    for resolution in ("merge", "ignore"):
        answer = shop.owner.post(path, [sent], query_string={"onConflict": "slug", "resolution": resolution})
        assert [(each.status_code, each.json["code"]) for each in (single, answer)] == [(409, "UNIQUE_VIOLATION")] * 2
        assert answer.json["details"]["items"][0]["fields"] == single.json["details"]["fields"]


def test_a_row_that_the_caller_sees_and_may_not_change_is_in_the_way(shop, cast):
    team = shop.owner.post("/api/v1/auth/team", {"name": "Crew"}).json
    member = cast.colleague(shop.owner)
    sent = {"name": "Crew", "organizationId": team["organizationId"]}
    single = member.post("/api/v1/auth/team", sent)
    for resolution in ("merge", "ignore"):
        answer = member.post("/api/v1/auth/team", [sent], query_string={"onConflict": "name", "resolution": resolution})
        assert (answer.status_code, single.status_code) == (403, 403)


def test_a_key_that_comes_twice_is_refused(app, shop):
    company = shop.make(CrmCompany)["id"]
    sent = [{"firstName": "A", "lastName": "B", "companyId": company, "email": "twice@keys.example"}] * 2
    with growth(app) as grown:
        answer = upsert(shop.owner, CrmContact, sent, "email")
    assert answer.status_code == 400
    assert [(each["index"], list(each["fields"])) for each in answer.json["details"]["items"]] == [(1, ["email"])]
    assert grown == {}


def test_a_second_rule_in_the_way_refuses_as_a_create(shop):
    shop.make(AiChain, name="one", isDefault=True)
    sent = {"name": "two", "isDefault": True}
    single = shop.owner.post("/api/v1/ai/chain", sent)
    answer = shop.owner.post("/api/v1/ai/chain", [sent], query_string={"onConflict": "name"})
    assert (answer.status_code, single.status_code) == (409, 409), answer.json
    assert answer.json["details"]["items"][0]["fields"] == single.json["details"]["fields"]


@pytest.mark.parametrize("named", ["", "firstName", "email,firstName", "id", "createdById", "no such", "email,email,x"])
def test_what_names_no_unique_rule_is_refused(shop, named):
    answer = upsert(shop.owner, CrmContact, {}, named)
    assert (answer.status_code, answer.json["code"]) == (400, "INVALID_FILTER"), answer.json
    assert list(answer.json["details"]["fields"]) == ["onConflict"]


@pytest.mark.parametrize("asked", [
    {"resolution": "merge"}, {"onConflict": "email", "resolution": "replace"}, {"onConflict": "email", "x": "1"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("many", [True, False])
def test_parameters_that_make_no_upsert_are_refused(shop, asked, many):
    body = shop.body(CrmContact)
    answer = shop.owner.post(CONTACT, [body] if many else body, query_string=asked)
    assert answer.status_code == 400, answer.json


def test_no_rule_is_named_that_callers_do_not_send(shop):
    """What the server numbers, hashes or stores in digests names no row."""
    for model in MODELS:
        offered = {upserts.rule_of(model, tuple(each.split(","))).name for each in upserts.rules_of(model)}
        for rule in uniqueness.rules(model):
            sent = [model.fields()[each].spec.writable or each == model.policy.scope.column for each in rule.attributes]
            assert (rule.name in offered) == (all(sent) and not rule.where)


def test_a_key_without_a_value_is_like_no_other(shop):
    """The message id of an event may be empty, and events without one are all kept."""
    sent = [shop.body(AnalyticsEvent) | {"messageId": None} for _ in range(2)]
    answer = upsert(shop.owner, AnalyticsEvent, sent, "messageId", "ignore")
    assert (answer.status_code, answer.json["meta"]["created"]) == (201, 2), answer.json


@resolutions
def test_of_upserts_of_one_key_at_the_same_time_one_makes_the_row(shop, resolution):
    company = shop.make(CrmCompany)["id"]
    for round_ in range(4):
        email = f"race{round_}@upsert.example"
        sent = [{"firstName": f"N{place}", "lastName": "N", "companyId": company, "email": email} for place in range(6)]
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda each: upsert(shop.owner, CrmContact, [each], "email", resolution), sent))
        assert sorted(each.status_code for each in answers) == [200] * 5 + [201], [each.json for each in answers]
        rows = shop.owner.get(CONTACT, query_string={"email": email}).json["data"]
        assert len(rows) == 1
        assert {each.json["data"][0]["id"] for each in answers} == {rows[0]["id"]}


BELOW = [(model, named) for model, named in RULES if isinstance(model.policy.scope, Parent)]


@pytest.mark.parametrize(("model", "named"), BELOW, ids=lambda each: each if isinstance(each, str) else "")
@resolutions
def test_nothing_is_told_of_what_lies_below_a_parent_that_one_does_not_see(cast, shop, model, named, resolution):
    body = body_of(shop, model, named)
    assert upsert(shop.maker(model), model, body, named).status_code == 201
    stranger = cast.user()
    other = body_of(shop, model, named)
    fields = {field.name: field for field in model.fields().values()}
    keys = [name for name in named.split(",") if not fields[name].references]
    free = body | {name: other[name] for name in keys}
    path = {"query_string": {"as": "json", "dryRun": "true", "onConflict": named, "resolution": resolution}}
    for ask in (
        lambda sent: upsert(stranger, model, sent, named, resolution),
        lambda sent: stranger.post(f"{model.collection_path()}/_import", [sent], **path),
    ):
        taken, not_taken = ask(body), ask(free)
        assert (taken.status_code, taken.json) == (not_taken.status_code, not_taken.json)
        assert "UNIQUE_VIOLATION" not in taken.text
