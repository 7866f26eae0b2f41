"""Times as Microsoft writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any


def moment_of(text: Any) -> datetime | None:
    """A time whose fraction may have seven digits, to the millisecond; None for what is none."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(re.sub(r"(\.\d{3})\d*", r"\1", text).replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
