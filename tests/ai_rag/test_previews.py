"""Previews: how a text, an upload or a document would be cut, of which nothing is stored."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.storage.documents.test_documents import made, upload
from tests.storage.documents.test_office import PPTX, slides
from tests.writes import created

TEXT = "Quay\n\n\f# Ferries\n\nAt noon."
CUT = [("Quay", None, 1), ("# Ferries\n\nAt noon.", "Ferries", 2)]


@pytest.fixture(scope="module")
def owner(cast):
    return cast.user()


@pytest.fixture(scope="module")
def path(owner):
    return f"/api/v1/ai-rag/index/{created(owner, 'ai-rag/index', name='Plain')['id']}/_preview"


def previewed(caller, path, body):
    answer = caller.post(path, body)
    assert answer.status_code == 200, answer.json
    return [(each["content"], each["heading"], each["page"]) for each in answer.json["data"]]


def test_a_text_is_cut_and_nothing_is_stored(cast, owner, path):
    assert previewed(owner, path, {"content": TEXT}) == CUT
    assert owner.get("/api/v1/ai-rag/document").json["data"] == []
    assert cast.user().post(path, {"content": TEXT}).status_code == 404


def test_an_upload_is_read_and_cut(owner, path):
    file = upload(owner, slides("Harbour", "Railway"), "Plans.pptx", PPTX)
    assert [heading for _, heading, _ in previewed(owner, path, {"uploadId": file})] == ["Harbour", "Railway"]


def test_a_document_is_cut(owner, path):
    document = made(owner, title="Ferries", content=TEXT)
    assert previewed(owner, path, {"storageDocumentId": document["id"]}) == CUT


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        (b" ", "text/plain", "It holds no text."),
        (b"PK\x03\x04", "application/zip", "No text can be read from this file."),
    ],
)
def test_a_file_without_text_is_refused_by_name(owner, path, content, kind, reason):
    answer = owner.post(path, {"uploadId": upload(owner, content, "a", kind)})
    assert answer.status_code == 400
    assert answer.json["details"]["fields"]["uploadId"][0].endswith(reason)


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": TEXT, "uploadId": str(uuid4())}, {"uploadId": 7}])
def test_one_thing_is_cut_at_a_time(owner, path, body):
    assert owner.post(path, body).status_code == 400


def test_nobody_sees_a_file_or_document_of_others_cut(cast, owner, path):
    other = cast.user()
    foreign = {
        "uploadId": upload(other, b"secret"),
        "storageDocumentId": made(other, title="x", content="secret")["id"],
    }
    for name, identifier in foreign.items():
        assert owner.post(path, {name: identifier}).json["code"] == "FOREIGN_KEY_VIOLATION"
    grants = [
        {"models": ["ai-rag/index"], "operations": ["read"]},
        {"models": ["storage/document"], "fields": ["title"]},
    ]
    own = made(owner, title="Own", content="secret")["id"]
    assert cast.key(owner, "read", access=grants).post(path, {"storageDocumentId": own}).status_code == 400
