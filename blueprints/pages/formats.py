"""Moments and devices in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from babel.dates import format_date, format_datetime, format_timedelta
from babel.units import format_unit

from app.foundation import languages
from app.foundation.clock import now, wire
from app.foundation.languages import gettext

# The first that fits names the program; others carry the names of those behind them.
PROGRAMS = (
    ("Edg", "Edge"), ("OPR", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Vivaldi", "Vivaldi"),
    ("Firefox", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("HeadlessChrome", "Chrome"),
    ("Chromium", "Chromium"), ("Chrome", "Chrome"), ("Teams", "Microsoft Teams"), ("Safari", "Safari"),
)  # fmt: skip
SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
    ("Mac OS X", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
UNITS = ("byte", "kilobyte", "megabyte", "gigabyte")
# What is no longer is initials.
MAX_INITIALS = 3
# A client that is no browser: curl/8.0, python-requests/2.32.
CLIENT = re.compile(r"[A-Za-z][\w.+-]{1,40}(?=/[\w.]+)")


def ago(moment: datetime) -> str:
    """How long ago, or how soon, in words."""
    return format_timedelta(moment - now(), add_direction=True, locale=languages.current())


def written(moment: datetime) -> str:
    """Day and time, in UTC."""
    return f"{format_datetime(moment, 'medium', tzinfo=UTC, locale=languages.current())} UTC"


def day(moment: datetime) -> str:
    """The day, in UTC."""
    return format_date(moment.astimezone(UTC), "long", locale=languages.current())


def size(count: int) -> str:
    """So many bytes, in the unit that one would say."""
    unit = next((each for each in range(len(UNITS) - 1) if count < 1000 ** (each + 1)), len(UNITS) - 1)
    name, number = f"digital-{UNITS[unit]}", count / 1000**unit
    return format_unit(number, name, "short", "#,##0.#", locale=languages.current())


def device(user_agent: str | None) -> str:
    """What somebody would call the program and the machine that a user agent stands for."""
    text = user_agent or ""
    system = next((name for mark, name in SYSTEMS if mark in text), "")
    if text.startswith("Mozilla/"):
        program = next((name for mark, name in PROGRAMS if f"{mark}/" in text), "")
    else:
        found = CLIENT.match(text)
        program = found[0] if found else ""
    if program and system:
        return gettext("%(program)s on %(system)s") % {"program": program, "system": system}
    return program or system or gettext("Unknown device")


def title(name: str) -> str:
    """A name of the catalogue as a heading: ``ragQueries``, ``ai-agent`` and ``crm`` are "RAG queries", "AI agent" and
    "CRM"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-_]", " ", name).lower().split()
    told = " ".join(word.upper() if len(word) <= MAX_INITIALS else word for word in words)
    return told[:1].upper() + told[1:]


FILTERS = {"title_of": title, "ago": ago, "day": day, "written": written, "device": device, "wire": wire, "size": size}
