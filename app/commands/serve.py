"""flask serve: starts the embedded servers, migrates, makes the first admin, and runs the workers."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from urllib.error import URLError
from urllib.request import urlopen

import click
import psutil
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.auth import api_keys, users
from app.auth.models.identity import AuthUser
from app.commands.groups import unreachable
from app.engine import histories
from app.engine.histories import MigrationFailed
from app.engine.principal import SYSTEM
from app.engine.unit_of_work import Unit, run_unit
from app.extensions import db
from app.jobs import registry
from app.ops import samples
from app.ops.seed import seed
from app.runtime import connections
from app.runtime.embedded import EmbeddedError, Postgres, Redis, sole_user
from app.runtime.forked import Forked
from app.runtime.keeper import SERVER, Keeper, end
from config import GUNICORN, ROOT, Settings, misspelt

FIRST_ADMIN = "admin@rowgate.example"
READY_TIMEOUT = 60.0
TENDED_EVERY = 5.0
# What the parts need besides the grace: to hand jobs back, and to leave.
OWN_END = 4.0


class Stopped(Exception):
    """A signal asked for the end."""


@click.command("serve", help="Start the service and all it needs; Ctrl-C stops everything.")
@with_appcontext
@click.option("--sample", is_flag=True, help="Load the sample data into a database that holds no rows yet.")
def command(sample: bool) -> None:
    settings: Settings = current_app.config["SETTINGS"]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        with ExitStack() as children:
            _serve(settings, sample, children)
    except Stopped:
        step("stopped")
    except EmbeddedError as error:
        raise click.ClickException(str(error)) from None
    except DBAPIError as error:
        raise click.ClickException(unreachable(error)) from None
    except MigrationFailed as failure:
        raise click.ClickException(failure.text) from None


def _serve(settings: Settings, sample: bool, children: ExitStack) -> None:
    for sentence in misspelt():
        step(sentence)
    _check_port(settings)
    children.enter_context(sole_user(settings.var_dir))
    keeper = Keeper(_grace(settings))
    children.callback(keeper.close)
    if not settings.redis_url:
        _start("starting Redis", Redis(settings.var_dir), keeper, children)
    if not settings.database_url:
        _start("starting PostgreSQL", Postgres(settings.var_dir), keeper, children)
    step("migrating the database")
    with db.engine.connect() as connection:
        connection.execute(text("SELECT 1"))
    histories.upgrade()
    _name_plugins()
    run_unit(SYSTEM, seed)
    _first_admin()
    if sample:
        _load_sample()
    connections.close_all()
    parts = Parts(settings, keeper)
    children.callback(parts.end)
    _run_workers(settings, parts)


def _name_plugins() -> None:
    """Say of plugins what to do: of those without migrations, which are written while the service runs, and of those
    that are gone."""
    for history in histories.OF_PLUGINS:
        if history.scripts().get_current_head() is None:
            step(f"{history} has no migrations: run flask db migrate --plugin {history.plugin}, then flask db upgrade")
    for each in histories.abandoned():
        step(str(each))


def _check_port(settings: Settings) -> None:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            reason = (error.strerror or str(error)) + _holder_of(settings.port)
            raise click.ClickException(
                f"Cannot listen on {settings.host}:{settings.port} ({reason}): set HOST or PORT"
            ) from None


def _holder_of(port: int) -> str:
    """Who listens on a port, as far as this user may know."""
    with suppress(psutil.Error):
        for each in psutil.net_connections("tcp"):
            if each.status == psutil.CONN_LISTEN and each.laddr.port == port and each.pid is not None:
                return f" by process {each.pid}, {psutil.Process(each.pid).name()}"
    return ""


def _grace(settings: Settings) -> float:
    """Seconds that the parts have for their end: what they give to requests and jobs, and some for themselves."""
    return settings.stop_grace + OWN_END


def _start(message: str, server: Postgres | Redis, keeper: Keeper, children: ExitStack) -> None:
    step(message)
    children.callback(server.stop)
    server.start()
    if server.process_id is not None:
        keeper.watch(server.process_id, SERVER)


def _first_admin() -> None:
    made = run_unit(SYSTEM, _add_first_admin)
    if made is None:
        return
    password, key = made
    step("made the first admin; this is shown once:")
    for name, value in (("e-mail", FIRST_ADMIN), ("password", password), ("API key", key)):
        click.echo(f"    {name:<9} {value}")


def _add_first_admin(unit: Unit) -> tuple[str, str] | None:
    """Make an admin with a key where there is no user yet; returns the password and the key."""
    if unit.session.query(AuthUser.id).first() is not None:
        return None
    password = secrets.token_urlsafe(15)
    admin = users.register(unit, email=FIRST_ADMIN, password=password, name="Admin", admin=True)
    _, key = api_keys.issue(unit, admin, scopes=["read", "write", "admin"], name="First key")
    return password, key


def _load_sample() -> None:
    people = run_unit(SYSTEM, samples.load)
    if people is None:
        step("the database holds records already, so the sample data was left out")
        return
    step("loaded the sample data; its people, shown once:")
    for email, password in people:
        click.echo(f"    {email:<32} {password}")


class Parts:
    """The web workers, under gunicorn, and the worker of background jobs, which is started again should it end."""

    def __init__(self, settings: Settings, keeper: Keeper) -> None:
        self._settings, self._keeper = settings, keeper
        step("starting the worker of background jobs")
        self._jobs = self._worker_of_jobs()
        step(f"starting {settings.workers} workers")
        self.web = self._gunicorn()

    def _worker_of_jobs(self) -> Forked:
        app = current_app._get_current_object()  # type: ignore[attr-defined]
        worker = Forked(partial(registry.work, app, concurrency=registry.CONCURRENCY))
        self._keeper.watch(worker.pid)
        return worker

    def _gunicorn(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "gunicorn", "--config", str(GUNICORN), "--pythonpath", str(ROOT), "wsgi:app"]
        environment = os.environ | {"VAR_DIR": str(Path(self._settings.var_dir).resolve())}
        # In the folder that this process was started in: settings may name files there. In a session of its own:
        # Ctrl-C reaches this process alone, which then stops the others in order.
        process = subprocess.Popen(command, env=environment, start_new_session=True)
        self._keeper.watch(process.pid)
        return process

    def tend(self) -> None:
        if self._jobs.has_ended():
            step("the worker of background jobs has ended; starting another")
            self._jobs = self._worker_of_jobs()

    def end(self) -> None:
        """End both at the same time, by force when they take longer than they may."""
        running = [] if self._jobs.has_ended() else [self._jobs.pid]
        running += [self.web.pid] if self.web.poll() is None else []
        end([psutil.Process(each) for each in running], _grace(self._settings))
        self.web.wait()


def _run_workers(settings: Settings, parts: Parts) -> None:
    """Run gunicorn until it ends or a signal asks for the end."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    _await_answer(f"http://{_reachable(host)}:{settings.port}/healthz", parts.web)
    step(f"serving at {settings.public_url}")
    if not settings.mail_url and not settings.production:
        step(f"no mail server is set: messages are shown at {settings.public_url}/mailbox")
    step(f"account at {settings.public_url}/account")
    step(f"studio at {settings.public_url}/console")
    step(f"UI at {settings.public_url}/api/v1/docs (Ctrl-C stops everything)")
    while parts.web.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            parts.web.wait(TENDED_EVERY)
        parts.tend()
    raise click.exceptions.Exit(parts.web.returncode)


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - compared, not bound


def _await_answer(url: str, workers: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_TIMEOUT
    while True:
        try:
            with urlopen(url, timeout=2):  # noqa: S310 - our own address
                return
        except (URLError, OSError):
            if workers.poll() is not None or time.monotonic() > deadline:
                raise click.ClickException("The workers did not start; their messages stand above") from None
            time.sleep(0.1)


def step(message: str) -> None:
    click.echo(f"rowgate: {message}")


def _stop(number: int, frame: FrameType | None) -> None:
    # Once is enough: a second signal must not interrupt the ending.
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise Stopped()
