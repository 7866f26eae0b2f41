"""The feed: each caller is told of the changes of what they may see, in the order of the commits."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.ai.models.chats import AiChat, AiMessage
from app.crm.models import CrmCompany
from app.engine.changes import feed
from app.engine.declare.catalogue import every_model
from app.testing.cast import Actor
from app.testing.database import transaction

COMPANY, CHANGES = "/api/v1/crm/company", "/api/v1/_changes"


def told(changes):
    """What is told of each change: the model's segment, the record and the operation."""
    return [(each["model"].partition("/")[2], each["recordId"], each["operation"]) for each in changes]


def test_without_a_cursor_the_feed_begins_now(owner, workshop):
    workshop.make(CrmCompany)
    first = owner.get(CHANGES).json
    assert (first["data"], first["meta"]["more"]) == ([], False)
    company = workshop.make(CrmCompany)
    page = owner.get(CHANGES, query_string={"since": first["meta"]["next"]}).json
    assert told(page["data"]) == [("company", company["id"], "create")]


def test_a_change_tells_the_record_as_it_is_now_and_what_has_changed(owner, workshop, follow):
    company = workshop.make(CrmCompany, name="Harbour Works")
    follow(owner)
    answer = owner.put(f"{COMPANY}/{company['id']}", {"industry": "shipping"})
    owner.put(f"{COMPANY}/{company['id']}", {"industry": "food"})
    first, second = follow(owner)
    assert first["record"] == second["record"] == owner.get(f"{COMPANY}/{company['id']}").json
    assert (first["version"], first["changed"], second["version"]) == (2, ["industry"], 3)
    assert first["transaction"] == answer.headers["Transaction-Id"]
    assert first["actor"] == {"type": "user", "id": str(owner.user_id)}


def test_a_deletion_tells_its_id_alone_and_nothing_more(owner, workshop, follow):
    company = workshop.make(CrmCompany)
    follow(owner)
    owner.delete(f"{COMPANY}/{company['id']}")
    (change,) = follow(owner)
    assert change.keys() == {"id", "model", "recordId", "operation"}


def test_pages_follow_each_other_and_miss_nothing(owner, workshop):
    since = owner.get(CHANGES).json["meta"]["next"]
    made = [workshop.make(CrmCompany)["id"] for _ in range(5)]
    seen, more = [], True
    while more:
        page = owner.get(CHANGES, query_string={"since": since, "take": 2, "models": "crm/company"}).json
        seen += [each["recordId"] for each in page["data"]]
        since, more = page["meta"]["next"], page["meta"]["more"]
    assert seen == made


def test_a_page_looks_at_so_many_changes_of_others_and_goes_on(cast, owner, follow, monkeypatch):
    monkeypatch.setattr(feed, "LOOKED_AT", 3)
    follow(owner)
    other = cast.user()
    for number in range(8):
        other.post(COMPANY, {"name": f"Number {number}"})
    mine = owner.post(COMPANY, {"name": "Mine"}).json["id"]
    assert told(follow(owner)) == [("company", mine, "create")]


def test_a_page_passes_over_changes_of_others(cast, owner):
    since = owner.get(CHANGES).json["meta"]["next"]
    cast.user().post(COMPANY, [{"name": f"Number {number}"} for number in range(40)])
    mine = [owner.post(COMPANY, {"name": name}).json["id"] for name in ("One", "Two", "Three")]
    page = owner.get(CHANGES, query_string={"since": since, "take": 2}).json
    assert ([each["recordId"] for each in page["data"]], page["meta"]["more"]) == (mine[:2], True)
    page = owner.get(CHANGES, query_string={"since": page["meta"]["next"], "take": 2}).json
    assert [each["recordId"] for each in page["data"]] == mine[2:]


def test_nobody_hears_of_what_is_not_theirs(cast, owner, workshop, follow):
    stranger, admin = cast.user(), cast.admin
    follow(stranger)
    follow(admin)
    company = workshop.make(CrmCompany)
    owner.put(f"{COMPANY}/{company['id']}", {"industry": "shipping"})
    owner.delete(f"{COMPANY}/{company['id']}")
    assert follow(stranger) == []
    assert ("company", company["id"], "delete") in told(follow(admin))


def test_what_comes_into_sight_is_created_and_what_leaves_it_is_deleted(cast, owner, workshop, follow):
    stranger = cast.user()
    company = workshop.make(CrmCompany, name="Draft")
    path = f"{COMPANY}/{company['id']}"
    follow(stranger)
    owner.put(path, {"visibility": "public"})
    (shown,) = follow(stranger)
    assert (shown["operation"], shown["record"]["name"], shown["changed"]) == ("create", "Draft", [])
    owner.put(path, {"visibility": "private", "name": "Draft again"})
    (hidden,) = follow(stranger)
    assert hidden["operation"] == "delete"
    assert "record" not in hidden
    owner.put(path, {"industry": "shipping"})
    assert follow(stranger) == []


def test_what_is_hidden_by_now_is_told_as_gone_and_nothing_of_before(cast, owner, workshop, follow):
    """Changes of the time when a record was public, heard of when it is not any more."""
    stranger = cast.user()
    company = workshop.make(CrmCompany, visibility="public")
    path = f"{COMPANY}/{company['id']}"
    follow(stranger)
    owner.put(path, {"industry": "shipping"})
    owner.put(path, {"visibility": "private"})
    assert told(follow(stranger)) == [("company", company["id"], "delete")]


def test_the_records_below_one_that_is_gone_are_told_as_gone(cast, owner, workshop, follow):
    message = workshop.make(AiMessage)
    stranger = cast.user()
    follow(owner)
    follow(stranger)
    owner.delete(f"/api/v1/ai/chat/{message['chatId']}")
    assert {("chat", message["chatId"], "delete"), ("message", message["id"], "delete")} <= set(told(follow(owner)))
    assert follow(stranger) == []


def test_records_below_one_that_comes_into_sight_are_to_be_read_anew(cast, owner, workshop, follow):
    stranger = cast.user()
    message = workshop.make(AiMessage)
    follow(stranger)
    owner.put(f"/api/v1/ai/chat/{message['chatId']}", {"visibility": "public"})
    assert told(follow(stranger)) == [("chat", message["chatId"], "create")]
    assert "ai/message" in follow.resync
    assert "crm/company" not in follow.resync


def test_they_are_also_where_only_they_are_followed(cast, owner, workshop, follow):
    stranger, message = cast.user(), workshop.make(AiMessage)
    follow(stranger)
    owner.put(f"/api/v1/ai/chat/{message['chatId']}", {"visibility": "public"})
    assert follow(stranger, models="ai/message") == []
    assert follow.resync == {"ai/message"}


def test_where_nobody_can_tell_whose_children_were_they_are_to_be_read_anew(owner, workshop, follow):
    message = workshop.make(AiMessage)
    follow(owner)
    owner.delete(f"/api/v1/ai/chat/{message['chatId']}")
    assert follow(owner, models="ai/message", where='{"role": "user"}') == []
    assert follow.resync == {"ai/message"}


def test_a_page_ends_where_it_becomes_too_large(build, owner, workshop):
    small = Actor(build(max_answer_bytes=2000), owner.token, owner.user_id, owner.organization_id)
    since, seen, pages, more = owner.get(CHANGES).json["meta"]["next"], [], 0, True
    made = [workshop.make(CrmCompany)["id"] for _ in range(6)]
    while more:
        page = small.get(CHANGES, query_string={"since": since}).json
        seen += [each["recordId"] for each in page["data"]]
        since, more, pages = page["meta"]["next"], page["meta"]["more"], pages + 1
    assert (seen, pages > 1) == (made, True)


def test_a_membership_that_comes_has_everything_read_anew(cast, owner, workshop, follow):
    joins = cast.user()
    workshop.make(CrmCompany)
    follow(joins)
    with joins.app.app_context(), transaction() as session:
        session.execute(
            text(
                "INSERT INTO auth_member (id, created_at, updated_at, organization_id, user_id, role)"
                " VALUES (gen_random_uuid(), now(), now(), :organization, :user, 'member')"
            ),
            {"organization": owner.organization_id, "user": joins.user_id},
        )
    follow(joins)
    assert "crm/company" in follow.resync


def test_a_share_has_everything_read_anew(cast, owner, workshop, follow):
    friend = cast.colleague(owner)
    chat = workshop.make(AiChat)
    follow(friend)
    shared = {"data": [{"with": {"userId": str(friend.user_id)}, "may": "read"}]}
    answer = owner.put(f"/api/v1/ai/chat/{chat['id']}/_sharing", shared)
    assert answer.status_code == 200, answer.json
    follow(friend)
    assert "ai/chat" in follow.resync
    owner.put(f"/api/v1/ai/chat/{chat['id']}", {"title": "Renamed"})
    assert told(follow(friend)) == [("chat", chat["id"], "update")]


def test_who_has_left_hears_nothing_more(cast, owner, workshop, follow):
    leaves = cast.colleague(owner)
    follow(leaves)
    with leaves.app.app_context(), transaction() as session:
        gone = "DELETE FROM auth_member WHERE user_id = :user AND organization_id = :organization"
        session.execute(text(gone), {"user": leaves.user_id, "organization": owner.organization_id})
    company = workshop.make(CrmCompany)
    assert company["id"] not in [record for _, record, _ in told(follow(leaves))]
    assert "crm/company" in follow.resync


def test_conditions_ask_for_some_of_one_model(owner, workshop, follow):
    company = workshop.make(CrmCompany, industry="shipping")
    follow(owner)
    asked = {"models": "crm/company", "where": '{"industry": "food"}'}
    workshop.make(CrmCompany, industry="shipping")
    assert follow(owner, **asked) == []
    owner.put(f"{COMPANY}/{company['id']}", {"industry": "food"})
    owner.put(f"{COMPANY}/{company['id']}", {"name": "Renamed"})
    assert [each["operation"] for each in follow(owner, **asked)] == ["create", "update"]
    owner.put(f"{COMPANY}/{company['id']}", {"industry": "shipping"})
    assert [each["operation"] for each in follow(owner, **asked)] == ["delete"]


def test_what_has_left_the_conditions_by_now_is_told_as_gone_and_nothing_of_before(owner, workshop, follow):
    company = workshop.make(CrmCompany, industry="food")
    follow(owner)
    owner.put(f"{COMPANY}/{company['id']}", {"name": "Renamed"})
    owner.put(f"{COMPANY}/{company['id']}", {"industry": "shipping"})
    found = follow(owner, models="crm/company", where='{"industry": "food"}')
    assert told(found) == [("company", company["id"], "delete")]


def test_fields_are_chosen_and_changes_of_others_are_not_told(owner, workshop, follow):
    company = workshop.make(CrmCompany)
    follow(owner)
    owner.put(f"{COMPANY}/{company['id']}", {"industry": "food"})
    owner.put(f"{COMPANY}/{company['id']}", {"name": "Renamed"})
    (change,) = follow(owner, models="crm/company", fields="name")
    assert (change["record"], change["changed"]) == ({"id": company["id"], "name": "Renamed"}, ["name"])


@pytest.mark.parametrize("asked", [
    {"models": "crm/none"}, {"models": "ai/attempt"}, {"where": "{}", "models": "crm/company,crm/deal"},
    {"where": '{"organization": {"name": "x"}}', "models": "crm/company"}, {"where": "[", "models": "crm/company"},
    {"where": '{"none": 1}', "models": "crm/company"}, {"fields": "none"}, {"take": "0"}, {"take": "x"}, {"skip": "1"},
    {"since": "AAAA"}, {"since": ""}, {"since": "x" * 20_000},
])  # fmt: skip
def test_what_cannot_be_asked_is_refused(owner, asked):
    assert owner.get(CHANGES, query_string=asked).status_code == 400


def test_a_key_hears_of_what_it_may_list(cast, owner, workshop, follow):
    granted = [{"models": ["crm/company"], "operations": ["list"], "fields": ["id", "name"]}]
    key = cast.key(owner, "read", access=granted)
    follow(key)
    company = workshop.make(CrmCompany)
    workshop.make(AiChat)
    (change,) = follow(key)
    assert change["record"].keys() == {"id", "name"}
    owner.put(f"{COMPANY}/{company['id']}", {"industry": "food"})
    assert follow(key) == []


def test_a_key_hears_nothing_of_what_needs_a_session(cast, owner, follow):
    key = cast.key(owner, "read")
    assert key.get(CHANGES, query_string={"models": "auth/account"}).status_code == 400
    follow(key)
    with owner.app.app_context(), transaction() as session:
        session.execute(text("UPDATE auth_api_key SET name = 'x' WHERE user_id = :user"), {"user": owner.user_id})
    assert follow(key) == []


def test_nobody_without_a_credential_reads_the_feed(cast):
    assert cast.nobody.get(CHANGES).status_code == 401


def test_every_model_that_may_be_listed_may_be_heard_of(app, cast, owner):
    with app.app_context():
        known = feed.open_models(owner.principal)
    assert set(known) == {model.qualified_name() for model in every_model() if model.logged}
