"""Receivers of webhooks, which fail at times: what arrives is signed, in the order of each record, and the log's."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Lock, Thread

import httpx2
from standardwebhooks import Webhook, WebhookVerificationError

from app.foundation.clock import now
from app.testing.cast import Actor
from tests.faults.service import Service
from tests.faults.streams import FOLLOWED

HOOKS = "/api/v1/_webhooks"
# Of the events that come first, one in so many is answered with 500 when it comes first.
REFUSED = 10
# That is minutes to wait where it was the second attempt, as the first one was killed before it had come.
BRING_FORWARD = """
UPDATE integration_webhook_delivery SET next_attempt_at = now()
WHERE status = 'failed' AND attempts > 1 AND next_attempt_at > now()
"""
OPEN = "SELECT id FROM integration_webhook_delivery WHERE status IN ('pending', 'delivering', 'failed')"


class Receiver(ThreadingHTTPServer):
    """The endpoint of one user, for the changes of companies, contacts and deals; keeps for each position what was
    told."""

    daemon_threads = True

    def __init__(self, person: Actor, port: int, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.person, self.since = person, now().isoformat()
        self.told: dict[int, tuple[str, str]] = {}
        self.again = 0
        self._reached: dict[str, int] = {}
        self._refused: set[str] = set()
        self._faults: list[str] = []
        self._chance, self._lock = Random(seed), Lock()
        types = [f"{model.replace('/', '.')}.*" for model in FOLLOWED]
        url = f"http://127.0.0.1:{self.server_address[1]}/"
        asked = httpx2.post(
            f"http://127.0.0.1:{port}{HOOKS}", json={"url": url, "eventTypes": types},
            headers={"Authorization": f"Bearer {person.token}"},
        )  # fmt: skip
        self._webhook = Webhook(asked.json()["secret"])
        self._serving = Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        self._serving.start()

    def turn_page(self) -> list[str]:
        """What was wrong since the page was turned last."""
        with self._lock:
            faults, self._faults = self._faults, []
        return faults

    def end(self) -> None:
        self.shutdown()
        self._serving.join()
        self.server_close()

    def take(self, body: bytes, headers: dict[str, str]) -> int:
        """Keep an event, and return the status of the answer."""
        try:
            change = self._webhook.verify(body, headers)["data"]
        except WebhookVerificationError as error:
            self._faults.append(f"a webhook was not signed well: {error}")
            return 401
        identifier, position, record = headers["webhook-id"], int(change["id"]), change["recordId"]
        with self._lock:
            if identifier not in self._refused and position not in self.told and self._chance.randrange(REFUSED) == 0:
                self._refused.add(identifier)
                return 500
            self.again += position in self.told
            if position not in self.told and position < self._reached.get(record, 0):
                self._faults.append(f"the change {position} of {record} arrived after {self._reached[record]}")
            self._reached[record] = max(position, self._reached.get(record, 0))
            self.told[position] = record, change["operation"]
        return 204


def have_arrived(service: Service) -> bool:
    """Bring forward what waits for minutes, and tell whether nothing is left to deliver."""
    service.sql(BRING_FORWARD)
    return not service.sql(OPEN)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Receiver

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:  # the sender was killed
            self.close_connection = True
            return
        self.send_response(self.server.take(body, {name.lower(): value for name, value in self.headers.items()}))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""
