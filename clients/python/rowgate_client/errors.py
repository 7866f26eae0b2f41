"""Answers that are no success, of routes that stream and of lists."""

from __future__ import annotations

import re

import httpx


class RowgateError(Exception):
    """The service refused; ``code`` is that of its error body, ``retry_after`` the seconds after which it wants to be
    asked again, where it says so."""

    def __init__(self, status: int, code: str, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.retry_after = retry_after

    @classmethod
    def of(cls, response: httpx.Response) -> RowgateError:
        """Read the error body of an answer, in the shape of any route family."""
        response.read()
        try:
            body = response.json()
        except ValueError:
            body = None
        seconds = response.headers.get("retry-after", "")
        found = body if isinstance(body, dict) else {}
        return cls(
            response.status_code,
            str(found.get("code", "UNKNOWN_ERROR")),
            str(found.get("error", response.reason_phrase)),
            float(seconds) if re.fullmatch(r"[0-9]+", seconds) else None,
        )
