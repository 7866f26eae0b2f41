"""Services written with a framework as its documentation says: FastAPI, flask-smorest, Django REST Framework."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID, uuid4, uuid5

import orjson
from joserfc import jwt
from joserfc.jwk import OctKey

from bench.peers.peer import APPS, SECRET_KEY, WORKERS, Answer, Ask, Peer, run, version_in, virtual_environment
from bench.peers.world import BIG, NAMESPACE, SIGNED_IN, TAKE, World, email, user_id

COLUMNS = (
    "id", "owner_id", "first_name", "last_name", "email", "phone", "title", "company_id", "created_at", "updated_at",
)  # fmt: skip
DAY = 86400


@cache
def signed(owner: int) -> str:
    """A JSON Web Token of an owner, as FastAPI's tutorial and Flask-JWT-Extended both take it."""
    now = int(time.time())
    claims = {
        "sub": str(user_id(owner)), "iat": now, "nbf": now, "exp": now + DAY, "jti": str(uuid4()), "type": "access",
        "fresh": False,
    }  # fmt: skip
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET_KEY))


class Framework(Peer):
    """A module in an environment of its own, which makes its tables when it is run."""

    packages: ClassVar[tuple[str, ...]]

    @property
    def binaries(self) -> Path:
        return self.folder / "venv" / "bin"

    def install(self) -> None:
        virtual_environment(self.folder, APPS / self.name / "requirements.txt")

    def working_folder(self) -> Path:
        return APPS / self.name

    def version(self) -> str:
        return version_in(self.binaries, *self.packages)

    def prepare(self, world: World) -> None:
        assert self.database is not None
        self.parts.make_database(self.database)
        making = [str(self.binaries / "python"), "main.py"]
        environment = self.environment(self.parts.sockets)
        run(making, folder=self.working_folder(), log=self.folder / "install.log", **environment)
        self.parts.copy(self.database, *self._users())
        companies = ((identifier, self.user(owner), name) for identifier, owner, name in world.companies())
        self.parts.copy(self.database, "companies", ("id", "owner_id", "name"), companies)
        contacts = ((each.id, self.user(each.owner), *each[2:]) for each in world.contacts)
        self.parts.copy(self.database, "contacts", COLUMNS, contacts)

    def user(self, owner: int) -> Any:
        """The id of an owner."""
        return user_id(owner)

    def _users(self) -> tuple[str, tuple[str, ...], Iterable[tuple[Any, ...]]]:
        rows = ((self.user(owner), email(owner), False) for owner in range(BIG + 1))
        return "users", ("id", "email", "disabled"), rows

    def authorization(self, owner: int) -> str:
        return f"Bearer {signed(owner)}"


class SkipAndCompany(Peer):
    """Pages by ``skip`` and ``company_id``, and one without a count at an address of its own."""

    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        query = f"skip={skip}" + (f"&company_id={company}" if company else "")
        return Ask("GET", f"/contacts?{query}")

    def uncounted(self) -> Ask:
        return Ask("GET", "/contacts/uncounted")

    def rows(self, answer: Answer) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = answer.body
        return found


class FastApi(SkipAndCompany, Framework):
    name, title, database = "fastapi", "FastAPI, SQLAlchemy, asyncpg", "fastapi"
    packages = ("fastapi", "sqlalchemy", "asyncpg", "uvicorn")

    def command(self) -> list[str]:
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--workers", str(WORKERS), "--no-access-log"]
        return [str(self.binaries / "uvicorn"), "main:app", *options]


class GunicornThreads(Framework):
    """Two processes of four threads, which keep connections open, as gunicorn's documentation has it behind a proxy."""

    application: ClassVar[str]

    def command(self) -> list[str]:
        options = ["--bind", f"127.0.0.1:{self.port}", "--workers", str(WORKERS), "--threads", "4"]
        return [str(self.binaries / "gunicorn"), "--no-control-socket", *options, self.application]


class Smorest(GunicornThreads):
    name, title, database = "smorest", "flask-smorest", "smorest"
    packages = ("flask-smorest", "flask", "sqlalchemy", "psycopg", "gunicorn")
    application = "main:create_app()"

    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        query = f"page={skip // TAKE + 1}&page_size={TAKE}" + (f"&company_id={company}" if company else "")
        return Ask("GET", f"/contacts?{query}")

    def uncounted(self) -> Ask:
        return Ask("GET", "/contacts/uncounted")

    def update(self, contact: UUID | str, values: Mapping[str, Any]) -> Ask:
        return Ask("PUT", f"/contacts/{contact}", values)

    def records(self, answer: Answer) -> tuple[list[Mapping[str, Any]], int]:
        return answer.body, orjson.loads(answer.headers["X-Pagination"])["total"]

    def rows(self, answer: Answer) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = answer.body
        return found


class Django(GunicornThreads):
    name, title, database = "django", "Django REST Framework", "django"
    packages = ("djangorestframework", "django", "psycopg", "gunicorn")
    application = "main:application"

    def prepare(self, world: World) -> None:
        super().prepare(world)
        tokens = ((_token(owner), self.user(owner), world.contacts[0].created_at) for owner in SIGNED_IN)
        assert self.database is not None
        self.parts.copy(self.database, "authtoken_token", ("key", "user_id", "created"), tokens)

    def user(self, owner: int) -> int:
        return owner + 1

    def _users(self) -> tuple[str, tuple[str, ...], Iterable[tuple[Any, ...]]]:
        columns = (
            "id", "username", "email", "password", "first_name", "last_name", "is_superuser", "is_staff", "is_active",
            "date_joined",
        )  # fmt: skip
        rows = (
            (self.user(owner), email(owner), email(owner), "!", "", "", False, False, True, "2026-01-01T00:00:00Z")
            for owner in range(BIG + 1)
        )
        return "auth_user", columns, rows

    def authorization(self, owner: int) -> str:
        return f"Token {_token(owner)}"

    def item(self, contact: UUID | str) -> Ask:
        return Ask("GET", f"/contacts/{contact}/")

    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        query = f"limit={TAKE}&offset={skip}" + (f"&company={company}" if company else "")
        return Ask("GET", f"/contacts/?{query}")

    def uncounted(self) -> Ask:
        return Ask("GET", "/uncounted/")

    def create(self, owner: int, values: Mapping[str, Any]) -> Ask:
        return Ask("POST", "/contacts/", values)

    def update(self, contact: UUID | str, values: Mapping[str, Any]) -> Ask:
        return Ask("PATCH", f"/contacts/{contact}/", values)

    def records(self, answer: Answer) -> tuple[list[Mapping[str, Any]], int]:
        return self.rows(answer), answer.body["count"]

    def rows(self, answer: Answer) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = answer.body["results"]
        return found


def _token(owner: int) -> str:
    return uuid5(NAMESPACE, f"token {owner}").hex + "00000000"
