"""Services written by hand for speed, with the checks that Rowgate makes: FastAPI with asyncpg, and Go with pgx."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from app.runtime.embedded import redis_url
from bench.peers.frameworks import FastApi, SkipAndCompany
from bench.peers.peer import APPS, WORKERS, build_with_go
from bench.peers.world import BIG, NAMESPACE, SIGNED_IN, World, email, user_id

CONTACTS = (
    "id", "organization_id", "created_by_id", "first_name", "last_name", "email", "phone", "title", "company_id",
    "created_at", "updated_at",
)  # fmt: skip
CHECKS = "counts a limit in Redis, which is part of its figures"


def _home(owner: int) -> UUID:
    return uuid5(NAMESPACE, f"organization {owner}")


def _token(owner: int) -> str:
    return f"session-{uuid5(NAMESPACE, f'session {owner}').hex}"


class Tuned(SkipAndCompany):
    """A service over tables like ours: sessions and memberships are rows, and an organization holds the contacts."""

    note = CHECKS

    def prepare(self, world: World) -> None:
        name = self.database
        assert name is not None
        self.parts.make_database(name)
        with self.parts.connection(name) as connection:
            connection.execute((APPS / "tables.sql").read_text())
        owners = range(BIG + 1)
        ends = datetime.now(UTC) + timedelta(days=30)
        sessions = (
            (sha256(_token(owner).encode()).digest(), user_id(owner), _home(owner), ends) for owner in SIGNED_IN
        )
        companies = ((identifier, _home(owner), called) for identifier, owner, called in world.companies())
        contacts = ((each.id, _home(each.owner), user_id(each.owner), *each[2:]) for each in world.contacts)
        rows: dict[str, tuple[tuple[str, ...], Any]] = {
            "users": (("id", "email"), ((user_id(owner), email(owner)) for owner in owners)),
            "organizations": (("id", "name"), ((_home(owner), f"Owner {owner}") for owner in owners)),
            "members": (
                ("organization_id", "user_id", "role"), ((_home(owner), user_id(owner), "owner") for owner in owners)
            ),
            "sessions": (("digest", "user_id", "organization_id", "expires_at"), sessions),
            "companies": (("id", "organization_id", "name"), companies),
            "contacts": (CONTACTS, contacts),
        }  # fmt: skip
        for table, (columns, values) in rows.items():
            self.parts.copy(name, table, columns, values)

    def authorization(self, owner: int) -> str:
        return f"Bearer {_token(owner)}"

    def roots(self) -> list[int]:
        redis = self.parts.redis.process_id
        return [*super().roots(), *([redis] if redis is not None else [])]


class AsyncPg(Tuned, FastApi):
    name, title, database = "asyncpg", "FastAPI, asyncpg by hand, our checks", "asyncpg"
    packages = ("fastapi", "asyncpg", "uvicorn", "redis")

    def environment(self, database_host: str) -> dict[str, str]:
        return super().environment(database_host) | {"REDIS_URL": redis_url(self.parts.folder)}


class GoPgx(Tuned):
    name, title, database = "go", "Go, pgx by hand, our checks", "go"
    note = f"one process with {WORKERS} threads of Go; {CHECKS}"

    @property
    def _program(self) -> Path:
        return self.folder / "service"

    def install(self) -> None:
        build_with_go(APPS / self.name, self._program)

    def version(self) -> str:
        return ", ".join(
            f"{name} {found[1]}"
            for name in ("pgx/v5", "go-redis/v9")
            if (found := re.search(rf"{name} v([\d.]+)", (APPS / self.name / "go.mod").read_text()))
        )

    def command(self) -> list[str]:
        return [str(self._program)]

    def environment(self, database_host: str) -> dict[str, str]:
        return {
            "DATABASE_HOST": database_host,
            "REDIS_SOCKET": redis_url(self.parts.folder).partition("://")[2],
            "ADDRESS": f"127.0.0.1:{self.port}",
            "GOMAXPROCS": str(WORKERS),
        }
