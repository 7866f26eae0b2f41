"""The load: clients that write, read back and note every answer, each with records of its own."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from threading import Event, Thread
from typing import Any

import requests

from app.testing.cast import Actor
from tests.faults.ledger import KINDS, Entry, Ledger, Outcome, Question

# Seconds for which a client waits for an answer, and the most between two requests of one.
PATIENCE, PAUSE = 40.0, 0.1
# A client that was told to stop has this long to see the answer it waits for.
STOPPED_WITHIN = PATIENCE + 10.0
# What a service answers of which a part is away; any other 5xx is a fault of its own.
AWAY = (502, 503)
QUESTIONS_PER_CHAT = 5


@dataclass(frozen=True)
class Reply:
    """An answer, as far as it came."""

    outcome: Outcome
    status: int = 0
    body: bytes = b""
    headers: Any = None

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def is_good(self) -> bool:
        return self.outcome is Outcome.ACKNOWLEDGED


class Client(Thread):
    """Somebody who uses the service without pause, while it may."""

    def __init__(self, person: Actor, admin: Actor, port: int, ledger: Ledger, seed: str) -> None:
        super().__init__(name=f"client {seed}", daemon=True)
        self.person, self.admin, self.port, self.ledger = person, admin, port, ledger
        self.chance = Random(seed)
        self.entries: list[Entry] = []
        self.chat: tuple[str, int] | None = None
        self.served_at = 0.0
        self.running, self.idle, self.ended = Event(), Event(), Event()
        self._number = 0

    def run(self) -> None:
        actions, weights = zip(*self._mix(), strict=True)
        while not self.ended.is_set():
            self.idle.set()
            if self.running.wait(0.5):
                self.idle.clear()
                # Whoever waits for idleness after stopping must not see that of before.
                if self.running.is_set():
                    self.chance.choices(actions, weights)[0]()
                    self.ended.wait(self.chance.uniform(0, PAUSE))

    def _mix(self) -> list[tuple[Callable[[], None], int]]:
        return [
            (self.create_company, 10), (self.create_contact, 12), (self.create_deal, 12), (self.update, 18),
            (self.delete, 10), (self.read, 10), (self.upload, 10), (self.download, 8), (self.write_document, 4),
            (self.document_of_upload, 2), (self.notify, 8), (self.ask, 4),
        ]  # fmt: skip

    def create_company(self) -> None:
        self._create("company", {"name": self._mark(), "industry": self._mark()}, self.person)

    def create_contact(self) -> None:
        if company := self._some("company"):
            company.is_used = True
            body = {"firstName": "Grace", "lastName": "Hopper", "phone": self._mark(), "companyId": company.id}
            self._create("contact", {**body, "email": f"{self._mark()}@example.com"}, self.person)

    def create_deal(self) -> None:
        if company := self._some("company"):
            company.is_used = True
            body = {"name": self._mark(), "nextStep": self._mark(), "companyId": company.id}
            self._create("deal", body, self.person)

    def write_document(self) -> None:
        self._create("document", {"title": self._mark(), "content": self._text()}, self.person)

    def document_of_upload(self) -> None:
        if upload := self._some("upload"):
            upload.is_used = True
            body = {"title": self._mark(), "uploadId": upload.id}
            self._create("document", body, self.person, value=upload.content.decode())

    def notify(self) -> None:
        body = {"userId": str(self.person.user_id), "type": "MESSAGE", "title": self._mark(), "body": self._mark()}
        self._create("notification", body, self.admin)

    def upload(self) -> None:
        content, name = self._text().encode(), f"{self._mark()}.txt"
        form = requests.Request("POST", "http://x", files={"file": (name, content, "text/plain")}).prepare()
        entry = self._entry("upload", name, sha256(content).hexdigest())
        entry.content = content
        reply = self.send("POST", entry.kind.path, form.body, form.headers["Content-Type"])
        place = reply.headers["Location"] if reply.is_good else ""
        entry.created(reply.outcome, place.rpartition("/")[2] or None)
        self._expect(reply, entry, "created")

    def download(self) -> None:
        if upload := self._some("upload"):
            reply = self.send("GET", f"{upload.kind.path}/{upload.id}/content")
            self._expect(reply, upload, "read")
            if reply.is_good and reply.body != upload.content:
                self.ledger.complain(f"other bytes than were uploaded came of {upload.marker}")

    def update(self) -> None:
        if entry := self._some("company", "contact", "deal", "document"):
            value = self._text() if entry.kind.name == "document" else self._mark()
            reply = self._send_json(entry.kind.update, f"{entry.kind.path}/{entry.id}", {entry.kind.value: value})
            entry.updated(reply.outcome, value)
            self._expect(reply, entry, "updated")

    def delete(self) -> None:
        unused = [
            entry for entry in self._live("contact", "deal", "company", "document", "upload") if not entry.is_used
        ]
        if unused:
            entry = self.chance.choice(unused)
            reply = self.send("DELETE", f"{entry.kind.path}/{entry.id}")
            entry.deleted(reply.outcome)
            self._expect(reply, entry, "deleted")

    def read(self) -> None:
        if entry := self._some("company", "contact", "deal"):
            reply = self.send("GET", f"{entry.kind.path}/{entry.id}")
            self._expect(reply, entry, "read")
            if reply.is_good and reply.json[entry.kind.value] not in entry.values:
                shown = f"{reply.json[entry.kind.value]!r} instead of {entry.values}"
                self.ledger.complain(f"{entry.kind.name} {entry.id} reads {shown}")

    def ask(self) -> None:
        text = f"How high may the crane {self._mark()} be?"
        body: dict[str, Any] = {"messages": [{"role": "user", "content": text}]}
        if self.chat is not None:
            body["id"] = self.chat[0]
        reply = self._send_json("POST", "/api/chat", body)
        answer = reply.body.decode() if reply.is_good else ""
        chat_id = reply.headers["x-chat-id"] if reply.headers else None
        self.ledger.add(Question(str(self.person.user_id), text, chat_id, reply.outcome, answer))
        if reply.outcome is Outcome.REFUSED:
            self.ledger.complain(f"a question was refused: {reply.status} {reply.body[:200]!r}")
        asked = self.chat[1] + 1 if self.chat else 1
        self.chat = (chat_id, asked) if reply.is_good and chat_id and asked < QUESTIONS_PER_CHAT else None

    def send(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json", by: Actor | None = None
    ) -> Reply:
        """Send a request on a connection of its own, and note how it ended."""
        headers = {"Authorization": f"Bearer {(by or self.person).token}", "Connection": "close"}
        if body is not None:
            headers["Content-Type"] = content_type
        begun = time.monotonic()
        reply = self._answered(method, path, body, headers)
        took = time.monotonic() - begun
        if took > PATIENCE:
            reply = Reply(Outcome.HUNG, reply.status, reply.body)
        if reply.is_good:
            self.served_at = time.monotonic()
        told = f"{method} {path}: {reply.status} after {took:.1f} s {reply.body[:200]!r}"
        self.ledger.count(reply.outcome, told)
        if reply.status >= 500 and reply.status not in AWAY:
            self.ledger.complain(told)
        return reply

    def _answered(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE + 1)
        answered: dict[str, Any] = {}
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            answered = {"status": response.status, "headers": response.headers}
            answered["body"] = response.read()
        except ConnectionRefusedError:
            return Reply(Outcome.UNREACHED)
        except (OSError, http.client.HTTPException) as error:
            # What broke off has a status, and an outcome that it does not tell.
            return Reply(Outcome.UNKNOWN, body=type(error).__name__.encode(), headers=answered.get("headers"))
        finally:
            connection.close()
        by_class = {2: Outcome.ACKNOWLEDGED, 4: Outcome.REFUSED, 5: Outcome.FAILED}
        return Reply(by_class[response.status // 100], **answered)

    def _send_json(self, method: str, path: str, body: Any, by: Actor | None = None) -> Reply:
        return self.send(method, path, json.dumps(body), by=by)

    def _create(self, kind: str, body: dict[str, Any], by: Actor, value: str | None = None) -> None:
        entry = self._entry(kind, body[KINDS[kind].marker], value or body[KINDS[kind].value])
        reply = self._send_json("POST", entry.kind.path, body, by)
        entry.created(reply.outcome, reply.json["id"] if reply.is_good else None)
        self._expect(reply, entry, "created")

    def _entry(self, kind: str, marker: str, value: str) -> Entry:
        entry = Entry(KINDS[kind], str(self.person.user_id), marker, [value])
        self.entries.append(entry)
        self.ledger.add(entry)
        return entry

    def _expect(self, reply: Reply, entry: Entry, done: str) -> None:
        """Nothing that a client asks for here may be refused."""
        if reply.outcome is Outcome.REFUSED:
            told = f"{reply.status} {reply.body[:200]!r}"
            self.ledger.complain(f"{entry.kind.name} {entry.marker} {entry.id} was not {done}: {told}")

    def _live(self, *kinds: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.is_certain and entry.kind.name in kinds]

    def _some(self, *kinds: str) -> Entry | None:
        live = self._live(*kinds)
        return self.chance.choice(live) if live else None

    def _mark(self) -> str:
        """A text that nobody else has."""
        self._number += 1
        return f"{self.name.replace(' ', '-')}-{self._number}"

    def _text(self) -> str:
        return f"Harbour note {self._mark()}." + " The crane lifts the ship." * self.chance.randrange(1, 60)
