"""Pictures and instructions of items."""

from __future__ import annotations

import io
from uuid import uuid4

import pytest
from asking import BOAT, ITEMS, PUBLIC, file_of, picture
from PIL import Image

from app.storage import pictures
from app.testing.waiting import perform

PDF = b"%PDF-1.7\n%%EOF\n"


def test_a_picture_is_there_whole_and_in_its_sizes(app, owner, item, upload):
    perform(app, pictures.SCALE)
    made = item(pictureId=upload(picture(), "boat.png"))
    assert owner.get(file_of(made, size=160)).data == picture()  # it is not made yet
    assert perform(app, pictures.SCALE) == 1
    whole, small, large = (owner.get(file_of(made, size=size)) for size in (None, 160, 960))
    assert (whole.content_type, whole.data) == ("image/png", picture())
    assert (small.content_type, Image.open(io.BytesIO(small.data)).size) == ("image/webp", (160, 120))
    assert "boat.webp" in small.headers["Content-Disposition"]
    assert large.data == picture()  # it is no larger itself
    answer = owner.get(file_of(made, size=161))
    assert (answer.status_code, answer.json["details"]["fields"]) == (400, {"size": ["Must be one of: 160, 960."]})


def test_a_file_is_public_as_its_record_is(cast, owner, item, upload):
    hidden, shown = (item(pictureId=upload(picture(), "boat.png"), published=each) for each in (False, True))
    assert cast.nobody.get(file_of(hidden)).status_code == 404
    assert cast.user().get(file_of(hidden)).status_code == 404
    answer = cast.nobody.get(file_of(shown))
    assert (answer.status_code, answer.data) == (200, picture())
    assert answer.headers["Cache-Control"].startswith("public")
    again = cast.nobody.get(file_of(shown), headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert cast.nobody.get(f"/api/upload/{shown['pictureId']}/content").status_code == 401
    assert cast.nobody.get(file_of(shown, "instructionsId")).status_code == 404
    assert cast.nobody.get(file_of(shown, "nameId")).status_code == 404


def test_a_key_that_does_not_see_the_field_does_not_get_the_file(owner, item, upload):
    made = item(pictureId=upload(picture(), "boat.png"))
    statuses = {}
    for fields in (["name"], ["name", "pictureId"]):
        access = [{"models": ["rental/item"], "operations": ["list", "read"], "fields": fields}]
        key = owner.post("/api/v1/auth/api-key", {"name": "partner", "access": access}).json["key"]
        asked = {"headers": {"Authorization": f"Bearer {key}"}}
        statuses[len(fields)] = owner.get(file_of(made), **asked).status_code
    assert statuses == {1: 404, 2: 200}


@pytest.mark.parametrize(
    ("field", "content", "filename", "said"),
    [("pictureId", PDF, "boat.pdf", "Must be one of: image/png, image/jpeg, image/webp, image/gif."),
     ("instructionsId", b"words", "words.txt", "Must be one of: application/pdf."),
     ("pictureId", b"\x89PNG\r\n\x1a\n" + bytes(10 * 1024 * 1024), "large.png", "Must be at most 10485760 bytes.")],
)  # fmt: skip
def test_a_file_of_another_type_or_size_is_refused(owner, item, upload, field, content, filename, said):
    wrong = upload(content, filename)
    answer = owner.post(ITEMS, [{"name": "Boat", "dailyPrice": {"amount": "1", "currency": "EUR"}, field: wrong}])
    assert answer.status_code == 400
    assert answer.json["details"]["items"] == [{"index": 0, "code": "VALIDATION_ERROR", "fields": {field: [said]}}]
    made = item()
    answer = owner.put(f"{ITEMS}/{made['id']}", {field: wrong})
    assert (answer.status_code, answer.json["details"]["fields"]) == (400, {field: [said]})


def test_nobody_takes_the_file_of_somebody_else(cast, owner, item, upload):
    colleague = cast.colleague(owner)
    theirs = upload(picture(), "boat.png", colleague)
    said = {"pictureId": ["Is no file that you have uploaded."]}
    for taken in (theirs, str(uuid4())):
        answer = owner.post(ITEMS, BOAT | {"pictureId": taken})
        assert (answer.status_code, answer.json["details"]["fields"]) == (400, said)
    made = item()
    assert colleague.put(f"{ITEMS}/{made['id']}", {"pictureId": theirs}).status_code == 200
    stranger = cast.user()
    assert stranger.post(ITEMS, BOAT | {"pictureId": theirs}).status_code == 400
    colleague.put(f"/api/v1/storage/upload/{(shown := upload(picture(), 'boat.png', colleague))}", PUBLIC)
    assert stranger.get(f"/api/upload/{shown}").status_code == 200
    assert stranger.post(ITEMS, BOAT | {"pictureId": shown}).status_code == 400


def test_a_file_of_a_record_is_not_made_public_by_itself(owner, item, upload):
    picture_id = upload(picture(), "boat.png")
    path = f"/api/v1/storage/upload/{picture_id}"
    assert owner.put(path, PUBLIC).status_code == 200
    assert "public by itself" in owner.post(ITEMS, BOAT | {"pictureId": picture_id}).json["error"]
    assert owner.put(path, {"visibility": "private"}).status_code == 200
    made = item(pictureId=picture_id)
    assert owner.put(path, PUBLIC).json["details"]["fields"].keys() == {"visibility"}
    assert owner.delete(path).status_code == 409
    owner.put(f"{ITEMS}/{made['id']}", {"pictureId": None})
    assert [owner.put(path, PUBLIC).status_code, owner.delete(path).status_code] == [200, 200]


def test_a_file_belongs_to_the_organization_of_its_record(cast, owner, item, upload):
    colleague, made = cast.colleague(owner), item()
    picture_id = upload(picture(), "boat.png", colleague)
    path = f"/api/v1/storage/upload/{picture_id}"
    home = colleague.get(path).json["organizationId"]
    assert home != str(owner.organization_id)
    assert colleague.put(f"{ITEMS}/{made['id']}", {"pictureId": picture_id}).status_code == 200
    assert colleague.get(path).json["organizationId"] == str(owner.organization_id)
    uploads = {
        bucket["organizationId"]: (bucket["uploadCount"], bucket["usedBytes"])
        for bucket in colleague.get("/api/v1/storage/bucket").json["data"]
    }
    assert {name: uploads[name] for name in (home, str(owner.organization_id))} == {
        home: (0, 0), str(owner.organization_id): (1, len(picture())),
    }  # fmt: skip
    elsewhere = colleague.post(ITEMS, BOAT | {"organizationId": home, "pictureId": picture_id})
    said = {"pictureId": ["Is the file of a record in another organization."]}
    assert (elsewhere.status_code, elsewhere.json["details"]["fields"]) == (400, said)


def test_who_may_change_a_record_takes_back_what_happened_to_the_file_of_a_colleague(cast, owner, item, upload):
    colleague, made = cast.colleague(owner), item(slug="boat")
    path, theirs = f"{ITEMS}/{made['id']}", upload(picture(), "boat.png", colleague)
    assert colleague.put(path, {"pictureId": theirs}).status_code == 200
    merged = owner.post(f"{ITEMS}?onConflict=slug&resolution=merge", BOAT | {"slug": "boat", "pictureId": theirs})
    assert merged.status_code == 200, merged.json
    for taken_back in ("_undo", "_revert"):
        version = int(owner.get(path).headers["ETag"].strip('"').partition("-")[0])
        removed = owner.put(path, {"pictureId": None})
        if taken_back == "_undo":
            answer = owner.post("/api/v1/_undo", {"transaction": removed.headers["Transaction-Id"]})
        else:
            answer = owner.post(f"{path}/_revert", {"version": version})
        assert answer.status_code == 200, answer.json
        assert owner.get(path).json["pictureId"] == theirs
    owner.delete(path)
    assert owner.post(f"{ITEMS}/_deleted/{made['id']}/_restore").status_code == 200
    assert owner.get(file_of(made)).data == picture()


def test_a_narrow_key_takes_no_file_that_it_may_not_read(owner, upload):
    own, statuses = upload(picture(), "boat.png"), {}
    for models in (["rental/item"], ["rental/item", "storage/upload"]):
        access = [{"models": models, "operations": ["create", "read"]}]
        asked = {"name": "partner", "scopes": ["read", "write"], "access": access}
        key = owner.post("/api/v1/auth/api-key", asked).json["key"]
        sent = {"headers": {"Authorization": f"Bearer {key}"}}
        statuses[len(models)] = owner.post(ITEMS, BOAT | {"pictureId": own}, **sent).status_code
    assert statuses == {1: 400, 2: 201}


def test_a_picture_that_cannot_be_read_stays_as_it_is(app, owner, item, upload):
    perform(app, pictures.SCALE)
    broken = picture()[:200]
    made = item(pictureId=upload(broken, "boat.png"))
    assert perform(app, pictures.SCALE) == 1
    assert owner.get(file_of(made, size=160)).data == broken


def test_a_file_is_in_one_organization_also_within_one_request(owner, upload):
    other = owner.post("/api/v1/auth/organization", {"name": "Other"}).json["id"]
    picture_id = upload(picture(), "boat.png")
    sent = [BOAT | {"pictureId": picture_id, "organizationId": each} for each in (str(owner.organization_id), other)]
    refused = owner.post(ITEMS, sent)
    assert (refused.status_code, "another organization" in refused.text) == (400, True)


def test_sizes_that_were_declared_later_are_made_in_the_night(app, owner, item, upload, sweep, execute):
    made = item(pictureId=upload(picture(), "boat.png"))
    perform(app, pictures.SCALE)
    execute("UPDATE storage_upload SET sizes = '{}' WHERE id = :id", id=made["pictureId"])
    sweep()
    assert perform(app, pictures.SCALE) == 1
    assert owner.get(file_of(made, size=160)).content_type == "image/webp"
