"""Idempotency keys: the same request again gets the same answer, and another request under the key is refused."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.auth.models.identity import AuthAccount, AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.crm.models import CrmCompany, CrmContact
from app.engine.declare.catalogue import every_model
from app.engine.declare.scope import Rule
from app.testing.database import transaction
from app.testing.every_model import item, reader_of
from tests.engine.writes.keys import CONTACTS, REPLAYED, count, is_new, is_replay_of, kept, keyed, new_key

SERVED = [model for model in every_model() if not model.has_custom_routes]


def of(*, operation, but=()):
    """Every model that has an operation."""
    models = [model for model in SERVED if getattr(model.policy, operation) is not Rule.NONE and model not in but]
    return pytest.mark.parametrize("model", models, ids=lambda model: model.qualified_name())


@pytest.fixture
def body(workshop):
    """What makes a contact."""
    return workshop.body(CrmContact)


@of(operation="create")
def test_a_record_is_made_once_and_answered_twice(workshop, model):
    body, key = workshop.body(model), new_key()
    workshop.make_room(model)
    maker = workshop.maker(model)
    first, again = (keyed(maker, "POST", model.collection_path(), key, body) for _ in range(2))
    assert first.status_code == 201, first.json
    assert is_replay_of(again, first)


@of(operation="update")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_record_is_changed_once_and_answered_twice(workshop, model, method):
    path, key = item(model, workshop.make(model)), new_key()
    actor = reader_of(model, workshop)
    first, again = (keyed(actor, method, path, key, {}) for _ in range(2))
    assert first.status_code == 200, first.json
    assert is_replay_of(again, first)


@of(operation="delete", but=(AuthMember, AuthAccount))
def test_a_record_is_removed_once_and_the_second_answer_is_no_404(workshop, model):
    path, key = item(model, workshop.make(model)), new_key()
    actor = workshop.cast.admin if model.policy.delete is Rule.ADMIN or model is AuthUser else workshop.owner
    first, again = (keyed(actor, "DELETE", path, key) for _ in range(2))
    assert first.status_code == 200, first.json
    assert is_replay_of(again, first)
    assert actor.delete(path).status_code == 404


def test_the_second_request_writes_no_row(workshop, body):
    key = new_key()
    for _ in range(3):
        keyed(workshop.owner, "POST", CONTACTS, key, body)
    assert count(workshop.owner) == 1
    assert len(kept(workshop.owner)) == 1


def test_the_answer_is_that_of_then_also_when_the_record_has_changed_or_gone(workshop, body):
    owner, key = workshop.owner, new_key()
    first = keyed(owner, "POST", CONTACTS, key, body)
    path = f"{CONTACTS}/{first.json['id']}"
    assert owner.put(path, {"lastName": "Changed"}).status_code == 200
    assert is_replay_of(keyed(owner, "POST", CONTACTS, key, body), first)
    assert owner.delete(path).status_code == 200
    assert is_replay_of(keyed(owner, "POST", CONTACTS, key, body), first)
    assert owner.get(path).status_code == 404


def test_a_conditional_write_that_was_done_is_not_refused_when_it_is_sent_again(workshop):
    path, key = workshop.path(CrmContact), new_key()
    for condition in ({"headers": {"If-Match": '"1"'}}, {"query_string": {"ifMatch": "2"}}):
        first, again = (keyed(workshop.owner, "PUT", path, key, {"lastName": key[-30:]}, **condition) for _ in "ab")
        assert first.status_code == 200, first.json
        assert is_replay_of(again, first)
        key = new_key()


@pytest.mark.parametrize("change", ["body", "path", "query", "method", "whitespace", "condition"])
def test_another_request_under_the_key_is_refused_and_changes_nothing(workshop, change):
    owner, key = workshop.owner, new_key()
    here, there = workshop.path(CrmContact), workshop.path(CrmContact)
    assert is_new(keyed(owner, "PUT", here, key, {"lastName": "King"}))
    before = [owner.get(path).json for path in (here, there)]
    sent = {"method": "PUT", "path": here, "json": {"lastName": "King"}, "headers": {"Idempotency-Key": key}}
    sent |= {
        "body": {"json": {"lastName": "Queen"}}, "path": {"path": there}, "method": {"method": "PATCH"},
        "query": {"query_string": {"ifMatch": "2"}}, "condition": {"headers": sent["headers"] | {"If-Match": '"2"'}},
        "whitespace": {"json": None, "data": b'{ "lastName":"King"}', "content_type": "application/json"},
    }[change]  # fmt: skip
    refused = owner.send(**sent)
    assert (refused.status_code, refused.json["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert [owner.get(path).json for path in (here, there)] == before


def test_the_body_of_a_removal_is_part_of_the_request_though_nobody_reads_it(workshop):
    owner, path, key = workshop.owner, workshop.path(CrmContact), new_key()
    first = keyed(owner, "DELETE", path, key, {"reason": "a"})
    assert is_replay_of(keyed(owner, "DELETE", path, key, {"reason": "a"}), first)
    assert keyed(owner, "DELETE", path, key, {"reason": "b"}).status_code == 422


def test_the_acting_organization_is_part_of_the_request(app, cast, workshop, body):
    owner, key = workshop.owner, new_key()
    assert is_new(keyed(owner, "POST", CONTACTS, key, body))
    other = workshop.make(AuthOrganization)["id"]
    with app.app_context(), transaction() as session:
        move = text("UPDATE auth_session SET active_organization_id = :other WHERE user_id = :user")
        session.execute(move, {"other": other, "user": owner.user_id})
    assert keyed(owner, "POST", CONTACTS, key, body).status_code == 422


def test_how_key_and_credential_are_sent_makes_no_other_request(cast, workshop):
    owner, key = workshop.owner, new_key()
    path = workshop.path(CrmContact)
    held = cast.key(owner, "write", organization_id=owner.organization_id)
    first = keyed(held, "PUT", path, key, {"lastName": "King"})
    assert is_new(first)
    by_parameter = held.put(f"{path}?idempotencyKey={key}", {"lastName": "King"})
    credential_too = cast.nobody.put(f"{path}?idempotencyKey={key}&api_key={held.token}", {"lastName": "King"})
    both = keyed(held, "PUT", path, key, {"lastName": "King"}, query_string={"idempotencyKey": key})
    for again in (by_parameter, credential_too, both):
        assert is_replay_of(again, first), again.json


def test_header_and_parameter_have_to_say_the_same(workshop, body):
    send = {"query_string": {"idempotencyKey": "one"}}
    assert keyed(workshop.owner, "POST", CONTACTS, "two", body, **send).status_code == 400
    assert is_new(keyed(workshop.owner, "POST", CONTACTS, '"one"', body, **send))
    assert workshop.owner.post(f"{CONTACTS}?idempotencyKey=a&idempotencyKey=a", body).status_code == 400


@pytest.mark.parametrize(
    "key", ["a", "k" * 255, '"quoted"', f'"{"k" * 255}"', "with blanks in it", "a,b;c=d", "~!@#$%^&*()"]
)
def test_a_key_is_any_printable_text_with_or_without_quotes(workshop, body, key):
    first = keyed(workshop.owner, "POST", CONTACTS, key, body)
    assert is_new(first), first.json
    bare = key.strip('"')
    assert is_replay_of(keyed(workshop.owner, "POST", CONTACTS, bare, body), first)
    assert kept(workshop.owner)[0]["key"] == bare


@pytest.mark.parametrize(
    "key", ["", '"', '""', "k" * 256, f'"{"k" * 256}"', "tab\tin", "\x01", "\x7f", "naïve", "\x00"]
)
def test_a_key_that_is_empty_too_long_or_not_printable_is_refused(workshop, body, key):
    if not set(key) & set("\x00\x01"):  # which no server lets into a header
        assert refused_by_name(keyed(workshop.owner, "POST", CONTACTS, key, body))
    assert refused_by_name(workshop.owner.post(CONTACTS, body, query_string={"idempotencyKey": key}))
    assert (count(workshop.owner), kept(workshop.owner)) == (0, [])


def refused_by_name(answer):
    return answer.status_code == 400 and list(answer.json["details"]["fields"]) == ["idempotencyKey"]


def test_a_refusal_is_not_kept_and_the_request_may_be_tried_again(workshop, body):
    owner, key = workshop.owner, new_key()
    for wrong in (body | {"email": "x"}, body | {"companyId": body["companyId"][:-12] + "000000000000"}):
        refused = [keyed(owner, "POST", CONTACTS, key, wrong) for _ in range(2)]
        assert [each.status_code for each in refused] == [400, 400]
        assert all(REPLAYED not in each.headers for each in refused)
    assert kept(owner) == []
    assert is_new(keyed(owner, "POST", CONTACTS, key, body))


@pytest.mark.parametrize(("condition", "status"), [('"9"', 412), ("x", 400)])
def test_a_condition_that_is_refused_is_not_kept_either(workshop, condition, status):
    path, key = workshop.path(CrmCompany), new_key()
    refused = keyed(workshop.owner, "PUT", path, key, {"name": "New"}, headers={"If-Match": condition})
    assert refused.status_code == status
    assert is_new(keyed(workshop.owner, "PUT", path, key, {"name": "New"}))


def test_a_key_on_a_read_does_nothing(workshop, body):
    owner, key = workshop.owner, new_key()
    for _ in range(2):
        assert is_new(keyed(owner, "GET", CONTACTS, key))
        assert is_new(keyed(owner, "POST", f"{CONTACTS}/_query", key, {}))
        assert is_new(keyed(owner, "QUERY", CONTACTS, key, {}))
    assert owner.get(CONTACTS, query_string={"idempotencyKey": key}).status_code == 400
    assert kept(owner) == []
    assert is_new(keyed(owner, "POST", CONTACTS, key, body))
