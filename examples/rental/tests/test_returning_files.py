"""Pictures that go with their records, and come back with them."""

from __future__ import annotations

import pytest
from asking import BOAT, ITEMS, PUBLIC, file_of, is_there, picture

from app.storage import returning_files


def test_a_file_goes_with_the_last_record_that_has_it(owner, item, upload, sweep):
    free, first, second = (upload(picture(), f"{name}.png") for name in ("free", "first", "second"))
    one, two = item(pictureId=first), item(pictureId=first)
    owner.put(f"{ITEMS}/{one['id']}", {"pictureId": second})
    sweep()
    assert [is_there(owner, each) for each in (free, first, second)] == [True, True, True]
    owner.delete(f"{ITEMS}/{two['id']}")
    owner.put(f"{ITEMS}/{one['id']}", {"pictureId": None})
    sweep()
    assert [is_there(owner, each) for each in (free, first, second)] == [True, False, False]


def test_an_undo_of_the_same_day_has_the_file_again(owner, item, upload):
    made = item(pictureId=upload(picture(), "boat.png"))
    owner.delete(f"{ITEMS}/{made['id']}")
    assert owner.post(f"{ITEMS}/_deleted/{made['id']}/_restore").status_code in (200, 201)
    assert owner.get(file_of(made)).data == picture()


@pytest.mark.parametrize("way", ["restore", "revert", "undo"])
def test_a_file_that_went_in_the_night_comes_back_with_its_record(owner, item, upload, sweep, way):
    made = item(pictureId=upload(picture(), "boat.png"))
    path = f"{ITEMS}/{made['id']}"
    removed = owner.delete(path) if way == "restore" else owner.put(path, {"pictureId": None})
    sweep()
    assert not is_there(owner, made["pictureId"])
    answer = {
        "restore": lambda: owner.post(f"{ITEMS}/_deleted/{made['id']}/_restore"),
        "revert": lambda: owner.post(f"{path}/_revert", {"version": 1}),
        "undo": lambda: owner.post("/api/v1/_undo", {"transaction": removed.headers["Transaction-Id"]}),
    }[way]()
    assert answer.status_code == 200, answer.json
    sweep()
    assert owner.get(file_of(made)).data == picture()


def test_a_restore_brings_back_a_bounded_number_of_files(owner, item, upload, sweep, monkeypatch):
    made = item(pictureId=upload(picture(), "boat.png"))
    owner.delete(f"{ITEMS}/{made['id']}")
    sweep()
    monkeypatch.setattr(returning_files, "MOST", 0)
    assert owner.post(f"{ITEMS}/_deleted/{made['id']}/_restore").status_code == 409


def test_a_file_that_was_made_public_meanwhile_is_private_with_its_record_again(owner, item, upload):
    made = item(pictureId=upload(picture(), "boat.png"))
    path = f"/api/v1/storage/upload/{made['pictureId']}"
    owner.delete(f"{ITEMS}/{made['id']}")
    assert owner.put(path, PUBLIC).status_code == 200
    assert owner.post(f"{ITEMS}/_deleted/{made['id']}/_restore").status_code == 200
    assert owner.get(path).json["visibility"] == "private"


def test_a_record_does_not_come_back_with_a_file_that_another_organization_has_by_now(cast, owner, item, upload):
    made = item(pictureId=upload(picture(), "boat.png"))
    owner.delete(f"{ITEMS}/{made['id']}")
    other = owner.post("/api/v1/auth/organization", {"name": "Other"}).json["id"]
    assert owner.post(ITEMS, BOAT | {"organizationId": other, "pictureId": made["pictureId"]}).status_code == 201
    assert owner.post(f"{ITEMS}/_deleted/{made['id']}/_restore").status_code == 409


def test_a_file_that_comes_back_by_itself_is_not_swept(owner, item, upload, sweep):
    made = item(pictureId=upload(picture(), "boat.png"))
    owner.delete(f"{ITEMS}/{made['id']}")
    sweep()
    assert owner.post(f"/api/v1/storage/upload/_deleted/{made['pictureId']}/_restore").status_code == 200
    sweep()
    assert is_there(owner, made["pictureId"])


def test_a_file_stays_with_its_record_when_its_uploader_goes(cast, owner, upload, item, sweep, execute):
    colleague, made = cast.colleague(owner), item()
    execute(
        "UPDATE auth_session SET active_organization_id = :home WHERE user_id = :user",
        home=owner.organization_id, user=colleague.user_id,
    )  # fmt: skip
    answer = colleague.put(f"{ITEMS}/{made['id']}", {"pictureId": upload(picture(), "boat.png", colleague)})
    assert answer.status_code == 200, answer.json
    assert cast.admin.delete(f"/api/v1/auth/user/{colleague.user_id}").status_code == 200
    sweep()
    assert owner.get(file_of(made)).data == picture()
