"""Versions of rows: which changes raise them on every model, and where the wire shows them."""

from __future__ import annotations

import re
from datetime import timedelta

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text, update

from app.ai.models.answering import AiProvider, AiStream
from app.auth.models.identity import AuthSession
from app.auth.models.keys import AuthApiKey
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare.catalogue import every_model
from app.engine.declare.scope import Rule
from app.foundation.clock import now
from app.runtime.embedded import database_url
from app.testing.database import transaction, unit_of_work
from app.testing.every_model import different, item, reader_of

MODELS = list(every_model())
SERVED = [model for model in MODELS if not model.has_custom_routes]
CHANGED = [model for model in SERVED if model.policy.update is not Rule.NONE]
every = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())
served = pytest.mark.parametrize("model", SERVED, ids=lambda model: model.qualified_name())
changed = pytest.mark.parametrize("model", CHANGED, ids=lambda model: model.qualified_name())
TAG = re.compile(r'"[1-9][0-9]*-[0-9a-f]{16}"')
BEFORE_UPDATE_OF_EACH_ROW = 19


@pytest.fixture
def raw(app, var_dir):
    """A connection past the service, as an operator has it."""
    with psycopg.connect(database_url(var_dir), autocommit=True) as connection:
        yield connection


def version(raw, model, identifier):
    query = sql.SQL("SELECT row_version FROM {} WHERE id = %s").format(sql.Identifier(model.__tablename__))
    return raw.execute(query, [identifier]).fetchone()[0]


def change(raw, model, identifier, /, **values):
    """An UPDATE of columns to SQL expressions."""
    sets = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.SQL(expression)) for name, expression in values.items()
    )
    statement = sql.SQL("UPDATE {} SET {} WHERE id = %s").format(sql.Identifier(model.__tablename__), sets)
    assert raw.execute(statement, [identifier]).rowcount == 1


def seen_by(workshop, model):
    return workshop.cast.admin if model.policy.create in (Rule.ADMIN, Rule.NONE) else reader_of(model, workshop)


@every
def test_a_trigger_raises_the_version_and_leaves_out_what_is_declared_as_bookkeeping(raw, model):
    query = """
        SELECT proname, tgtype, tgenabled, encode(tgargs, 'escape') FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
        WHERE tgrelid = %s::regclass AND tgname = 'rowgate_version'"""
    (function, when, enabled, arguments) = raw.execute(query, [model.__tablename__]).fetchone()
    assert (when, enabled) == (BEFORE_UPDATE_OF_EACH_ROW, "O")
    assert tuple(arguments.split("\\000")[:-1]) == model.bookkeeping
    assert function == ("rowgate_raise_version_unless" if model.bookkeeping else "rowgate_raise_version")


@every
def test_a_row_that_is_new_has_version_one(raw, workshop, model):
    assert version(raw, model, workshop.make(model)["id"]) == 1


@every
def test_any_statement_that_changes_a_row_raises_its_version_by_one(raw, workshop, model):
    planted = workshop.make(model)["id"]
    first = version(raw, model, planted)
    change(raw, model, planted, created_at="created_at - interval '1 second'")
    change(raw, model, planted, created_at="created_at - interval '1 second'", row_version="77")
    assert version(raw, model, planted) == first + 2


@pytest.mark.parametrize(
    ("model", "column"),
    [pytest.param(model, name, id=f"{model.__tablename__}.{name}") for model in MODELS for name in model.bookkeeping],
)
def test_bookkeeping_raises_no_version(raw, workshop, model, column):
    planted = workshop.make(model)["id"]
    first = version(raw, model, planted)
    change(raw, model, planted, **{column: otherwise(model.fields()[column])})
    change(raw, model, planted, updated_at="now() - interval '7 seconds'")
    assert version(raw, model, planted) == first


def otherwise(field):
    """A value of the column that it does not have, in SQL."""
    column, kind = field.attribute, field.spec.kind
    match kind.name:
        case "timestamp":
            return "now() - interval '7 seconds'"
        case "boolean":
            return f"NOT {column}"
        case "integer":
            return f"coalesce({column}, 0) + 1"
        case "json":
            return "jsonb_build_array(random())"
        case "enum":
            first, second, *_ = kind.values
            return f"CASE {column} WHEN '{first}' THEN '{second}' ELSE '{first}' END"
        case _:
            return f"left(repeat(md5(random()::text), 2), {kind.constraints.get('maxLength', 64)})"


def test_the_time_of_a_change_moves_with_the_version_unless_it_is_bookkeeping_itself(raw, workshop):
    """Who has not seen the change would see its time otherwise."""
    provider, stream = workshop.make(AiProvider)["id"], workshop.make(AiStream)["id"]
    moments = {}
    for model, made, column in ((AiProvider, provider, "last_error"), (AiStream, stream, "updated_at")):
        moved = {column: "'x'"} if column == "last_error" else {}
        change(raw, model, made, **moved, updated_at="'2030-01-01'")
        query = sql.SQL("SELECT updated_at FROM {} WHERE id = %s").format(sql.Identifier(model.__tablename__))
        moments[model] = raw.execute(query, [made]).fetchone()[0].year == 2030
    assert moments == {AiProvider: False, AiStream: True}


@changed
def test_a_change_over_http_raises_the_version_by_one_and_a_repetition_does_not(raw, workshop, model):
    made = workshop.make(model)
    actor = reader_of(model, workshop)
    stored = actor.get(item(model, made)).json
    first = version(raw, model, made["id"])
    for sent in changes_of(model, workshop, stored):
        answer = actor.put(item(model, made), sent)
        if answer.status_code != 200:
            continue  # a value by type alone need not make sense beside the others
        assert version(raw, model, made["id"]) == first + 1, (sent, answer.json)
        assert actor.put(item(model, made), sent).headers["ETag"] == answer.headers["ETag"]
        assert version(raw, model, made["id"]) == first + 1
        return
    pytest.fail("no change was taken")


def changes_of(model, workshop, stored):
    """Changes of one field each, by type, of those that callers may change."""
    for states in model.transitions.items():
        for reached in states[1].get(stored.get(states[0]), []):
            yield {states[0]: reached}
    for field in model.fields().values():
        if field.column is not None and field.spec.access == "normal" and not field.references and field.name in stored:
            yield {field.name: different(field, stored[field.name])}
    yield {"role": "member"}
    yield {"vector": [0.25, 0.5]}


@served
def test_every_answer_of_one_record_has_an_entity_tag_and_lists_and_removals_have_none(raw, workshop, model):
    made = workshop.make(model)
    actor = seen_by(workshop, model)
    path = item(model, made)
    read, head, listed = actor.get(path), actor.send("HEAD", path), actor.get(model.collection_path())
    assert TAG.fullmatch(read.headers["ETag"])
    assert read.headers["ETag"].startswith(f'"{version(raw, model, made["id"])}-')
    assert (head.headers["ETag"], head.data) == (read.headers["ETag"], b"")
    assert (listed.status_code, "ETag" in listed.headers) == (200, False)
    if model.policy.update is not Rule.NONE:
        for method in ("PUT", "PATCH"):
            answer = reader_of(model, workshop).send(method, path, json={})
            assert TAG.fullmatch(answer.headers["ETag"]), answer.json
    if model.policy.delete is not Rule.NONE:
        assert "ETag" not in actor.delete(path).headers


@served
def test_the_tag_of_a_record_just_made_is_the_one_that_it_reads_with(workshop, model):
    if model.policy.create is Rule.NONE:
        pytest.skip("callers make none")
    body = workshop.body(model)
    workshop.make_room(model)
    maker = workshop.maker(model)
    answer = maker.post(model.collection_path(), body)
    assert answer.status_code == 201, answer.json
    assert answer.headers["ETag"] == maker.get(item(model, answer.json)).headers["ETag"]


def test_the_tag_of_a_part_of_a_record_has_its_version_and_a_digest_of_its_own(workshop):
    path = workshop.path(CrmContact)
    whole, part = (workshop.owner.get(path + asked).headers["ETag"] for asked in ("", "?fields=email"))
    assert whole != part
    assert whole.split("-")[0] == part.split("-")[0] == '"1'


def test_a_reference_that_a_removal_empties_raises_the_version(workshop):
    owner, contact = workshop.owner, workshop.make(CrmContact)
    deal = workshop.path(CrmDeal, companyId=contact["companyId"], contactId=contact["id"])
    assert owner.delete(item(CrmContact, contact)).status_code == 200
    read = owner.get(deal)
    assert (read.json["contactId"], read.headers["ETag"][:3]) == (None, '"2-')


def test_a_statement_of_a_job_raises_the_version_of_each_row_it_changes(app, raw, workshop):
    made = [workshop.make(CrmContact)["id"] for _ in range(3)]
    with app.app_context(), unit_of_work() as unit:
        wanted = CrmContact.organization_id == workshop.owner.organization_id
        assert unit.bookkeep(update(CrmContact).where(wanted).values(last_name="King")) == 3
    assert [version(raw, CrmContact, each) for each in made] == [2, 2, 2]


def test_to_be_used_raises_no_version_of_a_session_or_a_key(app, raw, cast):
    owner = cast.user()
    key = cast.key(owner, "read")
    own = owner.principal.credential_id
    with app.app_context(), transaction() as session:
        long_ago = now() - timedelta(hours=1)
        session.execute(update(AuthSession).where(AuthSession.id == own).values(last_seen_at=long_ago))
        key_id = session.scalar(text("SELECT id FROM auth_api_key WHERE user_id = :owner"), {"owner": owner.user_id})
    before = version(raw, AuthSession, own), version(raw, AuthApiKey, key_id)
    for actor in (owner, key):
        assert actor.get("/api/v1/crm/contact").status_code == 200
    assert (version(raw, AuthSession, own), version(raw, AuthApiKey, key_id)) == before
    (seen,) = raw.execute("SELECT last_seen_at > now() - interval '1 minute' FROM auth_session WHERE id = %s", [own])
    (used,) = raw.execute("SELECT last_used_at FROM auth_api_key WHERE id = %s", [key_id])
    assert seen == (True,)
    assert used[0] is not None


@pytest.mark.parametrize("model", [CrmContact, CrmCompany], ids=["contact", "company"])
@pytest.mark.parametrize("asked", [{}, {"fields": "name"}, {"expand": "organization"}, {"cursor": ""}, {"take": "1"}])
@pytest.mark.parametrize("method", ["GET", "POST", "QUERY"])
def test_a_list_tells_the_versions_of_its_records_when_asked(workshop, model, asked, method):
    owner, path = workshop.owner, model.collection_path()
    made = [workshop.make(model)["id"] for _ in range(2)]
    assert (
        owner.put(f"{path}/{made[0]}", {"phone": "+49 30 1"} if model is CrmContact else {"name": "New"}).status_code
        == 200
    )
    if "fields" in asked and model is CrmContact:
        asked = {"fields": "email"}
    if method == "GET":
        answer = owner.get(path, query_string=asked | {"versions": "true"})
        plain = owner.get(path, query_string=asked)
    else:
        body = in_a_body(asked)
        where = f"{path}/_query" if method == "POST" else path
        answer = owner.send(method, where, json=body | {"versions": True})
        plain = owner.send(method, where, json=body)
    assert answer.status_code == 200, answer.json
    told = answer.json if model.legacy_envelope else answer.json["meta"]
    shown = {made[0]: 2, made[1]: 1}
    if "take" in asked:
        (only,) = told["versions"].items()
        assert only in shown.items()
    else:
        assert told["versions"] == shown
    assert "versions" not in (plain.json if model.legacy_envelope else plain.json["meta"])
    assert answer.json["data"] == plain.json["data"]


def in_a_body(asked):
    body = {name: [value] for name, value in asked.items() if name in ("fields", "expand")}
    return body | ({"take": 1} if "take" in asked else {}) | ({"cursor": ""} if "cursor" in asked else {})
