"""Entries of knowledge bases whose texts are elsewhere: uploads and pages of the web."""

from __future__ import annotations

import pytest

from app.ai_rag import web_pages
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
        ({"body": "x" * 2000}, "The page is larger than"),
    ],
)
def test_what_cannot_be_read_fails_and_says_why(page, monkeypatch, answer, reason):
    monkeypatch.setattr(web_pages, "MAX_BYTES", 1000)
    status, content, error = told(page(**answer))
    assert (status, content) == ("failed", None)
    assert error.startswith(reason)


def test_this_machine_is_no_page_in_production(app, page, monkeypatch):
    monkeypatch.setattr(type(app.config["SETTINGS"]), "production", True)
    assert told(page())[2] == "The address is, or leads to, one of a private network"


@pytest.mark.parametrize(
    ("rules", "status", "is_read"),
    [
        ("User-agent: *\nDisallow: /page", 200, False),
        ("User-agent: Rowgate\nDisallow: /", 200, False),
        ("User-agent: *\nDisallow: /other", 200, True),
        ("", 404, True),
        ("", 503, False),
    ],
)
def test_what_a_site_does_not_allow_is_not_read(page, loopback, rules, status, is_read):
    loopback.answer("/robots.txt", rules, status=status)
    assert page()["status"] == ("indexed" if is_read else "failed")
    assert ("/page" in [each.path for each in loopback.requests]) == is_read


def test_a_text_for_which_there_is_no_room_is_not_kept(build, owner, index):
    identifier = upload(owner, b"Quay 4 has two cranes. " * 100)
    made = created(owner, DOCUMENT, indexId=index["id"], title="T", sourceType="upload", uploadId=identifier)
    work(build(rag_max_bytes=1024))
    entry = owner.get(f"/api/v1/{DOCUMENT}/{made['id']}").json
    assert told(entry) == ("failed", None, "The knowledge bases of the organization have no room for more")


def test_an_entry_that_is_gone_is_left_and_one_of_somebody_who_is_gone_fails(app, cast, owner, index, loopback):
    colleague = cast.colleague(owner)
    loopback.answer("/page", PAGE)
    given = {"indexId": index["id"], "title": "T", "sourceType": "url", "sourceUrl": f"{loopback.url}/page"}
    gone, left = (created(colleague, DOCUMENT, **given | {"title": title}) for title in ("Gone", "Left"))
    colleague.delete(f"/api/v1/{DOCUMENT}/{gone['id']}")
    cast.admin.delete(f"/api/v1/auth/user/{colleague.user_id}")
    work(app)
    assert told(owner.get(f"/api/v1/{DOCUMENT}/{left['id']}").json)[0] == "failed"
    assert loopback.requests == []
