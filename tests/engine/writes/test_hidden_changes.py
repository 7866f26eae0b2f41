"""What a reader does not see of a record tells nothing by its entity tag: the service's own notes raise no version."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.ai import breaker
from app.ai.completion import ProviderFailure
from app.ai.models.answering import AiProvider
from app.auth.models.identity import AuthUser
from app.auth.models.keys import AuthApiKey
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import HIDDEN, IMMUTABLE, READ_ONLY
from app.engine.declare.principal import Reader
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import Organization
from app.engine.read.encoding import guards, shown_fields
from app.testing.every_model import item
from tests.engine.writes.test_versions import change, otherwise, raw

__all__ = ["raw"]

# The status of a key is made of them.
SEEN_OTHERWISE = {(AuthApiKey, "revoked_at"), (AuthApiKey, "grace_expires_at")}


def is_noted_by_the_service(model, field):
    """Whether callers change it by no update, and it is neither an owner nor what another field is made of."""
    return (
        field.column is not None
        and field.attribute not in ("id", "created_at", "updated_at")
        and bool(field.spec.flags & {HIDDEN, READ_ONLY, IMMUTABLE})
        and not field.references
        and (model, field.attribute) not in SEEN_OTHERWISE
    )


def shapes():
    """Each column that some reader of a row does not get, by model and reader: ``own`` rows or those of others."""
    for model in every_model():
        noted = [field for field in model.fields().values() if is_noted_by_the_service(model, field)]
        for reader in (Reader.ADMIN, Reader.MEMBER):
            shown = {field.name for field in shown_fields(model, reader, listed=False)}
            guarded = {name for guard in guards(model, reader) for name in guard.names}
            for field in noted:
                if field.name not in shown:
                    yield model, field, reader, True
                if field.name in guarded:
                    yield model, field, reader, False


SHAPES = list(shapes())
shape = pytest.mark.parametrize(
    ("model", "field", "reader", "own"), SHAPES,
    ids=[f"{model.qualified_name()}.{field.attribute}-{reader.name}-{'own' if own else 'of others'}"
         for model, field, reader, own in SHAPES],
)  # fmt: skip


def asking(workshop, model, reader, own):
    """Who reads the row that the workshop makes, as this kind of reader."""
    if reader is Reader.ADMIN:
        return workshop.cast.admin
    if own and model is not AiProvider:
        return workshop.owner
    return workshop.cast.user() if is_read_by_strangers(model) else workshop.cast.colleague(workshop.owner)


def is_read_by_strangers(model):
    """Whether rows of it may be published."""
    return isinstance(scope := model.policy.scope, Organization) and scope.public is not None


def make(workshop, model):
    if model is AuthUser:
        return {"id": str(workshop.owner.user_id)}
    return workshop.make(model, **({"visibility": "public"} if is_read_by_strangers(model) else {}))


@shape
def test_what_a_reader_does_not_see_leaves_his_tag_as_it_is(raw, workshop, model, field, reader, own):
    actor = asking(workshop, model, reader, own)
    made = make(workshop, model)
    before = actor.get(item(model, made))
    if before.status_code == 404 and model.policy.read is Rule.ADMIN:
        pytest.skip("admins alone read it")
    assert before.status_code == 200, before.json
    change(raw, model, made["id"], **{field.attribute: otherwise(field)}, updated_at="now()")
    after = actor.get(item(model, made))
    if model is AuthUser and "updatedAt" in before.json:  # to the user and to admins, the account has changed
        assert {**after.json, "updatedAt": None} == {**before.json, "updatedAt": None}
        assert after.headers["ETag"].split("-")[0] == before.headers["ETag"].split("-")[0]
    else:
        assert (after.json, after.headers["ETag"]) == (before.json, before.headers["ETag"])


def test_a_ban_and_the_language_of_a_sign_in_tell_colleagues_nothing(workshop, raw):
    person = workshop.cast.user()
    colleague, path = workshop.cast.colleague(person), f"/api/v1/auth/user/{person.user_id}"
    before = colleague.get(path)
    assert set(before.json) == {"id", "name", "image"}
    ban = {"banned": True, "banReason": "Spam", "banExpires": "2030-01-01T00:00:00.000Z"}
    assert workshop.cast.admin.patch(path, ban).json["banned"] is True
    change(raw, AuthUser, person.user_id, locale="'de'")
    assert colleague.get(path).headers["ETag"] == before.headers["ETag"]
    assert colleague.get(path, headers={"If-None-Match": before.headers["ETag"]}).status_code == 304


def test_failures_of_a_provider_raise_no_version_and_touch_nothing_but_what_is_shown_of_them(app, workshop):
    made = workshop.make(AiProvider)
    path = item(AiProvider, made)
    before = workshop.owner.get(path)
    called = SimpleNamespace(
        provider_id=made["id"], kind="openai_compatible", degraded=False, failures=0, patience=30.0
    )
    with app.app_context():
        breaker.record_failure(called, ProviderFailure("network", "nobody there"), 0.1)
    after = workshop.owner.get(path)
    assert workshop.cast.admin.get(path).json["consecutiveFailures"] == 1
    assert {**after.json, "lastCheckedAt": None} == {**before.json, "lastCheckedAt": None}
    assert after.headers["ETag"].split("-")[0] == before.headers["ETag"].split("-")[0]
