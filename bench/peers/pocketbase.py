"""PocketBase, built from its Go module: one process over SQLite, with its own rules, tokens and indexes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from bench.peers.parts import Parts
from bench.peers.peer import APPS, WORKERS, Answer, Ask, Peer, Unavailable, build_with_go, run
from bench.peers.world import BIG, SIGNED_IN, TAKE, World, email

ADMIN, PASSWORD = "admin@bench.example", "a password of the bench"
RECORDS = "/api/collections/contacts/records"
OWN = "owner = @request.auth.id"
# Ids have 15 characters unless PocketBase is told otherwise; here they are those of everybody, without hyphens: with
# another pattern than this one, it looks through the whole table for each new id.
ID = {
    "name": "id", "type": "text", "system": True, "primaryKey": True, "required": True, "min": 15, "max": 36,
    "pattern": "^[a-z0-9]+$", "autogeneratePattern": "[a-z0-9]{15}",
}  # fmt: skip
COLUMNS = ("id", "owner", "first_name", "last_name", "email", "phone", "title", "company", "created_at", "updated_at")


class PocketBase(Peer):
    name, title = "pocketbase", "PocketBase (Go, SQLite)"
    note = f"one process with {WORKERS} threads of Go and its database inside; writes every request into its log"

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.users: dict[int, str] = {}
        self.tokens: dict[int, str] = {}
        self._admin = ""

    def install(self) -> None:
        build_with_go(APPS / PocketBase.name, self._program)

    def version(self) -> str:
        found = re.search(r"pocketbase/pocketbase v([\d.]+)", (APPS / PocketBase.name / "go.mod").read_text())
        return f"pocketbase {found[1]}" if found else ""

    def environment(self, database_host: str) -> dict[str, str]:
        return {"GOMAXPROCS": str(WORKERS)}

    def command(self) -> list[str]:
        return [str(self._program), "serve", f"--http=127.0.0.1:{self.port}", f"--dir={self._data}"]

    @property
    def _program(self) -> Path:
        return self.folder / "pocketbase"

    @property
    def _data(self) -> str:
        return f"{self.parts.folder}/{self.name}"

    def prepare(self, world: World) -> None:
        make = [str(self._program), "superuser", "upsert", ADMIN, PASSWORD, f"--dir={self._data}"]
        run(make, folder=self.folder, log=self.folder / "install.log")
        self.start()
        try:
            self.await_answer(Ask("GET", "/api/health"), -1)
            self._admin = self._sign_in("_superusers", ADMIN)
            self._set_up()
            self._make_collections()
            for owner in range(BIG + 1):
                given = {"email": email(owner), "password": PASSWORD, "passwordConfirm": PASSWORD}
                self.users[owner] = self._posted("users/records", given)["id"]
            self.tokens = {owner: self._sign_in("users", email(owner)) for owner in SIGNED_IN}
        finally:
            self.stop()
        self._insert(world)

    def _set_up(self) -> None:
        """Leave all settings as they ship."""

    def _make_collections(self) -> None:
        users = self.ask(Ask("GET", "/api/collections/users"), -1).body["id"]
        owner = _relation("owner", users)
        companies = self._posted("", _collection("companies", [ID, _text("name"), owner]))["id"]
        texts = [_text(name) for name in ("first_name", "last_name", "phone", "title")]
        stamps = [
            {"name": "created_at", "type": "autodate", "onCreate": True, "onUpdate": False},
            {"name": "updated_at", "type": "autodate", "onCreate": True, "onUpdate": True},
        ]
        address = {"name": "email", "type": "email", "required": True}
        fields = [ID, *texts, address, owner, _relation("company", companies), *stamps]
        indexes = [
            "CREATE INDEX contacts_owner ON contacts (owner)",
            "CREATE INDEX contacts_newest ON contacts (owner, created_at, id)",
            "CREATE INDEX contacts_company ON contacts (company, created_at, id)",
            "CREATE UNIQUE INDEX contacts_email ON contacts (owner, email)",
        ]
        self._posted("", _collection("contacts", fields) | {"indexes": indexes})

    def _insert(self, world: World) -> None:
        with sqlite3.connect(f"{self._data}/data.db") as database:
            companies = [(each.hex, self.users[owner], name) for each, owner, name in world.companies()]
            database.executemany("INSERT INTO companies (id, owner, name) VALUES (?, ?, ?)", companies)
            marks = ", ".join("?" * len(COLUMNS))
            database.executemany(
                f"INSERT INTO contacts ({', '.join(COLUMNS)}) VALUES ({marks})",
                (
                    (each.id.hex, self.users[each.owner], *each[2:7], each.company_id.hex, *map(_stamp, each[8:]))
                    for each in world.contacts
                ),
            )
            database.execute("ANALYZE")
        database.close()

    def _posted(self, path: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = self.ask(Ask("POST", f"/api/collections/{path}".rstrip("/"), given), -1)
        if answer.status != 200:
            raise Unavailable(f"PocketBase refused {path}: {answer.body}")
        made: Mapping[str, Any] = answer.body
        return made

    def _sign_in(self, collection: str, identity: str) -> str:
        given = {"identity": identity, "password": PASSWORD}
        return str(self._posted(f"{collection}/auth-with-password", given)["token"])

    def authorization(self, owner: int) -> str:
        return self.tokens.get(owner, self._admin)

    def item(self, contact: UUID | str) -> Ask:
        return Ask("GET", f"{RECORDS}/{_id(contact)}")

    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        query = {"page": skip // TAKE + 1, "perPage": TAKE, "sort": "-created_at,-id"}
        if company is not None:
            query["filter"] = f"company = '{company.hex}'"
        return Ask("GET", f"{RECORDS}?{urlencode(query)}")

    def uncounted(self) -> Ask:
        page = self.page()
        return page._replace(path=f"{page.path}&skipTotal=1")

    def create(self, owner: int, values: Mapping[str, Any]) -> Ask:
        return Ask("POST", RECORDS, {**_named(values), "owner": self.users[owner]})

    def update(self, contact: UUID | str, values: Mapping[str, Any]) -> Ask:
        return Ask("PATCH", f"{RECORDS}/{_id(contact)}", _named(values))

    def record(self, answer: Answer) -> Mapping[str, Any]:
        return answer.body | {"company_id": answer.body["company"]}

    def records(self, answer: Answer) -> tuple[list[Mapping[str, Any]], int]:
        found = [each | {"company_id": each["company"]} for each in answer.body["items"]]
        return found, answer.body["totalItems"]


class PocketBaseWithoutLog(PocketBase):
    """The log of requests switched off, as all others write none."""

    name, title = "pocketbase-quiet", "PocketBase, without its log of requests"
    note = ""

    def _set_up(self) -> None:
        answer = self.ask(Ask("PATCH", "/api/settings", {"logs": {"maxDays": 0}}), -1)
        if answer.status != 200:
            raise Unavailable(f"PocketBase keeps its log: {answer.body}")


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    company = {"company": _id(values["company_id"])} if "company_id" in values else {}
    return {name: value for name, value in values.items() if name != "company_id"} | company


def _id(identifier: UUID | str) -> str:
    return str(identifier).replace("-", "")


def _collection(name: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    """A collection whose records are their owner's alone."""
    rules = dict.fromkeys(("listRule", "viewRule", "updateRule", "deleteRule"), OWN)
    return {"name": name, "type": "base", "fields": fields, "createRule": f"@request.auth.id != '' && {OWN}", **rules}


def _text(name: str) -> dict[str, Any]:
    return {"name": name, "type": "text"}


def _relation(name: str, collection: str) -> dict[str, Any]:
    return {"name": name, "type": "relation", "collectionId": collection, "required": True, "maxSelect": 1}


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}Z"
