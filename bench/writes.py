"""python -m bench.writes: what it takes to write one record, a thousand in a request, and a hundred thousand by import.

Each round sends requests of every kind, which take turns, and imports a file; ratios are taken within a round. What
is counted is processor time, of the workers that do it and of PostgreSQL together. Django REST Framework writes a
thousand contacts as its documentation has it, with ListSerializer and bulk_create, into the same PostgreSQL.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

import orjson

from app.engine.declare.record import camel
from app.runtime.embedded import DATABASE
from bench import documentation
from bench.bounded import bounded, say
from bench.load import HOST, Connection, Refused
from bench.peers.frameworks import Django
from bench.peers.parts import Parts, parts
from bench.peers.peer import Ask, Peer
from bench.peers.product import CONTACTS
from bench.peers.world import BIG, READERS, World
from bench.processes import cpu_seconds, family
from bench.writing import BULK_CREATE, CREATE, OneWorker, Subject, new, subjects

ROUNDS, WARM_ROUNDS, MAX_LENGTH = 7, 2, 1500
# So often in a round all have their turn, as the speed of machines drifts.
TURNS = 8
IMPORTED = 100_000
IMPORT = "import 100,000"
# Seconds, and MiB in memory at most, of the worker that does it.
IMPORT_SECONDS, IMPORT_MEMORY, IMPORT_TIMEOUT = 60, 200, 300


@dataclass(frozen=True)
class Imported:
    """One import: seconds, and processor milliseconds of each record."""

    seconds: float
    milliseconds: float


def main() -> int:
    """Measure from nothing, on servers of its own; returns the exit status."""
    return bounded(_measure, MAX_LENGTH)


def _measure(children: ExitStack) -> None:
    running = children.enter_context(parts())
    world, rowgate, django = World(), OneWorker(running), Django(running)
    for peer in (rowgate, django):
        _start(peer, world, running, children)
    measured = subjects(rowgate, django)
    for _ in range(WARM_ROUNDS):
        _round(measured, running)
    costs: dict[str, list[float]] = {each.name: [] for each in measured}
    imports: list[Imported] = []
    for number in range(ROUNDS):
        say(f"writes: round {number + 1} of {ROUNDS}")
        for name, cost in _round(measured, running).items():
            costs[name].append(cost)
        imports.append(_import(rowgate, running))
    told = _report(measured, costs, imports, _peak(rowgate.jobs()))
    print(told)
    documentation.fill("bench-writes", told)


def _start(peer: Peer, world: World, running: Parts, children: ExitStack) -> None:
    say(f"writes: {peer.title} gets its contacts")
    peer.install()
    peer.prepare(world)
    running.settle(peer.database or "")
    children.callback(peer.stop)
    peer.start()
    peer.await_answer(peer.item(world.by_owner[READERS[0]][0].id), READERS[0])
    peer.start_the_rest()


def _round(measured: Sequence[Subject], running: Parts) -> dict[str, float]:
    """Processor milliseconds of each record, by subject."""
    requests = {subject.name: subject.requests() for subject in measured}
    taken = dict.fromkeys(requests, 0.0)
    for turn in range(TURNS):
        for subject in measured if turn % 2 else reversed(measured):
            taken[subject.name] += _sent(subject, requests[subject.name][turn::TURNS], running)
    return {each.name: 1000 * taken[each.name] / len(requests[each.name]) / each.records for each in measured}


def _sent(subject: Subject, requests: Sequence[bytes], running: Parts) -> float:
    """Seconds of the processors that the requests take."""
    processes = (*subject.peer.roots(), *running.postgres_processes())
    connection = Connection(HOST, subject.peer.port)
    before = cpu_seconds(processes)
    for each in requests:
        answer = connection.exchange(each)
        if not answer.startswith(b"HTTP/1.1 20"):
            raise Refused(f"{subject.name}: {answer[:1000]!r}")
    taken = cpu_seconds(processes) - before
    connection.socket.close()
    return taken


def _import(rowgate: OneWorker, running: Parts) -> Imported:
    """Have a file imported by the worker of jobs, and remove what it has made."""
    file, processes = _file(), (*rowgate.jobs(), *running.postgres_processes())
    begun, before = time.monotonic(), cpu_seconds(processes)
    connection = HTTPConnection(HOST, rowgate.port, timeout=60)
    headers = {"Authorization": rowgate.authorization(BIG), "Content-Type": "text/csv"}
    connection.request("POST", f"{CONTACTS}/_import", file, headers)
    response = connection.getresponse()
    asked = orjson.loads(response.read())
    connection.close()
    if response.status != 202:
        raise Refused(f"{IMPORT}: {asked}")
    while (state := rowgate.ask(Ask("GET", asked["url"]), BIG).body)["status"] not in ("completed", "failed"):
        if time.monotonic() > begun + IMPORT_TIMEOUT:
            raise Refused(f"{IMPORT}: not done after {IMPORT_TIMEOUT} seconds: {state}")
        time.sleep(0.25)
    seconds, taken = time.monotonic() - begun, cpu_seconds(processes) - before
    if state["created"] != IMPORTED:
        raise Refused(f"{IMPORT}: {state}")
    with running.connection(DATABASE) as database:
        database.execute("DELETE FROM crm_contact WHERE email LIKE 'import.%'")
    running.settle(DATABASE)
    return Imported(seconds, 1000 * taken / IMPORTED)


def _file() -> bytes:
    """Contacts as CSV."""
    text, contacts = io.StringIO(), new(BIG, IMPORTED)
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(camel(name) for name in contacts[0])
    writer.writerows({**each, "email": f"import.{each['email']}"}.values() for each in contacts)
    return text.getvalue().encode()


def _peak(roots: Sequence[int]) -> float:
    """MiB that processes have had in memory at most, each at its own time."""
    kilobytes = 0
    for root in roots:
        for process in family(root):
            status = Path(f"/proc/{process}/status").read_text()
            kilobytes += int(status.partition("VmHWM:")[2].split()[0])
    return kilobytes / 1024


def _report(
    measured: Sequence[Subject], costs: Mapping[str, Sequence[float]], imports: Sequence[Imported], peak: float
) -> str:
    lines = [
        f"Measured on {datetime.now(UTC).date()}, {ROUNDS} rounds.",
        "",
        "| | processor time of a record | measured by | ratio | lowest and highest | aim |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
    ]
    costs = {**costs, IMPORT: [each.milliseconds for each in imports]}
    judged = [(each.name, each.base, each.aim) for each in measured] + [(IMPORT, CREATE, 0.0)]
    for name, base, aim in judged:
        ratios = [one / other for one, other in zip(costs[name], costs[base], strict=True)] if base else []
        compared = f"{median(ratios):.3f} | {min(ratios):.3f} to {max(ratios):.3f}" if ratios else "|"
        lines.append(f"| {name} | {median(costs[name]):.3f} ms | {base} | {compared} | {f'{aim:.3g}' if aim else ''} |")
    for each in measured:
        if each.peer is not measured[0].peer:
            ratio = median(one / other for one, other in zip(costs[each.name], costs[BULK_CREATE], strict=True))
            lines += ["", f"{each.name}: {ratio:.2f} times what it takes in Rowgate."]
    seconds = [each.seconds for each in imports]
    lines += [
        "",
        f"Import of {IMPORTED:,} contacts: {median(seconds):.1f} s ({min(seconds):.1f} to {max(seconds):.1f}), of at "
        f"most {IMPORT_SECONDS}; the worker of jobs had {peak:.0f} MiB in memory at most, of {IMPORT_MEMORY}.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
