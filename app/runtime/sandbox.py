"""The sandbox: a child process with limits of time and memory, and without secrets, for untrusted files.

A file may be made so that reading it takes hours, or all the memory there is. The child has its own limits, set before
it looks at the file, and an empty environment.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import IO, Any

log = logging.getLogger(__name__)

NICENESS = 10
MEBIBYTE = 1024 * 1024
# What the child may write: an answer, which its function bounds, in JSON with every character escaped.
MAX_ANSWER = 16 * MEBIBYTE
MAX_OPEN_FILES = 64
ENDED_BY_TIME = (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
TOO_LONG = "It takes longer than {} seconds"
TOO_LARGE = "It takes more than {} MiB of memory"
TOO_LONG_WRITTEN = "It takes more than {} MiB when it is written down"


class Refusal(Exception):
    """Input that cannot be worked with; the text says why, in a sentence for its sender."""


class OutOfBounds(Refusal):
    """Work that takes more time or memory than it may."""


def run(
    work: str, source: IO[bytes], *, seconds: int, memory: int, target: IO[bytes] | None = None,
    largest: int = MAX_ANSWER // MEBIBYTE, **arguments: Any,
) -> Any:  # fmt: skip
    """What the function ``work`` (``module:name``) returns for the bytes of ``source`` and ``arguments``, as JSON can
    carry it. It may take ``seconds`` of a processor, twice as long in all, and ``memory`` MiB. With ``target`` it is
    given that file, to write ``largest`` MiB at most.

    Raises OutOfBounds, and Refusal when the function raises it or fails.
    """
    passed = [] if target is None else [target.fileno()]
    bounds = json.dumps({"seconds": seconds, "memory": memory, "largest": largest, "target": passed})
    command = [sys.executable, "-m", "app.runtime.sandbox", work, bounds, json.dumps(arguments)]
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as said:
        folder = Path(__file__).parents[2]
        child = subprocess.Popen(
            command, cwd=folder, env={"PYTHONUTF8": "1"}, stdin=source, stdout=answer, stderr=said,
            start_new_session=True, pass_fds=passed,
        )  # fmt: skip
        try:
            child.wait(2 * seconds + 1)
        except subprocess.TimeoutExpired:
            raise OutOfBounds(TOO_LONG.format(2 * seconds)) from None
        finally:
            child.kill()
            child.wait()
        answer.seek(0)
        return _read(child.returncode, answer.read(MAX_ANSWER), said, seconds)


def _read(status: int, answer: bytes, said: IO[bytes], seconds: int) -> Any:
    if -status in ENDED_BY_TIME:
        raise OutOfBounds(TOO_LONG.format(seconds))
    try:
        found = json.loads(answer)
    except ValueError:
        said.seek(0)
        log.warning("A child process failed with status %d: %s", status, said.read(4096).decode(errors="replace"))
        raise Refusal("It cannot be read") from None
    if "refused" in found:
        raise Refusal(found["refused"])
    if "beyond" in found:
        raise OutOfBounds(found["beyond"])
    return found["result"]


def _limit(seconds: int, memory: int, largest: int) -> None:
    """Bound this process, whatever happens to the one that waits for it."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory * MEBIBYTE, memory * MEBIBYTE))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest * MEBIBYTE, largest * MEBIBYTE))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES, MAX_OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(2 * seconds)
    os.nice(NICENESS)


def _answered(work: str, bounds: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    module, _, name = work.partition(":")
    try:
        if not bounds["target"]:
            return {"result": getattr(import_module(module), name)(sys.stdin.buffer.read(), **arguments)}
        with open(bounds["target"][0], "wb") as target:
            work_on = getattr(import_module(module), name)
            return {"result": work_on(sys.stdin.buffer.read(), target=target, **arguments)}
    except MemoryError:
        return {"beyond": TOO_LARGE.format(bounds["memory"])}
    except OSError as error:
        if error.errno == errno.EFBIG:
            return {"beyond": TOO_LONG_WRITTEN.format(bounds["largest"])}
        raise
    except Exception as error:
        # The class is that of a module which was loaded under another name.
        if any(each.__name__ == "Refusal" for each in type(error).__mro__):
            return {"refused": str(error)}
        raise


def main() -> None:
    """Be the child: take limits, work on standard input, and answer on standard output."""
    work, bounds, arguments = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
    _limit(bounds["seconds"], bounds["memory"], bounds["largest"])
    sys.stdout.write(json.dumps(_answered(work, bounds, arguments)))


if __name__ == "__main__":
    main()
