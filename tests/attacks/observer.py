"""Somebody who asks at a steady pace while others attack, and what that person saw of it."""

from __future__ import annotations

import http.client
import json
import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from tests.attacks.caller import TIMEOUT, Answer, read
from tests.attacks.service import Service

T = TypeVar("T")

EVERY = 0.02
# Connections that are kept, so that both workers are asked.
KEPT = 8
# Seconds from the end of an attack until the service has to be well, and how many requests tell that.
RECOVERY, RECENT = 5, 50
ROUNDS = 3
SLOWEST_P99, WELL_P95 = 1.0, 0.25
# At rest the processes hold 500 MB, and a file that is read may take EXTRACTION_MEMORY besides.
MAX_IN_ALL, MAX_IN_ONE = 1000 * 2**20, 600 * 2**20
COMPANY, CONTACT = "/api/v1/crm/company", "/api/v1/crm/contact"


@dataclass(frozen=True)
class Seen:
    """One request of the observer: when it began, what it was, and what came of it."""

    began: float
    asked: str
    answer: Answer


class Observer:
    """Asks for health and for its own contacts, and changes one of them now and then."""

    def __init__(self, service: Service) -> None:
        self.service, self.caller = service, service.caller()
        self.seen: list[Seen] = []
        self.memory: list[list[int]] = []
        company = self.caller.made(COMPANY, {"name": "Observed"})["id"]
        person = {"firstName": "Olga", "lastName": "Observer", "email": "olga@example.com", "companyId": company}
        self.contact = f"{CONTACT}/{self.caller.made(CONTACT, person)['id']}"
        self._connections: SimpleQueue[http.client.HTTPConnection] = SimpleQueue()
        self._done = Event()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Ask, and watch the memory of the processes, until the end."""
        threads = [Thread(target=self._keep_asking), Thread(target=self._keep_weighing)]
        for _ in range(KEPT):
            self._connections.put(http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=TIMEOUT))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._done.set()
            for thread in threads:
                thread.join()
            while not self._connections.empty():
                self._connections.get().close()

    def _keep_asking(self) -> None:
        # Requests go out on time however late the answers to earlier ones are, as those of many people do.
        with ThreadPoolExecutor(200) as pool:
            number = 0
            while not self._done.wait(EVERY):
                pool.submit(self._ask, number, time.perf_counter())
                number += 1

    def _ask(self, number: int, began: float) -> None:
        method, path = self._request(number)
        try:
            connection = self._connections.get_nowait()
        except Empty:
            connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=TIMEOUT)
        try:
            body = json.dumps({"phone": str(number)}) if method == "PUT" else None
            connection.request(method, path, body, self.caller.headers | {"Content-Type": "application/json"})
            answer = read(connection.getresponse(), began)
            self._connections.put(connection)
        except (OSError, http.client.HTTPException):
            connection.close()
            answer = Answer(0, time.perf_counter() - began, {}, b"")
        self.seen.append(Seen(began, f"{method} {path.removesuffix(self.contact[-37:])}", answer))

    def _request(self, number: int) -> tuple[str, str]:
        if number % 10 == 9:
            return "PUT", self.contact
        return "GET", ("/healthz", CONTACT)[number % 2]

    def _keep_weighing(self) -> None:
        while not self._done.wait(0.2):
            self.memory.append(self.service.resident())

    def is_well(self, since: float) -> bool:
        """Whether the requests from ``since`` on were answered soon, the latest of them counted, and the service says
        that it is ready."""
        recent = [each.answer.seconds for each in self.seen if each.began >= since][-RECENT:]
        soon = len(recent) == RECENT and percentile(recent, 95) < WELL_P95
        return soon and self.caller.get("/readyz").status == 200


@dataclass(frozen=True)
class Verdict:
    """What the observer saw of one attack."""

    during: list[Seen]
    memory: list[list[int]]
    recovery: float

    @property
    def failed(self) -> list[Answer]:
        return [each.answer for each in self.during if each.answer.status != 200]

    @property
    def is_slow(self) -> bool:
        return percentile([each.answer.seconds for each in self.during], 99) > SLOWEST_P99 or self.recovery > RECOVERY

    def __str__(self) -> str:
        lines = []
        for asked in ("", *sorted({each.asked for each in self.during})):
            found = [each.answer for each in self.during if asked in ("", each.asked)]
            taken = [each.seconds for each in found]
            numbers = "".join(f" p{share} {percentile(taken, share) * 1000:.0f}" for share in (50, 95, 99))
            statuses = dict(Counter(each.status for each in found))
            lines.append(f"{asked or 'all'}: {len(found)},{numbers}, longest {max(taken) * 1000:.0f} ms, {statuses}")
        in_all, in_one = max(map(sum, self.memory)) >> 20, max(map(max, self.memory)) >> 20
        lines.append(f"memory: {in_all} MB in all, {in_one} MB in one; well after {self.recovery:.1f} s")
        return "\n".join(["", *lines])


def undisturbed(service: Service, attack: Callable[[], T]) -> T:
    """Run ``attack`` while an observer asks, show that the observer was not disturbed, and give what it gives."""
    for left in reversed(range(ROUNDS)):
        result, verdict = observed(service, attack)
        print(verdict)
        assert not verdict.failed, verdict
        assert max(map(sum, verdict.memory)) < MAX_IN_ALL, verdict
        assert max(map(max, verdict.memory)) < MAX_IN_ONE, verdict
        # Other tests share the processors and slow single rounds; what an attack holds up is slow in every one.
        if not verdict.is_slow:
            break
        assert left, verdict
    return result


def observed(service: Service, attack: Callable[[], T]) -> tuple[T, Verdict]:
    """Run ``attack`` while an observer asks, until the service is well again or has had the time for it."""
    observer = Observer(service)
    with observer.asking():
        began = time.perf_counter()
        result = attack()
        ended = time.perf_counter()
        while not (well := observer.is_well(ended)) and time.perf_counter() < ended + RECOVERY:
            time.sleep(EVERY)
        recovery = time.perf_counter() - ended if well else math.inf
    during = [each for each in observer.seen if began <= each.began < ended]
    return result, Verdict(during, observer.memory, recovery)


def percentile(taken: list[float], share: int) -> float:
    """What ``share`` of 100 stay under; each counts twice, so that one is enough."""
    return statistics.quantiles(taken * 2, n=100, method="inclusive")[share - 1]
