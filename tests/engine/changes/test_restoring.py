"""Deleted records come back with what went with them, for those who could have deleted them."""

from __future__ import annotations

from app.ai.models.chats import AiChat, AiMessage
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.auth.models.organizations import AuthTeam, AuthTeamMember
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.storage import uploads
from app.storage.models import StorageUpload
from app.storage.object_store import object_store
from tests.engine.changes.replay import differences

COMPANY = "/api/v1/crm/company"
TEN_BYTES = {"filename": "notes.txt", "contentBase64": "MDEyMzQ1Njc4OQ=="}


def path_of(model, record):
    return f"{model.collection_path()}/{record['id']}"


def restored(actor, model, record, **options):
    return actor.post(f"{model.collection_path()}/_deleted/{record['id']}/_restore", **options)


def deleted(actor, model, **asked):
    return actor.get(f"{model.collection_path()}/_deleted", query_string=asked)


def test_what_is_deleted_is_listed_with_who_has_done_so_the_latest_first(owner, workshop):
    first, second = workshop.make(CrmCompany), workshop.make(CrmCompany)
    for each in (first, second):
        owner.delete(path_of(CrmCompany, each))
    data = deleted(owner, CrmCompany).json["data"]
    assert [each["record"]["id"] for each in data] == [second["id"], first["id"]]
    assert data[0]["record"] == second
    assert data[0]["actor"] == {"type": "user", "id": str(owner.user_id)}
    page = deleted(owner, CrmCompany, take=1).json
    assert [each["recordId"] for each in deleted(owner, CrmCompany, cursor=page["meta"]["next"]).json["data"]] == [
        first["id"]
    ]


def test_a_record_comes_back_as_it_was_in_a_version_of_its_own(owner, workshop):
    company = workshop.make(CrmCompany, industry="shipping")
    owner.delete(path_of(CrmCompany, company))
    answer = restored(owner, CrmCompany, company)
    assert answer.status_code == 200, answer.json
    assert answer.json | {"updatedAt": ""} == company | {"updatedAt": ""}
    assert answer.headers["ETag"].startswith('"2-')
    assert deleted(owner, CrmCompany).json["data"] == []
    operations = [each["operation"] for each in owner.get(f"{path_of(CrmCompany, company)}/_history").json["data"]]
    assert operations == ["create", "delete", "create"]


def test_what_went_with_a_record_comes_back_with_it_and_nothing_else(owner, workshop):
    message = workshop.make(AiMessage)
    other = workshop._make(AiMessage, chatId=message["chatId"], content="Removed before")
    chat = {"id": message["chatId"]}
    owner.delete(path_of(AiMessage, other))
    owner.delete(path_of(AiChat, chat))
    assert restored(owner, AiChat, chat).status_code == 200
    assert owner.get(path_of(AiMessage, message)).json["content"] == message["content"]
    assert owner.get(path_of(AiMessage, other)).status_code == 404


def test_of_many_that_were_deleted_at_once_one_comes_back_alone(owner, workshop):
    first, second = workshop.make(AiMessage), workshop.make(AiMessage)
    ids = f"{first['chatId']},{second['chatId']}"
    assert owner.delete("/api/v1/ai/chat", query_string={"ids": ids}).status_code == 200
    assert restored(owner, AiChat, {"id": first["chatId"]}).status_code == 200
    assert owner.get(path_of(AiMessage, first)).status_code == 200
    assert owner.get(path_of(AiMessage, second)).status_code == 404


def test_references_that_were_emptied_return_where_they_are_unchanged(owner, workshop):
    contact = workshop.make(CrmContact)
    kept, changed = (workshop.make(CrmDeal, companyId=contact["companyId"], contactId=contact["id"]) for _ in range(2))
    other = workshop.make(CrmContact, companyId=contact["companyId"])
    owner.delete(path_of(CrmContact, contact))
    owner.put(path_of(CrmDeal, changed), {"contactId": other["id"]})
    assert restored(owner, CrmContact, contact).status_code == 200
    found = [owner.get(path_of(CrmDeal, each)).json["contactId"] for each in (kept, changed)]
    assert found == [contact["id"], other["id"]]


def test_a_value_that_is_taken_by_now_stands_in_the_way(owner, workshop):
    contact = workshop.make(CrmContact)
    owner.delete(path_of(CrmContact, contact))
    taken = {name: contact[name] for name in ("firstName", "lastName", "email", "companyId")}
    assert owner.post(CrmContact.collection_path(), taken).status_code == 201
    answer = restored(owner, CrmContact, contact)
    assert (answer.status_code, "email" in answer.json["details"]["fields"]) == (409, True)
    assert owner.get(path_of(CrmContact, contact)).status_code == 404


def test_a_parent_that_is_gone_stands_in_the_way(owner, workshop):
    message = workshop.make(AiMessage)
    owner.delete(path_of(AiMessage, message))
    owner.delete(path_of(AiChat, {"id": message["chatId"]}))
    assert restored(owner, AiMessage, message).status_code == 404
    assert restored(owner, AiChat, {"id": message["chatId"]}).status_code == 200
    assert restored(owner, AiMessage, message).status_code == 200


def test_nobody_brings_back_what_they_could_not_have_deleted(cast, owner, workshop):
    company = workshop.make(CrmCompany, visibility="public")
    owner.delete(path_of(CrmCompany, company))
    stranger, colleague = cast.user(), cast.colleague(owner)
    assert deleted(stranger, CrmCompany).json["data"] == []
    assert restored(stranger, CrmCompany, company).status_code == 404
    assert restored(cast.key(owner, "read"), CrmCompany, company).status_code == 403
    narrow = cast.key(owner, "write", access=[{"models": ["crm/company"], "operations": ["delete", "read"]}])
    assert restored(narrow, CrmCompany, company).status_code in (403, 404)
    assert restored(colleague, CrmCompany, company).status_code == 200


def test_what_is_there_is_not_brought_back(owner, workshop):
    company = workshop.make(CrmCompany)
    assert restored(owner, CrmCompany, company).status_code == 404
    owner.delete(path_of(CrmCompany, company))
    assert restored(owner, CrmCompany, company).status_code == 200
    assert restored(owner, CrmCompany, company).status_code == 404


def test_a_restore_is_done_once_for_each_key(owner, workshop):
    company = workshop.make(CrmCompany)
    owner.delete(path_of(CrmCompany, company))
    sent = {"Idempotency-Key": company["id"]}
    first, again = (restored(owner, CrmCompany, company, headers=sent) for _ in range(2))
    assert (first.status_code, again.status_code, first.json) == (200, 200, again.json)


def test_the_passages_of_a_document_are_made_anew(owner, workshop, do_jobs):
    document = workshop.make(AiRagDocument, sourceType="text", content="Quay 4 has two cranes. " * 50)
    do_jobs()
    index = f"/api/v1/ai-rag/index/{document['indexId']}"
    before = owner.get(index).json
    owner.delete(path_of(AiRagDocument, document))
    assert restored(owner, AiRagDocument, document).status_code == 200
    do_jobs()
    after = owner.get(index).json
    assert [after[name] for name in ("documentCount", "chunkCount")] == [
        before[name] for name in ("documentCount", "chunkCount")
    ]
    assert before["chunkCount"] > 0
    owner.delete(index)
    assert restored(owner, AiRagIndex, {"id": document["indexId"]}).status_code == 200
    do_jobs()
    assert owner.get(index).json["chunkCount"] == before["chunkCount"]


def test_the_bytes_of_an_upload_stay_as_long_as_it_can_come_back(owner, workshop):
    upload = workshop.make(StorageUpload)
    with owner.get(f"/api/upload/{upload['id']}/content") as answer:
        before = answer.data
    owner.delete(path_of(StorageUpload, upload))
    with owner.app.app_context():
        uploads.sweep()
    assert restored(owner, StorageUpload, upload).status_code == 200
    with owner.get(f"/api/upload/{upload['id']}/content") as answer:
        assert answer.data == before


def test_a_bucket_that_is_full_by_now_stands_in_the_way(owner, workshop, sql):
    upload = workshop.make(StorageUpload)
    owner.delete(path_of(StorageUpload, upload))
    sql("UPDATE storage_bucket SET quota_bytes = 1 WHERE id = %s", upload["bucketId"])
    answer = restored(owner, StorageUpload, upload)
    assert (answer.status_code, answer.json["error"]) == (409, "The bucket is full")


def stored_keys():
    return {key for key, _ in object_store().keys()}


def test_deleted_files_take_at_most_the_space_of_their_bucket_and_the_oldest_go(owner, sql):
    uploads_made = [owner.post("/api/v1/storage/upload", TEN_BYTES).json for _ in range(4)]
    bucket = uploads_made[0]["bucketId"]
    sql("UPDATE storage_bucket SET quota_bytes = 40 WHERE id = %s", bucket)
    for each in uploads_made:
        owner.delete(path_of(StorageUpload, each))
    assert sql("SELECT deleted_bytes FROM storage_bucket WHERE id = %s", bucket) == [(40,)]
    assert len(deleted(owner, StorageUpload).json["data"]) == 4
    with owner.app.app_context():
        before = stored_keys()
    one_more = owner.post("/api/v1/storage/upload", TEN_BYTES).json
    owner.delete(path_of(StorageUpload, one_more))
    left = [each["recordId"] for each in deleted(owner, StorageUpload).json["data"]]
    assert left == [one_more["id"], uploads_made[3]["id"]]
    with owner.app.app_context():
        assert len(before - stored_keys()) == 3
    assert restored(owner, StorageUpload, uploads_made[0]).status_code == 404
    assert restored(owner, StorageUpload, one_more).status_code == 200
    assert sql("SELECT deleted_bytes FROM storage_bucket WHERE id = %s", bucket) == [(10,)]


def test_what_was_purged_takes_no_space_of_others(owner, sql):
    kept, purged, later = (owner.post("/api/v1/storage/upload", TEN_BYTES).json for _ in range(3))
    sql("UPDATE storage_bucket SET quota_bytes = 30, used_bytes = 30 WHERE id = %s", kept["bucketId"])
    owner.delete(path_of(StorageUpload, kept))
    for _ in range(3):
        owner.delete(f"{path_of(StorageUpload, purged)}?purge=true")
        purged = owner.post("/api/v1/storage/upload", TEN_BYTES).json
    owner.delete(path_of(StorageUpload, later))
    left = [each["recordId"] for each in deleted(owner, StorageUpload).json["data"]]
    assert left == [later["id"], kept["id"]]


def test_who_manages_the_organization_brings_back_what_managers_may_delete(cast, owner, sql):
    member = cast.colleague(owner)
    body = TEN_BYTES | {"bucketId": owner.get("/api/v1/storage/bucket").json["data"][0]["id"], "visibility": "public"}
    upload = member.post("/api/v1/storage/upload", body).json
    assert owner.delete(path_of(StorageUpload, upload)).status_code == 200
    assert [each["recordId"] for each in deleted(owner, StorageUpload).json["data"]] == [upload["id"]]
    assert restored(owner, StorageUpload, upload).status_code == 200


def test_who_was_removed_from_a_team_does_not_come_back_alone(cast, owner):
    member = cast.colleague(owner)
    team = owner.post(AuthTeam.collection_path(), {"name": "Cranes", "organizationId": str(owner.organization_id)}).json
    joined = owner.post(AuthTeamMember.collection_path(), {"teamId": team["id"], "userId": str(member.user_id)}).json
    assert owner.delete(path_of(AuthTeamMember, joined)).status_code == 200
    assert restored(member, AuthTeamMember, joined).status_code == 404
    assert restored(owner, AuthTeamMember, joined).status_code == 200


def test_a_team_that_is_there_again_narrows_its_members_as_before(cast, owner, workshop):
    company, member = workshop.make(CrmCompany), cast.colleague(owner)
    team = owner.post(AuthTeam.collection_path(), {"name": "Cranes", "organizationId": str(owner.organization_id)}).json
    owner.post(AuthTeamMember.collection_path(), {"teamId": team["id"], "userId": str(member.user_id)})
    grants = [{"models": ["crm/company"], "operations": ["list", "read"]}]
    owner.put(f"{path_of(AuthTeam, team)}/_access", {"access": grants})
    read = path_of(CrmCompany, company)
    assert member.get(read).status_code == 200
    owner.delete(path_of(AuthTeam, team))
    assert member.get(read).status_code == 404
    assert restored(owner, AuthTeam, team).status_code == 200
    assert member.get(read).status_code == 200


def test_files_of_a_person_who_is_there_again_take_their_space(cast, owner, sql):
    member = cast.colleague(owner)
    body = TEN_BYTES | {"bucketId": owner.get("/api/v1/storage/bucket").json["data"][0]["id"]}
    upload = member.post("/api/v1/storage/upload", body).json
    figures = "SELECT used_bytes, upload_count FROM storage_bucket WHERE id = %s"
    assert sql(figures, upload["bucketId"]) == [(10, 1)]
    assert cast.admin.delete(f"/api/v1/auth/user/{member.user_id}").status_code == 200
    assert sql(figures, upload["bucketId"]) == [(0, 0)]
    answer = cast.admin.post(f"/api/v1/auth/user/_deleted/{member.user_id}/_restore")
    assert answer.status_code == 200, answer.json
    assert sql(figures, upload["bucketId"]) == [(10, 1)]


def test_the_log_is_what_is_there_after_all_that(sql):
    assert differences(sql) == []
