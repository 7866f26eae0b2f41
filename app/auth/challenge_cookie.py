"""The cookie that carries the question for a second factor between pages, and where the browser goes then."""

from __future__ import annotations

from datetime import timedelta

import orjson
from flask import Response

from app.auth import cookies
from app.foundation.crypto import vault

KIND, PATH, LASTS = "challenge", "/account", timedelta(minutes=10)


def put(response: Response, challenge: str, then: str, *, remember: bool = True) -> None:
    """Keep a challenge for the pages of the account."""
    content = orjson.dumps({"challenge": challenge, "then": then, "remember": remember})
    cookies.put(response, KIND, vault().seal(content), LASTS, path=PATH)


def take() -> tuple[str, str, bool] | None:
    """The challenge of the browser, where it goes after it, and whether its session lasts; None without one."""
    try:
        found = orjson.loads(vault().open(cookies.value(KIND, path=PATH), int(LASTS.total_seconds())))
    except ValueError:
        return None
    return found["challenge"], found["then"], found["remember"]


def drop(response: Response) -> None:
    """Forget the challenge."""
    cookies.drop(response, KIND, path=PATH)
