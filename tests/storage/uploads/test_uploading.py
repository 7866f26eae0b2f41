"""Files in: streamed into the store, measured, typed by their bytes, and bounded."""

from __future__ import annotations

import hashlib
import io
import random
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from app.storage.models import StorageUpload
from app.storage.object_store import object_store
from app.testing.cast import Actor
from app.testing.database import transaction
from tests import gone
from tests.storage.uploads.forms import PNG, UPLOAD, bytes_of, content_of, send, sent

CUT = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\ncut'
# More than one part for S3, and bytes that look like ends of lines in odd places.
LARGE = random.Random(1).randbytes(10 * 1024 * 1024)


@pytest.fixture
def owner(cast, application):
    return Actor(application, *(getattr(cast.user(), name) for name in ("token", "user_id", "organization_id")))


def rows(app):
    with app.app_context(), transaction() as session:
        return session.scalar(select(func.count()).select_from(StorageUpload))


def objects(app):
    with app.app_context():
        return len(list(object_store().keys()))


@pytest.mark.parametrize("content", [b"x", b"Hello\n", LARGE], ids=["one byte", "a line", "10 MiB"])
def test_a_file_comes_back_as_it_was_sent(owner, content):
    path = sent(owner, content, "data.bin", "application/octet-stream")
    assert bytes_of(content_of(owner, path)) == content


def test_the_answer_leads_to_the_bytes_and_to_what_is_known(owner):
    response = send(owner, b"Hello", "plan.txt")
    path = response.headers["Location"]
    assert response.json == {"url": f"http://localhost:3001{path}/content"}
    known = owner.get(path).json
    assert set(known) == {
        "id", "filename", "contentType", "size", "sha256", "url", "userId", "createdAt", "updatedAt"
    }  # fmt: skip
    assert (known["filename"], known["contentType"], known["size"]) == ("plan.txt", "text/plain", 5)
    assert known["sha256"] == hashlib.sha256(b"Hello").hexdigest()
    assert known["url"] == response.json["url"]
    assert owner.get(f"/api/v1/storage/upload/{known['id']}").json["sha256"] == known["sha256"]


def test_a_deleted_file_is_gone_with_its_bytes_where_no_log_can_bring_it_back(owner, monkeypatch):
    monkeypatch.setitem(owner.app.config, "SETTINGS", replace(owner.app.config["SETTINGS"], changes_days=0))
    before = objects(owner.app)
    path = sent(owner, b"short-lived")
    assert owner.delete(path).json == {"id": path.rpartition("/")[2], "deleted": True}
    assert (owner.get(path).status_code, owner.get(f"{path}/content").status_code) == (404, 404)
    assert owner.delete(path).status_code == 404
    assert objects(owner.app) == before


@pytest.mark.parametrize(
    ("content", "declared", "found"),
    [
        (PNG, "text/html", "image/png"),
        (b"%PDF-1.7\n%", "image/png", "application/pdf"),
        (b"plain words", "image/png", "text/plain"),
        (b"plain words", "text/markdown", "text/markdown"),
        (b"<html><script>alert(1)</script>", "text/html", "text/html"),
        (b"\x00\x01\x02", "application/x-thing", "application/x-thing"),
        (b"\x00\x01\x02", "application/octet-stream", "application/octet-stream"),
        (b"\x00\x01\x02", "video/mp4", "application/octet-stream"),
        (b"words", "no type at all", "text/plain"),
    ],
)
def test_the_type_is_told_from_the_bytes(owner, content, declared, found):
    assert owner.get(sent(owner, content, "file", declared)).json["contentType"] == found


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("a/b/plan.txt", "plan.txt"),
        ("a\x1bb\x07c.txt", "abc.txt"),
        ('quo"te.txt', 'quo"te.txt'),
        ("\u00fcn\u00efcode \U0001f40e.txt", "\u00fcn\u00efcode \U0001f40e.txt"),
        ("x" * 300 + ".txt", "x" * 251 + ".txt"),
    ],
)
def test_a_name_keeps_its_last_part_without_what_is_not_seen(owner, name, kept):
    assert owner.get(sent(owner, b"x", name)).json["filename"] == kept


def refused(owner, response, status):
    assert response.status_code == status, response.json
    assert set(response.json) == {"error", "code", "details"}


def opened(form):
    def file(value):
        return (io.BytesIO(value[0]), value[1]) if isinstance(value, tuple) else value

    return {name: list(map(file, value)) if isinstance(value, list) else file(value) for name, value in form.items()}


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({}, 400),
        ({"file": "no file but text"}, 400),
        ({"other": (b"x", "x.txt")}, 400),
        ({"file": (b"", "empty.txt")}, 400),
        ({"file": (b"x", "..")}, 400),
        ({"file": (b"x", "x.txt"), "note": "unknown"}, 400),
        ({"file": [(b"x", "x.txt"), (b"y", "y.txt")]}, 400),
    ],
    ids=["nothing", "text", "another field", "empty", "no name", "unknown field", "two files"],
)
def test_a_bad_form_is_refused_and_leaves_nothing(owner, form, status):
    before = rows(owner.app), objects(owner.app)
    response = owner.send("POST", UPLOAD, data=opened(form), content_type="multipart/form-data")
    refused(owner, response, status)
    assert (rows(owner.app), objects(owner.app)) == before


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"file": "x"}', "application/json", 415),
        (b"x", "", 415),
        (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\ncut',
            "multipart/form-data; boundary=b",
            400,
        ),
        (b"", "multipart/form-data; boundary=b", 400),
        (b"rubbish", "multipart/form-data", 400),
    ],
)
def test_a_body_that_is_broken_off_or_no_form_is_refused_and_leaves_nothing(owner, body, kind, status):
    before = rows(owner.app), objects(owner.app)
    refused(owner, owner.send("POST", UPLOAD, data=body, content_type=kind), status)
    assert (rows(owner.app), objects(owner.app)) == before


def test_a_file_over_the_limit_is_413_and_leaves_nothing(cast, build):
    small = build(upload_max_bytes=1000)
    owner = Actor(small, cast.user().token)
    before = rows(small), objects(small)
    assert send(owner, b"x" * 1000).status_code == 200
    refused(owner, send(owner, b"x" * 1001), 413)
    refused(owner, send(owner, b"x" * 200_000), 413)
    assert (rows(small), objects(small)) == (before[0] + 1, before[1] + 1)


def test_a_bucket_has_its_own_limits(owner):
    bucket = owner.get("/api/v1/storage/bucket").json["data"][0]
    path = f"/api/v1/storage/bucket/{bucket['id']}"
    before = objects(owner.app)
    owner.put(path, {"allowedContentTypes": ["image/png"]})
    refused(owner, send(owner, b"words"), 415)
    assert send(owner, PNG, "dot.png", "image/png").status_code == 200
    owner.put(path, {"maxFileSize": 10})
    refused(owner, send(owner, PNG, "dot.png", "image/png"), 413)
    assert objects(owner.app) == before + 1


def test_uploading_needs_a_credential_with_the_scope_write(cast, application):
    assert send(Actor(application), b"x").status_code == 401
    key = cast.key(cast.user(), "read")
    assert send(Actor(application, key.token), b"x").json["code"] == "INSUFFICIENT_SCOPE"
    assert send(Actor(application, cast.key(cast.user(), "write").token), b"x").status_code == 200
    assert send(Actor(application, cast.anonymous.token), b"x").status_code == 403


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_the_file_of_another_reads_as_absent(owner, cast, method):
    path = sent(owner, b"private")
    stranger = Actor(owner.app, cast.user().token)
    answers = [stranger.send(method, place).json for place in (path, f"{UPLOAD}/{'0' * 36}", f"{UPLOAD}/x")]
    assert answers == [{"error": "Resource not found", "code": "NOT_FOUND", "details": {}}] * 3
    assert stranger.get(f"{path}/content").status_code == 404


@pytest.mark.parametrize("broken", ["folder", "s3"])
def test_with_the_store_away_an_upload_is_503_and_leaves_no_row(cast, build, tmp_path, broken, app):
    if broken == "s3":
        away = build(s3_bucket="files", s3_endpoint_url="http://127.0.0.1:1", s3_access_key_id="x",
                     s3_secret_access_key="y")  # fmt: skip
    else:
        (tmp_path / "uploads").write_text("a file where the folder should be")
        away = build()
        away.extensions["object_store"] = type(app_store(app))(tmp_path / "uploads")
    owner = Actor(away, cast.user().token)
    before = rows(away)
    response = send(owner, b"x")
    refused(owner, response, 503)
    assert int(response.headers["Retry-After"]) >= 1
    assert rows(away) == before


def app_store(app):
    with app.app_context():
        return object_store()


class Coming(io.BytesIO):
    """A form on its way, during which something happens."""

    def __init__(self, form, happens):
        super().__init__(form)
        self._happens = happens

    def readinto(self, buffer):
        happens, self._happens = self._happens, lambda: None
        happens()
        return super().readinto(buffer)


@pytest.mark.parametrize("way", [gone.banned, gone.deleted, gone.signed_out])
def test_the_file_of_somebody_who_goes_while_it_comes_is_not_kept(application, cast, way):
    somebody, before = cast.user(), (rows(application), objects(application))
    owner = Actor(application, somebody.token, somebody.user_id, somebody.organization_id)
    form = CUT + b"\r\n--b--\r\n"
    body = Coming(form, lambda: gone.meanwhile(way, cast, owner, owner))
    response = owner.send(
        "POST", UPLOAD, input_stream=body, content_type="multipart/form-data; boundary=b",
        headers={"Content-Length": str(len(form))},
    )  # fmt: skip
    assert response.status_code == 401
    assert (rows(application), objects(application)) == before
