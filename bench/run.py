"""make bench: everything from nothing, measured, printed and written down within twenty minutes."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import ExitStack

from app.factory import create_app
from app.runtime.embedded import Postgres, Redis
from bench import bare, by_hand, growth, leaks, load, report
from bench.bounded import bounded, say
from bench.measure import check_same_lists, deep_pages, rounds
from bench.population import populate
from bench.servers import NO_LIMIT, Server
from bench.subjects import CONTACTS, subjects
from config import Settings

MAX_LENGTH = 1200
# The last round of requests ends so many seconds after the beginning.
ROUNDS_END = 155


def main() -> int:
    """Measure and report; returns the exit status."""
    return bounded(_measure, MAX_LENGTH)


def _measure(children: ExitStack) -> None:
    end = time.monotonic() + ROUNDS_END
    var_dir = tempfile.mkdtemp(prefix="rg-bench-")
    children.callback(shutil.rmtree, var_dir, ignore_errors=True)
    say("starting PostgreSQL and Redis")
    for database in (Redis(var_dir), Postgres(var_dir)):
        children.callback(database.stop)
        database.start()
    say("making users and contacts")
    people = populate(create_app(Settings(var_dir=var_dir, default_limit=NO_LIMIT)))
    say("starting the servers")
    bare_server, product, hand = _servers(children, var_dir)
    check_same_lists(product, hand, people.readers[0].token)
    say("measuring deep pages")
    deep = report.Deep(*deep_pages(product, people.admin_token))
    say("measuring requests")
    sender = children.enter_context(load.loader())
    figures = rounds(subjects(people, bare_server, product, hand), sender, end)
    sizes = leaks.measure(var_dir, people, sender)
    points = growth.measure()
    report.show(figures, deep, points, sizes)
    report.write(figures, deep, points, sizes)


def _servers(children: ExitStack, var_dir: str) -> list[Server]:
    paths = {"bench.bare:app": bare.PATH, "wsgi:app": CONTACTS, "bench.by_hand:create_app()": by_hand.PATH}
    servers = [Server(application, var_dir) for application in paths]
    for server in servers:
        children.callback(server.stop)
        server.start()
    for server in servers:
        server.await_answer(paths[server.application])
    return servers


if __name__ == "__main__":
    raise SystemExit(main())
