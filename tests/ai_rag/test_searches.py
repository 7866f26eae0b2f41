"""Searches of knowledge bases: a query runs as a job and keeps what it found."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.ai_rag import searches
from app.ai_rag.models import AiRagQuery, AiRagResult
from app.testing.database import transaction
from app.testing.waiting import work
from tests import gone

TEXTS = {
    "Cranes": "The tower crane may be forty metres high.",
    "Ferries": "The ferry to the island leaves at noon.",
    "Hooks": "The hook of a crane carries two tonnes.",
}


@pytest.fixture(scope="module")
def owner(cast):
    return cast.user()


@pytest.fixture(scope="module")
def index(app, owner):
    identifier = owner.post("/api/v1/ai-rag/index", {"name": "Port"}).json["id"]
    for year, (title, content) in enumerate(TEXTS.items(), 2020):
        entry = {"indexId": identifier, "title": title, "content": content}
        document = owner.post("/api/v1/ai-rag/document", entry).json["id"]
        for label in ({"key": "year", "value": str(year), "valueType": "number"}, {"key": "kind", "value": title}):
            made = owner.post("/api/v1/ai-rag/metadata", {"documentId": document, **label})
            assert made.status_code == 201, made.json
    work(app)
    return identifier


def search(app, owner, index, text="How high is the crane?", **body):
    """The query once its job is done, and the titles of what it found, best first."""
    made = owner.post("/api/v1/ai-rag/query", {"indexId": index, "text": text, **body})
    assert made.status_code == 201, made.json
    assert made.json["status"] == "running"
    work(app)
    query = owner.get(f"/api/v1/ai-rag/query/{made.json['id']}").json
    rows = owner.get(f"/api/v1/ai-rag/result?queryId={query['id']}").json["data"]
    rows.sort(key=lambda row: row["rank"])
    titles = [owner.get(f"/api/v1/ai-rag/document/{row['documentId']}").json["title"] for row in rows]
    return query, titles, rows


def test_a_search_keeps_its_hits_best_first(app, owner, index):
    query, titles, rows = search(app, owner, index)
    assert titles == ["Cranes", "Hooks"]
    assert (query["status"], query["resultCount"]) == ("completed", 2)
    assert query["latencyMs"] >= 0
    assert rows[0]["excerpt"] == TEXTS["Cranes"]
    assert 1 >= rows[0]["score"] > rows[1]["score"] > 0


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"kind": "Hooks"}, ["Hooks"]),
        ({"year": 2020}, ["Cranes"]),
        ({"year": {"gt": 2020}}, ["Hooks"]),
        ({"year": {"gte": 2020, "lt": 2022}}, ["Cranes"]),
        ({"year": {"lte": 2022}, "kind": "Cranes"}, ["Cranes"]),
        ({"kind": "None"}, []),
    ],
)
def test_labels_narrow_a_search(app, owner, index, wanted, found):
    assert search(app, owner, index, filter=wanted)[1] == found


def test_labels_narrow_a_search_of_whoever_may_read_them(app, cast, owner, index):
    names = ("index", "document", "chunk", "query", "result")
    reads = {"models": [f"ai-rag/{name}" for name in names], "operations": ["list", "read"]}
    asks = {"models": ["ai-rag/query"], "operations": ["create"]}
    for labels, found in (([], []), ([{"models": ["ai-rag/metadata"]}], ["Cranes"])):
        member = cast.colleague(owner, access=[reads, asks, *labels])
        assert search(app, member, index)[1] == ["Cranes", "Hooks"]
        assert search(app, member, index, filter={"year": 2020})[1] == found


def test_a_search_may_be_bounded_in_number_and_quality(app, owner, index):
    assert search(app, owner, index, topK=1)[1] == ["Cranes"]
    assert search(app, owner, index, minScore=0.99)[1] == []


def test_a_vector_search_fails_where_no_embeddings_are_made(app, owner, index):
    query, titles, _ = search(app, owner, index, mode="vector")
    assert (query["status"], titles) == ("failed", [])
    assert "keyword" in query["errorMessage"]


@pytest.mark.parametrize(
    "bad", [{"year": []}, {"year": {}}, {"year": {"above": 1}}, {"year": {"gt": "1"}}, {"a": None}]
)
def test_a_filter_that_says_nothing_is_refused(owner, index, bad):
    response = owner.post("/api/v1/ai-rag/query", {"indexId": index, "text": "Crane", "filter": bad})
    assert (response.status_code, list(response.json["details"]["fields"])) == (400, ["filter"])


@pytest.mark.parametrize("way", [gone.banned, gone.removed, gone.deleted])
@pytest.mark.parametrize("moment", ["before", "meanwhile"])
def test_a_search_of_somebody_who_goes_fails_and_keeps_nothing(app, cast, owner, index, monkeypatch, way, moment):
    member = cast.colleague(owner)
    asked = {"indexId": index, "text": "How high is the crane?"}
    query = member.post("/api/v1/ai-rag/query", asked).json["id"]
    find = searches.search.search

    def find_and_go(*arguments):
        hits = find(*arguments)
        gone.meanwhile(way, cast, owner, member)
        return hits

    if moment == "before":
        way(cast, owner, member)
    else:
        monkeypatch.setattr(searches.search, "search", find_and_go)
    work(app)
    with app.app_context(), transaction() as session:
        own = select(AiRagQuery.status, AiRagQuery.error_message).where(AiRagQuery.id == query)
        found = [tuple(row) for row in session.execute(own)]
        assert not session.scalars(select(AiRagResult.id).where(AiRagResult.query_id == query)).all()
    assert found == OUTCOMES[way, moment]


@pytest.mark.parametrize("way", [gone.banned, gone.removed, gone.deleted])
def test_what_somebody_gave_to_an_organization_is_indexed_for_it_when_they_have_gone(app, cast, owner, way):
    index = owner.post("/api/v1/ai-rag/index", {"name": f"Left by one who was {way.__name__}"}).json["id"]
    member = cast.colleague(owner)
    entry = {"indexId": index, "title": "Cranes", "content": TEXTS["Cranes"]}
    document = member.post("/api/v1/ai-rag/document", entry).json["id"]
    way(cast, owner, member)
    work(app)
    assert owner.get(f"/api/v1/ai-rag/document/{document}").json["status"] == "indexed"


GONE = [("failed", "Your account may no longer act")]
OUTCOMES = {
    (gone.banned, "before"): GONE,
    (gone.banned, "meanwhile"): GONE,
    # As somebody who is let in again finds nothing of an organization they have left.
    (gone.removed, "before"): [("completed", None)],
    (gone.removed, "meanwhile"): [("failed", "You may do less than when you asked for it")],
    (gone.deleted, "before"): [],
    (gone.deleted, "meanwhile"): [],
}
