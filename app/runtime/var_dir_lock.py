"""The folder ``VAR_DIR``: who may start servers in it, one at a time, and the key that is kept there."""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app.runtime.cluster import EmbeddedError, Pause
from app.runtime.processes import POLL_INTERVAL
from config import SettingError

log = logging.getLogger("rowgate")

KEY_LENGTH = 32


class FolderInUse(EmbeddedError):
    """Somebody else runs the servers of this folder."""


def secret_key(var_dir: str) -> str:
    """The key of a development set-up, made at first use and kept, so that tokens outlive a restart; raises
    SettingError when the file of it holds none."""
    path = Path(var_dir) / "secret-key"
    if not path.exists():
        _make_key(path)
    key = path.read_text().strip()
    if len(key) < KEY_LENGTH:
        raise SettingError(
            f"{path} holds no key of {KEY_LENGTH} characters: bring it back from a backup, or remove it, upon which "
            "everybody signs in anew and secrets that were stored are lost"
        )
    return key


def _make_key(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_suffix(f".{os.getpid()}")
    made.unlink(missing_ok=True)  # of a process that was killed
    made.touch(mode=0o600)
    with made.open("w") as file:
        file.write(secrets.token_hex(32))
        file.flush()
        os.fsync(file.fileno())
    # Whoever links first wins, so that processes that start together agree.
    with suppress(FileExistsError):
        os.link(made, path)
    made.unlink()


@contextmanager
def lock_var_dir(var_dir: str, pause: Pause = time.sleep) -> Iterator[int]:
    """Hold the folder for this process, as whoever starts the servers also stops them; raises FolderInUse.

    Where an earlier process was killed, it waits until the children of that have ended. Yields the file descriptor that
    the keeper inherits, so that the folder stays locked until those of this process have ended.
    """
    Path(var_dir).mkdir(parents=True, exist_ok=True)
    with (Path(var_dir) / "serve.lock").open("a+") as lock, (Path(var_dir) / "keeper.lock").open("a+") as keeper_lock:
        if not _is_locked_now(lock.fileno()):
            lock.seek(0)
            holder = f"Process {lock.read().strip() or 'unknown'} of flask"
            raise FolderInUse(f"{holder} uses {var_dir}: stop it, or set VAR_DIR to another folder")
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        for each in (lock, keeper_lock):
            os.register_at_fork(after_in_child=each.close)  # otherwise children would hold the folder, too
        if not _is_locked_now(keeper_lock.fileno()):
            log.warning("An earlier start was killed: waiting until its parts have ended")
            while not _is_locked_now(keeper_lock.fileno()):
                pause(POLL_INTERVAL)
        yield keeper_lock.fileno()


def holder(var_dir: str) -> int | None:
    """Return the process that holds the folder; None where none does."""
    with suppress(FileNotFoundError), (Path(var_dir) / "serve.lock").open() as lock:
        if not _is_locked_now(lock.fileno()):
            return int(lock.read().strip() or 0) or None
    return None


def _is_locked_now(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
