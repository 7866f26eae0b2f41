"""Answers that are no success, of routes that stream."""

from __future__ import annotations

import httpx


class RowgateError(Exception):
    """The service refused; ``code`` is that of its error body."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code

    @classmethod
    def of(cls, response: httpx.Response) -> RowgateError:
        """Read the error body of an answer, in the shape of any route family."""
        response.read()
        try:
            body = response.json()
        except ValueError:
            body = None
        found = body if isinstance(body, dict) else {}
        return cls(
            response.status_code,
            str(found.get("code", "UNKNOWN_ERROR")),
            str(found.get("error", response.reason_phrase)),
        )
