"""Knowledge bases: documents, chunks, vectors and labels."""

from __future__ import annotations

import pytest

from tests.writes import changed, created, messages


@pytest.fixture
def index(owner):
    return created(owner, "ai-rag/index", name="Handbook")


def test_documents_and_chunks_are_counted_and_hashed(owner, index):
    document = created(owner, "ai-rag/document", indexId=index["id"], title="T", content="Some text.")
    assert len(document["contentHash"]) == 64
    chunks = [created(owner, "ai-rag/chunk", documentId=document["id"], content="Some text") for _ in range(2)]
    assert [chunk["position"] for chunk in chunks] == [0, 1]
    stored = owner.get(f"/api/v1/ai-rag/index/{index['id']}").json
    assert (stored["documentCount"], stored["chunkCount"]) == (1, 2)
    owner.delete(f"/api/v1/ai-rag/document/{document['id']}")
    stored = owner.get(f"/api/v1/ai-rag/index/{index['id']}").json
    assert (stored["documentCount"], stored["chunkCount"]) == (0, 0)


def test_a_document_needs_what_its_source_says(owner, index):
    for source, field in (("text", "content"), ("upload", "uploadId"), ("url", "sourceUrl")):
        body = {"indexId": index["id"], "title": "T", "sourceType": source}
        assert messages(owner.post("/api/v1/ai-rag/document", body), field)


def test_a_rewritten_chunk_loses_its_embeddings(owner, index):
    document = created(owner, "ai-rag/document", indexId=index["id"], title="T", content="Text")
    chunk = created(owner, "ai-rag/chunk", documentId=document["id"], content="Text")
    body = {"chunkId": chunk["id"], "vector": [0.5, 1, 2], "model": "m"}
    embedding = created(owner, "ai-rag/embedding", **body)
    assert (embedding["dimensions"], embedding["vector"], embedding["indexId"]) == (3, [0.5, 1, 2], index["id"])
    changed(owner, "ai-rag/chunk", chunk, content="Other")
    assert owner.get(f"/api/v1/ai-rag/embedding/{embedding['id']}").status_code == 404


@pytest.mark.parametrize(("kind", "good", "bad"), [("number", "1.5", "x"), ("boolean", "true", "1")])
def test_a_label_has_the_type_it_claims(owner, index, kind, good, bad):
    document = created(owner, "ai-rag/document", indexId=index["id"], title="T", content="Text")
    body = {"documentId": document["id"], "key": "k", "valueType": kind}
    assert messages(owner.post("/api/v1/ai-rag/metadata", {**body, "value": bad}), "value")
    assert created(owner, "ai-rag/metadata", **body, value=good)["value"] == good


def test_chunks_overlap_by_less_than_their_size(owner):
    body = {"name": "N", "chunkSize": 100, "chunkOverlap": 100}
    assert messages(owner.post("/api/v1/ai-rag/index", body), "chunkOverlap")


@pytest.mark.parametrize("vector", [[], [1e39], [-1e300], [0.5] * 2001])
def test_a_vector_has_1_to_2000_numbers_of_four_bytes(owner, index, vector):
    document = created(owner, "ai-rag/document", indexId=index["id"], title="T", content="Text")
    chunk = created(owner, "ai-rag/chunk", documentId=document["id"], content="Text")
    refused = owner.post("/api/v1/ai-rag/embedding", {"chunkId": chunk["id"], "model": "m", "vector": vector})
    assert messages(refused, "vector")


def test_a_text_document_keeps_a_text(owner, index):
    document = created(owner, "ai-rag/document", indexId=index["id"], title="T", content="Text")
    assert messages(changed(owner, "ai-rag/document", document, content=None), "content")
