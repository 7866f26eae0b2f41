"""Lists that a search ranks: by words, by meaning, and by both, of rows that the list has anyway."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from sqlalchemy import delete, select, text, update

from app.ai_rag import embedders, record_vectors
from app.crm.models import CrmDeal
from app.engine.changes import sequencer
from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.extensions import db
from app.foundation.errors import Unavailable
from app.platform.models import PlatformRecordVector, PlatformVectorProgress
from app.testing.workshop import Workshop
from tests.auth.sharing.sharing import address, shared
from tests.writes import changed, created

MODES = ("keyword", "vector", "hybrid")
MODELS = [model for model in every_model() if model.semantic]
DEALS = {"Ferry tickets": "Boats to the island", "Crane hire": "Lifting of steel", "Office chairs": "Seats for desks"}
# In other words than those of any deal.
QUESTION = "voyage by ship"


@pytest.fixture
def owner(app, embedder, cast):
    """Somebody whose records alone get vectors: what the log tells of earlier tests is passed over."""
    with app.app_context():
        sequencer.number_all()
        known, embedder = sequencer.positions(), embedders.usual()
        for each in MODELS:
            run_unit(
                SYSTEM, record_vectors._move, each, embedder, record_vectors.Progress(known.epoch, known.last, None)
            )
    return cast.user()


@pytest.fixture
def deals(app, owner):
    company = created(owner, "crm/company", name="Harbour")
    for name, description in DEALS.items():
        created(owner, "crm/deal", name=name, description=description, companyId=company["id"])
    keep(app)


def keep(app):
    with app.app_context():
        sequencer.number_all()
        record_vectors.keep_true()


def ranked(caller, search=QUESTION, mode="hybrid", path="crm/deal", **more):
    asked = {"search": search, "searchMode": mode, **more}
    answer = caller.get(f"/api/v1/{path}", query_string=asked)
    assert answer.status_code == 200, answer.json
    return answer.json


def names(answer):
    return [each["name"] for each in answer["data"]]


def test_what_means_the_like_comes_first_though_no_word_is_the_same(owner, deals):
    answer = ranked(owner, mode="vector")
    assert names(answer)[0] == "Ferry tickets"
    assert len(answer["data"]) == 3
    scores = [each["score"] for each in answer["data"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert answer["meta"] == {"count": -1, "take": 20, "skip": 0, "degraded": False}


def test_what_holds_the_words_comes_before_what_means_the_like(owner, deals):
    assert names(ranked(owner, "chairs"))[0] == "Office chairs"
    assert names(ranked(owner, "chairs", "keyword")) == ["Office chairs"]
    assert names(ranked(owner, QUESTION, "keyword")) == []


def test_meaning_decides_alone_where_no_row_holds_the_words(owner, deals):
    best = ranked(owner)["data"][0]
    assert (best["name"], best["score"]) == ("Ferry tickets", 1)


def test_conditions_fields_relations_and_versions_stand_beside_it(owner, deals):
    answer = ranked(owner, **{"name[contains]": "c", "fields": "name", "expand": "company", "versions": "true"}, take=1)
    (deal,) = answer["data"]
    assert set(deal) == {"id", "name", "company", "score"}
    assert deal["company"]["name"] == "Harbour"
    assert answer["meta"]["versions"] == {deal["id"]: 1}


def test_the_body_asks_for_the_same(owner, deals):
    body = {"search": QUESTION, "searchMode": "vector", "take": 2}
    assert owner.post("/api/v1/crm/deal/_query", body).json["data"] == ranked(owner, mode="vector", take=2)["data"]


def test_companies_keep_their_envelope(app, owner):
    created(owner, "crm/company", name="Lighthouse", industry="Navigation")
    keep(app)
    answer = ranked(owner, "lighthouse", path="crm/company")
    assert (answer["total"], answer["degraded"], answer["hasMore"]) == (-1, False, False)
    assert answer["data"][0]["score"] == 1


def test_a_change_is_followed_and_a_record_that_goes_leaves_nothing(app, owner, deals):
    deal = ranked(owner, "chairs", "keyword")["data"][0]
    assert changed(owner, "crm/deal", deal, name="Sail boats", description="For the sea").status_code == 200
    keep(app)
    assert "Sail boats" in names(ranked(owner, mode="vector", take=2))
    owner.delete(f"/api/v1/crm/deal/{deal['id']}")
    keep(app)
    assert of_records(app, deal["id"]) == []


def test_a_record_that_is_purged_leaves_no_vector_at_once(app, owner, deals):
    deal = ranked(owner, "chairs", "keyword")["data"][0]
    assert owner.delete(f"/api/v1/crm/deal/{deal['id']}?purge=true").status_code == 200
    assert of_records(app, deal["id"]) == []


def of_records(app, *ids):
    with app.app_context():
        kept = PlatformRecordVector
        return list(db.session.scalars(select(kept.digest).where(kept.record_id.in_(ids))))


OF_DEALS = PlatformRecordVector.model == "crm/deal"
PROGRESS_OF_DEALS = PlatformVectorProgress.model == "crm/deal"


@pytest.fixture
def patient(monkeypatch):
    """However many deals earlier tests have left, one turn of the clock walks through them."""
    monkeypatch.setattr(record_vectors, "BUDGET", 600)


@pytest.mark.usefixtures("patient")
def test_all_records_are_walked_through_where_the_log_does_not_reach(app, owner, deals):
    """As after an upgrade: no vector is there, some are of records that are not, and nothing tells of any of them."""
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(delete(PlatformRecordVector).where(OF_DEALS))
        connection.execute(delete(PlatformVectorProgress).where(PROGRESS_OF_DEALS))
        copied = text("UPDATE crm_deal SET name = name || :more")
        connection.execute(copied, {"more": " of a raw statement"})
    keep(app)
    assert len(ranked(owner, mode="vector")["data"]) == 3
    with app.app_context(), db.engine.begin() as connection:
        again = update(PlatformVectorProgress).where(PROGRESS_OF_DEALS)
        connection.execute(again.values(walked_to=record_vectors.FIRST))
        gone = update(PlatformRecordVector).where(OF_DEALS)
        connection.execute(gone.values(record_id=text("gen_random_uuid()")))
    keep(app)
    assert len(ranked(owner, mode="vector")["data"]) == 3
    with app.app_context():
        without_record = PlatformRecordVector.record_id.not_in(select(CrmDeal.id))
        assert db.session.scalars(select(PlatformRecordVector.id).where(OF_DEALS, without_record)).all() == []


def test_a_record_that_has_not_changed_is_not_sent_again(app, owner, deals, monkeypatch):
    deal = ranked(owner, "chairs", "keyword")["data"][0]
    changed(owner, "crm/deal", deal, priority="high")
    sent, embedded = [], record_vectors.embedded
    monkeypatch.setattr(
        record_vectors, "embedded", lambda embedder, texts: sent.extend(texts) or embedded(embedder, texts)
    )
    keep(app)
    assert not any(text.startswith("Office chairs") for text in sent)


@pytest.mark.usefixtures("patient")
def test_another_embedder_makes_all_of_them_anew(app, owner, deals):
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(update(PlatformRecordVector).where(OF_DEALS).values(embedder="former", vector=[1.0, 0.0]))
        connection.execute(update(PlatformVectorProgress).where(PROGRESS_OF_DEALS).values(embedder="former"))
    assert ranked(owner, mode="vector")["data"] == []
    keep(app)
    assert names(ranked(owner, mode="vector"))[0] == "Ferry tickets"


@contextmanager
def silent(monkeypatch):
    """An embedder that does not answer in time."""

    def refuse(*_):
        raise Unavailable("The embedder does not answer")

    with monkeypatch.context() as patch:
        patch.setattr("app.ai_rag.embedders.Embedder.embed", refuse)
        yield


def test_words_alone_answer_where_the_question_comes_to_no_vector(owner, deals, monkeypatch):
    with silent(monkeypatch):
        answer = ranked(owner, "chairs")
        assert (names(answer), answer["meta"]["degraded"]) == (["Office chairs"], True)
        refused = owner.get("/api/v1/crm/deal", query_string={"search": "chairs", "searchMode": "vector"})
        assert (refused.status_code, refused.json["error"]) == (503, "The embedder does not answer")


def test_without_an_embedder_meaning_alone_is_refused(cast):
    owner = cast.user()
    refused = owner.get("/api/v1/crm/deal", query_string={"search": "x", "searchMode": "vector"})
    assert refused.status_code == 400
    assert refused.json["details"]["fields"] == {"searchMode": ["No vectors are made here: search by keyword"]}
    assert ranked(owner, "x")["meta"]["degraded"] is True


def test_the_clock_waits_for_an_embedder_that_does_not_answer(app, owner, deals, monkeypatch):
    deal = ranked(owner, "chairs", "keyword")["data"][0]
    changed(owner, "crm/deal", deal, name="Sail boats", description="For the sea")
    with silent(monkeypatch):
        keep(app)
    keep(app)
    assert "Sail boats" in names(ranked(owner, mode="vector", take=2))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
def test_records_of_strangers_change_no_answer(app, cast, owner, model, mode):
    path, field = model.collection_path(), model.fields()[model.semantic[0]].name
    asked = {"search": "sea boat", "searchMode": mode}
    with app.app_context():
        Workshop(app, owner).make(model, **{field: "Sea boat"})
    keep(app)
    before = owner.get(path, query_string=asked).data
    with app.app_context():
        Workshop(app, cast.user()).make(model, **{field: "Sea boat"})
    keep(app)
    assert owner.get(path, query_string=asked).data == before


@pytest.mark.parametrize("mode", MODES)
def test_a_record_that_is_shared_is_ranked_with_ones_own(cast, owner, deals, mode):
    friend, deal = cast.user(), ranked(owner, "ferry", "keyword")["data"][0]
    outside = {"outsideShares": True}
    assert changed(owner, "auth/organization", {"id": owner.organization_id}, **outside).status_code == 200
    shared(owner, CrmDeal, deal["id"], ("read", {"email": address(friend)}))
    assert names(ranked(friend, "ferry", mode)) == ["Ferry tickets"]
    assert ranked(friend, "ferry", mode)["data"][0]["score"] > 0


@pytest.mark.parametrize("mode", MODES)
def test_a_field_that_a_row_shows_on_a_condition_ranks_that_row_alone(cast, owner, deals, mode):
    reads = [
        {"models": ["crm/deal"], "operations": ["list", "read"], "fields": ["name"]},
        {"models": ["crm/deal"], "operations": ["list", "read"], "where": {"name": "Crane hire"}},
    ]
    key = cast.key(owner, "read", access=reads)
    assert names(ranked(key, "lifting", mode)) == ["Crane hire"]
    assert names(ranked(key, "boats", mode)) == ([] if mode == "keyword" else ["Crane hire"])


@pytest.mark.parametrize("mode", MODES)
def test_a_field_that_a_key_does_not_read_ranks_nothing(cast, owner, deals, mode):
    grants = [{"models": ["crm/deal"], "operations": ["list", "read"], "fields": ["id", "name"]}]
    key = cast.key(owner, "read", access=grants)
    assert ranked(key, "lifting steel", mode)["data"] == []


@pytest.mark.parametrize("mode", MODES)
def test_rows_that_a_key_does_not_list_are_not_ranked(cast, owner, deals, mode):
    grants = [{"models": ["crm/deal"], "operations": ["list", "read"], "where": {"name": {"startsWith": "Office"}}}]
    key = cast.key(owner, "read", access=grants)
    assert set(names(ranked(key, "boats", mode))) <= {"Office chairs"}


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"search": "x", "searchMode": "best"}, "searchMode"), ({"searchMode": "hybrid"}, "searchMode"),
        ({"search": "x", "searchMode": "hybrid", "sort": "name"}, "sort"),
        ({"search": "x", "searchMode": "hybrid", "cursor": ""}, "cursor"),
        ({"search": "x", "searchMode": "hybrid", "skip": "1"}, "skip"),
        ({"search": "x", "searchMode": "hybrid", "count": "exact"}, "count"),
        ({"search": "x", "searchMode": "hybrid", "take": "201"}, "take"),
    ],
)  # fmt: skip
def test_what_a_ranked_list_does_not_have_is_refused(owner, asked, field):
    refused = owner.get("/api/v1/crm/deal", query_string=asked)
    assert refused.status_code == 400
    assert list(refused.json["details"]["fields"]) == [field]


def test_models_without_meaning_are_not_ranked(owner):
    refused = owner.get("/api/v1/ai-rag/index", query_string={"search": "x", "searchMode": "hybrid"})
    assert refused.json["details"]["fields"] == {"searchMode": ["ai-rag/index is not ranked by a search."]}


def test_a_batch_ranks_no_lists(owner):
    asked = {"method": "GET", "path": "/api/v1/crm/deal?search=x&searchMode=hybrid"}
    answer = owner.post("/api/v1/_batch", {"requests": [asked]})
    assert answer.status_code == 400, answer.json
