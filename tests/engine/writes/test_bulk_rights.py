"""Who may write many: exactly who may write each, and nothing is told that a single request would not tell."""

from __future__ import annotations

import pytest

from app.auth.models.identity import AuthAccount, AuthUser
from app.auth.models.organizations import AuthMember
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare.scope import Rule
from app.notification.models import NotificationPreference
from app.testing.permissions import ACTORS, body_for, reading, stage  # noqa: F401 - fixtures
from app.testing.workshop import Workshop
from tests.engine.writes.twins import MODELS, growth, name_of

every = pytest.mark.parametrize("model", MODELS, ids=name_of)
ABSENT = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11"
CONTACT, DEAL = "/api/v1/crm/contact", "/api/v1/crm/deal"


def told(answer):
    """The status and, beneath it, that of the only item."""
    body = answer.json
    if answer.status_code < 400:
        return answer.status_code
    items = body["details"]["items"] if "items" in body.get("details", ()) else [body]
    return answer.status_code, items[0].get("code")


@every
def test_an_array_of_one_is_made_by_exactly_who_may_make_one(stage, model):  # noqa: F811
    for name in ACTORS:
        path, bodies = model.collection_path(), [body_for(stage, model, name) for _ in range(2)]
        single = stage[name].post(path, bodies[0])
        if model is NotificationPreference and single.status_code == 201:
            stage[name].delete(f"{path}/{single.json['id']}")
        many = stage[name].post(path, [bodies[1]])
        assert told(many) == told(single), name


@every
def test_an_array_of_one_is_changed_by_exactly_who_may_change_one(stage, model):  # noqa: F811
    path = model.collection_path()
    made = stage["workshops"]["owner"].make(model)
    for name in ACTORS:
        single = stage[name].patch(f"{path}/{made['id']}")
        many = stage[name].patch(path, [{"id": made["id"]}])
        assert told(many) == told(single), name


@every
def test_one_is_deleted_among_many_by_exactly_who_may_delete_it(stage, model):  # noqa: F811
    path, shop = model.collection_path(), stage["workshops"]["owner"]
    for name in ACTORS:
        first = shop.make(model)
        single = stage[name].delete(f"{path}/{first['id']}")
        second = first if single.status_code != 200 else shop.make(model)
        many = stage[name].delete(path, json={"ids": [second["id"]]})
        assert told(many) == told(single), name


@every
def test_matching_writes_are_about_what_the_caller_sees_and_may_write(stage, model):  # noqa: F811
    path, shop = model.collection_path(), stage["workshops"]["owner"]
    made = shop.make(model)
    where = {"where": {"id": {"eq": made["id"]}}, "max": 5, "dryRun": True}
    for name in ACTORS:
        item = f"{path}/{made['id']}"
        for operation, body in (("update", {**where, "set": {}}), ("delete", where)):
            if getattr(model.policy, operation) is Rule.NONE:
                assert stage[name].post(f"{path}/_matching/_{operation}", body).status_code in (401, 404, 405), name
                continue
            if operation == "delete" and model in (AuthMember, AuthAccount, AuthUser):
                continue  # further rules
            single = stage[name].patch(item) if operation == "update" else None
            answer = stage[name].post(f"{path}/_matching/_{operation}", body)
            if single is not None and single.status_code in (401,):
                assert answer.status_code == 401
            elif single is not None:
                count = answer.json["meta"]["count"] if answer.status_code == 200 else 0
                assert count == (single.status_code == 200), (name, single.json, answer.json)


@pytest.fixture
def shop(cast):
    return Workshop(cast, cast.user())


@every
def test_what_the_caller_does_not_see_is_as_absent_in_an_array(shop, cast, model):
    path, stranger = model.collection_path(), cast.user()
    made = shop.make(model)
    if stranger.get(f"{path}/{made['id']}").status_code == 200:
        pytest.skip("is seen by everybody")
    for send in (
        lambda each: stranger.patch(path, [{"id": each}]),
        lambda each: stranger.patch(path, [{"id": each, "ifMatch": "7"}]),
        lambda each: stranger.delete(path, json={"ids": [each]}),
        lambda each: stranger.delete(path, query_string={"ids": each}),
    ):
        hidden, absent = send(made["id"]), send(ABSENT)
        assert (hidden.status_code, hidden.json) == (absent.status_code, absent.json)


def test_records_of_several_organizations_are_written_in_one_array_where_each_might_be(shop, cast):
    other = cast.user()
    company = Workshop(cast, other).make(CrmCompany)["id"]
    own = shop.make(CrmCompany)["id"]
    person = {"firstName": "A", "lastName": "B"}
    mine = {**person, "email": "a@mine.example", "companyId": own}
    theirs = {**person, "email": "a@theirs.example", "companyId": company, "organizationId": str(other.organization_id)}
    pinned = {**person, "email": "b@mine.example", "companyId": company}
    for wrong, field in ((theirs, "organizationId"), (pinned, "companyId")):
        answer = shop.owner.post(CONTACT, [mine, wrong])
        assert [(each["index"], each["code"], list(each["fields"])) for each in answer.json["details"]["items"]] == [
            (1, "FOREIGN_KEY_VIOLATION", [field])
        ]
    joint = cast.colleague(shop.owner)
    home = Workshop(cast, joint).make(CrmCompany)["id"]
    across = [{**mine, "organizationId": str(shop.owner.organization_id)}, {**mine, "companyId": home}]
    made = joint.post(CONTACT, across)
    assert made.status_code == 201, made.json
    # The company of one organization does for no contact of the other, though the caller is in both.
    crossed = [{**each, "email": "c@mine.example", "companyId": other}
               for each, other in zip(across, (home, own), strict=True)]  # fmt: skip
    answer = joint.post(CONTACT, crossed)
    assert [each["index"] for each in answer.json["details"]["items"]] == [0, 1]


def test_an_owner_whom_the_caller_may_not_name_refuses_the_array(shop, cast):
    sent = [shop.body(CrmDeal), {**shop.body(CrmDeal), "ownerId": str(cast.user().user_id)}]
    single, many = shop.owner.post(DEAL, sent[1]), shop.owner.post(DEAL, sent)
    assert (many.status_code, many.json["details"]["items"][0]["fields"]) == (
        single.status_code,
        single.json["details"]["fields"],
    )
    chats = [{"title": "x"}, {"title": "x", "userId": str(cast.user().user_id)}]
    single, many = shop.owner.post("/api/v1/ai/chat", chats[1]), shop.owner.post("/api/v1/ai/chat", chats)
    assert (single.status_code, many.status_code) == (403, 403)


def test_the_version_of_a_row_is_told_to_who_sees_it_alone(app, shop, cast):
    made, stranger = shop.make(CrmContact), cast.user()
    seen = shop.owner.patch(CONTACT, [{"id": made["id"], "ifMatch": "9"}])
    assert seen.json["details"]["items"] == [
        {"index": 0, "code": "PRECONDITION_FAILED", "fields": {}, "version": 1}
    ]  # fmt: skip
    with growth(app) as grown:
        hidden = stranger.patch(CONTACT, [{"id": made["id"], "ifMatch": "9"}])
    assert hidden.json["details"]["items"] == [{"index": 0, "code": "NOT_FOUND", "fields": {}}]
    assert grown == {}
