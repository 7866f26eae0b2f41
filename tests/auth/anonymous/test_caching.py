"""Answers without a credential may be kept by shared caches, and no other may."""

from __future__ import annotations

import pytest

from app.testing.cast import Actor
from tests.auth.anonymous.conftest import COMPANIES


@pytest.fixture
def paths(companies):
    return COMPANIES, f"{COMPANIES}/{companies[0]['id']}"


def test_answers_to_nobody_are_public_and_differ_by_credential(nobody, paths):
    for path in paths:
        headers = nobody.get(path).headers
        assert headers["Cache-Control"] == "public, max-age=60"
        assert headers["Vary"] == "Authorization"
        assert headers["ETag"]


def test_answers_to_a_credential_stay_private(open_app, owner, paths):
    for path in paths:
        answer = Actor(open_app, owner.token).get(path)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "private, no-store")


def test_refusals_are_kept_by_nobody(nobody, companies):
    for path in (f"{COMPANIES}/{companies[1]['id']}", f"{COMPANIES}?take=0", "/api/v1/crm/contact"):
        assert nobody.get(path).headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_what_the_caller_has_is_not_sent_again(nobody, paths, method):
    for path in paths:
        tag = nobody.get(path).headers["ETag"]
        known = nobody.send(method, path, headers={"If-None-Match": tag})
        assert (known.status_code, known.data) == (304, b"")
        assert (known.headers["ETag"], known.headers["Cache-Control"]) == (tag, "public, max-age=60")


def test_a_change_makes_another_tag(nobody, owner, companies, paths):
    tags = [nobody.get(path).headers["ETag"] for path in paths]
    owner.put(paths[1], {"industry": "steel"})
    for path, tag in zip(paths, tags, strict=True):
        assert nobody.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_a_query_by_post_is_kept_by_nobody(nobody, companies):
    assert nobody.post(f"{COMPANIES}/_query", {}).headers["Cache-Control"] == "private, no-store"


def test_a_setting_says_how_long(build, companies):
    kept = Actor(build(anonymous_models="crm/company", anonymous_max_age=5)).get(COMPANIES).headers["Cache-Control"]
    assert kept == "public, max-age=5"
