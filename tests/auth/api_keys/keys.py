"""Keys as their owners make, change and use them, and the record of that."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update

from app.auth.keys import key_usage
from app.auth.models.keys import AuthApiKey
from app.testing.cast import Actor
from app.testing.database import transaction

KEYS = "/api/v1/auth/api-key"
ANALYTICS = "/api/v1/auth/api-key-analytics"
CONTACTS = "/api/v1/crm/contact"


def make(owner: Actor, **body: Any) -> Any:
    response = owner.post(KEYS, body)
    assert response.status_code == 201, response.json
    return response.json


def path(key: Any, *more: str) -> str:
    return "/".join([KEYS, key["id"], *more])


def change(app: Any, identifier: str, **values: Any) -> None:
    """Change columns of a key that no caller writes."""
    with app.app_context(), transaction() as session:
        session.execute(update(AuthApiKey).where(AuthApiKey.id == identifier).values(**values))


def use(app: Any, secret: str) -> int:
    return Actor(app, secret).get(CONTACTS).status_code


def rows(owner: Actor, identifier: str | None = None, **filters: Any) -> Any:
    """The record of use that somebody sees, newest first."""
    key_usage.flush(owner.app)
    query = {"take": 1000} | ({"keyId": identifier} if identifier else {}) | filters
    return owner.get(ANALYTICS, query_string=query).json["data"]
