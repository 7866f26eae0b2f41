"""The session cookie of browsers, and the same-origin check of requests that carry it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from flask import Response, current_app, request

from app.foundation import crypto
from app.foundation.clock import now
from app.foundation.crypto import vault
from app.foundation.errors import Forbidden
from config import EVERY_ORIGIN

LIFETIME = timedelta(days=7)


def name() -> str:
    """``__Host-session``, which browsers take over https only; plain ``session`` on http."""
    return _called("session", "/")


def session_token() -> str | None:
    """The secret in the session cookie, or None when there is none of a good form."""
    token, _ = _parts()
    return token if crypto.kind(token) == crypto.SESSION else None


def set(response: Response, token: str, *, remember: bool) -> None:
    """Set the session cookie; unless ``remember``, it ends with the browser."""
    # Behind the secret stands the day of a cookie that is to be renewed; one that ends with the browser has none.
    value, age = (f"{token}.{_today()}", LIFETIME) if remember else (f"{token}.", None)
    response.set_cookie(name(), value, max_age=age, secure=_is_secure(), httponly=True, samesite="Lax", path="/")


def put(response: Response, kind: str, content: Any, age: timedelta, *, path: str = "/") -> None:
    """Keep ``content`` in the browser besides the session, for pages below ``path``. It is sealed for its kind: what
    was sealed as another is none."""
    response.set_cookie(
        _called(kind, path), vault().seal_for(kind, content), max_age=age, secure=_is_secure(), httponly=True,
        samesite="Lax", path=path,
    )  # fmt: skip


def kept(kind: str, age: timedelta, *, path: str = "/") -> Any | None:
    """What ``put`` kept no longer ago than ``age``; None where the browser has none."""
    return vault().open_for(kind, request.cookies.get(_called(kind, path), ""), age)


def drop(response: Response, kind: str, *, path: str = "/") -> None:
    """Remove what ``put`` set."""
    response.delete_cookie(_called(kind, path), secure=_is_secure(), httponly=True, samesite="Lax", path=path)


def _called(kind: str, path: str) -> str:
    """The name of a cookie: browsers hold the prefix to what it promises (RFC 6265bis)."""
    if not _is_secure():
        return kind
    return f"__Host-{kind}" if path == "/" else f"__Secure-{kind}"


def needs_renewal() -> bool:
    """Whether the cookie of the request was set on an earlier day and is to last on."""
    _, day = _parts()
    return day not in ("", _today())


def renew(response: Response) -> Response:
    """Let the cookie of the request last its full time again, unless the answer sets another."""
    if "Set-Cookie" not in response.headers:
        token, _ = _parts()
        set(response, token, remember=True)
    return response


def clear(response: Response) -> None:
    """Remove the session cookie."""
    response.delete_cookie(name(), secure=_is_secure(), httponly=True, samesite="Lax", path="/")


def require_same_origin() -> None:
    """Refuse a request that a browser did not send from a page of this service.

    Fetch Metadata says so where there is any, the Origin header otherwise; what has neither cannot be told from a
    forgery, so clients that are no browser use the bearer token.
    """
    if not _is_same_origin(unknown=False):
        raise Forbidden("A session cookie counts for pages of this service only")


def refuse_cross_site() -> None:
    """Refuse a sign-in that another site's page sends; clients that are no browser say nothing and pass."""
    if not _is_same_origin(unknown=True):
        raise Forbidden("Sign-in is for pages of this service only")


def may_be_set() -> bool:
    """Whether a sign-in may leave a cookie. One from a page of an origin that CORS_ORIGINS names gets its bearer token
    alone; raises Forbidden for those of others."""
    origins = current_app.config["SETTINGS"].origins
    admitted = EVERY_ORIGIN in origins or request.headers.get("Origin", "").lower() in origins
    if not admitted:
        refuse_cross_site()
    return _is_same_origin(unknown=True)


def _is_same_origin(*, unknown: bool) -> bool:
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    return unknown if origin is None else origin == own_origin()


def own_origin() -> str:
    """Scheme, host and port that pages of this service have."""
    return origin_of(_own_url())


def origin_of(url: str) -> str:
    """Scheme, host and port of an address as browsers write them."""
    parts = urlsplit(url.lower())
    default = {"http": ":80", "https": ":443"}[parts.scheme]
    return f"{parts.scheme}://{parts.netloc.removesuffix(default)}"


def _parts() -> tuple[str, str]:
    """The secret in the cookie of the request, and the day it was set on."""
    token, _, day = request.cookies.get(name(), "").partition(".")
    return token, day


def _today() -> str:
    return f"{now():%Y%m%d}"


def _is_secure() -> bool:
    return _own_url().startswith("https:")


def _own_url() -> str:
    configured: str = current_app.config["SETTINGS"].base_url
    return configured or request.host_url
