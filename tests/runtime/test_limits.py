"""Limits: fixed windows, who is counted, and what a refused caller is told."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

import pytest
from flask_limiter.commands import cli

from app.testing.cast import Actor
from config import SettingError, Settings

PATH = "/api/v1/crm/contact"


def test_a_key_is_good_for_a_hundred_requests_a_minute(cast):
    key = cast.key(cast.user(), "read", rate_limit_enabled=True)
    answers = [key.get(PATH) for _ in range(101)]
    assert [response.status_code for response in answers] == [200] * 100 + [429]
    refused = answers[-1]
    assert refused.json == {"error": "Rate limit exceeded", "code": "RATE_LIMITED", "details": {}}
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit-Policy"] == '"key";q=100;w=60'
    assert refused.headers["RateLimit"].startswith('"key";r=0;t=')
    assert refused.headers["X-RateLimit-Limit"] == "100"


def test_v33_a_request_counts_once_whatever_its_outcome(cast):
    key = cast.key(cast.user(), "read", rate_limit_enabled=True, rate_limit_max=3)
    answers = [key.get(PATH), key.post(PATH), key.get(f"{PATH}/x"), key.get(PATH)]
    assert [response.status_code for response in answers] == [200, 403, 404, 429]


@pytest.fixture
def strict(build_once):
    return build_once(default_limit="3 per minute")


def test_the_default_limit_counts_each_credential_apart(cast, strict):
    first, second = (Actor(strict, cast.user().token) for _ in range(2))
    assert [first.get(PATH).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert second.get(PATH).status_code == 200


def test_v20_v21_forged_addresses_slashes_and_case_do_not_reset_a_limit(cast, strict):
    actor = Actor(strict, cast.user().token)
    for number in range(3):
        assert actor.get(PATH, headers={"X-Forwarded-For": f"203.0.113.{number}"}).status_code == 200
    assert actor.get(PATH, headers={"X-Forwarded-For": "198.51.100.9"}).status_code == 429


@pytest.mark.parametrize(
    ("addresses", "together"),
    [
        (["192.0.2.1"] * 4, True),
        (["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"], False),
        (["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:DB8:0:1::3", "2001:db8:0:1:ffff::4"], True),
        (["2001:db8:0:2::1", "2001:db8:0:3::1", "2001:db8:0:4::1", "2001:db8:0:5::1"], False),
        (["::ffff:198.51.100.1", "198.51.100.1", "::ffff:198.51.100.1", "198.51.100.1"], True),
        (["", "nonsense", "", "nonsense"], True),
    ],
)
def test_v20_callers_without_a_credential_are_counted_by_network(strict, addresses, together):
    nobody = Actor(strict)
    answers = [nobody.get(PATH, environ_base={"REMOTE_ADDR": address}).status_code for address in addresses]
    assert answers == [401, 401, 401, 429 if together else 401]


def test_with_redis_away_data_is_served_and_limits_are_counted_in_the_process(cast, build, caplog):
    broken = build(redis_url="redis://127.0.0.1:1/0", default_limit="3 per minute")
    actor = Actor(broken, cast.user().token)
    assert [actor.get(PATH).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert "Redis is away" in caplog.text
    ready = actor.get("/readyz")
    assert (ready.status_code, ready.json["status"], ready.json["redis"]) == (200, "degraded", "unreachable")


def test_answers_of_counting_routes_say_how_much_is_left(cast):
    owner = cast.user()
    left = [owner.post("/api/v1/auth/api-key").headers["X-RateLimit-Remaining"] for _ in range(2)]
    assert left == ["9", "8"]
    assert "X-RateLimit-Limit" not in owner.get("/api/v1/auth/api-key").headers


def test_data_routes_run_no_hook_of_the_extensions(app):
    hooks = [*app.before_request_funcs[None], *app.after_request_funcs[None], *app.teardown_request_funcs.get(None, ())]
    assert [hook for hook in hooks if getattr(hook, "__module__", "app").startswith("flask_")] == []
    assert not any(isinstance(hook, partial) for hook in hooks)


def test_flask_limiter_lists_the_limits_of_routes_and_clears_one(cast, app):
    owner, key = cast.user(), ["--endpoint", "api-key.rotateAuthApiKey", "--key"]
    made = owner.post("/api/v1/auth/api-key").json["id"]
    owner.post(f"/api/v1/auth/api-key/{made}/rotate")
    run = partial(app.test_cli_runner().invoke, cli)
    assert "(9 out of 10 remaining)" in " ".join(run(["limits", *key, f"user:{owner.user_id}"]).output.split())
    assert run(["clear", "-y", *key, f"user:{owner.user_id}"]).exit_code == 0
    assert "(10 out of 10 remaining)" in " ".join(run(["limits", *key, f"user:{owner.user_id}"]).output.split())
    assert run(["config"]).exit_code == 0


def test_a_route_of_people_counts_whoever_has_no_credential_before_it_looks_at_the_request(strict):
    nobody = Actor(strict)
    asked = [nobody.get("/api/upload/x?y=1", environ_overrides={"REMOTE_ADDR": "192.0.2.99"}) for _ in range(4)]
    assert [answer.status_code for answer in asked] == [401, 401, 401, 429]


def test_a_sign_in_at_a_provider_is_counted_whatever_its_body_is(strict):
    nobody, where = Actor(strict), {"REMOTE_ADDR": "192.0.2.98"}
    asked = [nobody.post("/api/auth/oauth/github", {"unknown": 1}, environ_overrides=where) for _ in range(4)]
    assert asked[-1].status_code == 429


def test_a_rotation_of_a_key_that_is_not_there_is_not_counted(cast):
    owner = cast.user()
    made = owner.post("/api/v1/auth/api-key").json["id"]
    missing = [owner.post(f"/api/v1/auth/api-key/{uuid4()}/rotate").status_code for _ in range(11)]
    assert missing == [404] * 11
    assert owner.post(f"/api/v1/auth/api-key/{made}/rotate").status_code == 201


def test_a_setting_takes_one_limit():
    with pytest.raises(SettingError, match="SIGN_IN_LIMIT"):
        Settings.from_environment({"SIGN_IN_LIMIT": "60 per minute;500 per hour"})
