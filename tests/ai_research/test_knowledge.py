"""Sources of research projects, and the knowledge base of their project."""

from __future__ import annotations

import pytest

from app.testing.waiting import work
from tests.writes import changed, created

SOURCE, DOCUMENT = "ai-research/source", "ai-rag/document"


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def index(owner):
    return created(owner, "ai-rag/index", name="Sources")


@pytest.fixture
def project(owner, index):
    return created(owner, "ai-research/project", title="P", objective="O", indexId=index["id"])


def entries(owner, index):
    return owner.get(f"/api/v1/{DOCUMENT}?indexId={index['id']}").json["data"]


def test_a_source_that_is_accepted_enters_the_knowledge_base_and_leaves_it_when_it_is_rejected(
    app, owner, project, index
):
    source = created(owner, SOURCE, projectId=project["id"], title="Cranes", content="Quay 4 has two cranes.")
    assert entries(owner, index) == []
    source = changed(owner, SOURCE, source, status="accepted").json
    work(app)
    (entry,) = entries(owner, index)
    assert (entry["id"], entry["title"], entry["status"]) == (source["ragDocumentId"], "Cranes", "indexed")
    source = changed(owner, SOURCE, source, status="rejected").json
    assert (source["ragDocumentId"], entries(owner, index)) == (None, [])


def test_a_page_of_the_web_is_read_once_it_is_accepted(app, owner, project, index, loopback):
    loopback.answer("/page", "Quay 4 has two cranes.")
    loopback.answer("/robots.txt", status=404)
    created(owner, SOURCE, projectId=project["id"], title="Web", url=f"{loopback.url}/page", status="accepted")
    work(app)
    (entry,) = entries(owner, index)
    assert (entry["sourceType"], entry["status"], entry["chunkCount"]) == ("url", "indexed", 1)


def test_a_source_that_is_deleted_leaves_the_knowledge_base(owner, project, index):
    source = created(owner, SOURCE, projectId=project["id"], title="T", content="Text", status="accepted")
    assert len(entries(owner, index)) == 1
    assert owner.delete(f"/api/v1/{SOURCE}/{source['id']}").status_code == 200
    assert entries(owner, index) == []


def test_what_has_no_text_and_projects_without_a_knowledge_base_enter_nothing(owner, project, index):
    created(owner, SOURCE, projectId=project["id"], title="A book", kind="book", status="accepted")
    plain = created(owner, "ai-research/project", title="P", objective="O")
    created(owner, SOURCE, projectId=plain["id"], title="T", content="Text", status="accepted")
    assert entries(owner, index) == []


def test_who_may_not_write_into_the_knowledge_base_accepts_nothing_for_it(cast, owner, index):
    other = cast.user()
    owner.put(f"/api/v1/ai-rag/index/{index['id']}", {"visibility": "public"})
    project = created(other, "ai-research/project", title="P", objective="O", indexId=index["id"])
    body = {"projectId": project["id"], "title": "T", "content": "Text", "status": "accepted"}
    assert other.post(f"/api/v1/{SOURCE}", body).status_code == 403
    assert other.get(f"/api/v1/{SOURCE}?projectId={project['id']}").json["data"] == []
