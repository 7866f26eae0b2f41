"""Two owners with equal belongings, for what has to come out the same: what one does singly, the other does at once."""

from __future__ import annotations

import re
from contextlib import contextmanager

from sqlalchemy import text

from app.ai.models.chats import AiVote
from app.ai_rag.models import AiRagEmbedding
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthTeamMember
from app.engine.declare.catalogue import every_model
from app.engine.declare.record import metadata
from app.engine.declare.scope import Rule
from app.notification.models import NotificationNotification, NotificationPreference
from app.testing.database import transaction
from app.testing.workshop import Workshop

MODELS = [model for model in every_model() if not model.has_custom_routes]
CREATABLE = [model for model in MODELS if model.policy.create is not Rule.NONE]
# Of these there is one for each parent, so each gets a parent of its own.
ALONE_UNDER_PARENT = (AiRagEmbedding, AiVote, AuthMember, AuthTeamMember, AuthInvitation)
# What counts over the rows of all users.
COUNTED_BY_ALL = {NotificationNotification: ("sequence",)}
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DIGEST = re.compile(r"\b[0-9a-f]{32,64}\b")
MOMENT = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def name_of(model):
    return model.qualified_name()


def number_of(model):
    """How many records of it one owner can have."""
    return 1 if model is NotificationPreference else 3


def twins(cast):
    """Two workshops of new owners."""
    return Workshop(cast, cast.user()), Workshop(cast, cast.user())


def bodies(shop, model, *, full=False):
    """What makes as many records as there can be, under one parent where that is possible."""
    shop.parents.clear()
    shop.make_room(model)
    found = []
    for _ in range(number_of(model)):
        if model in ALONE_UNDER_PARENT:
            shop.parents.clear()
        body = shop._body(model, full=full)
        if "position" in body:
            body["position"] = len(found)
        if body.get("isDefault"):
            body["isDefault"] = not found
        found.append(body)
    return found


def alike(model, records):
    """``records`` without what differs between equal worlds: each id is what it is in the order of its appearance."""
    labels = {}
    return [_alike({name: each for name, each in record.items() if name not in COUNTED_BY_ALL.get(model, ())}, labels)
            for record in records]  # fmt: skip


def _alike(value, labels):
    if isinstance(value, dict):
        return {name: _alike(each, labels) for name, each in value.items()}
    if isinstance(value, list):
        return [_alike(each, labels) for each in value]
    if not isinstance(value, str):
        return value
    plain = re.sub(r"\d+", "#", DIGEST.sub("<digest>", MOMENT.sub("<moment>", ID.sub("<id>", value))))
    return plain + "".join(labels.setdefault(each, f" {len(labels)}") for each in ID.findall(value))


TABLES = [*metadata.tables, "procrastinate_jobs"]


def sizes(app):
    """How many rows each table has."""
    counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in TABLES)
    with app.app_context(), transaction() as session:
        return dict(map(tuple, session.execute(text(counts))))


# The use of keys is noted in the background, also that of other tests.
WRITTEN_LATER = ("auth_api_key_analytics", "auth_api_key_usage")


@contextmanager
def growth(app):
    """By how many rows each table grows meanwhile: effects, audit rows, notifications and jobs among them."""
    before, grown = sizes(app), {}
    yield grown
    after = {name: each for name, each in sizes(app).items() if name not in WRITTEN_LATER}
    grown |= {name: each - before[name] for name, each in after.items() if each != before[name]}
