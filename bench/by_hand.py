"""The list of contacts as one would write it by hand with the same libraries: ORM objects, marshmallow, two queries."""

from __future__ import annotations

from functools import partial
from typing import Any

import psycopg
from flask import Flask, abort, current_app, g, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_smorest import Api, Blueprint
from flask_sqlalchemy import SQLAlchemy
from marshmallow import Schema, fields
from sqlalchemy import func, select

from app.auth.models.identity import AuthSession, AuthUser
from app.auth.models.organizations import AuthMember
from app.crm.models import CrmContact
from app.foundation.clock import now
from app.foundation.crypto import Vault
from app.runtime import embedded, var_dir_lock
from config import Settings

PATH = "/contacts"

db = SQLAlchemy()
blp = Blueprint("contacts", __name__, url_prefix=PATH)


class Page(Schema):
    take = fields.Integer(load_default=20)
    skip = fields.Integer(load_default=0)


class Contact(Schema):
    id = fields.UUID()
    organization_id = fields.UUID(data_key="organizationId")
    created_by_id = fields.UUID(data_key="createdById")
    first_name = fields.String(data_key="firstName")
    last_name = fields.String(data_key="lastName")
    email = fields.String()
    phone = fields.String()
    title = fields.String()
    company_id = fields.UUID(data_key="companyId")
    created_at = fields.DateTime(data_key="createdAt")
    updated_at = fields.DateTime(data_key="updatedAt")


class Meta(Schema):
    count = fields.Integer()
    take = fields.Integer()
    skip = fields.Integer()


class ContactList(Schema):
    data = fields.List(fields.Nested(Contact))
    meta = fields.Nested(Meta)


@blp.before_request
def sign_in() -> None:
    """Find the session by the digest of its token, with its user and the membership it acts in."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    found = db.session.execute(
        select(AuthSession, AuthUser, AuthMember)
        .join(AuthUser, AuthUser.id == AuthSession.user_id)
        .join(AuthMember, AuthMember.user_id == AuthUser.id)
        .where(
            AuthSession.token_hash == current_app.extensions["vault"].digest(token),
            AuthMember.organization_id == AuthSession.active_organization_id,
        )
    ).first()
    if found is None or found.AuthUser.banned or found.AuthSession.expires_at <= now():
        abort(401)
    g.organization_id = found.AuthMember.organization_id


@blp.get("")
@blp.arguments(Page, location="query")
@blp.response(200, ContactList)
def list_contacts(page: dict[str, int]) -> dict[str, Any]:
    mine = CrmContact.organization_id == g.organization_id
    newest = (CrmContact.created_at.desc(), CrmContact.id.desc())
    window = select(CrmContact).where(mine).order_by(*newest).limit(page["take"]).offset(page["skip"])
    count = db.session.scalar(select(func.count()).select_from(CrmContact).where(mine))
    return {"data": db.session.scalars(window).all(), "meta": {"count": count, **page}}


def create_app() -> Flask:
    """Build the application on the databases that the settings name."""
    settings = Settings.from_environment()
    app = Flask(__name__)
    app.config.update(
        SETTINGS=settings,
        API_TITLE="By hand",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        RATELIMIT_DEFAULT=settings.default_limit,
        RATELIMIT_STORAGE_URI="redis+" + embedded.redis_url(settings.var_dir),
        SQLALCHEMY_DATABASE_URI="postgresql+psycopg:///rowgate",
        SQLALCHEMY_ENGINE_OPTIONS={
            "creator": partial(psycopg.connect, embedded.database_url(settings.var_dir)),
            "pool_size": settings.database_pool_size,
            "max_overflow": settings.database_pool_overflow,
        },
    )
    app.extensions["vault"] = Vault(var_dir_lock.secret_key(settings.var_dir))
    db.init_app(app)
    Limiter(get_remote_address, app=app)
    Api(app).register_blueprint(blp)
    return app
