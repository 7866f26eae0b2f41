"""Bytes out: in part, once, harmless, and swept when nobody owns them."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from app.engine.declare.principal import Credential, Principal
from app.storage import uploads
from app.storage.object_store import object_store, put
from app.testing.cast import Actor
from tests.storage.uploads.forms import PNG, bytes_of, content_of, sent

TEXT = b"0123456789"


@pytest.mark.parametrize(
    ("wanted", "status", "got", "place"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=8-", 206, b"89", "bytes 8-9/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=0-99", 206, TEXT, "bytes 0-9/10"),
    ],
)
def test_a_part_of_a_file_is_answered(owner, wanted, status, got, place):
    response = content_of(owner, sent(owner, TEXT), Range=wanted)
    assert (response.status_code, bytes_of(response), response.headers["Content-Range"]) == (status, got, place)


def test_a_range_outside_the_file_is_416_and_says_how_long_it_is(owner):
    response = content_of(owner, sent(owner, TEXT), Range="bytes=10-")
    assert (response.status_code, response.json["code"]) == (416, "RANGE_NOT_SATISFIABLE")
    assert response.headers["Content-Range"] == "bytes */10"


def test_a_file_that_is_known_is_not_sent_again(owner):
    path = sent(owner, TEXT)
    first = content_of(owner, path)
    again = content_of(owner, path, **{"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert owner.get(path).json["sha256"] in first.headers["ETag"]


@pytest.mark.parametrize(
    ("content", "kind", "shown"),
    [
        (PNG, "image/png", "inline"),
        (b"words", "text/plain", "inline"),
        (b"<script>alert(1)</script>", "text/html", "attachment"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "attachment"),
        (b"alert(1)", "text/javascript", "attachment"),
        (b"<x/>", "application/xml", "attachment"),
        (b"%PDF-1.7\n%", "application/pdf", "attachment"),
    ],
)
def test_what_a_browser_could_run_is_for_saving(owner, content, kind, shown):
    response = content_of(owner, sent(owner, content, 'na"me \u00fc.x', kind))
    assert response.headers["Content-Disposition"] == f"{shown}; filename*=UTF-8''na%22me%20%C3%BC.x"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response.headers["Cache-Control"] == "private, no-cache"


def test_a_public_file_is_read_by_others_and_a_private_one_is_not(owner, cast):
    path = sent(owner, TEXT)
    stranger = cast.user()
    assert content_of(stranger, path).status_code == 404
    owner.put(f"/api/v1/storage/upload/{path.rpartition('/')[2]}", {"visibility": "public"})
    assert content_of(stranger, path).data == TEXT
    assert content_of(cast.anonymous, path).data == TEXT
    assert stranger.delete(path).status_code == 403


def test_a_row_whose_bytes_are_gone_is_not_served(owner, app):
    path = sent(owner, TEXT)
    with app.app_context():
        object_store().remove(uploads.find(caller_of(owner), path_id(path)).key)
    assert content_of(owner, path).status_code == 404


def caller_of(owner):
    return Principal(Credential.SESSION, uuid4(), frozenset(), user_id=owner.user_id)


def path_id(path):
    return UUID(path.rpartition("/")[2])


def age(app, key):
    """Let the bytes be two days old."""
    path = object_store().path(key)
    long_ago = time.time() - timedelta(days=2).total_seconds()
    os.utime(path, (long_ago, long_ago))


def test_the_sweep_removes_old_bytes_without_a_row_and_nothing_else(owner, app):
    path = sent(owner, TEXT)
    with app.app_context():
        kept = uploads.find(caller_of(owner), path_id(path)).key
        orphan, fresh = put(b"orphan"), put(b"fresh")
        unfinished = put(b"cut off") + ".part"
        path_of = object_store().path
        path_of(unfinished.removesuffix(".part")).rename(path_of(unfinished))
        for key in (kept, orphan, unfinished):
            age(app, key)
        assert uploads.sweep() == 2
        left = {key for key, _ in object_store().keys()}
        assert {kept, fresh} <= left
        assert not {orphan, unfinished} & left
    assert content_of(owner, path).data == TEXT


def test_from_s3_the_bytes_come_over_an_address_that_lasts_a_minute(cast, build, s3, bucket):
    stored = build(s3_bucket=bucket, s3_endpoint_url=s3, s3_access_key_id="x", s3_secret_access_key="y")
    owner = Actor(stored, cast.user().token)
    path = sent(owner, b"<script>", "page.html", "text/html")
    response = owner.get(f"{path}/content")
    assert response.status_code == 302
    assert "X-Amz-Expires=60" in response.headers["Location"]
    assert response.headers["Cache-Control"] == "private, no-store"
    fetched = content_of(owner, path)
    assert fetched.content == b"<script>"
    assert fetched.headers["Content-Disposition"].startswith("attachment")
