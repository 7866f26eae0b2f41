"""Undo takes back what one request has written, as a whole or not at all."""

from __future__ import annotations

import uuid

import pytest

from app.ai.models.answering import AiProvider
from app.ai.models.chats import AiMessage
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.storage.models import StorageUpload
from tests.engine.changes.replay import differences

COMPANY, UNDO = "/api/v1/crm/company", "/api/v1/_undo"


def undone(actor, answer, **options):
    """What comes of taking the write back that ``answer`` is about."""
    assert answer.status_code < 300, answer.json
    return actor.post(UNDO, {"transaction": answer.headers["Transaction-Id"]}, **options)


def test_what_was_made_is_gone(owner):
    made = owner.post(COMPANY, {"name": "Harbour Works"})
    answer = undone(owner, made)
    assert answer.json == {"deleted": 1, "changed": 0, "restored": 0, "kept": []}
    assert owner.get(f"{COMPANY}/{made.json['id']}").status_code == 404


def test_what_was_changed_has_its_old_values_in_a_new_version(owner, workshop):
    company = workshop.make(CrmCompany, industry="shipping", employees=3)
    path = f"{COMPANY}/{company['id']}"
    assert undone(owner, owner.put(path, {"industry": "food", "employees": None})).json["changed"] == 1
    now = owner.get(path)
    assert (now.json["industry"], now.json["employees"]) == ("shipping", 3)
    assert now.headers["ETag"].startswith('"3-')


def test_what_was_deleted_comes_back_with_what_went_along(owner, workshop):
    message = workshop.make(AiMessage)
    assert undone(owner, owner.delete(f"/api/v1/ai/chat/{message['chatId']}")).json["restored"] == 2
    assert owner.get(f"/api/v1/ai/message/{message['id']}").json["content"] == message["content"]


def test_an_undo_is_taken_back_as_well(owner, workshop):
    company = workshop.make(CrmCompany, industry="shipping")
    path = f"{COMPANY}/{company['id']}"
    first = undone(owner, owner.put(path, {"industry": "food"}))
    assert undone(owner, first).status_code == 200
    assert owner.get(path).json["industry"] == "food"


def test_an_array_an_import_and_a_batch_are_taken_back_as_a_whole(owner, workshop):
    rows = [{"name": f"Number {number}"} for number in range(20)]
    array = owner.post(COMPANY, rows)
    assert undone(owner, array).json["deleted"] == 20
    imported = owner.send("POST", f"{COMPANY}/_import", data="name\nOne\nTwo\n", content_type="text/csv")
    assert undone(owner, imported).json["deleted"] == 2
    kept = workshop.make(CrmCompany, industry="shipping")
    requests = [
        {"ref": "co", "method": "POST", "path": COMPANY, "body": {"name": "Of the batch"}},
        {"method": "PATCH", "path": f"{COMPANY}/{kept['id']}", "body": {"industry": "food"}},
        {"method": "DELETE", "path": f"{COMPANY}/{workshop.make(CrmCompany)['id']}"},
    ]
    batch = owner.post("/api/v1/_batch", {"requests": requests})
    assert undone(owner, batch).json == {"deleted": 1, "changed": 1, "restored": 1, "kept": []}
    assert owner.get(f"{COMPANY}/{kept['id']}").json["industry"] == "shipping"


def test_states_go_back_against_their_transitions(owner, workshop):
    deal = workshop.make(CrmDeal, stage="negotiation")
    path = f"/api/v1/crm/deal/{deal['id']}"
    won = owner.put(path, {"stage": "won"})
    assert won.json["closedAt"] is not None
    assert undone(owner, won).status_code == 200
    assert (owner.get(path).json["stage"], owner.get(path).json["closedAt"]) == ("negotiation", None)


def test_counts_of_the_service_follow(owner, workshop, sql):
    workshop.make(StorageUpload)
    upload = workshop.make(StorageUpload)
    bucket = "SELECT upload_count, used_bytes FROM storage_bucket WHERE id = %s"
    before = sql(bucket, upload["bucketId"])
    deleted = owner.delete(f"{StorageUpload.collection_path()}/{upload['id']}")
    workshop.make(StorageUpload)
    between = sql(bucket, upload["bucketId"])
    assert undone(owner, deleted).status_code == 200
    assert sql(bucket, upload["bucketId"])[0][0] == between[0][0] + 1 == before[0][0] + 1


def test_what_somebody_has_changed_since_stands_in_the_way_of_all(owner, workshop):
    first, second = workshop.make(CrmCompany), workshop.make(CrmCompany)
    changes = [{"id": each["id"], "industry": "food"} for each in (first, second)]
    written = owner.send("PATCH", COMPANY, json=changes)
    owner.put(f"{COMPANY}/{second['id']}", {"name": "Renamed"})
    answer = undone(owner, written)
    assert answer.status_code == 409
    assert answer.json["details"]["records"] == [
        {"model": "crm/company", "id": second["id"], "reason": "has changed since"}
    ]
    assert owner.get(f"{COMPANY}/{first['id']}").json["industry"] == "food"


def test_what_belongs_to_a_new_record_by_now_stands_in_the_way(owner, workshop):
    company = owner.post(COMPANY, {"name": "Harbour Works"})
    workshop.make(CrmContact, companyId=company.json["id"])
    assert undone(owner, company).status_code == 409
    chat = owner.post("/api/v1/ai/chat", {"title": "Hi"})
    owner.post("/api/v1/ai/message", {"chatId": chat.json["id"], "role": "user", "content": "x"})
    assert undone(owner, chat).status_code == 409
    assert owner.get(f"/api/v1/ai/chat/{chat.json['id']}").status_code == 200


def test_encrypted_values_cannot_be_taken_back_and_are_named(cast, workshop):
    provider = workshop.make(AiProvider, apiKey="sk-first")
    path = f"{AiProvider.collection_path()}/{provider['id']}"
    written = cast.admin.put(path, {"apiKey": "sk-second", "name": "Renamed"})
    answer = undone(cast.admin, written)
    assert answer.json["kept"] == [{"model": "ai/provider", "id": provider["id"], "fields": ["apiKey"]}]
    assert cast.admin.get(path).json["name"] == provider["name"]


def test_nobody_takes_back_what_they_may_not_write(cast, owner, workshop):
    company = workshop.make(CrmCompany, visibility="public")
    written = owner.put(f"{COMPANY}/{company['id']}", {"industry": "food"})
    assert undone(cast.user(), written).status_code == 403
    assert undone(cast.key(owner, "read"), written).status_code == 403
    private = owner.post(COMPANY, {"name": "Harbour Works"})
    assert undone(cast.user(), private).status_code == 404
    assert undone(cast.colleague(owner), written).status_code == 200


def test_who_may_not_write_waits_for_nobody_and_keeps_nobody_waiting(cast, owner, workshop, connect):
    """A transaction is named to whoever reads a public record: to try an undo takes no lock."""
    company = workshop.make(CrmCompany, visibility="public")
    written = owner.put(f"{COMPANY}/{company['id']}", {"industry": "food"})
    holder = connect()
    holder.execute("SELECT 1 FROM crm_company WHERE id = %s FOR UPDATE", [company["id"]])
    assert undone(cast.user(), written).status_code == 403
    holder.rollback()


def test_changes_of_credentials_are_not_taken_back(owner):
    key = owner.post("/api/v1/auth/api-key", {"name": "mine"})
    assert undone(owner, key).status_code == 403


def test_a_key_takes_nothing_back_that_needs_a_session(cast, owner):
    renamed = owner.put(f"/api/v1/auth/user/{owner.user_id}", {"name": "Renamed"})
    assert undone(cast.key(owner, "write"), renamed).status_code == 403
    assert undone(owner, renamed).status_code == 200


@pytest.mark.parametrize(("body", "status"), [
    ({}, 400), ({"transaction": "x"}, 404), ({"transaction": str(uuid.uuid4())}, 404), ({"transaction": None}, 400),
])  # fmt: skip
def test_a_transaction_that_is_none_is_refused(owner, body, status):
    assert owner.post(UNDO, body).status_code == status


def test_an_undo_is_done_once_for_each_key(owner):
    made = owner.post(COMPANY, {"name": "Harbour Works"})
    sent = {"Idempotency-Key": made.json["id"]}
    first, again = (undone(owner, made, headers=sent) for _ in range(2))
    assert (first.status_code, again.status_code, again.headers["Idempotency-Replayed"]) == (200, 200, "true")
    assert undone(owner, made).status_code == 409


def test_the_log_is_what_is_there_after_all_that(sql):
    assert differences(sql) == []
