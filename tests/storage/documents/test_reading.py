"""Reading the text of uploaded files: outside of transactions, within limits, and with a sentence when it fails."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from app.ai_rag.models import AiRagDocument
from app.jobs import registry
from app.storage import documents
from app.storage.models import StorageDocument
from app.testing.database import transaction
from app.testing.waiting import work
from tests import gone
from tests.storage.documents.test_documents import DOCUMENTS, made, upload
from tests.storage.documents.test_texts import pdf

ENTRIES = "/api/v1/ai-rag/document"
COMMENTS = b"<!--" * 100_000


def work_with(app, **limits):
    """Do the jobs that wait, with other limits."""
    settings = app.config["SETTINGS"]
    app.config["SETTINGS"] = replace(settings, **limits)
    try:
        registry.work(app, concurrency=1, until_empty=True)
    finally:
        app.config["SETTINGS"] = settings


@pytest.mark.parametrize(
    ("content", "name", "kind", "limits", "reason"),
    [
        (COMMENTS, "page.html", "text/html", {"extraction_seconds": 1}, "It takes longer than 1 seconds"),
        (b"word " * 100, "notes.txt", "text/plain", {"extraction_characters": 10}, "It holds more than 10 characters"),
        (pdf("Rules"), "rules.pdf", "application/pdf", {"extraction_pages": 0}, "It has more than 0 pages"),
        (b"\n" * 200_000_00, "notes.txt", "text/plain", {"extraction_memory": 32}, "MiB of memory"),
        (b" ", "notes.txt", "text/plain", {}, "It holds no text"),
    ],
    ids=["time", "characters", "pages", "memory", "nothing"],
)
def test_a_file_that_takes_too_much_leaves_a_failed_entry_that_says_why(
    app, owner, content, name, kind, limits, reason
):
    document = made(owner, uploadId=upload(owner, content, name, kind))
    work_with(app, **limits)
    assert owner.get(f"{DOCUMENTS}/{document['id']}").json["content"] == ""
    (entry,) = owner.get(ENTRIES).json["data"]
    assert (entry["status"], entry["storageDocumentId"]) == ("failed", document["id"])
    assert reason in entry["errorMessage"]


def test_a_document_that_failed_enters_when_it_is_written(app, owner):
    document = made(owner, uploadId=upload(owner, b" "))
    work(app)
    owner.patch(f"{DOCUMENTS}/{document['id']}", {"content": "First this."})
    work(app)
    (entry,) = owner.get(ENTRIES).json["data"]
    assert (entry["status"], entry["errorMessage"]) == ("indexed", None)


def test_a_document_can_be_changed_while_its_file_is_read(app, owner, monkeypatch):
    document = made(owner, uploadId=upload(owner, b"From the file"))
    path = f"{DOCUMENTS}/{document['id']}"
    extract, answers = documents.extract, []

    def change_and_extract(*arguments):
        answers.append(owner.patch(path, {"title": "Changed meanwhile"}).status_code)
        return extract(*arguments)

    monkeypatch.setattr(documents, "extract", change_and_extract)
    work(app)
    assert answers == [200]
    read = owner.get(path).json
    assert (read["title"], read["content"]) == ("Changed meanwhile", "From the file")


def test_what_is_written_while_the_file_is_read_stays(app, owner, monkeypatch):
    document = made(owner, uploadId=upload(owner, b"From the file"))
    path = f"{DOCUMENTS}/{document['id']}"
    extract = documents.extract

    def write_and_extract(*arguments):
        owner.patch(path, {"content": "By hand"})
        return extract(*arguments)

    monkeypatch.setattr(documents, "extract", write_and_extract)
    work(app)
    assert owner.get(path).json["content"] == "By hand"


def test_a_text_of_too_many_chunks_fails_and_says_so(app, owner):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Small", "chunkSize": 100, "chunkOverlap": 50}).json["id"]
    entry = owner.post(ENTRIES, {"indexId": index, "title": "Long", "content": "word " * 500}).json["id"]
    work_with(app, rag_max_chunks=10)
    failed = owner.get(f"{ENTRIES}/{entry}").json
    assert (failed["status"], failed["chunkCount"]) == ("failed", 0)
    assert failed["errorMessage"] == "The text makes more than 10 chunks: choose a larger chunkSize"


def test_an_organization_without_room_takes_no_more_text(build, owner):
    full = build(rag_max_bytes=1024)
    crowded = replace(owner, app=full)
    index = owner.post("/api/v1/ai-rag/index", {"name": "Small"}).json["id"]
    body = {"indexId": index, "title": "Long", "content": "x" * 900}
    assert crowded.post(ENTRIES, body).status_code == 201
    assert crowded.post(ENTRIES, body | {"content": "y" * 900}).status_code == 413
    work(full)
    (entry,) = owner.get(ENTRIES).json["data"]
    assert (entry["status"], entry["errorMessage"]) == (
        "failed",
        "The knowledge bases of the organization have no room for more",
    )


def test_chunks_of_clients_are_bounded_too(build, owner):
    index = owner.post("/api/v1/ai-rag/index", {"name": "Small"}).json["id"]
    entry = owner.post(ENTRIES, {"indexId": index, "title": "Own", "content": "x"}).json["id"]
    crowded = replace(owner, app=build(rag_max_chunks=2))
    chunk = {"documentId": entry, "content": "A passage"}
    assert [crowded.post("/api/v1/ai-rag/chunk", chunk).status_code for _ in range(3)] == [201, 201, 400]


@pytest.mark.parametrize(("overlap", "status"), [(500, 201), (501, 400), (999, 400)])
def test_chunks_overlap_by_half_of_their_size_at_most(owner, overlap, status):
    body = {"name": f"Overlap {overlap}", "chunkSize": 1000, "chunkOverlap": overlap}
    assert owner.post("/api/v1/ai-rag/index", body).status_code == status


@pytest.mark.parametrize(("keys", "status"), [(20, 201), (21, 400)])
def test_a_search_asks_for_twenty_labels_at_most(app, owner, keys, status):
    index = owner.post("/api/v1/ai-rag/index", {"name": f"Labelled {keys}"}).json["id"]
    body = {"indexId": index, "text": "cranes", "mode": "keyword", "filter": {f"key{n}": "x" for n in range(keys)}}
    answer = owner.post("/api/v1/ai-rag/query", body)
    assert answer.status_code == status
    work(app)
    if status == 201:
        assert owner.get(f"/api/v1/ai-rag/query/{answer.json['id']}").json["status"] == "completed"


REFUSED = [("failed", "Your account may no longer act")]


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
@pytest.mark.parametrize(("way", "entries"), [(gone.banned, REFUSED), (gone.deleted, [])])
def test_the_file_of_somebody_who_goes_is_not_kept_as_a_text(app, cast, owner, monkeypatch, way, entries, moment):
    document = made(owner, uploadId=upload(owner, b"From the file"))["id"]
    extract, read = documents.extract, []

    def extract_and_go(*arguments):
        read.append(extract(*arguments))
        way(cast, owner, owner)
        return read[-1]

    if moment == "before":
        way(cast, owner, owner)
    else:
        monkeypatch.setattr(documents, "extract", extract_and_go)
    work(app)
    assert bool(read) == (moment == "meanwhile")
    assert left_of(app, document) == ([], [""])[way is gone.banned] + entries


def test_a_document_of_somebody_who_goes_does_not_enter_the_knowledge_base(app, cast, owner):
    document = made(owner, title="Plan", content="First this.")["id"]
    gone.banned(cast, owner, owner)
    work(app)
    assert left_of(app, document) == ["First this.", *REFUSED]


def left_of(app, document):
    """The text of a document, and how its entry in the knowledge base came out."""
    with app.app_context(), transaction() as session:
        text = session.scalars(select(StorageDocument.content).where(StorageDocument.id == document)).all()
        entry = select(AiRagDocument.status, AiRagDocument.error_message)
        rows = session.execute(entry.where(AiRagDocument.storage_document_id == document))
        return [each or "" for each in text] + [tuple(row) for row in rows]
