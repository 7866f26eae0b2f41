"""Rotating API keys: the same settings, no longer life, a grace for the old one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from app.foundation.clock import now
from tests.auth.api_keys.keys import change, make, path, use


def test_an_admin_does_not_get_the_secret_of_another_by_rotating(owner, cast):
    response = cast.admin.post(path(make(owner), "rotate"))
    assert (response.status_code, response.json["statusCode"]) == (403, 403)


def test_a_rotated_key_keeps_its_settings_and_the_old_one_ends_at_once(app, owner):
    old = make(owner, name="Export", scopes=["read", "write"], ipAllowList=["127.0.0.1"], metadata={"a": 1})
    answer = owner.post(path(old, "rotate"))
    new = answer.json
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(new) == {"id", "name", "key", "expiresAt", "scopes", "createdAt"}
    kept = ("name", "scopes", "ipAllowList", "metadata", "expiresAt", "enabled")
    before, after = owner.get(path(old)).json, owner.get(path(new)).json
    assert {name: before[name] for name in kept} == {name: after[name] for name in kept}
    assert (use(app, old["key"]), use(app, new["key"])) == (401, 200)


def test_with_grace_both_keys_work_for_a_while(app, owner):
    old = make(owner)
    new = owner.post(path(old, "rotate"), {"graceSeconds": 60}).json
    assert (use(app, old["key"]), use(app, new["key"])) == (200, 200)
    change(app, old["id"], grace_expires_at=now())
    assert (use(app, old["key"]), use(app, new["key"])) == (401, 200)


def test_v24_rotating_never_lengthens_a_life(app, owner):
    old = make(owner)
    soon = now() + timedelta(seconds=30)
    change(app, old["id"], expires_at=soon)
    new = owner.post(path(old, "rotate"), {"graceSeconds": 604800}).json
    assert new["expiresAt"] == owner.get(path(old)).json["expiresAt"]
    change(app, old["id"], expires_at=now())
    assert use(app, old["key"]) == 401


@pytest.mark.parametrize("grace", [-1, 604801, "60", 1.5, None])
def test_a_bad_grace_is_an_invalid_request(owner, grace):
    response = owner.post(path(make(owner), "rotate"), {"graceSeconds": grace})
    assert (response.status_code, response.json["error"]) == (400, "Invalid request")


@pytest.mark.parametrize("state", ["expired", "rotated"])
def test_a_key_that_is_not_live_cannot_be_rotated(app, owner, state):
    key = make(owner)
    if state == "expired":
        change(app, key["id"], expires_at=now())
    else:
        owner.post(path(key, "rotate"), {"graceSeconds": 60})
    response = owner.post(path(key, "rotate"))
    assert (response.status_code, response.json["statusCode"]) == (409, 409)


def test_v19_of_parallel_rotations_one_wins(owner):
    key = make(owner)
    with ThreadPoolExecutor(5) as pool:
        statuses = sorted(pool.map(lambda _: owner.post(path(key, "rotate")).status_code, range(5)))
    assert statuses == [201, 409, 409, 409, 409]


def test_users_rotate_ten_times_an_hour(owner):
    key = make(owner)
    statuses = []
    for _ in range(11):
        answer = owner.post(path(key, "rotate"), {"graceSeconds": 600})
        statuses.append(answer.status_code)
        key = answer.json if answer.status_code == 201 else key
    assert statuses == [201] * 10 + [429]
