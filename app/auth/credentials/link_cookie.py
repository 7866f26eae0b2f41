"""The cookie that takes the secret of a link in a mail off the address of its page."""

from __future__ import annotations

from datetime import timedelta

from flask import Response

from app.auth.accounts.proofs import MAX_SECRET_LENGTH
from app.auth.credentials import cookies

KIND, LIFETIME = "link", timedelta(minutes=15)


def put(response: Response, token: str, path: str) -> None:
    """Keep the secret for the page at ``path`` and what stands below it; what is too long for one is none."""
    cookies.put(response, KIND, token if len(token) <= MAX_SECRET_LENGTH else "", LIFETIME, path=path)


def take(path: str) -> str:
    """The secret that the browser has for a page; empty without one."""
    return cookies.kept(KIND, LIFETIME, path=path) or ""


def drop(response: Response, path: str) -> None:
    """Forget the secret."""
    cookies.drop(response, KIND, path=path)
