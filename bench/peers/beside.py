"""The project of ``rowgate new`` written for others: each is started, and answers the same steps."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from bench.load import HOST
from bench.peers.parts import parts
from bench.peers.peer import APPS, BUILD, SECRET_KEY, end, program, run, virtual_environment
from bench.servers import free_port

POCKETBASE = "github.com/pocketbase/pocketbase/examples/base@v0.39.9"
PASSWORD = "a password of the bench"
PEOPLE = {"owner": "ours", "colleague": "ours", "stranger": "theirs"}
START_TIMEOUT = 30.0
PEOPLE_OF_DJANGO = """
from django.contrib.auth import get_user_model
from rest_framework.authtoken.models import Token
from tasks.models import Organization
for name, organization in {people!r}.items():
    user = get_user_model().objects.create_user(name)
    Organization.objects.get_or_create(name=organization)[0].members.add(user)
    print(name, Token.objects.create(user=user).key)
"""


class Service(ABC):
    """A running project, and how it is asked."""

    # The list of a page, its count, and its parameters.
    items, total, of_a_page = "", "", ""

    def __init__(self) -> None:
        self.port = free_port()
        self.credentials: dict[str, str] = {}

    @abstractmethod
    def path(self, collection: str, identifier: str = "") -> str:
        """Where a collection or a record of it is."""

    @abstractmethod
    def completion(self, identifier: str) -> str:
        """Where a task is completed."""

    @abstractmethod
    def chosen(self, project: str, state: str) -> str:
        """Tasks of a project in a state, by their title, one on a page."""

    @abstractmethod
    def remind(self) -> None:
        """Have the reminders told, as the clock does."""

    def ask(self, who: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """The status and the body of an answer."""
        connection = HTTPConnection(HOST, self.port, timeout=START_TIMEOUT)
        headers = {"Content-Type": "application/json", "Authorization": self.credentials.get(who, "")}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        return response.status, json.loads(content) if content[:1] in (b"{", b"[") else content

    def told(self, who: str) -> list[str]:
        """The types of the notifications of somebody."""
        found = self.ask(who, "GET", self.path("notifications"))[1][self.items]
        return sorted(each["type"] for each in found)

    @contextmanager
    def serving(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
        """The server, from its first answer on."""
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                command, cwd=folder, env=os.environ | environment, stdout=log, stderr=log, start_new_session=True
            )
            try:
                deadline = time.monotonic() + START_TIMEOUT
                while not self._answers() and time.monotonic() < deadline:
                    time.sleep(0.1)
                yield
            finally:
                end(process)

    def _answers(self) -> bool:
        try:
            return self.ask("", "GET", self.path("projects"))[0] > 0
        except OSError:
            return False


class Django(Service):
    """The project in Django REST Framework."""

    items, total = "results", "count"

    def __init__(self, sockets: str) -> None:
        super().__init__()
        self.folder = APPS / "tasks_django"
        self.python = virtual_environment(BUILD / "tasks_django", self.folder / "requirements.txt") / "python"
        self.environment = {"DATABASE_HOST": sockets, "SECRET_KEY": SECRET_KEY, "DATABASE_NAME": "tasks"}

    def manage(self, *command: str, given: str | None = None) -> str:
        """What a command of Django says."""
        return subprocess.run(
            [str(self.python), "manage.py", *command], cwd=self.folder, env=os.environ | self.environment, input=given,
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip

    @contextmanager
    def running(self) -> Iterator[None]:
        """The server, with people in it."""
        self.manage("migrate", "-v0")
        said = self.manage("shell", "-v0", "-c", PEOPLE_OF_DJANGO.format(people=PEOPLE))
        self.credentials = {who: f"Token {key}" for who, key in (line.split() for line in said.splitlines())}
        command = [str(self.python), "-m", "gunicorn", "--no-control-socket", "--bind", f"{HOST}:{self.port}"]
        with self.serving([*command, "service.wsgi"], self.folder, self.environment):
            yield

    def path(self, collection: str, identifier: str = "") -> str:
        return f"/{collection}/{identifier}/".replace("//", "/")

    def completion(self, identifier: str) -> str:
        return f"/tasks/{identifier}/complete/"

    def chosen(self, project: str, state: str) -> str:
        return f"/tasks/?project={project}&state={state}&ordering=title&limit=1"

    def remind(self) -> None:
        self.manage("remind")


class PocketBase(Service):
    """The project in PocketBase."""

    items, total = "items", "totalItems"

    def __init__(self, sockets: str) -> None:
        super().__init__()
        self.folder, self.binary = APPS / "tasks_pocketbase", BUILD / "tasks_pocketbase" / "base"
        if not self.binary.exists():
            self.binary.parent.mkdir(parents=True, exist_ok=True)
            build = [program("go"), "install", "-trimpath", POCKETBASE]
            log = self.binary.parent / "install.log"
            run(build, folder=self.binary.parent, log=log, GOBIN=str(self.binary.parent), CGO_ENABLED="0")

    @contextmanager
    def running(self) -> Iterator[None]:
        """The server, with people in it."""
        data = tempfile.mkdtemp(prefix="pb-")
        options = [f"--dir={data}", *(f"--{each}Dir={self.folder}/pb_{each}" for each in ("hooks", "migrations"))]
        try:
            run(
                [str(self.binary), "superuser", "upsert", "admin@bench.example", PASSWORD, *options],
                folder=self.folder, log=Path(data) / "log",
            )  # fmt: skip
            command = [str(self.binary), "serve", f"--http={HOST}:{self.port}", "--hooksWatch=false", *options]
            with self.serving([*command, "--automigrate=false"], self.folder, {}):
                self._invite()
                yield
        finally:
            shutil.rmtree(data, ignore_errors=True)

    def _invite(self) -> None:
        self._sign_in("admin", "_superusers")
        members: dict[str, list[str]] = {}
        for who, organization in PEOPLE.items():
            given = {"email": f"{who}@bench.example", "password": PASSWORD, "passwordConfirm": PASSWORD}
            made = self.ask("admin", "POST", self.path("users"), given)[1]
            members.setdefault(organization, []).append(made["id"])
            self._sign_in(who, "users")
        for name, each in members.items():
            self.ask("admin", "POST", self.path("organizations"), {"name": name, "members": each})

    def _sign_in(self, who: str, collection: str) -> None:
        given = {"identity": f"{who}@bench.example", "password": PASSWORD}
        answer = self.ask("", "POST", f"/api/collections/{collection}/auth-with-password", given)
        self.credentials[who] = answer[1]["token"]

    def path(self, collection: str, identifier: str = "") -> str:
        return f"/api/collections/{collection}/records/{identifier}".rstrip("/")

    def completion(self, identifier: str) -> str:
        return f"/api/tasks/{identifier}/complete"

    def chosen(self, project: str, state: str) -> str:
        condition = f"(project='{project}'%26%26state='{state}')"
        return f"{self.path('tasks')}?filter={condition}&sort=title&perPage=1"

    def remind(self) -> None:
        self.ask("admin", "POST", "/api/crons/remind")
        # The answer comes before the job has run.
        deadline = time.monotonic() + START_TIMEOUT
        while "TASK_OVERDUE" not in self.told("owner") and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)


def main() -> None:
    """Ask both, and say what held."""
    from bench.peers.steps import steps

    with parts() as shared:
        shared.make_database("tasks")
        for kind in (PocketBase, Django):
            service = kind(shared.sockets)
            with service.running():
                for name in steps(service):
                    print(f"{kind.__name__}: {name}", flush=True)


if __name__ == "__main__":
    main()
