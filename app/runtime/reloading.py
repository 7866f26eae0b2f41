"""The workers of gunicorn: a reload without a pause, and a stop that nothing holds up.

The application is loaded by gunicorn's first process, and workers are forked from it. So at HUP that process starts
anew in its place (exec keeps its number, its children and its sockets), loads the files as they are, and forks others;
its workers of before go on serving until those do. gunicorn by itself would tell them to leave at once.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from types import FrameType, SimpleNamespace
from typing import IO, Any

import gevent
from gevent import monkey, socket
from gevent.server import StreamServer
from gunicorn.arbiter import Arbiter
from gunicorn.workers.ggevent import GeventWorker

from app.runtime.processes import is_child

# How long an old worker stays when the new ones do not come, in seconds.
PATIENCE = 20.0
POLL_INTERVAL = 0.1
# How long a worker that ends waits for a request on a connection, in seconds: one may be under way.
LAST_REQUEST = 1.0
NUMBER, SLOTS = 8, 4096
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)

# What the old master hands on to the new one at a reload: the file that all share, and its workers.
STATE_VARIABLE = "ROWGATE_RELOAD"

# Shared by all processes: the age of the newest old worker, that of the newest which the reload starts, a byte for
# each worker that serves, and one that says that everything stops.
SIZE = 2 * NUMBER + SLOTS + 1
STOPPING = SIZE - 1
_file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open while it runs
_file.truncate(SIZE)
_shared = mmap.mmap(_file.fileno(), SIZE)


class OutgoingWorker:
    """An old worker at a reload, as far as gunicorn has to know it: to tell it to leave, and to wait for it."""

    aborted = False

    def __init__(self, pid: int, age: int, leaves_by: float) -> None:
        self.pid, self.age, self.tmp, self._leaves_by = pid, age, self, leaves_by

    def last_update(self) -> float:
        """When it was last known to be well. It leaves by itself; one that does not is stuck, and is killed then."""
        return min(time.monotonic(), self._leaves_by)

    def close(self) -> None:
        """There is no file of signs of life to close."""


def hold_signals() -> None:
    """Have signals wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, Arbiter.SIGNALS)


def release_signals() -> None:
    """Take the signals that wait."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, Arbiter.SIGNALS)


def install_reload(arbiter: Arbiter, kept: Mapping[str, str]) -> None:
    """Have ``arbiter`` note a stop when it is asked for: reloads that were asked for before are left out, and workers
    that wait for others leave. Go on where the process of before a reload has left; ``kept`` is what the next one gets
    besides the environment that this one was started with."""
    note, tell_workers = arbiter.signal, arbiter.kill_workers

    def take_note(number: int, frame: FrameType | None) -> None:
        if number in STOP_SIGNALS:
            _shared[STOPPING] = 1
        note(number, frame)

    def reload_unless_stopping() -> None:
        if not _shared[STOPPING]:
            _reexec(arbiter, kept)

    def tell_after_closing(number: int) -> None:
        gevent.sleep(0)  # in which sockets that were closed really are: whoever closes last resets what has come
        tell_workers(number)

    arbiter.signal, arbiter.reload, arbiter.kill_workers = take_note, reload_unless_stopping, tell_after_closing
    # At USR2, too. For ``python -m gunicorn``, sys.argv names a file whose folder would be looked in for modules.
    arbiter.START_CTX["args"] = [sys.executable, *sys.orig_argv[1:]]
    if (before := arbiter.cfg.env_orig.pop(STATE_VARIABLE, None)) is not None:
        _take_over(arbiter, **json.loads(before))


def _reexec(arbiter: Arbiter, kept: Mapping[str, str]) -> None:
    """Run gunicorn again in place of this process, as at its start, with its sockets. A signal meanwhile waits."""
    hold_signals()
    workers = {pid: worker.age for pid, worker in arbiter.WORKERS.items()}
    environment = {
        **arbiter.cfg.env_orig,
        **kept,
        # Of whoever has started this process by USR2 and is still there. Otherwise gunicorn sees that it is not its
        # parent, and that it is the first itself.
        "GUNICORN_PID": str(arbiter.master_pid or arbiter.pid),
        "GUNICORN_FD": ",".join(str(listener.fileno()) for listener in arbiter.LISTENERS),
        STATE_VARIABLE: json.dumps({"file": _file.fileno(), "age": arbiter.worker_age, "workers": workers}),
    }
    if arbiter.master_pid and arbiter.pidfile is not None:
        arbiter.pidfile.unlink()  # the next one takes a file with its own number for none that it has to rename
    os.set_inheritable(_file.fileno(), True)
    os.chdir(arbiter.START_CTX["cwd"])
    sys.stderr.flush()
    os.execve(sys.executable, arbiter.START_CTX["args"], environment)  # noqa: S606 - what runs already


def _take_over(arbiter: Arbiter, file: int, age: int, workers: Mapping[str, int]) -> None:
    """Have the workers of before serve until the new ones do, and tell them to leave once those are forked."""
    global _file, _shared
    _file = os.fdopen(file, "r+b")
    _shared = mmap.mmap(file, SIZE)
    arbiter.worker_age = age
    for place, age in enumerate((arbiter.worker_age, arbiter.worker_age + arbiter.cfg.workers)):
        _shared[place * NUMBER : (place + 1) * NUMBER] = age.to_bytes(NUMBER, "big")
    manage = arbiter.manage_workers

    def manage_at_first() -> None:
        manage()
        arbiter.manage_workers = manage
        leave_by = time.monotonic() + PATIENCE + arbiter.cfg.graceful_timeout
        # Of its own children alone: numbers that come by the environment may be those of others.
        left = {int(pid): age for pid, age in workers.items() if is_child(int(pid))}
        arbiter.WORKERS |= {pid: OutgoingWorker(pid, age, leave_by) for pid, age in left.items()}
        arbiter.SIG_QUEUE.put_nowait(signal.SIGCHLD)  # some may have ended while nobody listened

    arbiter.manage_workers = manage_at_first


def mark_forked(worker: GeventWorker) -> None:
    """Note that a worker is forked, and does not serve yet."""
    _shared[_slot_of(worker.age)] = 0


def mark_serving(worker: GeventWorker) -> None:
    """Note that a worker can serve. One that was forked too late to hear that everything stops, leaves."""
    _shared[_slot_of(worker.age)] = 1
    if _shared[STOPPING]:
        worker.alive = False


def _ages() -> tuple[int, int]:
    return int.from_bytes(_shared[:NUMBER], "big"), int.from_bytes(_shared[NUMBER : 2 * NUMBER], "big")


def _slot_of(age: int) -> int:
    return 2 * NUMBER + age % SLOTS


class DrainingServer(StreamServer):
    """Takes connections until it is closed; those that have come by then are served, too."""

    def close(self) -> None:
        if self.closed:
            return
        self.stop_accepting()
        come = []
        while (connection := self.do_read()) is not None:
            come.append(connection)
        # At once, which gevent's own does later: what comes in between would be reset.
        monkey.get_original("os", "close")(self.socket.detach())
        for connection in come:
            self.do_handle(*connection)
        super().close()


class IdleTimeout(gevent.Timeout):
    """The time in which a connection waits for its next request; it may be ended before."""

    def __init__(self, seconds: float, all_of_them: set[IdleTimeout]) -> None:
        super().__init__(seconds, False)
        self._all_of_them = all_of_them

    def __enter__(self) -> IdleTimeout:
        self._waiting = gevent.getcurrent()
        self._all_of_them.add(self)
        super().__enter__()
        return self

    def __exit__(self, *raised: Any) -> bool | None:
        self._all_of_them.discard(self)
        return super().__exit__(*raised)

    def interrupt(self) -> None:
        gevent.get_hub().loop.run_callback(self._end_now)

    def _end_now(self) -> None:
        if self in self._all_of_them:  # and not at work on a request that has come meanwhile
            self._waiting.throw(self)


class Worker(GeventWorker):
    """A gevent worker that leaves once it is replaced, or at once when everything stops, and that ends requests which
    stop coming."""

    is_leaving = False
    sockets: list[Any]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._listening: list[DrainingServer] = []
        self._quiet: set[IdleTimeout] = set()

    def patch(self) -> None:
        """Patch what the first process has not, rather than all again, which takes a quarter of a second; and have the
        sockets wait on the loop of this process."""
        monkey.patch_os()
        monkey.patch_signal()
        self.sockets = [
            socket.socket(each.FAMILY, socket.SOCK_STREAM, fileno=each.sock.detach()) for each in self.sockets
        ]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        replaced, last = _ages()
        if self.age > replaced or _shared[STOPPING]:
            self._end(sig, frame)
        elif not self.is_leaving:  # gunicorn says it again every second
            self.is_leaving = True
            gevent.spawn(self._leave_when_replaced, range(replaced + 1, last + 1), sig)

    def _leave_when_replaced(self, new: range, sig: int) -> None:
        until = time.monotonic() + PATIENCE
        while not (_shared[STOPPING] or all(_shared[_slot_of(age)] for age in new)) and time.monotonic() < until:
            gevent.sleep(POLL_INTERVAL)
        self._end(sig, None)

    def _end(self, sig: int, frame: FrameType | None) -> None:
        was_alive = self.alive
        super().handle_exit(sig, frame)
        if was_alive:
            gevent.spawn(self._let_go)

    def _let_go(self) -> None:
        """Take no more connections, and close those on which nothing is asked for a moment."""
        for each in self._listening:
            each.close()
        quiet = list(self._quiet)
        gevent.sleep(LAST_REQUEST)
        for connection in self._quiet.intersection(quiet):
            connection.interrupt()

    def server_class(self, listener: Any, *, spawn: Any, **options: Any) -> DrainingServer:
        """What takes the connections, instead of what gunicorn has for that."""
        security = {name: options[name] for name in ("ssl_context",) if name in options}
        # Each connection asks for its name, and some do when it is closed already.
        name = listener.getsockname()
        named = SimpleNamespace(getsockname=lambda: name)
        server = DrainingServer(listener, handle=partial(self.handle, named), spawn=spawn, **security)
        if self.cfg.workers > 1:
            server.max_accept = 1
        self._listening.append(server)
        return server

    def timeout_ctx(self) -> IdleTimeout:
        return IdleTimeout(self.cfg.keepalive if self.alive else LAST_REQUEST, self._quiet)

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        from app.runtime.request_body import Body, TimedSocket  # it imports the settings, which come later

        plain = req.unreader.sock
        req.unreader.sock = TimedSocket(plain, self.wsgi.config["SETTINGS"].body_timeout)
        req.body = Body(req.body)
        try:
            answered = super().handle_request(listener_name, req, sock, addr)
        finally:
            req.unreader.sock = plain
            req.body.is_answered = True
        if req.body.is_broken:
            raise StopIteration  # what follows on the connection is no request
        return answered
