"""The cookie that carries the question for a second factor between pages, and where the browser goes then."""

from __future__ import annotations

from datetime import timedelta

from flask import Response

from app.auth.credentials import cookies

KIND, PATH, LIFETIME = "challenge", "/account", timedelta(minutes=10)


def put(response: Response, challenge: str, then: str, *, remember: bool = True) -> None:
    """Keep a challenge for the pages of the account."""
    cookies.put(response, KIND, [challenge, then, remember], LIFETIME, path=PATH)


def take() -> tuple[str, str, bool] | None:
    """The challenge of the browser, where it goes after it, and whether its session lasts; None without one."""
    found = cookies.kept(KIND, LIFETIME, path=PATH)
    return tuple(found) if found else None


def drop(response: Response) -> None:
    """Forget the challenge."""
    cookies.drop(response, KIND, path=PATH)
