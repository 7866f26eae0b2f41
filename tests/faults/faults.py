"""What may happen to the parts of the service; each fault does it, and undoes it where it does not pass by itself."""

from __future__ import annotations

import errno
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random

import psutil

from tests.faults.quiet import within
from tests.faults.service import Service

# Seconds: an outage, a shorter one, one for which a stream may not wait, and one for which no client waits.
OUTAGE, SHORT_OUTAGE, LONG_OUTAGE, MAX_OUTAGE = 8.0, 5.0, 20.0, 45.0
SLOWNESS = 0.3
# Seconds for which a fault that takes single messages waits for them.
MESSAGES_WITHIN = 15.0
# Workers leave when others have loaded the application, and streams and requests have ended.
RELOADED_WITHIN = 45.0
LOST_COMMITS = 5
FULL, PIECE = errno.ENOSPC, 1024 * 1024
JOBS_BEING_DONE = "SELECT 1 FROM procrastinate_jobs WHERE status = 'doing' AND args ? 'row_id'"
ANSWERS_BEING_GIVEN = "SELECT 1 FROM ai_stream WHERE status IN ('pending', 'streaming')"
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'rowgate' ORDER BY state_change DESC"


@dataclass(frozen=True)
class Fault:
    """A fault by its name; one that is not ``felt`` leaves every request with its usual answer."""

    name: str
    happen: Callable[[Service, Random], None]
    felt: bool = True


class Missed(Exception):
    """What a fault waits for does not come."""


FAULTS: dict[str, Fault] = {}
Happening = Callable[[Service, Random], None]


def fault(name: str, *, felt: bool = True) -> Callable[[Happening], Happening]:
    """Enter a fault into the list."""

    def enter(happen: Happening) -> Happening:
        FAULTS[name] = Fault(name, happen, felt)
        return happen

    return enter


@fault("web-worker-killed")
def kill_web_worker(service: Service, chance: Random) -> None:
    chance.choice(service.web_workers).kill()


@fault("web-workers-killed")
def kill_web_workers(service: Service, chance: Random) -> None:
    """All at once, in the middle of an answer."""
    workers = service.web_workers
    _await("an answer that is being given", lambda: bool(service.sql(ANSWERS_BEING_GIVEN)), every=0.0)
    for worker in workers:
        worker.kill()


@fault("web-master-killed")
def kill_web_master(service: Service, chance: Random) -> None:
    """Its workers go on until they notice, and keep the port so long from the master that is started in its place."""
    orphans = service.web_workers
    service.web.kill()
    service.healed_at = time.monotonic()
    _await("the orphans to leave", lambda: not any(worker.is_running() for worker in orphans))


@fault("job-worker-killed", felt=False)
def kill_job_worker(service: Service, chance: Random) -> None:
    """In the middle of a job."""
    _await("a job that is being done", lambda: bool(service.sql(JOBS_BEING_DONE)), every=0.0)
    service.jobs.kill()


@fault("postgres-killed")
def kill_postgres(service: Service, chance: Random) -> None:
    left = service.postgres_processes
    service.postmaster.kill()
    psutil.wait_procs(left, timeout=OUTAGE)
    service.start_postgres()


@fault("postgres-crashed")
def crash_postgres(service: Service, chance: Random) -> None:
    """All of its processes are killed at once."""
    left = service.postgres_processes
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=OUTAGE)
    service.start_postgres()


@fault("redis-killed", felt=False)
def kill_redis(service: Service, chance: Random) -> None:
    service.redis_server.kill()
    service.redis._server.wait(OUTAGE)
    time.sleep(SHORT_OUTAGE)
    service.redis.start()


@fault("postgres-frozen")
def freeze_postgres(service: Service, chance: Random) -> None:
    try:
        for process in service.postgres_processes:
            process.suspend()
        time.sleep(OUTAGE)
    finally:
        service.thaw()


@fault("redis-frozen", felt=False)
def freeze_redis(service: Service, chance: Random) -> None:
    try:
        service.redis_server.suspend()
        time.sleep(LONG_OUTAGE)
    finally:
        service.thaw()


@fault("backend-frozen")
def freeze_backend(service: Service, chance: Random) -> None:
    (pid,) = chance.choice(service.sql(BACKENDS)[:10])
    try:
        psutil.Process(pid).suspend()
        time.sleep(MAX_OUTAGE)
    finally:
        service.thaw()


@fault("answers-delayed", felt=False)
def delay_answers(service: Service, chance: Random) -> None:
    service.proxy.delay(SLOWNESS)
    time.sleep(OUTAGE)
    service.proxy.pass_through()


@fault("connections-reset")
def reset_connections(service: Service, chance: Random) -> None:
    service.proxy.reset()


@fault("commits-swallowed")
def swallow_commits(service: Service, chance: Random) -> None:
    with _messages_lost(service, "swallowed"):
        service.proxy.swallow_commits(LOST_COMMITS)


@fault("upload-commits-swallowed")
def swallow_commits_of_uploads(service: Service, chance: Random) -> None:
    with _messages_lost(service, "swallowed"):
        service.proxy.swallow_commits(LOST_COMMITS, after=b"text/plain")


@fault("commits-dropped")
def drop_commits(service: Service, chance: Random) -> None:
    with _messages_lost(service, "dropped"):
        service.proxy.drop_commits(LOST_COMMITS)


@fault("deferrals-reset")
def reset_deferrals(service: Service, chance: Random) -> None:
    """The connection is lost between a row and the job that belongs to it."""
    with _messages_lost(service, "matched"):
        service.proxy.reset_on(b"procrastinate_defer_jobs", LOST_COMMITS)


@fault("network-silent")
def silence(service: Service, chance: Random) -> None:
    service.proxy.silence()
    time.sleep(OUTAGE)
    service.proxy.pass_through()


@fault("connections-silent")
def silence_existing(service: Service, chance: Random) -> None:
    service.proxy.silence(existing_only=True)
    time.sleep(MAX_OUTAGE)
    service.proxy.pass_through()


@fault("connections-refused")
def refuse(service: Service, chance: Random) -> None:
    service.proxy.refuse()
    time.sleep(SHORT_OUTAGE)
    service.proxy.pass_through()


@fault("disk-full")
def fill_disk(service: Service, chance: Random) -> None:
    filler = service.uploads / "filler"
    try:
        _fill(service)
        time.sleep(SHORT_OUTAGE)
    finally:
        filler.unlink(missing_ok=True)


@fault("reloaded", felt=False)
def reload(service: Service, chance: Random) -> None:
    _reload(service)


@fault("reloaded-thrice", felt=False)
def reload_thrice(service: Service, chance: Random) -> None:
    for _ in range(2):
        service.web.process.send_signal(signal.SIGHUP)
        time.sleep(chance.uniform(0, 2))
    _reload(service)


def _reload(service: Service) -> None:
    """Reload, and wait until the workers of before have left."""
    before = service.web_workers
    service.web.process.send_signal(signal.SIGHUP)
    _await("the workers to leave", lambda: not any(worker.is_running() for worker in before), RELOADED_WITHIN)


def _fill(service: Service) -> None:
    piece = b"\0" * PIECE
    try:
        with (service.uploads / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(piece)
    except OSError as error:
        if error.errno != FULL:
            raise


@contextmanager
def _messages_lost(service: Service, counter: str) -> Iterator[None]:
    """Wait until the proxy has lost as many messages as it was told to, by its ``counter``, and let all pass again."""
    before = getattr(service.proxy, counter)
    yield
    _await(f"{LOST_COMMITS} messages to lose", lambda: getattr(service.proxy, counter) - before >= LOST_COMMITS)
    service.proxy.pass_through()


def _await(what: str, condition: Callable[[], bool], seconds: float = MESSAGES_WITHIN, every: float = 0.05) -> None:
    if not within(seconds, condition, every=every):
        raise Missed(f"waited {seconds:.0f} s in vain for {what}")
