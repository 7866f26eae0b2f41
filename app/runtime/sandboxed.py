"""The inside of the sandbox: what the child does, and the refusals that its work may raise. It imports little, as it
starts anew for each file."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sys
from importlib import import_module
from typing import Any

NICENESS = 10
MEBIBYTE = 1024 * 1024
MAX_OPEN_FILES = 64
TOO_LONG = "It takes longer than {} seconds"
TOO_LARGE = "It takes more than {} MiB of memory"
TOO_LONG_WRITTEN = "It takes more than {} MiB when it is written down"


class Refusal(Exception):
    """Input that cannot be worked with; the text says why, in a sentence for its sender."""


class OutOfBounds(Refusal):
    """Work that takes more time or memory than it may."""


def _limit(seconds: int, memory: int, largest: int) -> None:
    """Bound this process, whatever happens to the one that waits for it."""
    limits = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_AS: (memory * MEBIBYTE, memory * MEBIBYTE),
        resource.RLIMIT_FSIZE: (largest * MEBIBYTE, largest * MEBIBYTE),
        resource.RLIMIT_NOFILE: (MAX_OPEN_FILES, MAX_OPEN_FILES),
        resource.RLIMIT_CORE: (0, 0),
    }
    for what, bounds in limits.items():
        resource.setrlimit(what, bounds)
    signal.alarm(2 * seconds)
    os.nice(NICENESS)


def _answered(work: str, bounds: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    module, _, name = work.partition(":")
    try:
        work_on = getattr(import_module(module), name)
        if not bounds["target"]:
            return {"result": work_on(sys.stdin.buffer.read(), **arguments)}
        with open(bounds["target"][0], "wb") as target:
            return {"result": work_on(sys.stdin.buffer.read(), target=target, **arguments)}
    except MemoryError:
        return {"beyond": TOO_LARGE.format(bounds["memory"])}
    except OSError as error:
        if error.errno == errno.EFBIG:
            return {"beyond": TOO_LONG_WRITTEN.format(bounds["largest"])}
        raise
    except Refusal as refusal:
        return {"refused": str(refusal)}


def main(work: str, bounds: str, arguments: str) -> None:
    """Be the child: take limits, work on standard input, and answer on standard output."""
    limits = json.loads(bounds)
    _limit(limits["seconds"], limits["memory"], limits["largest"])
    sys.stdout.write(json.dumps(_answered(work, limits, json.loads(arguments))))
