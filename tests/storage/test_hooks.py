"""Uploads, buckets and documents."""

from __future__ import annotations

import io
from base64 import b64encode

import pytest
from PIL import Image

from tests.writes import changed, created, messages


def test_an_upload_is_measured_counted_and_removed(owner):
    before = owner.get("/api/v1/storage/bucket").json["data"][0]
    upload = created(owner, "storage/upload", filename="../../etc/pass\nwd", contentBase64="SGVsbG8=")
    assert (upload["filename"], upload["size"], upload["status"]) == ("passwd", 5, "stored")
    assert upload["bucketId"] == before["id"]
    bucket = owner.get("/api/v1/storage/bucket").json["data"][0]
    assert (bucket["usedBytes"], bucket["uploadCount"]) == (5, 1)
    assert owner.delete(f"/api/v1/storage/bucket/{bucket['id']}").status_code == 400
    owner.delete(f"/api/v1/storage/upload/{upload['id']}")
    assert owner.get("/api/v1/storage/bucket").json["data"][0]["usedBytes"] == 0


def test_a_type_that_does_not_fit_the_bytes_is_refused(owner):
    body = {"filename": "a.png", "contentBase64": "SGVsbG8=", "contentType": "image/png"}
    assert messages(owner.post("/api/v1/storage/upload", body), "contentType")


@pytest.mark.parametrize(
    ("form", "media_type"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp")],
)
def test_pictures_are_known_by_their_bytes(owner, form, media_type):
    written = io.BytesIO()
    Image.new("RGB", (8, 8)).save(written, form)
    body = {"filename": "picture", "contentBase64": b64encode(written.getvalue()).decode()}
    for declared in ({}, {"contentType": media_type}):
        assert created(owner, "storage/upload", **body, **declared)["contentType"] == media_type
    answer = owner.send("POST", "/api/upload", data={"file": (io.BytesIO(written.getvalue()), "picture")})
    assert owner.get(answer.headers["Location"]).json["contentType"] == media_type


def test_a_bucket_keeps_its_limits(owner):
    bucket = created(owner, "storage/bucket", name="small", maxFileSize=4, allowedContentTypes=["text/plain"])
    body = {"filename": "a.txt", "contentBase64": "SGVsbG8=", "bucketId": bucket["id"]}
    assert owner.post("/api/v1/storage/upload", body).status_code == 413


def test_a_document_grows_in_version_with_its_text(owner):
    document = created(owner, "storage/document", title="T")
    assert changed(owner, "storage/document", document, tags=["a"]).json["version"] == 1
    assert changed(owner, "storage/document", document, content="x").json["version"] == 2


def test_managers_delete_uploads_of_their_organization_that_they_may_not_read(cast, owner):
    upload = created(owner, "storage/upload", filename="a.txt", contentBase64="SGVsbG8=")
    path = f"/api/v1/storage/upload/{upload['id']}"
    manager, member = cast.colleague(owner, "admin"), cast.colleague(owner)
    assert [each.get(path).status_code for each in (manager, member)] == [404, 404]
    assert manager.patch(path, {"filename": "b.txt"}).status_code == 404
    assert member.delete(path).status_code == 404
    assert cast.user().delete(path).status_code == 404
    assert set(manager.delete(path).json) == {"id", "deleted"}
    assert owner.get(path).status_code == 404
