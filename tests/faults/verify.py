"""What has to hold when the load pauses: what was acknowledged is there once, as it was last written, and in order."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from hashlib import sha256

from tests.faults import invariants, quiet
from tests.faults.ledger import KINDS, Entry, Kind, Ledger, Outcome, Question
from tests.faults.load import Client
from tests.faults.service import Service
from tests.faults.streams import Follower

# Seconds until a stream has all that is in the database: where a signal was lost, everybody is asked for each minute.
HEARD_WITHIN = 70.0
# Seconds after its acknowledgement at which a notification comes at the latest, whatever is away.
LATE = 30.0
PAGE = 1000
COLUMNS = {"nextStep": "next_step"}
# These have no list, or one of somebody else.
UNLISTED = ("notification", "upload")

STORED = "SELECT id::text, storage_key, sha256, size FROM storage_upload WHERE status = 'stored'"
SENT = "SELECT user_id::text, sequence, title FROM notification_notification ORDER BY sequence"
ANSWERS = """
SELECT q.content, q.chat_id::text, s.status, a.content FROM ai_message q
LEFT JOIN ai_stream s ON s.request_message_id = q.id LEFT JOIN ai_message a ON a.id = s.message_id WHERE q.role = 'user'
"""
Row = tuple[str, str]


class Verifier:
    """Compares what clients were told with the database, the disk, and what the API shows."""

    def __init__(self, service: Service, ledger: Ledger, clients: list[Client], followers: list[Follower]) -> None:
        self.service, self.ledger, self.clients, self.followers = service, ledger, clients, followers
        self.latest = self.dry_after = 0.0
        self._whole: set[str] = set()
        self._told: set[str] = set()
        self._broken: set[tuple[str, str]] = set()

    def findings(self, late: float = LATE) -> list[str]:
        """What is wrong now and was not before, such as notifications that came more than ``late`` seconds after they
        were acknowledged."""
        self.latest, begun = 0.0, time.monotonic()
        found = [*quiet.disquiet(self.service)]
        self.dry_after = time.monotonic() - begun
        found += [*self._records(), *self._files()]
        found += [
            *invariants.broken(self.service, self._broken),
            *self._questions(),
            *self._streams(late),
            *self._lists(),
        ]
        return self._news(found)

    def last_findings(self) -> list[str]:
        """What is wrong when everything has had its time."""
        return self._news([*quiet.unanswered(self.service), *self.findings()])

    def _news(self, found: list[str]) -> list[str]:
        new = [each for each in dict.fromkeys(found) if each not in self._told]
        self._told.update(new)
        return new

    def _records(self) -> Iterable[str]:
        entries: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.ledger.entries:
            entries[entry.kind.name].append(entry)
        for kind in KINDS.values():
            yield from _compared(kind, entries[kind.name], self._rows(kind))

    def _rows(self, kind: Kind) -> dict[str, list[Row]]:
        rows: dict[str, list[Row]] = defaultdict(list)
        columns = f"id::text, {kind.marker}, {COLUMNS.get(kind.value, kind.value)}"
        for identifier, marker, value in self.service.sql(f"SELECT {columns} FROM {kind.table}"):
            rows[marker].append((identifier, value))
        return rows

    def _files(self) -> Iterable[str]:
        """A row that says that its bytes are stored has them on the disk."""
        for identifier, key, digest, size in self.service.sql(STORED):
            if identifier in self._whole:
                continue
            path = self.service.uploads / key[:2] / key
            content = path.read_bytes() if path.exists() else None
            if content is None:
                yield f"upload {identifier} has a row and no bytes"
            elif (sha256(content).hexdigest(), len(content)) != (digest, size):
                yield f"upload {identifier} has other bytes than its row says"
            else:
                self._whole.add(identifier)

    def _questions(self) -> Iterable[str]:
        found = defaultdict(list)
        for text, chat_id, status, answer in self.service.sql(ANSWERS):
            found[text].append((chat_id, status, answer))
        for question in self.ledger.questions:
            yield from _answered(question, found[question.text])

    def _streams(self, late: float) -> Iterable[str]:
        sent: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for user_id, sequence, title in self.service.sql(SENT):
            sent[user_id].append((sequence, title))
        acknowledged = {each.marker: each.acknowledged_at for each in self.ledger.entries}
        for follower in self.followers:
            yield from follower.turn_page()
            expected = [each for each in sent[follower.user_id] if each[0] > follower.begins_at]
            quiet.within(HEARD_WITHIN, partial(follower.has_heard, len(expected)))
            heard = [(each.sequence, each.title) for each in follower.heard]
            if heard != expected:
                lacking, more = set(expected) - set(heard), set(heard) - set(expected)
                yield (
                    f"a stream of {follower.user_id} has {len(heard)} of {len(expected)} notifications: lacks "
                    f"{sorted(lacking)[:3]}, has besides {sorted(more)[:3]}, in order: {heard == sorted(set(heard))}"
                )
            slow = [each.at - acknowledged[each.title] for each in follower.heard if each.title in acknowledged]
            if max(slow, default=0.0) > late:
                yield f"a stream of {follower.user_id} was told {max(slow):.1f} s after the acknowledgement"
            self.latest = max([self.latest, *slow])
            follower.begin_again_after(max([follower.begins_at, *(sequence for sequence, _ in expected + heard)]))

    def _lists(self) -> Iterable[str]:
        """The lists of the API have what is certain, and nothing else."""
        for client in self.clients:
            for kind in KINDS.values():
                if kind.name not in UNLISTED:
                    entries = {each.id: each.values for each in client.entries if each.kind is kind and each.is_certain}
                    yield from _listed(client, kind, entries)


def _compared(kind: Kind, entries: list[Entry], rows: dict[str, list[Row]]) -> Iterable[str]:
    """Compare what was asked for with what is there; after that, what was in doubt is certain."""
    for entry in entries:
        found, name = rows.pop(entry.marker, []), f"{kind.name} {entry.marker} ({entry.id})"
        if len(found) > 1:
            yield f"{name} is there {len(found)} times: {found}"
        if not found and not entry.may_be_absent:
            yield f"{name} was acknowledged and is lost"
        if found and not entry.may_be_there:
            yield f"{name} is there, though it was removed or never made"
        if found and entry.id not in (None, found[0][0]):
            yield f"{name} is there under another id: {found[0][0]}"
        if found and found[0][1] not in entry.values:
            yield f"{name} has the value {found[0][1]!r:.80} instead of {entry.values!r:.200}"
        entry.settle(found[0] if found else None)
    for marker, found in rows.items():
        yield f"{kind.name} {marker} is there, and nobody asked for it: {found}"


def _answered(question: Question, found: list[tuple[str, str | None, str | None]]) -> Iterable[str]:
    """An answer that came is kept as it came; any other question is kept once, with its answer, or not at all."""
    name = f"the question {question.text!r}, {question.outcome},"
    if len(found) > 1:
        yield f"{name} is kept {len(found)} times: {found!r:.300}"
    elif found and found[0][1] is None:
        yield f"{name} is kept without its answer"
    if question.outcome is Outcome.ACKNOWLEDGED and found != [(question.chat_id, "completed", question.answer)]:
        yield f"{name} is kept as {found!r:.300} instead of {question.answer!r:.200}"
    if question.outcome is Outcome.UNREACHED and found:
        yield f"{name} is kept, though nobody heard it"


def _listed(client: Client, kind: Kind, entries: dict[str | None, list[str]]) -> Iterable[str]:
    shown: dict[str, str | None] = {}
    skip = 0
    while len(shown) == skip:
        reply = client.send("GET", f"{kind.path}?take={PAGE}&skip={skip}")
        if not reply.is_good:
            yield f"{kind.path} cannot be listed after the fault: {reply.status} {reply.body[:200]!r}"
            return
        shown |= {row["id"]: row.get(kind.value) for row in reply.json["data"]}
        skip += PAGE
    if shown.keys() != entries.keys():
        lacking, more = entries.keys() - shown.keys(), shown.keys() - entries.keys()
        yield f"{kind.path} of {client.name} lacks {list(lacking)[:3]}, has besides {list(more)[:3]}"
    for identifier, value in shown.items():
        if value is not None and value not in entries.get(identifier, [value]):
            yield f"{kind.path}/{identifier} shows {value!r:.80} instead of {entries[identifier]!r:.200}"
