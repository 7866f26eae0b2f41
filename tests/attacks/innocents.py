"""Those who ask at a steady pace while others attack, each kind in a process of its own.

python -m tests.attacks.innocents item < world

It asks until its input ends, and then writes of each request when it began, how long it took and what came of it.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event, Thread
from types import TracebackType

from config import ROOT
from tests.attacks.caller import TIMEOUT
from tests.attacks.world import PASSWORD, World

# Connections that are kept, so that both workers are asked; and how many may wait for their answers at a time.
KEPT, WAITING = 8, 500
# Everybody who signs in is at a number of this network, so that no sign-in is from a device that is news.
NETWORK = "198.19.0"


@dataclass(frozen=True)
class Seen:
    """One request: when it began, after how many seconds it was over, and the status; 0 stands for no answer."""

    began: float
    seconds: float
    status: int


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Kind:
    """What is asked so many times a second."""

    pace: float
    request: Callable[[World, int], Request]


def item(world: World, _: int) -> Request:
    return Request("GET", world.item, {"Authorization": f"Bearer {world.key}"})


def health(_: World, __: int) -> Request:
    return Request("GET", "/healthz", {})


def sign_in(world: World, number: int) -> Request:
    body = {"email": world.people[number % len(world.people)], "password": PASSWORD}
    headers = {"X-Forwarded-For": f"{NETWORK}.{1 + number % 250}", "Content-Type": "application/json"}
    return Request("POST", "/api/auth/signin", headers, json.dumps(body).encode())


def change(world: World, number: int) -> Request:
    path, body = world.public[number % len(world.public)], json.dumps({"employees": 1 + number})
    headers = {"Authorization": f"Bearer {world.key}", "Content-Type": "application/json"}
    return Request("PATCH", path, headers, body.encode())


# A password takes long to hash, so that many sign-ins would be an attack themselves.
KINDS = {"item": Kind(40, item), "sign-in": Kind(4, sign_in), "health": Kind(40, health), "change": Kind(8, change)}
USUAL = ("item", "sign-in", "health")


def connect(world: World) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", world.port, timeout=TIMEOUT)


def send(connection: http.client.HTTPConnection, asked: Request, began: float) -> Seen:
    """Send a request that was due at ``began``, and read the answer to its end."""
    status = 0
    try:
        connection.request(asked.method, asked.path, asked.body, asked.headers)
        response = connection.getresponse()
        response.read()
        status = response.status
    except (OSError, http.client.HTTPException):
        connection.close()
    return Seen(began, time.monotonic() - began, status)


class Innocent:
    """Sends requests on time however late the answers to earlier ones are, as those of many people are sent."""

    def __init__(self, world: World, kind: Kind) -> None:
        self.world, self.kind = world, kind
        self.seen: list[Seen] = []
        self._kept: SimpleQueue[http.client.HTTPConnection] = SimpleQueue()
        for _ in range(KEPT):
            self._kept.put(connect(world))

    def ask_until(self, ended: Event) -> None:
        began = time.monotonic()
        with ThreadPoolExecutor(WAITING) as pool:
            for number in count():
                due = began + number / self.kind.pace
                if ended.wait(max(0.0, due - time.monotonic())):
                    return
                pool.submit(self._ask, number, time.monotonic())

    def _ask(self, number: int, began: float) -> None:
        try:
            connection = self._kept.get_nowait()
        except Empty:
            connection = connect(self.world)
        self.seen.append(send(connection, self.kind.request(self.world, number), began))
        if self._kept.qsize() < KEPT:
            self._kept.put(connection)
        else:
            connection.close()


class Innocents:
    """The processes of some kinds of innocents, from entering until ``seen`` is asked for."""

    def __init__(self, world: World, kinds: Iterable[str] = USUAL) -> None:
        self.world, self.kinds = world, tuple(kinds)
        self._stack = ExitStack()
        self._processes: dict[str, subprocess.Popen[str]] = {}

    def __enter__(self) -> Innocents:
        for kind in self.kinds:
            command = [sys.executable, "-m", "tests.attacks.innocents", kind]
            process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._stack.enter_context(process)
            self._stack.callback(process.kill)
            self._processes[kind] = process
            assert process.stdin
            process.stdin.write(self.world.written())
            process.stdin.flush()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def seen(self) -> dict[str, list[Seen]]:
        """Have them end, and give what each kind has seen."""
        for process in self._processes.values():
            assert process.stdin
            process.stdin.close()
            process.stdin = None
        told = {kind: process.communicate(timeout=3 * TIMEOUT)[0] for kind, process in self._processes.items()}
        return {kind: [Seen(*each) for each in json.loads(lines)] for kind, lines in told.items()}


def main() -> None:
    """Ask for what the argument names until the input ends."""
    innocent, ended = Innocent(World.read(sys.stdin.readline()), KINDS[sys.argv[1]]), Event()
    asking = Thread(target=innocent.ask_until, args=(ended,))
    asking.start()
    sys.stdin.read()
    ended.set()
    asking.join()
    json.dump([astuple(each) for each in innocent.seen], sys.stdout)


if __name__ == "__main__":
    main()
