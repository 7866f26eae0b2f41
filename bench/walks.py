"""Walks through the code: ``python -m bench.walks`` prints which functions a request goes through, and how many files.

A function is told once, indented by how deep it is called. What every request goes through (the guard, the response)
and what runs below the engine (foundation, runtime) is left out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import orjson
import pyotp
from flask import Flask

from app.factory import create_app
from app.testing import parts
from app.testing.cast import Cast
from config import ROOT, Settings

ROOMS = ("app/", "blueprints/", "schemas/", "rowgate/")
BESIDE = (
    "app/foundation/", "app/runtime/", "app/testing/", "app/factory.py", "app/auth/keys/key_usage/",
    "blueprints/http/routing.py", "app/auth/sign_in/oauth/state_cookie.py",
)  # fmt: skip
# Who calls is found before the view; a sign-in is a walk of its own.
GUARD = ("app/auth/credentials/", "app/auth/organizations/memberships.py", "app/auth/accounts/users.py")
PASSWORD = "a password of the walks 1"


class Walk:
    """The functions that were called, in the order of their first call, with their depth."""

    def __init__(self, beside: tuple[str, ...]) -> None:
        self.steps: dict[tuple[str, str], int] = {}
        self._beside = beside
        self._depth = 0

    @property
    def files(self) -> list[str]:
        """The files of the functions, in the order in which they are come to."""
        return list(dict.fromkeys(file for file, _ in self.steps))

    def see(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call or a return, as ``sys.setprofile`` has them told."""
        file = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        if not file.startswith(ROOMS) or file.startswith(self._beside):
            return
        if event == "call":
            self._depth += 1
            name = frame.f_code.co_qualname.replace(".<locals>", "")
            if "<" not in name:
                self.steps.setdefault((file, name), self._depth)
        elif event == "return":
            self._depth -= 1


@contextmanager
def walking(beside: tuple[str, ...] = (*BESIDE, *GUARD)) -> Iterator[Walk]:
    """Note the calls of the block, but for those of files ``beside`` the way."""
    walk = Walk(beside)
    sys.setprofile(walk.see)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def requests(cast: Cast) -> Iterator[tuple[str, Walk]]:
    """Yield a list, updates of a plain model and of one with hooks, and a batch, each after it was done once before."""
    owner = cast.user()

    def made(path: str, body: dict[str, str]) -> str:
        identifier: str = orjson.loads(owner.post(path, body).data)["id"]
        return identifier

    company = f"/api/v1/crm/company/{made('/api/v1/crm/company', {'name': 'Acme'})}"
    named = {"name": "Crane", "companyId": company.rpartition("/")[2]}
    deal = f"/api/v1/crm/deal/{made('/api/v1/crm/deal', named)}"
    asked: dict[str, Callable[[int], Any]] = {
        "a list": lambda turn: owner.get("/api/v1/crm/deal?stage=lead&sort=-createdAt"),
        "an update": lambda turn: owner.patch(company, {"name": f"Acme {turn}"}),
        "an update with hooks": lambda turn: owner.patch(deal, {"stage": ("qualified", "proposal")[turn]}),
        "a batch": lambda turn: owner.post(
            "/api/v1/_batch", {"requests": [{"method": "PATCH", "path": deal, "body": {"name": f"Crane {turn}"}}]}
        ),
    }
    for name, ask in asked.items():
        ask(0)
        with walking() as walk:
            answered = ask(1)
        if answered.status_code != 200:
            raise SystemExit(f"{name}: {answered.status_code} {answered.get_data(True)}")
        yield name, walk


def sign_in(app: Flask) -> Walk:
    """Return the walk of a sign-in with a second factor."""
    client = app.test_client()

    def post(path: str, body: dict[str, str], token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return orjson.loads(client.post(f"/api/auth/{path}", json=body, headers=headers).data)

    account = {"email": "ada@walks.example", "password": PASSWORD, "name": "Ada"}
    token = post("signup", account)["token"]
    totp = pyotp.TOTP(post("two-factor/enroll", {}, token)["secret"])
    post("two-factor/confirm", {"code": totp.now()}, token)
    with walking(BESIDE) as walk:
        challenge = post("signin", {"email": account["email"], "password": PASSWORD})["challenge"]
        post("two-factor/challenge", {"challenge": challenge, "code": totp.at(int(time.time()) + 30)})
    return walk


def route_of_plugin(folder: str) -> Walk:
    """Return the walk from the model of a plugin to its route."""
    sys.path.insert(0, str(ROOT / "examples" / "helpdesk"))
    with walking(BESIDE[:3]) as walk:
        create_app(Settings(var_dir=folder, plugins="helpdesk.plugin"))
    return walk


def main() -> None:
    """Print the walks."""
    with parts.servers() as folder, parts.application(Settings(var_dir=folder)) as app:
        found = [*requests(Cast(app)), ("a sign-in with a second factor", sign_in(app))]
        for name, walk in (*found, ("a plugin's model to its route", route_of_plugin(folder))):
            print(f"{name}: {len(walk.files)} files")
            for (file, function), depth in walk.steps.items():
                print(f"{'  ' * min(depth, 12)}{function}  ({file})")


if __name__ == "__main__":
    main()
