"""The sample data, exported and imported into an empty organization: the same but for ids, times and owners."""

from __future__ import annotations

import json

import psycopg
import pytest
from sqlalchemy import select

from app.auth.credentials import sessions
from app.auth.models.identity import AuthUser
from app.engine.declare.catalogue import every_model
from app.engine.declare.scope import Rule
from app.extensions import db
from app.factory import create_app
from app.ops import samples
from app.runtime import connections, embedded
from app.schema.histories import upgrade
from app.testing.cast import Actor, Cast
from app.testing.database import unit_of_work
from config import Settings
from schemas.derive import create_schema
from tests.storage.imports.files import send

# Users, organizations, members and invitations are people's own; files and their places are more than rows.
APART = {
    "auth/user",
    "auth/organization",
    "auth/member",
    "auth/team-member",
    "auth/invitation",
    "storage/bucket",
    "storage/upload",
}
# What begins in its first state alone, and what everybody has from the beginning.
ASKED = {
    "ai-agent/deliverable": {"map": "organizationId:,status:"},
    "ai-research/finding": {"map": "organizationId:,status:"},
    "analytics/report": {"map": "organizationId:,status:"},
    "notification/preference": {"onConflict": "userId"},
}  # fmt: skip


def in_order():
    """The models that people make records of, each behind those that it refers to."""
    rules = (Rule.NONE, Rule.ADMIN)
    left = [
        each
        for each in every_model()
        if each.policy.create not in rules and not each.has_custom_routes and each.qualified_name() not in APART
    ]
    found = []
    while left:
        tables = {each.__tablename__ for each in left}
        free = next(each for each in left if not targets(each) & tables - {each.__tablename__})
        found.append(free)
        left.remove(free)
    return found


def targets(model):
    return {each.references for each in model.fields().values() if each.references}


@pytest.fixture(scope="module")
def sampled(var_dir, settings):
    """An application on a database of its own, which holds the sample data and nothing else."""
    with psycopg.connect(embedded.database_url(var_dir), autocommit=True) as connection:
        connection.execute("CREATE DATABASE traveling TEMPLATE template0 ENCODING 'UTF8'")
    url = embedded.database_url(var_dir).replace(f"/{embedded.DATABASE}?", "/traveling?")
    application = create_app(Settings(var_dir=var_dir, database_url=url, default_limit=settings.default_limit))
    with application.app_context():
        upgrade()
    yield application
    with application.app_context():
        db.session.remove()
        connections.close_all()


@pytest.fixture(scope="module")
def seller(sampled):
    """Whoever owns the sample data."""
    with sampled.app_context(), unit_of_work() as unit:
        (address, _), *_ = samples.load(unit)
        user = unit.session.scalars(select(AuthUser).where(AuthUser.email == address)).one()
        return Actor(sampled, sessions.open_session(unit, user).token, user.id)


def users(sampled):
    with sampled.app_context(), unit_of_work() as unit:
        return unit.session.scalars(select(AuthUser.id)).all()


def organizations():
    return next(each for each in every_model() if each.qualified_name() == "auth/organization")


def exported(actor, model, form):
    answer = actor.get(f"{model.collection_path()}/_export", query_string={"as": form})
    assert answer.status_code == 200, answer.json
    return answer


def compared(model, record, ids):
    """What a caller sends of a record, where it refers to ``ids``."""
    mapped = ASKED.get(model.qualified_name(), {}).get("map", "")
    left_out = {"organizationId", *(each.removesuffix(":") for each in mapped.split(","))}
    sent = {}
    for attribute in create_schema(model).fields:
        field = model.fields()[attribute]
        if field.name in record and field.name not in left_out and field.references != model.__tablename__:
            sent[field.name] = record[field.name]
    return put_right(json.dumps(sent, sort_keys=True), ids)


def put_right(text, ids):
    """Records are referred to in texts as well."""
    for old, new in ids.items():
        text = text.replace(old, new)
    return text


def in_pairs(model, before, after, ids):
    """The records of both, each with its like."""
    assert len(before) == len(after)
    pairs = list(
        zip(
            sorted(before, key=lambda record: compared(model, record, ids)),
            sorted(after, key=lambda record: compared(model, record, {})),
            strict=True,
        )
    )
    for old, new in pairs:
        assert compared(model, new, {}) == compared(model, old, ids)
    return pairs


@pytest.mark.full
@pytest.mark.parametrize("form", ["csv", "ndjson", "json"])
def test_the_sample_data_comes_through(sampled, seller, form):
    buyer, moved = Cast(sampled).user(), {}
    ids = {str(each): str(buyer.user_id) for each in users(sampled)}
    ids |= {each["id"]: str(buyer.organization_id) for each in exported(seller, organizations(), "json").json}
    for model in in_order():
        before = exported(seller, model, "json").json
        content = put_right(exported(seller, model, form).text, ids)
        asked = {"map": "organizationId:"} | ASKED.get(model.qualified_name(), {})
        answer = send(buyer, model.qualified_name(), content, form, **asked)
        assert answer.status_code == 200, answer.json
        assert (answer.json["data"], answer.json["meta"]["rows"]) == ([], len(before)), model
        there = {each["id"] for each in before}  # everybody sees some records
        after = [each for each in exported(buyer, model, "json").json if each["id"] not in there]
        pairs = in_pairs(model, before, after, ids)
        ids |= {old["id"]: new["id"] for old, new in pairs}
        for name in (each.name for each in model.fields().values() if each.references == model.__tablename__):
            assert [new[name] for _, new in pairs] == [ids.get(old[name]) for old, _ in pairs]
        moved[model.qualified_name()] = len(before)
    assert sum(moved.values()) > 150
    assert len([count for count in moved.values() if count]) >= 25
