"""The ledger of the load: what was asked for, how it was answered, and what may therefore be in the database."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Lock
from typing import Any


class Outcome(StrEnum):
    """How a request ended for its client."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"  # 4xx
    FAILED = "failed"  # 5xx, which does not say whether anything was written
    UNKNOWN = "unknown"  # no answer
    UNREACHED = "unreached"  # nobody listened, so nothing was done
    HUNG = "hung"  # no answer for so long that nobody would wait


WITHOUT_EFFECT = (Outcome.REFUSED, Outcome.UNREACHED)


@dataclass(frozen=True)
class Kind:
    """Records of one kind: where they are, and which of their fields tells one from another and which one changes."""

    name: str
    path: str
    table: str
    marker: str
    value: str
    update: str = "PUT"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("company", "/api/v1/crm/company", "crm_company", "name", "industry"),
        Kind("contact", "/api/v1/crm/contact", "crm_contact", "email", "phone"),
        Kind("deal", "/api/v1/crm/deal", "crm_deal", "name", "nextStep"),
        Kind("document", "/api/documents", "storage_document", "title", "content", "PATCH"),
        Kind("upload", "/api/upload", "storage_upload", "filename", "sha256"),
        Kind("notification", "/api/v1/notification/notification", "notification_notification", "title", "body"),
    )
}


@dataclass
class Entry:
    """One record that a client has asked for, and what is known of it."""

    kind: Kind
    user_id: str
    marker: str
    values: list[str]
    id: str | None = None
    may_be_there: bool = True
    may_be_absent: bool = False
    content: bytes = b""  # of an upload
    acknowledged_at: float = math.inf
    is_used: bool = False  # by other records, which its removal would change

    @property
    def is_certain(self) -> bool:
        return self.id is not None and self.may_be_there and not self.may_be_absent

    def created(self, outcome: Outcome, identifier: str | None) -> None:
        self.id = identifier
        if outcome is Outcome.ACKNOWLEDGED:
            self.acknowledged_at = time.monotonic()
        self.may_be_there = outcome not in WITHOUT_EFFECT
        self.may_be_absent = outcome is not Outcome.ACKNOWLEDGED

    def updated(self, outcome: Outcome, value: str) -> None:
        if outcome is Outcome.ACKNOWLEDGED:
            self.values = [value]
        elif outcome not in WITHOUT_EFFECT:
            self.values.append(value)

    def deleted(self, outcome: Outcome) -> None:
        self.may_be_absent |= outcome not in WITHOUT_EFFECT
        self.may_be_there &= outcome is not Outcome.ACKNOWLEDGED

    def settle(self, found: tuple[str, str] | None) -> None:
        """From now on it is known to be as it was found, by id and value, or to be absent. A value that should not be
        there is still awaited to change."""
        self.may_be_there, self.may_be_absent = found is not None, found is None
        if found is not None:
            self.id = found[0]
            self.values = [found[1]] if found[1] in self.values else self.values


@dataclass
class Question:
    """Something said to a chat, and the answer when all of it came."""

    user_id: str
    text: str
    chat_id: str | None
    outcome: Outcome
    answer: str


@dataclass
class Ledger:
    """What all clients saw."""

    entries: list[Entry] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    _writing: Lock = field(default_factory=Lock)

    def count(self, outcome: Outcome, text: str) -> None:
        with self._writing:
            self.outcomes[outcome] += 1
            if outcome is Outcome.HUNG:
                self.faults.append(f"hung: {text}")
            elif outcome is not Outcome.ACKNOWLEDGED:
                self.failures.append(f"{outcome}: {text}")

    def add(self, made: Entry | Question) -> None:
        with self._writing:
            into: list[Any] = self.entries if isinstance(made, Entry) else self.questions
            into.append(made)

    def complain(self, text: str) -> None:
        """Note an answer that no fault excuses."""
        with self._writing:
            self.faults.append(text)

    def turn_page(self) -> Page:
        """What was noted since the page was turned last."""
        with self._writing:
            page = Page(self.outcomes, self.failures, self.faults)
            self.outcomes, self.failures, self.faults = Counter(), [], []
            return page


@dataclass(frozen=True)
class Page:
    """What was noted in one round: outcomes by number, what was not acknowledged, and what no fault excuses."""

    outcomes: Counter[Outcome]
    failures: list[str]
    faults: list[str]
