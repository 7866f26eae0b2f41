"""Pages of the web that entries ask for anew."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from app.ai_rag import refreshing
from app.ai_rag.models import AiRagDocument
from app.ai_rag.refreshing import ask_for_due
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.clock import now
from app.jobs import queue
from app.testing.database import transaction
from app.testing.waiting import perform, work
from tests.writes import changed, created, messages

DOCUMENT, PAGE = "ai-rag/document", "/page"
TEXT = {"headers": {"Content-Type": "text/plain", "ETag": '"1"', "Last-Modified": "Fri, 27 Nov 2026 10:00:00 GMT"}}


@pytest.fixture
def owner(cast):
    return cast.user()


@pytest.fixture
def entry(app, owner, loopback):
    """An entry of a page that says something."""
    loopback.answer(PAGE, "Quay 4 has cranes.", **TEXT)
    index = created(owner, "ai-rag/index", name="Handbook")
    source = {"sourceType": "url", "sourceUrl": f"{loopback.url}{PAGE}", "refreshSeconds": 300}
    made = created(owner, DOCUMENT, indexId=index["id"], title="Quay", **source)
    work(app)
    return made


@pytest.fixture
def refresh(app, owner, entry):
    """Lets the clock ask for the page, and returns the entry then."""

    def done():
        with app.app_context():
            with transaction() as session:
                due = update(AiRagDocument).where(AiRagDocument.next_fetch_at.is_not(None))
                session.execute(due.values(next_fetch_at=now() - timedelta(seconds=1)))
            run_unit(SYSTEM, ask_for_due)
        work(app)
        return owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json

    return done


def asked(loopback):
    """The headers of the last request for the page, and how many there were."""
    requests = [each for each in loopback.requests if each.path == PAGE]
    return requests[-1].headers, len(requests)


def test_a_page_that_has_changed_is_read_and_cut_anew(owner, refresh, loopback, entry):
    loopback.answer(PAGE, "Quay 5 has none.", **TEXT)
    now_read = refresh()
    assert (now_read["status"], now_read["content"]) == ("indexed", "Quay 5 has none.")
    found = owner.get(f"/api/v1/ai-rag/chunk?documentId={entry['id']}").json["data"]
    assert [each["content"] for each in found] == ["Quay 5 has none."]


def test_a_page_that_grows_too_large_leaves_the_text_that_was_read_last(app, refresh, loopback, monkeypatch):
    loopback.answer(PAGE, "\n\n".join(["Quay 5. " * 100] * 3), **TEXT)
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], rag_max_chunks=2))
    now_read = refresh()
    assert (now_read["status"], now_read["content"]) == ("indexed", "Quay 4 has cranes.")
    assert now_read["errorMessage"].startswith("Not refreshed: The text makes more than 2 chunks")


def test_a_page_is_asked_for_by_what_it_was_known_by_and_kept_where_it_is_the_same(refresh, loopback):
    loopback.answer(PAGE, status=304)
    now_read = refresh()
    headers, number = asked(loopback)
    assert number == 2
    assert headers["if-none-match"] == '"1"'
    assert headers["if-modified-since"] == "Fri, 27 Nov 2026 10:00:00 GMT"
    assert (now_read["status"], now_read["content"]) == ("indexed", "Quay 4 has cranes.")


def test_another_address_that_answers_in_its_place_is_not_told_what_was_known(refresh, loopback):
    loopback.answer(PAGE, status=302, headers={"Location": "/v2"})
    loopback.answer("/v2", "Quay 6 is new.", **TEXT)
    for _ in range(2):
        assert refresh()["content"] == "Quay 6 is new."
    asked_of = [each for each in loopback.requests if each.path == "/v2"]
    assert not any("if-none-match" in each.headers for each in asked_of)
    assert "if-none-match" not in asked(loopback)[0]


@pytest.mark.parametrize("tag", ['"\u00e9"', '"' + "x" * 500 + '"'])
def test_a_tag_that_no_request_can_name_is_left_out(refresh, loopback, tag):
    loopback.answer(PAGE, "Quay 5.", headers={"Content-Type": "text/plain", "ETag": tag})
    refresh()
    loopback.answer(PAGE, "Quay 6.", **TEXT)
    assert refresh()["content"] == "Quay 6."


@pytest.mark.parametrize("answer", [{"status": 304}, {"body": "Quay 7.", **TEXT}])
def test_a_text_that_somebody_writes_is_kept_and_the_page_asked_for_no_more(
    app, owner, refresh, loopback, entry, monkeypatch, answer
):
    """Also where the page is just being read."""
    loopback.answer(PAGE, **answer)
    fetch = refreshing.text_at

    def meanwhile(*known):
        found = fetch(*known)
        assert changed(owner, DOCUMENT, entry, content="Mine.").json["refreshSeconds"] is None
        perform(app, "index_document")
        return found

    monkeypatch.setattr(refreshing, "text_at", meanwhile)
    assert refresh()["content"] == "Mine."
    assert refresh()["content"] == "Mine."
    assert asked(loopback)[1] == 2


def test_pages_that_wait_do_not_keep_their_maker_from_other_work(app, owner, refresh, entry, monkeypatch):
    monkeypatch.setattr(queue, "MAX_WAITING", 1)
    with app.app_context():
        with transaction() as session:
            due = update(AiRagDocument).where(AiRagDocument.next_fetch_at.is_not(None))
            session.execute(due.values(next_fetch_at=now() - timedelta(seconds=1)))
        run_unit(SYSTEM, ask_for_due)
    created(owner, DOCUMENT, indexId=entry["indexId"], title="Text", content="Text")


def test_what_an_embedder_refuses_is_still_said_when_a_page_is_gone(app, owner, refresh, loopback, entry):
    loopback.answer(PAGE, status=404)
    refresh()
    with app.app_context(), transaction() as session:
        refused = update(AiRagDocument).where(AiRagDocument.id == entry["id"])
        session.execute(refused.values(error_message="Found by words alone: The embedder answered 401"))
    assert refresh()["errorMessage"].startswith("Found by words alone")  # what is worse is still said


def test_a_page_that_is_the_same_by_its_text_is_not_cut_again(owner, refresh, entry):
    before = owner.get(f"/api/v1/ai-rag/chunk?documentId={entry['id']}").json
    fetched = owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json["fetchedAt"]
    assert refresh()["fetchedAt"] > fetched
    assert owner.get(f"/api/v1/ai-rag/chunk?documentId={entry['id']}").json == before


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_not_there_twice_is_kept_and_marked_until_it_is_back(refresh, loopback, status):
    loopback.answer(PAGE, status=status)
    assert refresh()["goneAt"] is None
    gone = refresh()
    assert gone["goneAt"] is not None
    assert (gone["status"], gone["content"]) == ("indexed", "Quay 4 has cranes.")
    assert gone["errorMessage"] == f"Not refreshed: The address answers with status {status}"
    loopback.answer(PAGE, "It is back.", **TEXT)
    back = refresh()
    assert (back["goneAt"], back["errorMessage"], back["content"]) == (None, None, "It is back.")


def test_what_a_site_answers_otherwise_takes_nothing_away(refresh, loopback):
    loopback.answer(PAGE, status=404)
    refresh()
    loopback.answer(PAGE, status=503)
    kept = refresh()
    assert (kept["status"], kept["content"]) == ("indexed", "Quay 4 has cranes.")
    loopback.answer(PAGE, status=404)
    assert refresh()["goneAt"] is None


def test_a_page_that_could_not_be_read_at_first_is_read_once_it_can_be(app, owner, refresh, loopback, entry):
    loopback.answer("/other", status=404)
    loopback.answer(PAGE, "Quay 4", **TEXT)
    changed(owner, DOCUMENT, entry, sourceUrl=f"{loopback.url}/other")
    work(app)
    assert owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json["status"] == "failed"
    loopback.answer("/other", "There at last.", headers={"Content-Type": "text/plain"})
    now_read = refresh()
    assert (now_read["status"], now_read["content"]) == ("indexed", "There at last.")


def test_a_page_is_not_asked_for_before_it_is_due_nor_once_nobody_wants_it_to_be(app, owner, refresh, loopback, entry):
    with app.app_context():
        run_unit(SYSTEM, ask_for_due)
    work(app)
    assert asked(loopback)[1] == 1
    changed(owner, DOCUMENT, entry, refreshSeconds=None)
    refresh()
    assert asked(loopback)[1] == 1


def test_only_pages_of_the_web_are_refreshed(app, owner, loopback):
    index = created(owner, "ai-rag/index", name="Texts")
    body = {"indexId": index["id"], "title": "T", "content": "Text", "sourceUrl": f"{loopback.url}{PAGE}"}
    assert messages(owner.post(f"/api/v1/{DOCUMENT}", body | {"refreshSeconds": 299}), "refreshSeconds")
    made = created(owner, DOCUMENT, **body, refreshSeconds=300)
    with app.app_context(), transaction() as session:
        planned = select(AiRagDocument.next_fetch_at).where(AiRagDocument.id == made["id"])
        assert session.scalar(planned) is None
