"""Entries of knowledge bases whose texts are elsewhere: uploads and pages of the web."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress

import pytest
from sqlalchemy import text

from app.ai_rag import stored_documents, web_pages
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.testing.database import transaction
from app.testing.waiting import work
from tests.storage.uploads.forms import sent
from tests.writes import changed, created, messages

DOCUMENT = "ai-rag/document"
PAGE = """<html><head><title>Quay</title></head><body><nav>Home Contact</nav>
<main><h1>Cranes</h1><p>Quay 4 has two cranes.</p><aside>Subscribe!</aside></main>
<footer>Imprint</footer></body></html>"""


@pytest.fixture
def index(owner):
    return created(owner, "ai-rag/index", name="Handbook")


@pytest.fixture
def enter(app, owner, index):
    """Makes an entry, and returns it once its job is done."""

    def make(actor=owner, **source):
        made = created(actor, DOCUMENT, indexId=index["id"], title="T", **source)
        work(app)
        return actor.get(f"/api/v1/{DOCUMENT}/{made['id']}").json

    return make


@pytest.fixture
def page(loopback, enter):
    """Makes an entry of what an address on loopback answers."""

    def make(body=PAGE, path="/page", kind="text/html", **answer):
        loopback.answer(path, body, headers={"Content-Type": kind, **answer.pop("headers", {})}, **answer)
        return enter(sourceType="url", sourceUrl=f"{loopback.url}{path}")

    return make


def upload(owner, content, name="notes.txt", kind="text/plain"):
    return sent(owner, content, name, kind).rpartition("/")[2]


@contextmanager
def dripping(piece):
    """An address that begins its answer again and again, and never gives it."""
    is_over = threading.Event()

    def serve(server):
        connection, _ = server.accept()
        with connection, suppress(OSError):
            while not is_over.wait(0.05):
                connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        is_over.set()
        thread.join()


def told(entry):
    return entry["status"], entry["content"], entry["errorMessage"]


def test_the_text_of_an_upload_is_read_and_cut(enter, owner):
    entry = enter(sourceType="upload", uploadId=upload(owner, b"Quay 4 has two cranes."))
    assert told(entry) == ("indexed", "Quay 4 has two cranes.", None)
    assert (entry["chunkCount"], len(entry["contentHash"])) == (1, 64)


def test_a_file_that_holds_no_text_fails_and_says_why(enter, owner):
    entry = enter(sourceType="upload", uploadId=upload(owner, b"%PDF-1.7 broken", "plan.pdf", "application/pdf"))
    assert told(entry) == ("failed", None, "The text of the file cannot be had: It is no PDF that can be read")


def test_an_upload_that_its_maker_may_not_see_any_more_is_not_read(app, cast, owner, index):
    colleague = cast.colleague(owner)
    identifier = upload(owner, b"Quay 4 has two cranes.")
    owner.put(f"/api/v1/storage/upload/{identifier}", {"visibility": "public"})
    made = created(colleague, DOCUMENT, indexId=index["id"], title="T", sourceType="upload", uploadId=identifier)
    owner.put(f"/api/v1/storage/upload/{identifier}", {"visibility": "private"})
    work(app)
    entry = owner.get(f"/api/v1/{DOCUMENT}/{made['id']}").json
    assert told(entry) == ("failed", None, "The upload is gone, or may not be read any more")


def test_a_key_that_reads_no_whole_uploads_enters_none(cast, owner, index):
    grants = [
        {"models": ["storage/upload"], "operations": ["read"], "fields": ["id", "filename"]},
        {"models": [DOCUMENT, "ai-rag/index"], "operations": ["create", "read"]},
    ]
    key = cast.key(owner, "read", "write", access=grants)
    body = {"indexId": index["id"], "title": "T", "sourceType": "upload", "uploadId": upload(owner, b"Text")}
    assert messages(key.post(f"/api/v1/{DOCUMENT}", body), "uploadId")


def test_a_page_is_read_by_its_main_text(page):
    entry = page()
    assert (entry["status"], entry["content"]) == ("indexed", "Cranes\nQuay 4 has two cranes.")


def test_a_page_is_read_in_the_characters_that_it_says(page):
    assert page("Fähre".encode("latin-1"), kind="text/plain; charset=iso-8859-1")["content"] == "Fähre"


def test_a_page_is_read_where_it_has_moved(page, loopback):
    loopback.answer("/new", "Quay 4", status=200)
    assert page("", status=301, headers={"Location": "/new"})["content"] == "Quay 4"


def test_another_address_is_read_anew(app, owner, page, loopback):
    entry = page("Old", kind="text/plain")
    loopback.answer("/other", "New")
    changed(owner, DOCUMENT, entry, sourceUrl=f"{loopback.url}/other")
    work(app)
    assert told(owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json) == ("indexed", "New", None)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"status": 404}, "The address answers with status 404"),
        ({"kind": "image/png"}, "No text can be read from what the address answers"),
        ({"status": 302, "headers": {"Location": "/page"}}, "The address leads on more than 5 times"),
        ({"status": 302, "headers": {"Location": "file:///etc/passwd"}}, "The address leads to what is no page"),
        ({"status": 302, "headers": {"Location": "http://10.0.0.1/"}}, "The address is, or leads to, one of a private"),
        ({"status": 302, "headers": {"Location": "http://169.254.169.254/"}}, "The address is, or leads to, one of"),
        ({"status": 302, "headers": {"Location": "http://[::1"}}, "The address leads to what is no page"),
        ({"status": 302, "headers": {"Location": f"http://{'x' * 70}.example/"}}, "The address"),
        ({"headers": {"Content-Encoding": "gzip"}}, "No text can be read from what the address answers"),
        ({"body": "x" * 2000}, "The page is larger than"),
    ],
)
def test_what_cannot_be_read_fails_and_says_why(page, monkeypatch, answer, reason):
    monkeypatch.setattr(web_pages, "MAX_BYTES", 1000)
    status, content, error = told(page(**answer))
    assert (status, content) == ("failed", None)
    assert error.startswith(reason)


@pytest.mark.parametrize("status", [429, 503])
def test_a_site_that_asks_to_come_again_is_asked_again_then(app, owner, page, loopback, status):
    entry = page("", status=status, headers={"Retry-After": "3600"})
    assert told(entry) == ("pending", None, None)
    work(app)
    assert len([each for each in loopback.requests if each.path == "/page"]) == 1  # it is left alone for an hour
    loopback.answer("/page", "There at last.")
    in_time(app)
    assert told(owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json) == ("indexed", "There at last.", None)


def in_time(app):
    """Let all jobs be due, and done."""
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'"))
    work(app)


def test_this_machine_is_no_page_in_production(app, page, monkeypatch):
    monkeypatch.setattr(type(app.config["SETTINGS"]), "production", True)
    assert told(page())[2] == "The address is, or leads to, one of a private network"


@pytest.mark.parametrize(
    ("rules", "status", "is_read"),
    [
        ("User-agent: *\nDisallow: /page", 200, False),
        ("User-agent: Rowgate\nDisallow: /", 200, False),
        ("\ufeffUser-agent: *\nDisallow: /page", 200, False),
        ("User-agent: *\nAllow: /\nDisallow: /page", 200, False),
        ("User-agent: *\nDisallow: /*ge$", 200, False),
        ("User-agent: *\nDisallow: /other", 200, True),
        ("User-agent: *\nDisallow: /\nAllow: /page", 200, True),
        ("", 404, True),
        ("", 503, False),
    ],
)
def test_what_a_site_does_not_allow_is_not_read(page, loopback, rules, status, is_read):
    loopback.answer("/robots.txt", rules, status=status)
    assert page()["status"] == ("indexed" if is_read else "failed")
    assert ("/page" in [each.path for each in loopback.requests]) == is_read


def test_the_rules_of_a_site_are_read_where_they_have_moved(page, loopback):
    loopback.answer("/robots.txt", status=301, headers={"Location": "/rules"})
    loopback.answer("/rules", "User-agent: *\nDisallow: /")
    assert page()["status"] == "failed"


def test_an_answer_that_never_begins_is_waited_for_no_longer_than_the_rest(enter, monkeypatch):
    monkeypatch.setattr(web_pages, "TIMEOUT", 1.0)
    with dripping(b"HTTP/1.1 103 Early Hints\r\n\r\n") as url:
        assert told(enter(sourceType="url", sourceUrl=url))[2] == "The address does not answer within 1 seconds"


def test_an_upload_that_names_an_address_as_well_is_read(enter, owner):
    source = {"sourceType": "upload", "uploadId": upload(owner, b"Quay 4"), "sourceUrl": "https://example.com/quay"}
    assert told(enter(**source)) == ("indexed", "Quay 4", None)


def test_a_text_for_which_there_is_no_room_is_not_kept(build, owner, index):
    identifier = upload(owner, b"Quay 4 has two cranes. " * 100)
    made = created(owner, DOCUMENT, indexId=index["id"], title="T", sourceType="upload", uploadId=identifier)
    work(build(rag_max_bytes=1024))
    entry = owner.get(f"/api/v1/{DOCUMENT}/{made['id']}").json
    assert told(entry) == ("failed", None, "The knowledge bases of the organization have no room for more")


def test_an_entry_that_is_gone_is_left(app, owner, index, loopback):
    given = {"indexId": index["id"], "title": "T", "sourceType": "url", "sourceUrl": f"{loopback.url}/page"}
    owner.delete(f"/api/v1/{DOCUMENT}/{created(owner, DOCUMENT, **given)['id']}")
    work(app)
    assert loopback.requests == []


def test_an_upload_of_somebody_who_is_gone_is_not_read(app, cast, owner, index):
    colleague = cast.colleague(owner)
    given = {"sourceType": "upload", "uploadId": upload(colleague, b"Quay 4")}
    made = created(colleague, DOCUMENT, indexId=index["id"], title="T", **given)
    cast.admin.delete(f"/api/v1/auth/user/{colleague.user_id}")
    work(app)
    assert told(owner.get(f"/api/v1/{DOCUMENT}/{made['id']}").json)[:2] == ("failed", None)


def test_an_entry_that_is_made_of_a_document_follows_it_as_long_as_its_maker_sees_that(app, cast, owner, index):
    colleague = cast.colleague(owner)
    document = created(colleague, "storage/document", title="Quay", content="Old", status="published")
    document = changed(colleague, "storage/document", document, visibility="public").json
    entry = created(owner, DOCUMENT, indexId=index["id"], title="T", sourceType="document",
                    storageDocumentId=document["id"])  # fmt: skip
    assert entry["content"] == "Old"
    document = changed(colleague, "storage/document", document, content="New").json
    work(app)
    assert told(owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json) == ("indexed", "New", None)
    document = changed(colleague, "storage/document", document, visibility="private", content="Secret").json
    work(app)
    assert owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json["content"] == "New"


def test_an_entry_with_a_text_of_its_own_does_not_follow_its_document(app, owner, index):
    document = created(owner, "storage/document", title="Quay", content="Name and address")
    made = {"indexId": index["id"], "title": "T", "sourceType": "document", "storageDocumentId": document["id"]}
    entry = created(owner, DOCUMENT, **made, content="Redacted")
    changed(owner, "storage/document", document, content="Name, address and age")
    work(app)
    assert owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json["content"] == "Redacted"


def test_an_entry_does_not_follow_once_its_maker_has_left_the_organization(app, cast, owner, index):
    colleague = cast.colleague(owner)
    document = created(colleague, "storage/document", title="Quay", content="Old")
    made = {"indexId": index["id"], "title": "T", "sourceType": "document", "storageDocumentId": document["id"]}
    entry = created(colleague, DOCUMENT, **made)
    (membership,) = (each for each in owner.get("/api/v1/auth/member?take=100").json["data"]
                     if each["userId"] == str(colleague.user_id))  # fmt: skip
    assert owner.delete(f"/api/v1/auth/member/{membership['id']}").status_code == 200
    assert colleague.put(f"/api/v1/storage/document/{document['id']}", {"content": "Secret"}).status_code == 200
    work(app)
    assert owner.get(f"/api/v1/{DOCUMENT}/{entry['id']}").json["content"] == "Old"


def test_what_entered_by_itself_goes_by_the_clock_where_its_document_went_unseen(app, cast):
    """As while knowledge bases were not served: the database forgets the document, and nothing follows."""
    owner = cast.user()
    document = created(owner, "storage/document", title="Quay", content="Quay 4 has cranes.")
    other = created(owner, "ai-rag/index", name="Handbook")
    source = {"sourceType": "document", "storageDocumentId": document["id"]}
    kept = created(owner, "ai-rag/document", indexId=other["id"], title="Quay", **source)
    work(app)
    with app.app_context(), transaction() as session:
        session.execute(text("DELETE FROM storage_document WHERE id = :id"), {"id": document["id"]})
    with app.app_context():
        run_unit(SYSTEM, stored_documents.remove_left)
    assert [each["id"] for each in owner.get("/api/v1/ai-rag/document").json["data"]] == [kept["id"]]
    (own,) = owner.get("/api/v1/ai-rag/index?name=Documents").json["data"]
    assert (own["documentCount"], own["chunkCount"]) == (0, 0)
