"""Embedders that are elsewhere: what they are asked, and what becomes of answers that make no sense."""

from __future__ import annotations

import fcntl
import json
import threading
from uuid import UUID

import pytest
from sqlalchemy import select, update

from app.ai.breaker import FAILURE_THRESHOLD, RESET_TIMEOUT
from app.ai.models.answering import AiProvider
from app.ai_rag import embedders, embedding, local_embedder
from app.ai_rag.embedders import Embedder, NoAnswer, NotEmbedded, Refused
from app.ai_rag.kept_vectors import AiRagKeptVector
from app.ai_rag.models import AiRagDocument
from app.extensions import db
from app.foundation.clock import now
from app.foundation.errors import Unavailable
from app.testing.database import transaction
from app.testing.waiting import await_true, work
from tests.writes import changed, created

TEXTS = ["one", "two"]
PATH = "/v1/embeddings"


def answered(*vectors):
    return {"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}


@pytest.fixture
def embedder(app, loopback):
    with app.app_context():
        yield Embedder("m", f"{loopback.url}/v1", "sesame", private=True, price=20_000)


def test_texts_are_sent_in_order_with_the_secret_and_vectors_come_back_in_theirs(embedder, loopback):
    answer = answered([1, 0], [0, 1])
    answer["data"].reverse()
    loopback.answer(PATH, json=answer)
    assert embedder.embed(TEXTS, 5).vectors == [[1, 0], [0, 1]]
    (asked,) = loopback.requests
    assert json.loads(asked.body) == {"model": "m", "input": TEXTS, "encoding_format": "float"}
    assert asked.headers["authorization"] == "Bearer sesame"
    assert "sesame" not in repr(embedder)


@pytest.mark.parametrize(
    "answer",
    [
        answered([1, 0]), answered([1, 0], [0]), answered([], []), answered([1, 0], [0, None]), [], {"data": None},
        answered([1, 0], [0, 1e39]), answered([0] * 2001, [0] * 2001), answered([1], [0], [1]),
        {"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]},
    ],
)  # fmt: skip
def test_an_answer_that_makes_no_sense_is_refused(embedder, loopback, answer):
    loopback.answer(PATH, json=answer)
    with pytest.raises(NotEmbedded):
        embedder.embed(TEXTS, 5)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_refused(embedder, loopback, number):
    loopback.answer(PATH, json.dumps(answered([1, 0], [0, 5])).replace("5", number))
    with pytest.raises(NotEmbedded):
        embedder.embed(TEXTS, 5)


@pytest.mark.parametrize(
    ("status", "headers", "failure", "wait"),
    [
        (400, {}, Refused, None), (401, {}, NotEmbedded, None), (413, {}, Refused, None),
        (500, {}, Unavailable, "1"), (503, {"Retry-After": "soon"}, Unavailable, "1"),
        (429, {"Retry-After": "120"}, Unavailable, "120"), (429, {"Retry-After": "9" * 30}, Unavailable, "86400"),
        (429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, Unavailable, "1"),
    ],
)  # fmt: skip
def test_a_refusal_is_final_or_tells_when_to_come_again(embedder, loopback, status, headers, failure, wait):
    loopback.answer(PATH, status=status, headers=headers)
    with pytest.raises(failure) as raised:
        embedder.embed(TEXTS, 5)
    assert getattr(raised.value, "headers", {}).get("Retry-After") == wait


def test_an_answer_that_breaks_off_or_is_late_may_come_later(embedder, loopback):
    loopback.answer(PATH, json=answered([1, 0], [0, 1]), breaks=True)
    with pytest.raises(Unavailable):
        embedder.embed(TEXTS, 5)
    loopback.answer(PATH, json=answered([1, 0], [0, 1]), delay=20)
    with pytest.raises(Unavailable):
        embedder.embed(TEXTS, 0.2)


def test_a_private_address_is_refused_unless_the_settings_allow_it(app, loopback):
    with app.app_context(), pytest.raises(Unavailable):
        Embedder("m", f"{loopback.url}/v1").embed(TEXTS, 5)
    assert loopback.requests == []


def test_a_credential_that_cannot_be_opened_is_sent_nowhere(app, loopback):
    with app.app_context(), pytest.raises(NotEmbedded, match="cannot be opened"):
        Embedder("m", f"{loopback.url}/v1", sealed_secret="of another key", private=True).embed(TEXTS, 5)
    assert loopback.requests == []


@pytest.fixture
def entered(app, cast, embedder, monkeypatch):
    """What becomes of an entry of three chunks, with the embedder on loopback."""
    monkeypatch.setattr(embedders, "default_model", lambda: ("m", None))
    for module in ("embedding", "embedders"):
        monkeypatch.setattr(f"app.ai_rag.{module}.embedder_for", lambda *_: embedder)
    owner = cast.user()
    index = created(owner, "ai-rag/index", name="Port", chunkSize=100, chunkOverlap=0)
    made = created(owner, "ai-rag/document", indexId=index["id"], title="Quay", content="Cranes and hooks. " * 15)

    def done(**changes):
        if changes:
            assert changed(owner, "ai-rag/document", made, **changes).status_code == 200
        work(app)
        entry = owner.get(f"/api/v1/ai-rag/document/{made['id']}").json
        index_now = owner.get(f"/api/v1/ai-rag/index/{index['id']}").json
        return entry, index_now

    return done


def test_tokens_are_counted_as_the_embedder_tells_them_and_priced_by_the_list_of_the_provider(entered, loopback):
    loopback.answer(PATH, json={**answered([1, 0], [0, 1], [1, 1]), "usage": {"total_tokens": 70}})
    _, index = entered()
    assert (index["embeddedTokens"], index["embeddingCostMicros"]) == (70, 2)


@pytest.mark.parametrize("usage", [None, {}, {"total_tokens": "70"}, {"total_tokens": -1}, [70]])
def test_what_an_embedder_does_not_count_costs_nothing(entered, loopback, usage):
    loopback.answer(PATH, json={**answered([1, 0], [0, 1], [1, 1]), "usage": usage})
    _, index = entered()
    assert (index["embeddedCount"], index["embeddedTokens"]) == (3, 0)


def test_passages_that_a_new_text_has_as_well_keep_their_vectors(entered, loopback):
    sections = [f"# {each}\n{'Cranes and hooks. ' * 4}{each}." for each in ("Quay", "Dock", "Yard", "Pier")]
    loopback.answer(PATH, json=answered([0, 1], [1, 1], [1, 0]))
    entered(content="\n\n".join(sections[:3]))
    loopback.answer(PATH, json=answered([0, 1]))
    entry, index = entered(content="\n\n".join([sections[0], sections[3], sections[2]]))
    assert json.loads(loopback.requests[-1].body)["input"] == [sections[3]]
    assert (entry["embeddedCount"], index["embeddedCount"], index["chunkCount"]) == (3, 3, 3)


def test_vectors_of_a_text_that_is_gone_are_forgotten(app, entered, loopback):
    loopback.answer(PATH, json=answered([1, 0], [0, 1], [1, 1]))
    entered()
    loopback.answer(PATH, json=answered([1, 0]))
    entry, _ = entered(content="Another text.")
    assert entry["embeddedCount"] == 1
    with app.app_context():
        assert db.session.scalars(select(AiRagKeptVector.id)).all() == []


def test_what_is_too_much_at_once_is_sent_in_halves(entered, loopback):
    loopback.answer(PATH, json=answered([1, 0]))
    loopback.answer(PATH, json=answered([1, 0], [0, 1]), times=1)
    loopback.answer(PATH, json=answered([1, 0]), times=1)
    loopback.answer(PATH, status=413, times=1)
    entry, index = entered()
    assert (entry["chunkCount"], entry["embeddedCount"], entry["errorMessage"]) == (3, 3, None)
    assert index["dimensions"] == 2
    assert [len(json.loads(asked.body)["input"]) for asked in loopback.requests] == [3, 1, 2]


def test_a_text_that_an_embedder_refuses_is_found_by_words_and_says_why(entered, loopback):
    loopback.answer(PATH, status=400)
    loopback.answer(PATH, json=answered([1, 0]), times=1)
    loopback.answer(PATH, status=400, times=1)
    entry, _ = entered()
    assert (entry["status"], entry["chunkCount"], entry["embeddedCount"]) == ("indexed", 3, 1)
    assert entry["errorMessage"] == "Found by words alone: The embedder refuses 2 of its passages"


def test_what_no_job_has_made_in_the_end_is_asked_for_again_by_the_clock(app, entered, loopback):
    loopback.answer(PATH, status=401)
    entry, _ = entered()
    assert entry["errorMessage"] == "Found by words alone: The embedder answered 401"
    loopback.answer(PATH, json=answered([1, 0], [1, 0], [1, 0]))
    with app.app_context(), transaction() as session:
        session.execute(update(AiRagDocument).where(AiRagDocument.id == entry["id"]).values(error_message=None))
    with app.app_context():
        embedding.embed_left_over()
    entry, _ = entered()
    assert entry["embeddedCount"] == 3


def test_an_embedder_that_asks_to_wait_is_left_alone_for_as_long(app, entered, loopback):
    loopback.answer(PATH, json=answered([1, 0], [1, 0], [1, 0]))
    loopback.answer(PATH, status=429, headers={"Retry-After": "3600"}, times=1)
    entry, _ = entered()
    assert (entry["status"], entry["embeddedCount"], len(loopback.requests)) == ("indexed", 0, 1)


def test_a_provider_that_keeps_failing_is_left_alone_until_one_call_finds_it_well(app, workshop, loopback):
    provider = workshop.make(AiProvider)["id"]
    path = f"{AiProvider.collection_path()}/{provider}"
    loopback.answer(PATH, json=answered([1, 0], [0, 1]))
    loopback.answer(PATH, json=answered([1, 0], [0, 1]), breaks=True, times=FAILURE_THRESHOLD)
    with app.app_context():
        embedder = Embedder("m", f"{loopback.url}/v1", private=True, provider_id=UUID(provider))
        for _ in range(FAILURE_THRESHOLD):
            with pytest.raises(NoAnswer):
                embedder.embed(TEXTS, 60)
        with pytest.raises(Unavailable, match="keeps failing") as refused:
            embedder.embed(TEXTS, 60)
        assert refused.value.headers == {"Retry-After": "30"}
        assert len(loopback.requests) == FAILURE_THRESHOLD
        assert workshop.cast.admin.get(path).json["status"] == "degraded"
        with transaction() as session:
            long_ago = update(AiProvider).values(last_checked_at=now() - RESET_TIMEOUT)
            session.execute(long_ago.where(AiProvider.id == provider))
        with pytest.raises(Unavailable, match="keeps failing"):
            embedder.embed(TEXTS, 0.2)  # who does not wait long enough leaves the one call to others
        assert embedder.embed(TEXTS, 60).vectors == [[1, 0], [0, 1]]
    assert workshop.cast.admin.get(path).json["status"] == "active"


@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_server_that_answers_counts_as_well_whatever_it_says_of_one_model(app, workshop, loopback, status):
    provider = workshop.make(AiProvider)["id"]
    loopback.answer(PATH, status=status)
    with app.app_context():
        embedder = Embedder("nothing", f"{loopback.url}/v1", private=True, provider_id=UUID(provider))
        for _ in range(FAILURE_THRESHOLD + 1):
            with pytest.raises((Unavailable, NotEmbedded)):
                embedder.embed(TEXTS, 60)
    assert len(loopback.requests) == FAILURE_THRESHOLD + 1
    assert workshop.cast.admin.get(f"{AiProvider.collection_path()}/{provider}").json["status"] == "active"


def test_what_a_question_does_not_wait_for_counts_against_no_provider(app, workshop, loopback):
    provider = workshop.make(AiProvider)["id"]
    loopback.answer(PATH, json=answered([1, 0], [0, 1]), delay=20)
    with app.app_context(), pytest.raises(Unavailable):
        Embedder("m", f"{loopback.url}/v1", private=True, provider_id=UUID(provider)).embed(TEXTS, 0.2)
    assert workshop.cast.admin.get(f"{AiProvider.collection_path()}/{provider}").json["consecutiveFailures"] == 0


def test_the_embedder_is_started_again_when_it_dies_and_ends_with_its_worker(app, monkeypatch, tmp_path):
    started, at, launch = [], tmp_path / "embedder.sock", local_embedder.launch
    monkeypatch.setattr(local_embedder, "is_available", lambda settings: True)
    monkeypatch.setattr(local_embedder, "path", lambda var_dir: at)
    for name in ("LOOK_EVERY", "RETRY_AFTER"):
        monkeypatch.setattr(local_embedder, name, 0.05)
    monkeypatch.setattr(local_embedder, "launch", lambda path: started.append(launch(path)) or started[-1])
    stopping = threading.Event()
    keeper = threading.Thread(target=local_embedder.keep_running, args=(app, stopping))
    keeper.start()
    try:
        await_true(at.exists, 30)
        with at.with_suffix(".lock").open("a") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as another worker does, which leaves it alone
        started[0][0].send(9)
        await_true(lambda: len(started) == 2, 30)
    finally:
        stopping.set()
        keeper.join(30)
    assert all(process.has_ended() for process, _ in started)
