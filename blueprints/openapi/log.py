"""The parameters of the log of changes in the description."""

from __future__ import annotations

from typing import Any

LOG_PARAMETERS: dict[str, dict[str, Any]] = {
    "asOf": {
        "description": "A moment: the record as it was then.",
        "schema": {"type": "string", "format": "date-time"},
    },
    "purge": {
        "description": "Also remove what the log has of it; for managers, and owners of records without organization.",
        "schema": {"type": "boolean"},
    },
}
