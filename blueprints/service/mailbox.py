"""The mailbox of development: every message that no server was there for. It shows live links, so it is for callers on
this machine alone, and never there in production."""

from __future__ import annotations

from urllib.parse import urlsplit
from uuid import UUID

from flask import Blueprint, Response, render_template, request
from sqlalchemy import select

from app.auth.credentials.access import open_to_all
from app.engine.read.database import reading
from app.foundation.crypto import vault
from app.foundation.errors import NotFound
from app.foundation.settings import settings
from app.mail.models import PlatformMail
from blueprints.service.monitoring import is_local

MOST = 200
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src https: data:; frame-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def build() -> Blueprint:
    blp = Blueprint("mailbox", __name__, url_prefix="/mailbox")
    blp.before_request(_refuse)

    @blp.get("")
    @open_to_all("shows mail to who runs the service on this machine in development")
    def mailbox() -> Response:
        with reading() as session:
            newest = select(PlatformMail).order_by(PlatformMail.created_at.desc(), PlatformMail.id.desc()).limit(MOST)
            found = list(session.scalars(newest.where(PlatformMail.text.is_not(None))))
        return Response(render_template("mailbox.html", mails=found), headers=HEADERS)

    @blp.get("/<uuid:id>")
    @open_to_all("shows mail to who runs the service on this machine in development")
    def message(id: UUID) -> Response:
        mail = _mail(id)
        return Response(render_template("mailbox-message.html", mail=mail, text=_opened(mail.text)), headers=HEADERS)

    @blp.get("/<uuid:id>/html")
    @open_to_all("shows mail to who runs the service on this machine in development")
    def html(id: UUID) -> Response:
        return Response(_opened(_mail(id).html), headers=HEADERS)

    return blp


def _refuse() -> None:
    # A name that leads here may be another site's, which would read along.
    named = urlsplit(f"//{request.host}").hostname
    if settings.production or not is_local() or named not in LOCAL_NAMES:
        raise NotFound()


def _mail(id: UUID) -> PlatformMail:
    with reading() as session:
        found = session.get(PlatformMail, id)
    if found is None or found.text is None:
        raise NotFound()
    return found


def _opened(sealed: str | None) -> str:
    return vault().decrypt(sealed) if sealed else ""
