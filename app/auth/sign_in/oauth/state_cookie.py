"""Flask's session as an encrypted cookie: state and PKCE verifier of sign-ins in progress, and what pages remember."""

from __future__ import annotations

import zlib
from typing import Any

from flask import Flask, Request, Response
from flask.json.tag import TaggedJSONSerializer
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature

from app.foundation.crypto import Vault


class _Sealer:
    """Reads and writes the cookie as Flask's signing serializer does."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._format = TaggedJSONSerializer()

    def dumps(self, value: Any) -> str:
        return self._vault.seal(zlib.compress(self._format.dumps(value).encode()))

    def loads(self, text: str, max_age: int | None = None) -> Any:
        try:
            return self._format.loads(zlib.decompress(self._vault.open(text, max_age)).decode())
        except (ValueError, zlib.error) as error:
            raise BadSignature("not sealed with this SECRET_KEY, or too long ago") from error


class SealedSessions(SecureCookieSessionInterface):
    """Flask's session, encrypted. Most requests come without its cookie and leave it alone."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if self.get_cookie_name(app) not in request.environ.get("HTTP_COOKIE", ""):
            return self.session_class()
        return super().open_session(app, request)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if session.accessed or session.modified:
            super().save_session(app, session, response)

    def get_signing_serializer(self, app: Flask) -> Any:
        return _Sealer(app.extensions["vault"])
