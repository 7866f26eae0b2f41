"""Indexes of vectors: made for large knowledge bases, used by searches, and dropped when nobody needs them."""

from __future__ import annotations

import random

import pytest
from sqlalchemy import text

from app.ai_rag import search, vector_indexes
from app.ai_rag.questions import Vectors
from app.ai_rag.ranking import nearest_indexed
from app.extensions import db
from app.testing.database import transaction
from app.testing.waiting import work
from tests.writes import changed, created

CHUNKS, DIMENSIONS, MODEL = 40, 8, "it's 50%% or %s"


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(vector_indexes, "LARGE", CHUNKS)
    monkeypatch.setattr(vector_indexes, "SMALL", CHUNKS // 2)


@pytest.fixture
def made(app, owner):
    """Makes a knowledge base with vectors of a client, and its documents; drops its index behind the test."""

    def make(**more):
        base = created(owner, "ai-rag/index", name="Port", embeddingModel=MODEL, dimensions=DIMENSIONS, **more)["id"]
        drawn = random.Random(7)
        for number in range(2):
            document = created(
                owner, "ai-rag/document", indexId=base, title=f"No. {number}", content="x" * (1 + number)
            )
            created(owner, "ai-rag/metadata", documentId=document["id"], key="number", value=str(number))
            work(app)
            chunks = [
                {"documentId": document["id"], "content": f"Berth {number} {each}"} for each in range(CHUNKS // 2)
            ]
            for chunk in owner.post("/api/v1/ai-rag/chunk", chunks).json["data"]:
                vector = [drawn.uniform(-1, 1) for _ in range(DIMENSIONS)]
                created(owner, "ai-rag/embedding", chunkId=chunk["id"], vector=vector)
        return base

    yield make
    owner.delete(f"/api/v1/ai-rag/index/{owner.get('/api/v1/ai-rag/index').json['data'][0]['id']}")
    kept(app)


def kept(app):
    with app.app_context():
        vector_indexes.keep_true()
        with db.engine.connect() as connection:
            return [name for name, _ in connection.execute(vector_indexes.EXISTING)]


def found(caller, base, monkeypatch, **more):
    asked = [random.Random(3).uniform(-1, 1) for _ in range(DIMENSIONS)]
    metric = caller.get(f"/api/v1/ai-rag/index/{base}").json["metric"]
    near = Vectors([search.QuestionVector(MODEL, None, metric, asked)])
    monkeypatch.setattr("app.ai_rag.searches.vectors_of", lambda *_: near)
    answer = caller.post(
        f"/api/v1/ai-rag/index/{base}/_search", {"text": "berth", "mode": "vector", "topK": 50, **more}
    )
    assert answer.status_code == 200, answer.json
    return [(each["chunkId"], pytest.approx(each["score"], abs=1e-6)) for each in answer.json["data"]]


@pytest.mark.variants
@pytest.mark.parametrize("metric", ["cosine", "l2", "inner_product"])
def test_a_large_base_gets_an_index_and_finds_the_same(app, owner, made, monkeypatch, metric):
    base = made(metric=metric)
    compared = [found(owner, base, monkeypatch, filter=labels) for labels in ({}, {"number": "1"})]
    assert [len(each) for each in compared] == [CHUNKS, CHUNKS // 2]
    assert kept(app) == kept(app) != []
    statements = []
    ranking = search.ranking
    monkeypatch.setattr(search, "ranking", lambda *of, **how: statements.append(how) or ranking(*of, **how))
    assert [found(owner, base, monkeypatch, filter=labels) for labels in ({}, {"number": "1"})] == compared
    assert [(each["dimensions"], each["metric"]) for each in statements] == [(DIMENSIONS, metric)] * 2
    monkeypatch.setattr(search, "NEAREST_INDEXED", 1)
    assert [found(owner, base, monkeypatch, filter=labels) for labels in ({}, {"number": "1"})] == compared


def test_postgresql_can_use_it(app, owner, made):
    base = made()
    (name,) = kept(app)
    nearest = nearest_indexed("cosine", DIMENSIONS)
    binds = {"asked": str([0.5] * DIMENSIONS), "base": base, "model": MODEL, "nearest": 10}
    with app.app_context(), transaction() as session:
        for other in ("seqscan", "sort"):  # which cost less among so few
            session.execute(text(f"SET LOCAL enable_{other} = off"))
        plan = session.scalars(text(f"EXPLAIN {nearest}"), binds).all()
    assert any(f"Index Scan using {name}" in line for line in plan), plan


@pytest.mark.parametrize("number", [1e6, 3e38])
def test_an_index_takes_vectors_of_any_length(app, owner, made, monkeypatch, number):
    base = made()
    assert len(kept(app)) == 1
    (chunk_id, _), *_ = found(owner, base, monkeypatch)
    (vector,) = owner.get(f"/api/v1/ai-rag/embedding?chunkId={chunk_id}").json["data"]
    assert changed(owner, "ai-rag/embedding", vector, vector=[number] * DIMENSIONS).status_code == 200
    assert len(found(owner, base, monkeypatch)) == CHUNKS - (number > 1e9)  # whose length is beyond all numbers


def test_a_search_by_an_index_finds_all_behind_a_deletion(app, owner, made, monkeypatch):
    base = made()
    kept(app)
    usual = found(owner, base, monkeypatch)
    owner.delete(f"/api/v1/ai-rag/chunk/{usual[0][0]}")
    monkeypatch.setattr(search, "NEAREST_INDEXED", 10)
    monkeypatch.setattr(search, "SEARCH_WIDELY", text("SET LOCAL hnsw.ef_search = 10"))
    others = "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)"
    monkeypatch.setattr(search, "CUSTOM_PLAN", text(others))  # which cost less among so few
    assert found(owner, base, monkeypatch) == usual[1:]


def test_one_index_that_cannot_be_made_leaves_the_others_and_the_connections_alone(app, owner, made, monkeypatch):
    base = made()
    statements = vector_indexes._statements
    monkeypatch.setattr(vector_indexes, "_statements", lambda connection: ["NONSENSE", *statements(connection)])
    assert len(kept(app)) == 1
    with app.app_context(), transaction() as session:
        assert session.scalar(text("SHOW statement_timeout")) != "0"
        assert session.scalar(text(f"SELECT pg_try_advisory_xact_lock({vector_indexes.LOCK})"))
    monkeypatch.setattr(vector_indexes, "_statements", lambda connection: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        kept(app)
    monkeypatch.undo()
    with app.app_context(), transaction() as session:
        assert session.scalar(text(f"SELECT pg_try_advisory_xact_lock({vector_indexes.LOCK})"))
    assert base


def test_a_base_that_changes_its_kind_or_goes_loses_its_index(app, owner, made):
    base = made()
    first = kept(app)
    assert len(first) == 1
    changed(owner, "ai-rag/index", owner.get(f"/api/v1/ai-rag/index/{base}").json, parameters={"m": 5})
    second = kept(app)
    assert len(second) == 1
    assert second != first
    changed(owner, "ai-rag/index", owner.get(f"/api/v1/ai-rag/index/{base}").json, kind="flat")
    assert kept(app) == []


def test_one_that_was_left_half_made_is_made_anew(app, owner, made):
    made()
    (name,) = kept(app)
    with app.app_context(), transaction() as session:
        session.execute(text(f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{name}'::regclass"))
    assert kept(app) == [name]
    with app.app_context(), transaction() as session:
        assert session.scalar(vector_indexes.IS_VALID, {"name": name}) is True


@pytest.mark.variants
@pytest.mark.parametrize("given", [{"m": "x"}, {"m": True, "efConstruction": 7}, {"m": 10**9, "efConstruction": -1}])
def test_parameters_that_make_no_sense_make_an_index_all_the_same(app, made, given):
    made(parameters=given)
    assert len(kept(app)) == 1
