"""Walks through the code: ``python -m bench.walks`` prints which functions a request goes through, and how many files.

A function is told once, indented by how deep it is called. What every request goes through (the guard, the response)
and what runs below the engine (foundation, runtime) is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import orjson

from app.testing import parts
from app.testing.cast import Actor, Cast
from config import ROOT, Settings

ROOMS = ("app/", "blueprints/", "schemas/", "rowgate/")
BESIDE = ("app/foundation/", "app/runtime/", "app/testing/", "app/factory.py", "app/auth/credentials/authentication.py")


class Walk:
    """The functions that were called, in the order of their first call, with their depth."""

    def __init__(self) -> None:
        self.steps: dict[tuple[str, str], int] = {}
        self._depth = 0

    @property
    def files(self) -> list[str]:
        """The files of the functions, in the order in which they are come to."""
        return list(dict.fromkeys(file for file, _ in self.steps))

    def see(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call or a return, as ``sys.setprofile`` has them told."""
        file = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        if not file.startswith(ROOMS) or file.startswith(BESIDE):
            return
        if event == "call":
            self._depth += 1
            name = frame.f_code.co_qualname.replace(".<locals>", "")
            if "<" not in name:
                self.steps.setdefault((file, name), self._depth)
        elif event == "return":
            self._depth -= 1


@contextmanager
def walking() -> Iterator[Walk]:
    """Note the calls of the block."""
    walk = Walk()
    sys.setprofile(walk.see)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def walks(cast: Cast) -> Iterator[tuple[str, Walk]]:
    """Yield a list, an update of a hooked model, and a batch, each after it was done once before."""
    owner = cast.user()

    def made(path: str, body: dict[str, str]) -> str:
        identifier: str = orjson.loads(owner.post(path, body).data)["id"]
        return identifier

    company = made("/api/v1/crm/company", {"name": "Acme"})
    deal = made("/api/v1/crm/deal", {"name": "Crane", "companyId": company})
    path = f"/api/v1/crm/deal/{deal}"
    part = {"method": "PATCH", "path": path, "body": {"name": "Crane 2"}}
    asked: dict[str, Callable[[Actor, int], Any]] = {
        "a list": lambda actor, turn: actor.get("/api/v1/crm/deal?stage=lead&sort=-createdAt"),
        "an update": lambda actor, turn: actor.patch(path, {"stage": ("qualified", "proposal")[turn]}),
        "a batch": lambda actor, turn: actor.post(
            "/api/v1/_batch", {"requests": [part | {"body": {"name": f"C{turn}"}}]}
        ),
    }
    for name, ask in asked.items():
        ask(owner, 0)
        with walking() as walk:
            answered = ask(owner, 1)
        if answered.status_code != 200:
            raise SystemExit(f"{name}: {answered.status_code} {answered.get_data(True)}")
        yield name, walk


def main() -> None:
    """Print the walks."""
    with parts.servers() as folder, parts.application(Settings(var_dir=folder)) as app:
        for name, walk in walks(Cast(app)):
            print(f"{name}: {len(walk.files)} files")
            for (file, function), depth in walk.steps.items():
                print(f"{'  ' * min(depth, 12)}{function}  ({file})")


if __name__ == "__main__":
    main()
