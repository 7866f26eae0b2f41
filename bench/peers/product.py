"""Rowgate itself, with a session and with a key, and the least that Flask can do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

from app.auth.credentials import sessions
from app.auth.keys import api_keys
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.crm.models import CrmCompany
from app.engine.declare.principal import SYSTEM
from app.engine.declare.record import camel
from app.engine.write.unit_of_work import Unit, attempt
from app.factory import create_app
from app.runtime import connections
from app.runtime.embedded import DATABASE, redis_url
from app.schema.histories import upgrade
from bench.peers.parts import Parts
from bench.peers.peer import WORKERS, Answer, Ask, Peer, end
from bench.peers.world import BIG, SIGNED_IN, World, email
from bench.population import COLUMNS
from bench.servers import NO_LIMIT
from config import ROOT, Settings

CONTACTS = "/api/v1/crm/contact"


class Gunicorn(Peer):
    """An application under the product's own settings of gunicorn."""

    application: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]

    def command(self) -> list[str]:
        settings = str(ROOT / "gunicorn.conf.py")
        return [sys.executable, "-m", "gunicorn", "--config", settings, "--no-control-socket", self.application]

    def working_folder(self) -> Path:
        return ROOT

    def environment(self, database_host: str) -> dict[str, str]:
        return {
            "VAR_DIR": self.parts.folder,
            "DATABASE_URL": f"postgresql://postgres@/{DATABASE}?host={database_host}",
            "REDIS_URL": redis_url(self.parts.folder),
            "WORKERS": str(WORKERS),
            "PORT": str(self.port),
            "DEFAULT_LIMIT": NO_LIMIT,
        }

    def version(self) -> str:
        return ", ".join(f"{each} {version(each)}" for each in self.packages)


class Bare(Gunicorn):
    """A route with a constant answer, whatever is asked: no database, no caller."""

    name, title = "bare", "bare Flask route"
    application = "bench.bare:app"
    packages = ("Flask", "gunicorn", "gevent")

    def prepare(self, world: World) -> None:
        """There is nothing to hold."""

    def authorization(self, owner: int) -> str:
        return "Bearer none"

    def item(self, contact: UUID | str) -> Ask:
        return Ask("GET", "/")

    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        return Ask("GET", "/")


class Rowgate(Gunicorn):
    """Asked with a session."""

    name, title, database = "rowgate", "Rowgate", DATABASE
    note = (
        "looks the session up at every request and counts it against a limit, ahead in Redis for who asks often; Redis "
        "and the worker of jobs are part of the figures"
    )
    application = "wsgi:app"
    packages = ("Flask", "gunicorn", "gevent", "SQLAlchemy", "psycopg", "redis")

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.tokens: dict[int, str] = {}
        self.keys: dict[int, str] = {}
        self._jobs: subprocess.Popen[bytes] | None = None

    def prepare(self, world: World) -> None:
        app = create_app(Settings(var_dir=self.parts.folder))
        with app.app_context():
            upgrade()
            with attempt(SYSTEM) as unit:
                homes = {owner: self._owner(unit, owner) for owner in range(BIG + 1)}
                companies = [
                    CrmCompany(id=identifier, organization_id=homes[owner][0], created_by_id=homes[owner][1], name=name)
                    for identifier, owner, name in world.companies()
                ]
                unit.session.add_all(companies)
            connections.close_all()
        rows = (
            (each.id, *homes[each.owner], each.first_name, each.last_name, each.email, each.phone, each.title,
             each.company_id, each.created_at, each.updated_at)
            for each in world.contacts
        )  # fmt: skip
        self.parts.copy(DATABASE, "crm_contact", COLUMNS, rows)

    def _owner(self, unit: Unit, owner: int) -> tuple[UUID, UUID]:
        """Make an owner; returns the organization and the user."""
        user = AuthUser(email=email(owner), name=f"Owner {owner}", email_verified=True)
        home = organizations.provision_user(unit, user)
        if owner in SIGNED_IN:
            self.tokens[owner] = sessions.open_session(unit, user).token
            _, self.keys[owner] = api_keys.issue(unit, user, scopes=("write",), rate_limit_enabled=False)
        return home.id, user.id

    def authorization(self, owner: int) -> str:
        return f"Bearer {self.tokens[owner]}"

    def start_the_rest(self) -> None:
        """The worker of background jobs."""
        environment = {"PATH": os.environ["PATH"], **self.environment(self.parts.sockets)}
        with (self.folder / "jobs.log").open("wb") as log:
            self._jobs = subprocess.Popen(
                [sys.executable, "-m", "flask", "jobs", "work"], cwd=ROOT, env=environment, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def stop(self) -> None:
        if self._jobs is not None:
            end(self._jobs)
            self._jobs = None
        super().stop()

    def roots(self) -> list[int]:
        jobs = [self._jobs.pid] if self._jobs is not None else []
        return [*super().roots(), *jobs, self.parts.redis.process_id]

    def item(self, contact: UUID | str) -> Ask:
        return Ask("GET", f"{CONTACTS}/{contact}")

    def page(self, *, skip: int = 0, company: UUID | None = None) -> Ask:
        query = f"skip={skip}&" * bool(skip) + (f"companyId={company}" if company else "")
        return Ask("GET", f"{CONTACTS}?{query}".rstrip("?&"))

    def uncounted(self) -> Ask:
        return Ask("GET", f"{CONTACTS}?count=none")

    def create(self, owner: int, values: Mapping[str, Any]) -> Ask:
        return Ask("POST", CONTACTS, {camel(name): value for name, value in values.items()})

    def update(self, contact: UUID | str, values: Mapping[str, Any]) -> Ask:
        return Ask("PUT", f"{CONTACTS}/{contact}", {camel(name): value for name, value in values.items()})

    def records(self, answer: Answer) -> tuple[list[Mapping[str, Any]], int]:
        return answer.body["data"], answer.body["meta"]["count"]


class RowgateWithKey(Rowgate):
    """The same server, asked with API keys."""

    name, title = "rowgate-key", "Rowgate, with a key"
    note = "every check of a key is recorded"

    def __init__(self, running: Rowgate) -> None:
        super().__init__(running.parts)
        self.running, self.port = running, running.port
        self.folder = running.folder

    def prepare(self, world: World) -> None:
        """The other one has."""

    def start(self, database_host: str | None = None) -> None:
        """The other one does."""

    def authorization(self, owner: int) -> str:
        return f"Bearer {self.running.keys[owner]}"

    def roots(self) -> list[int]:
        return self.running.roots()
