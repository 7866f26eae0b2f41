"""Work for child processes: what is well, what takes too much, and what fails."""

from __future__ import annotations

import os

from app.runtime.sandboxed import Refusal


def echo(content: bytes) -> str:
    return content.decode()


def compute_for_ever(content: bytes) -> None:
    while True:
        pass


def take_all_memory(content: bytes) -> None:
    bytearray(1024**3)


def refuse(content: bytes) -> None:
    raise Refusal("It is not for us")


def fail(content: bytes) -> None:
    raise LookupError("a bug")


def environment(content: bytes) -> list[str]:
    return sorted(os.environ)
