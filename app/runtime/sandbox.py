"""The sandbox: a child process with limits of time and memory, and without secrets, for untrusted files.

A file may be made so that reading it takes hours, or all the memory there is. The child has its own limits, set before
it looks at the file, and an empty environment.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from app.runtime.processes import OwnProcess, end
from app.runtime.sandboxed import MEBIBYTE, TOO_LONG, OutOfBounds, Refusal

log = logging.getLogger(__name__)

# What the child may write: an answer, which its function bounds, in JSON with every character escaped.
MAX_ANSWER = 16 * MEBIBYTE
ENDED_BY_TIME = (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
CHILD = "import sys; sys.path[:0] = sys.argv[1:2]; from app.runtime.sandboxed import main; main(*sys.argv[2:])"


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
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as said:
        streams = [each.fileno() for each in (source, answer, said)]
        child = _spawned([work, bounds, json.dumps(arguments)], streams, passed)
        try:
            if not child.wait(2 * seconds + 1):
                raise OutOfBounds(TOO_LONG.format(2 * seconds))
        finally:
            end([child], 0, signal.SIGKILL)
        answer.seek(0)
        return _read(child.status or 0, answer.read(MAX_ANSWER), said, seconds)


def _spawned(arguments: list[str], streams: list[int], passed: list[int]) -> OwnProcess:
    """Start the child, with ``streams`` as its standard ones, and the files ``passed`` under their own numbers. To fork
    a web worker would keep it from its requests for as long as its memory is large."""
    command = [sys.executable, "-P", "-c", CHILD, str(Path(__file__).parents[2]), *arguments]
    numbers = [*enumerate(streams), *((each, each) for each in passed)]
    files = [(os.POSIX_SPAWN_DUP2, opened, number) for number, opened in numbers]
    child = os.posix_spawn(sys.executable, command, {"PYTHONUTF8": "1"}, file_actions=files, setsid=True)
    return OwnProcess.forked(child)


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
