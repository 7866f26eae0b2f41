"""Logging to standard error: text on a terminal, JSON in production, never a secret."""

from __future__ import annotations

import re
import time
from contextvars import ContextVar
from typing import Any

from structlog.dev import ConsoleRenderer
from structlog.processors import JSONRenderer, TimeStamper, format_exc_info
from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level, add_logger_name
from structlog.typing import EventDict, Processor, WrappedLogger

from config import Settings

# The request that is being answered. Known here without the framework, which gunicorn's first process must not load.
request_id: ContextVar[str] = ContextVar("request_id", default="")

SECRETS = re.compile(
    r"(?P<kept>rg_[a-z]+_|\b(?:bearer|basic)\s+|(?:api_key|token|secret|password)=|://[^\s:/@]*:)"
    r"(?:(?<=:)[^\s/]+(?=@)|(?<!:)[^\s&\"',;]+)",
    re.IGNORECASE,
)
HIDDEN = r"\g<kept>***"


class Throttle:
    """Admits one line of a kind in each second, so that an outage under load does not fill the disk."""

    def __init__(self, interval: float = 1.0) -> None:
        self._interval = interval
        self._last: dict[str, float] = {}

    def admits(self, kind: str) -> bool:
        """Whether a line of this kind is due. Kinds are few: names of failures, not texts of callers."""
        now = time.monotonic()
        if now - self._last.get(kind, -self._interval) < self._interval:
            return False
        self._last[kind] = now
        return True


def configuration(settings: Settings) -> dict[str, Any]:
    """The configuration of Python's logging, for ``logging.config.dictConfig``."""
    as_json = settings.log_format == "json" or (settings.production and not settings.log_format)
    clock = TimeStamper(fmt="iso", utc=True) if as_json else TimeStamper(fmt="%H:%M:%S", utc=False)
    rendered: Processor = JSONRenderer(default=str) if as_json else ConsoleRenderer(colors=False, pad_level=False)
    level = settings.log_level.upper()
    formatter = {
        "()": ProcessorFormatter,
        "foreign_pre_chain": [add_log_level, add_logger_name, ExtraAdder(), clock, _add_request_id],
        "processors": [ProcessorFormatter.remove_processors_meta, format_exc_info, _hide_secrets, rendered],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {
            "rowgate": {"level": level},
            "app": {"level": level},
            "gunicorn.error": {"level": level, "handlers": ["stderr"], "propagate": False},
        },
    }


def _add_request_id(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    if current := request_id.get():
        event["requestId"] = current
    return event


def _hide_secrets(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    return {key: without_secrets(value) if isinstance(value, str) else value for key, value in event.items()}


def without_secrets(text: str) -> str:
    """The text with tokens, and passwords in addresses, made unreadable."""
    return SECRETS.sub(HIDDEN, text)
