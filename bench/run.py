"""make bench: everything from nothing, measured, printed and written down within three minutes."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from types import FrameType

from app.embedded import Postgres, Redis
from app.factory import create_app
from bench import bare, by_hand, load, report
from bench.measure import check_same_lists, deep_pages, rounds
from bench.population import populate
from bench.servers import NO_LIMIT, Server, ServerError
from bench.subjects import CONTACTS, subjects
from config import Settings

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LONGEST = 170
# The last round ends this long before, which leaves time to stop everything.
RESERVE = 15


class Overrun(Exception):
    """The measurement took longer than it may."""


def main() -> int:
    """Measure and report; returns the exit status."""
    for number in STOPPING:
        signal.signal(number, _stop)
    signal.signal(signal.SIGALRM, _overrun)
    signal.alarm(LONGEST)
    try:
        with ExitStack() as children:
            try:
                _measure(children, time.monotonic() + LONGEST - RESERVE)
            finally:
                # Nothing may interrupt the stopping of the children.
                signal.alarm(0)
    except (ServerError, Overrun, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return 130
    return 0


def _measure(children: ExitStack, end: float) -> None:
    var_dir = tempfile.mkdtemp(prefix="rg-bench-")
    children.callback(shutil.rmtree, var_dir, ignore_errors=True)
    _say("starting PostgreSQL and Redis")
    for database in (Redis(var_dir), Postgres(var_dir)):
        children.callback(database.stop)
        database.start()
    _say("making users and contacts")
    people = populate(create_app(Settings(var_dir=var_dir, default_limit=NO_LIMIT)))
    _say("starting the servers")
    bare_server, product, hand = _servers(children, var_dir)
    check_same_lists(product, hand, people.readers[0].token)
    _say("measuring deep pages")
    deep = report.Deep(*deep_pages(product, people.admin_token))
    _say("measuring requests")
    sender = children.enter_context(load.loader())
    figures = rounds(subjects(people, bare_server, product, hand), sender, end)
    report.show(figures, deep)
    report.write(figures, deep)


def _servers(children: ExitStack, var_dir: str) -> list[Server]:
    paths = {"bench.bare:app": bare.PATH, "wsgi:app": CONTACTS, "bench.by_hand:create_app()": by_hand.PATH}
    servers = [Server(application, var_dir) for application in paths]
    for server in servers:
        children.callback(server.stop)
        server.start()
    for server in servers:
        server.await_answer(paths[server.application])
    return servers


def _say(message: str) -> None:
    print(f"bench: {message}", flush=True)


def _stop(number: int, frame: FrameType | None) -> None:
    # Once is enough: a second signal must not interrupt the ending.
    for each in STOPPING:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _overrun(number: int, frame: FrameType | None) -> None:
    raise Overrun(f"not done after {LONGEST} seconds")


if __name__ == "__main__":
    raise SystemExit(main())
