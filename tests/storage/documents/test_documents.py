"""The document routes: written documents, documents made of uploads, and the knowledge base that they enter."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import func, select, text

from app.ai_rag import indexing
from app.extensions import db
from app.storage.models import StorageDocument
from app.testing.cast import Actor
from app.testing.database import transaction
from app.testing.waiting import await_true, work
from tests.storage.uploads.forms import PNG, sent

DOCUMENTS = "/api/documents"
RECORD = {"id", "title", "content", "kind", "uploadId", "userId", "createdAt", "updatedAt"}


def made(owner, **body):
    response = owner.post(DOCUMENTS, body)
    assert response.status_code == 201, response.json
    return response.json


def upload(owner, content, name="notes.txt", kind="text/plain"):
    return sent(owner, content, name, kind).rpartition("/")[2]


def test_a_document_is_made_read_changed_and_deleted(owner):
    document = made(owner, title="Plan", content="First this.")
    path = f"{DOCUMENTS}/{document['id']}"
    assert set(document) == RECORD
    assert (document["kind"], document["uploadId"], document["userId"]) == ("text", None, str(owner.user_id))
    assert owner.get(path).json == document
    changed = owner.patch(path, {"title": "New plan", "kind": "code"}).json
    assert (changed["title"], changed["kind"], changed["content"]) == ("New plan", "code", "First this.")
    assert owner.get(f"/api/v1/storage/document/{document['id']}").json["title"] == "New plan"
    assert owner.delete(path).json == {"id": document["id"], "deleted": True}
    assert owner.get(path).status_code == 404


def test_the_list_has_the_callers_own_documents_newest_first(owner, cast):
    other = made(cast.user(), title="Other")
    cast.admin.put(f"/api/v1/storage/document/{other['id']}", {"visibility": "public"})
    titles = [made(owner, title=f"Plan {number}")["title"] for number in range(3)]
    answer = owner.get(DOCUMENTS, query_string={"take": 2}).json
    assert [row["title"] for row in answer["data"]] == titles[:0:-1]
    assert answer["meta"] == {"count": 3, "take": 2, "skip": 0}
    assert set(answer["data"][0]) == RECORD - {"content"}
    assert cast.user(role="admin").get(DOCUMENTS).json["meta"]["count"] == 0


@pytest.mark.parametrize("query", ["take=0", "take=x", "title=Plan", "api_key=x"])
def test_a_bad_query_is_refused(owner, query):
    assert owner.get(f"{DOCUMENTS}?{query}").status_code == 400


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "title"),
        ({"title": ""}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": "x", "kind": "song"}, "kind"),
        ({"title": "x", "content": 7}, "content"),
        ({"title": "x", "userId": "y"}, "userId"),
        ({"title": "x", "uploadId": "y"}, "uploadId"),
        ({"uploadId": "01a1fcb6-2a04-755c-b3f3-e7874178f41c"}, "uploadId"),
    ],
)
def test_a_bad_body_is_refused_by_name_and_makes_nothing(owner, body, field):
    response = owner.post(DOCUMENTS, body)
    assert response.status_code == 400
    assert field in response.json["details"]["fields"]
    assert owner.get(DOCUMENTS).json["meta"]["count"] == 0


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_the_document_of_another_reads_as_absent(owner, cast, method):
    path = f"{DOCUMENTS}/{made(owner, title='Private')['id']}"
    response = cast.user().send(method, path, json={} if method == "PATCH" else None)
    assert (response.status_code, response.json["code"]) == (404, "NOT_FOUND")
    assert cast.nobody.get(path).status_code == 401


def test_the_text_of_an_upload_becomes_a_document_with_passages(owner, app):
    story = "The harbour master counts the ships.\n\n" * 60
    document = made(owner, uploadId=upload(owner, story.encode(), "harbour.txt"))
    assert (document["title"], document["content"]) == ("harbour.txt", "")
    work(app)
    assert owner.get(f"{DOCUMENTS}/{document['id']}").json["content"] == story.strip()
    entry = owner.get(f"/api/v1/ai-rag/document?storageDocumentId={document['id']}").json["data"][0]
    assert (entry["title"], entry["status"], entry["sourceType"]) == ("harbour.txt", "indexed", "document")
    chunks = owner.get("/api/v1/ai-rag/chunk", query_string={"documentId": entry["id"], "take": 1000}).json
    assert chunks["meta"]["count"] == entry["chunkCount"] > 2
    index = owner.get(f"/api/v1/ai-rag/index/{entry['indexId']}").json
    assert (index["name"], index["documentCount"], index["chunkCount"]) == ("Documents", 1, entry["chunkCount"])
    assert (index["status"], index["organizationId"]) == ("ready", str(owner.organization_id))


def test_the_knowledge_base_is_the_owners_and_not_that_of_a_shared_organization(owner, cast, app):
    colleague = cast.colleague(owner)
    made(colleague, uploadId=upload(colleague, b"For my eyes only."))
    work(app)
    assert owner.get("/api/v1/ai-rag/document").json["meta"]["count"] == 0
    assert colleague.get("/api/v1/ai-rag/document").json["meta"]["count"] == 1


def test_a_file_without_text_makes_no_document(owner):
    response = owner.post(DOCUMENTS, {"uploadId": upload(owner, PNG, "dot.png", "image/png")})
    assert (response.status_code, list(response.json["details"]["fields"])) == (400, ["uploadId"])


def test_the_upload_of_another_reads_as_missing(owner, cast):
    response = owner.post(DOCUMENTS, {"uploadId": upload(cast.user(), b"private")})
    assert (response.status_code, response.json["code"]) == (400, "FOREIGN_KEY_VIOLATION")


def waiting(app, name):
    with app.app_context(), transaction() as session:
        query = text("SELECT count(*) FROM procrastinate_jobs WHERE task_name = :name AND status = 'todo'")
        return session.scalar(query, {"name": name})


def test_job_and_document_are_there_together_or_not_at_all(owner, app, monkeypatch):
    work(app)
    identifier = upload(owner, b"text")

    def fail(*arguments, **options):
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("app.jobs.queue.defer", fail)
        assert owner.post(DOCUMENTS, {"uploadId": identifier}).status_code == 500
    assert owner.get(DOCUMENTS).json["meta"]["count"] == 0
    assert waiting(app, "read_document") == 0
    made(owner, uploadId=identifier)
    assert waiting(app, "read_document") == 1
    work(app)


def test_a_document_written_by_hand_meanwhile_is_left_alone(owner, app):
    document = made(owner, uploadId=upload(owner, b"from the file"))
    path = f"{DOCUMENTS}/{document['id']}"
    owner.patch(path, {"content": "by hand"})
    work(app)
    assert owner.get(path).json["content"] == "by hand"


def test_a_document_or_upload_that_is_gone_meanwhile_is_left_alone(owner, app):
    identifier = upload(owner, b"from the file")
    first, second = made(owner, uploadId=identifier), made(owner, uploadId=identifier)
    owner.delete(f"{DOCUMENTS}/{first['id']}")
    owner.delete(f"/api/upload/{identifier}")
    work(app)
    assert owner.get(f"{DOCUMENTS}/{second['id']}").json["content"] == ""


def test_an_entry_of_a_knowledge_base_is_cut_and_cut_again_when_its_text_changes(owner, app):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Base", "chunkSize": 100, "chunkOverlap": 10}).json
    body = {"indexId": index["id"], "title": "T", "content": "One sentence here. " * 30}
    entry = owner.post("/api/v1/ai-rag/document", body).json
    path = f"/api/v1/ai-rag/document/{entry['id']}"
    assert entry["status"] == "pending"
    work(app)
    first = owner.get(path).json
    assert (first["status"], first["chunkCount"] > 5) == ("indexed", True)
    owner.put(path, {"content": "Short."})
    work(app)
    assert owner.get(path).json["chunkCount"] == 1
    chunks = owner.get("/api/v1/ai-rag/chunk", query_string={"documentId": entry["id"]}).json["data"]
    assert [chunk["content"] for chunk in chunks] == ["Short."]
    assert owner.get(f"/api/v1/ai-rag/index/{index['id']}").json["chunkCount"] == 1


def test_an_entry_that_is_deleted_while_its_passages_are_kept_is_left_alone(owner, app):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Wharf"}).json["id"]
    body = {"indexId": index, "title": "Plan", "content": "First this. Then that."}
    entry = owner.post("/api/v1/ai-rag/document", body).json["id"]

    def cut():
        with app.app_context():
            indexing.index_document(UUID(entry))

    with ThreadPoolExecutor(1) as aside, app.app_context(), db.engine.begin() as connection:
        connection.execute(text("SELECT FROM ai_rag_index WHERE id = :id FOR UPDATE"), {"id": index})
        connection.execute(text("DELETE FROM ai_rag_document WHERE id = :id"), {"id": entry})
        cutting = aside.submit(cut)
        await_true(lambda: is_waited_for(app))
        connection.commit()
        cutting.result(30)
    assert owner.get(f"/api/v1/ai-rag/document/{entry}").status_code == 404


def is_waited_for(app):
    """Whether somebody waits for a lock on the rows of a knowledge base."""
    blocked = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ai_rag%'")
    with app.app_context(), db.engine.connect() as connection:
        return connection.scalar(blocked) > 0


def test_passages_that_are_kept_while_their_document_is_deleted_are_not_counted_any_more(owner, app):
    document = made(owner, title="Plan", content="First this.")["id"]
    work(app)
    index = owner.get("/api/v1/ai-rag/index").json["data"][0]["id"]
    with ThreadPoolExecutor(1) as aside, app.app_context(), db.engine.begin() as connection:
        connection.execute(text("SELECT FROM ai_rag_index WHERE id = :id FOR UPDATE"), {"id": index})
        deleting = aside.submit(owner.delete, f"{DOCUMENTS}/{document}")
        await_true(lambda: is_waited_for(app))
        connection.execute(text("UPDATE ai_rag_document SET chunk_count = 3 WHERE index_id = :id"), {"id": index})
        connection.execute(text("UPDATE ai_rag_index SET chunk_count = 3 WHERE id = :id"), {"id": index})
        connection.commit()
        assert deleting.result(30).status_code == 200
    assert owner.get(f"/api/v1/ai-rag/index/{index}").json["chunkCount"] == 0


def test_chunks_that_a_client_writes_are_left_as_they_are(owner, app):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Own"}).json
    entry = owner.post(
        "/api/v1/ai-rag/document", {"indexId": index["id"], "title": "T", "content": "A text. " * 500}
    ).json
    owner.post("/api/v1/ai-rag/chunk", {"documentId": entry["id"], "content": "Mine."})
    work(app)
    assert owner.get(f"/api/v1/ai-rag/document/{entry['id']}").json["chunkCount"] == 1


def test_an_entry_without_text_fails_and_says_why(owner, app):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Empty"}).json
    entry = owner.post(
        "/api/v1/ai-rag/document",
        {
            "indexId": index["id"],
            "title": "T",
            "sourceType": "document",
            "storageDocumentId": made(owner, title="Empty")["id"],
        },
    ).json
    work(app)
    failed = owner.get(f"/api/v1/ai-rag/document/{entry['id']}").json
    assert (failed["status"], failed["errorMessage"]) == ("failed", "There is no text to index")


def test_documents_need_a_credential_with_the_scope_of_the_verb(owner, cast):
    reader, writer = cast.key(owner, "read"), cast.key(owner, "write")
    assert reader.post(DOCUMENTS, {"title": "x"}).json["code"] == "INSUFFICIENT_SCOPE"
    assert writer.post(DOCUMENTS, {"title": "x"}).status_code == 201
    assert reader.get(DOCUMENTS).json["meta"]["count"] == 1
    assert Actor(owner.app).get(DOCUMENTS).status_code == 401


def test_the_rows_are_those_of_the_data_api(owner, app):
    made(owner, title="Here")
    with app.app_context(), transaction() as session:
        own = select(func.count()).select_from(StorageDocument).where(StorageDocument.user_id == owner.user_id)
        assert session.scalar(own) == 1
    assert owner.get("/api/v1/storage/document").json["data"][0]["title"] == "Here"
