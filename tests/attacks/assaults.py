"""What the attackers of `make attacks` do: each assault has a name, how many do it at once, and what each asks."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.attacks import connections, files
from tests.attacks.caller import BOUNDARY, Answer
from tests.attacks.innocents import USUAL
from tests.attacks.world import COMPANY, CONTACT, DEAL, World

# What is attacked: the readers of files, the database, the locks of others, the number of what is open at once.
FILES, QUERIES, LOCKS, NUMBERS = "files", "queries", "locks", "numbers"
BATCH, STREAM, SIGN_IN = "/api/v1/_batch", "/api/integrations/teams/notifications/stream", "/api/auth/signin"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
# Seconds for which a stream stays open, and in which a slow body comes byte by byte.
HELD, SLOW = 2.0, 6
NETWORKS, BOUND = 300, 1000
# Words that stand in no name, so that each row is looked through for all of them.
WORDS = [f"word{number}" for number in range(60)]

Ask = Callable[[World, int], Answer]


@dataclass(frozen=True)
class Assault:
    """``at_once`` attackers ask again and again; ``innocents`` are the kinds of requests that others send meanwhile."""

    name: str
    section: str
    at_once: int
    ask: Ask
    innocents: tuple[str, ...] = USUAL


def importing(content: Callable[[], bytes], form: str, **parameters: str) -> Ask:
    """Upload a file to be imported."""
    path = f"{COMPANY}/_import?{urlencode({'as': form, **parameters})}"
    kind = "text/csv" if form == "csv" else "application/x-ndjson"
    return lambda world, _: world.caller(world.attacker).send("POST", path, content(), kind)


def reading(path: str, **parameters: Any) -> Ask:
    """Read a list, sums or an export."""
    return lambda world, _: world.caller(world.attacker).get(f"{path}?{urlencode(parameters)}")


def asking(path: str, body: dict[str, Any]) -> Ask:
    """Ask by the full form of a query."""
    return lambda world, _: world.caller(world.attacker).post(f"{path}/_query", body)


def sums(number: int) -> str:
    """The path of sums over all rows of the attacker, another one for each number."""
    measures = {"count": "", "sum": "amount", "avg": "amount", "countDistinct": "companyId", "amount[ne]": number}
    return f"{DEAL}/_aggregate?{urlencode({'group': 'stage,priority', **measures})}"


def batch_of_sums(world: World, number: int) -> Answer:
    return world.caller(world.attacker).post(BATCH, {"requests": slow_reads(number)})


def batch_changing_strangers(world: World, number: int) -> Answer:
    """Slow reads of one's own, and behind them changes of companies that others have published."""
    method, body = (("PATCH", {"body": {"industry": "mine"}}), ("DELETE", {}))[number % 2]
    last = [{"method": method, "path": path, **body} for path in world.public]
    return world.caller(world.attacker).post(BATCH, {"requests": [*slow_reads(number), *last]})


def slow_reads(number: int) -> list[dict[str, Any]]:
    return [{"method": "GET", "path": sums(100 * number + each)} for each in range(40)]


def open_stream(world: World, number: int) -> Answer:
    """Open a stream, and close it when it has been open for a while."""
    caller = world.caller(world.accomplices[number % len(world.accomplices)], _network(number))
    began, said = time.monotonic(), b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", world.port), timeout=caller.timeout) as connection:
        connection.sendall(connections.head(caller, "GET", STREAM))
        said = connection.recv(4096)
        seconds = time.monotonic() - began
        if _status(said) == 200:
            time.sleep(HELD)
        return Answer(_status(said), seconds, {}, said)
    return Answer(0, time.monotonic() - began, {}, b"")


def slow_body(world: World, number: int) -> Answer:
    """Send a body of blanks, a byte each second."""
    caller, began, said = world.caller(None, _network(number)), time.monotonic(), b""
    head = connections.head(caller, "POST", SIGN_IN, content_type="application/json", content_length=str(SLOW))
    with suppress(OSError), socket.create_connection(("127.0.0.1", world.port), timeout=caller.timeout) as connection:
        connection.sendall(head)
        for _ in range(SLOW):
            time.sleep(1)
            connection.sendall(b" ")
        said = connection.recv(4096)
    return Answer(_status(said), time.monotonic() - began, {}, said)


def upserts(world: World, number: int) -> Answer:
    same = {"firstName": "Ada", "lastName": "Many", "companyId": world.company}
    body = [{**same, "email": f"u{number}-{each}@mallory.example"} for each in range(BOUND)]
    return world.caller(world.attacker).post(f"{CONTACT}?onConflict=email", body)


def update_of_many(world: World, number: int) -> Answer:
    """Write a thousand rows that no other of these writes."""
    where = {"amount": {"gt": BOUND * (number % 100), "lte": BOUND * (number % 100 + 1)}}
    body = {"where": where, "set": {"nextStep": f"Step {number}"}, "max": BOUND}
    return world.caller(world.attacker).post(f"{DEAL}/_matching/_update", body)


def forgotten_password(world: World, number: int) -> Answer:
    caller = world.caller(None, _network(number % NETWORKS))
    return caller.post("/api/auth/forgot-password", {"email": f"stranger{number}@example.com"})


def form_of_many_parts(world: World, _: int) -> Answer:
    return world.caller(world.attacker).send("POST", "/api/upload", files.many_parts(20_000), FORM)


def _network(number: int) -> str:
    return f"203.{number // 250}.{1 + number % 250}.1"


def _status(said: bytes) -> int:
    """The status of an answer that begins with ``said``; 0 where there is none."""
    return int(said[9:12]) if said.startswith(b"HTTP/1.1 ") else 0


TREE = {"or": [{"name": {"contains": word}} for word in WORDS]}
EVERYTHING = {"not": {"or": [{"company": {"name": {"contains": word}}} for word in WORDS[:20]]}}
SOME = {"contacts": {"some": {"deals": {"some": {"name": {"contains": "word"}}}}}}
FAR = {"take": 1, "skip": 199_000}

EVERY = [
    Assault("line-ends", FILES, 2, importing(lambda: files.line_ends(24 * files.MEGABYTE), "csv")),
    Assault("few-line-ends", FILES, 1, importing(lambda: files.line_ends(4 * files.MEGABYTE), "csv")),
    Assault("blank-lines", FILES, 2, importing(lambda: files.blank_lines(24 * files.MEGABYTE), "ndjson")),
    Assault("nameless-columns", FILES, 2, importing(lambda: files.nameless_columns(10_000, 1000), "csv")),
    Assault("doubled-quotes", FILES, 2, importing(lambda: files.doubled_quotes(48 * files.MEGABYTE), "csv")),
    Assault("long-cell", FILES, 2, importing(lambda: files.long_cell(48 * files.MEGABYTE), "csv")),
    Assault("faulty-lines", FILES, 2, importing(lambda: files.faulty_lines(9999), "csv", partial="true")),
    Assault("deep-skip", QUERIES, 40, reading(DEAL, **FAR)),
    Assault("contains-tree", QUERIES, 40, asking(DEAL, {"where": TREE, "count": "none"})),
    Assault("search-sorted-by-relation", QUERIES, 40, reading(DEAL, search="harbour", sort="company.name,-name")),
    Assault("relation-conditions", QUERIES, 40, asking(DEAL, {"where": EVERYTHING})),
    Assault("relations-to-many", QUERIES, 40, asking(COMPANY, {"where": SOME})),
    Assault("deep-page-counted", QUERIES, 40, reading(DEAL, **FAR, sort="probability,name", count="exact")),
    Assault("sums", QUERIES, 40, lambda world, number: world.caller(world.attacker).get(sums(number))),
    Assault("batches-of-sums", QUERIES, 40, batch_of_sums),
    Assault("exports", QUERIES, 40, reading(f"{DEAL}/_export", **{"as": "csv"})),
    Assault("changes-of-strangers", LOCKS, 4, batch_changing_strangers, (*USUAL, "change")),
    Assault("streams", NUMBERS, 600, open_stream),
    Assault("slow-bodies", NUMBERS, 800, slow_body),
    Assault("upserts", NUMBERS, 8, upserts),
    Assault("update-of-many", NUMBERS, 8, update_of_many),
    Assault("forgotten-passwords", NUMBERS, 40, forgotten_password),
    Assault("many-parts", NUMBERS, 8, form_of_many_parts),
]
ASSAULTS = {assault.name: assault for assault in EVERY}
