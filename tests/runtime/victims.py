"""What is done to processes that are not ours, within a PID namespace of its own, so that a red test harms nobody.

Run as the first process of the namespace; what came of it is printed as JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from app.runtime.cluster import EmbeddedError
from app.runtime.embedded import Postgres, Redis, _redis_program
from app.runtime.keeper import SERVER, ChildReaper
from app.runtime.processes import OwnProcess, end
from app.testing.waiting import await_true
from tests.end_to_end.service import FLASK, await_answer, environment, free_port

NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
if os.geteuid():
    NAMESPACE += ["--user", "--map-current-user"]


class Victim:
    """A process with a child of its own, neither of which may come to harm."""

    def __init__(self, program: str = "sleep", **options) -> None:
        self.process = subprocess.Popen(["sh", "-c", f"exec {program} 1000"], **options)
        self.number = self.process.pid

    def lives(self) -> bool:
        time.sleep(0.1)  # a signal that was sent comes within this time
        return self.process.poll() is None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def with_number(number: int) -> Victim:
    """A victim that has the number of a process that has ended."""
    for _ in range(100):
        Path("/proc/sys/kernel/ns_last_pid").write_text(str(number - 1))
        victim = Victim()
        if victim.number == number:
            return victim
        victim.close()
    raise RuntimeError("the number was not given again")


def note(folder: Path, number: object, started: float) -> None:
    """Have a PostgreSQL that is gone leave its note."""
    data = folder / "postgres"
    lines = [number, data, int(started), 5432, data, "", "  1234567         0", "ready   "]
    (data / "postmaster.pid").write_text("".join(f"{line}\n" for line in lines))


def start_and_stop(server: Postgres | Redis) -> str:
    """Start a server and stop it; tell what came of it."""
    try:
        server.start()
    except EmbeddedError as error:
        return str(error)
    finally:
        server.stop()
    return "started"


def stale_notes(folder: Path) -> dict[str, object]:
    """Starts of PostgreSQL with notes of one that is gone."""
    start_and_stop(Postgres(str(folder)))
    victim, found = Victim(), {}
    begun = psutil.Process(victim.number).create_time()
    numbers = {
        "its number": victim.number, "its number below zero": -victim.number, "one": 1, "minus one": -1, "zero": 0,
        "no number": "x", "a large number": 10**30,
    }  # fmt: skip
    for name, number in numbers.items():
        note(folder, number, begun)
        found[name] = start_and_stop(Postgres(str(folder))), victim.lives()
    victim.close()
    with tempfile.TemporaryDirectory() as programs:
        shutil.copy(shutil.which("sleep"), f"{programs}/postgres")
        seeming = Victim(f"{programs}/postgres", cwd=folder / "postgres")
        await_true(lambda: psutil.Process(seeming.number).name() == "postgres")
        note(folder, seeming.number, psutil.Process(seeming.number).create_time())
        found["a postgres of others"] = start_and_stop(Postgres(str(folder))), seeming.lives()
        seeming.close()
    return found


def numbers_used_again(folder: Path) -> dict[str, object]:
    """Stops of what has ended, and whose number another process has."""
    found = {}
    postgres, redis = Postgres(str(folder)), Redis(str(folder))
    for name, server in (("postgres", postgres), ("redis", redis)):
        server.start()
        killed = psutil.Process(server.process_id)
        left = killed.children()
        killed.kill()
        psutil.wait_procs([killed, *left], 10)
        found[name] = used_again(killed.pid, server.stop)
    part = OwnProcess.launch(["sleep", "1000"])
    part.send(signal.SIGKILL)
    found["part"] = used_again(part.number, lambda: end([part], 1))
    with (folder / "keeper.lock").open("a") as held:
        keeper = ChildReaper(1, held.fileno())
        kept = OwnProcess.launch(["sleep", "1000"])
        keeper.watch(kept, SERVER)
        kept.send(signal.SIGKILL)
        found["keeper"] = used_again(kept.number, keeper.close)
    return found


def used_again(number: int, stop: Callable[[], object]) -> bool:
    """Whether a process that has the number of one that was killed outlives the stop of that."""
    with suppress(ChildProcessError):
        os.waitpid(number, 0)
    victim = with_number(number)
    stop()
    lives = victim.lives()
    victim.close()
    return lives


def strange_redis(folder: Path) -> dict[str, object]:
    """A start where a Redis of somebody else answers at the socket."""
    redis = Redis(str(folder))
    command = [_redis_program(), "--port", "0", "--unixsocket", str(redis.socket), "--dir", "/"]
    stranger = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    await_true(redis._answers)
    said = start_and_stop(redis)
    time.sleep(0.5)  # in which it would have ended
    return {"said": said, "lives": stranger.poll() is None}


def serve(folder: Path) -> dict[str, object]:
    """flask serve, which is stopped when it answers, with notes of a PostgreSQL that is gone."""
    start_and_stop(Postgres(str(folder)))
    victim, found = Victim(), {}
    for name, number in (("its number", victim.number), ("one", 1)):
        note(folder, number, time.time())
        port, log = free_port(), folder / f"{name}.log"
        env = environment(VAR_DIR=str(folder), PORT=str(port))
        with log.open("wb") as output:
            run = subprocess.Popen([*FLASK, "serve"], env=env, stdout=output, stderr=output)
        await_answer(f"http://127.0.0.1:{port}/healthz", run, log)
        run.send_signal(signal.SIGTERM)
        run.wait()
        found[name] = run.returncode, victim.lives()
    return found


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](Path(sys.argv[2]))))
