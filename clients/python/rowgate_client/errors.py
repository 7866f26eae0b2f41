"""Answers that are no success."""

from __future__ import annotations

import re
from typing import Any

import httpx


class RowgateError(Exception):
    """The service refused; ``code`` is that of its error body, ``details`` what it says further, such as ``items`` of
    a write of many records, ``retry_after`` the seconds after which it wants to be asked again, where it says so."""

    def __init__(
        self, status: int, code: str, text: str, retry_after: float | None = None, details: Any = None
    ) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.details = details

    @classmethod
    def of(cls, response: httpx.Response) -> RowgateError:
        """Read the error body of an answer, in the shape of any route family."""
        response.read()
        try:
            body = response.json()
        except ValueError:
            body = None
        found = body if isinstance(body, dict) else {}
        unknown = VersionConflict.CODE if response.status_code == 412 else "UNKNOWN_ERROR"
        code = str(found.get("code", unknown))
        kind = VersionConflict if code == VersionConflict.CODE else RowgateError
        text = str(found.get("error", response.reason_phrase))
        return kind(response.status_code, code, text, retry_after(response), found.get("details"))


class VersionConflict(RowgateError):
    """A write was for another version of the record than the stored one: somebody else has changed it since."""

    CODE = "PRECONDITION_FAILED"

    @property
    def version(self) -> int | None:
        """The version that is stored, where the answer says it."""
        found = self.details.get("version") if isinstance(self.details, dict) else None
        return found if isinstance(found, int) else None


def retry_after(response: httpx.Response) -> float | None:
    """Seconds after which the service wants to be asked again."""
    seconds = response.headers.get("retry-after", "")
    return float(seconds) if re.fullmatch(r"[0-9]+", seconds) else None
