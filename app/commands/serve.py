"""flask serve: starts the embedded servers, migrates, makes the first admin, and runs the workers."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import time
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import click
import psutil
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy import text

from app import plugins
from app.auth.accounts import users
from app.auth.keys import api_keys
from app.auth.models.identity import AuthUser
from app.commands.groups import Command
from app.commands.transfers import principal_of
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import Unit, run_unit
from app.extensions import db
from app.foundation.settings import settings
from app.jobs import registry
from app.ops.seed import seed
from app.runtime import connections
from app.runtime.cluster import EmbeddedError
from app.runtime.embedded import Postgres, Redis
from app.runtime.forked import fork
from app.runtime.interruption import Interruption, ReloadRequested, StopRequested
from app.runtime.keeper import SERVER, ChildReaper
from app.runtime.processes import OwnProcess, end
from app.runtime.var_dir_lock import lock_var_dir
from app.schema import histories
from config import GUNICORN, ROOT, misspelt

FIRST_ADMIN = "admin@rowgate.example"
READY_TIMEOUT = 60.0
TENDED_EVERY = 5.0
# What the parts need besides the grace: to hand jobs back, and to leave.
OWN_END = 4.0
# What a Python begins with that loads the service.
IN_ROOT = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import wsgi; "


@click.command("serve", cls=Command, help="Start the service and all it needs; Ctrl-C stops everything.")
@with_appcontext
@click.option("--sample", is_flag=True, help="Load the sample data into a database that holds no rows yet.")
def command(sample: bool) -> None:
    asked = Interruption()
    try:
        with ExitStack() as children:
            try:
                _serve(sample, children, asked)
            finally:
                asked.ignore_signals()
    except StopRequested:
        step("stopped")
    except EmbeddedError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error}: look whether {settings.var_dir} can be written and has room") from None


def _serve(sample: bool, children: ExitStack, asked: Interruption) -> None:
    if sample and settings.domains:
        raise click.UsageError("The sample data is about all domains: leave DOMAINS out")
    for sentence in misspelt():
        step(sentence)
    held = children.enter_context(lock_var_dir(settings.var_dir, asked.pause))
    _check_port()
    keeper = ChildReaper(_grace(), held)
    children.callback(keeper.close)
    for message, kind, url in (
        ("starting Redis", Redis, settings.redis_url), ("starting PostgreSQL", Postgres, settings.database_url)
    ):  # fmt: skip
        if not url:
            step(message)
            server: Redis | Postgres = kind(settings.var_dir)
            server.start(partial(keeper.watch, kind=SERVER), asked.pause)
            children.callback(server.stop)
    _fill(sample, asked)
    parts = Parts(keeper)
    children.callback(parts.end)
    parts.start()
    with asked.within():
        _await_workers(parts, asked)
    while not parts.tend(asked):
        pass
    raise click.exceptions.Exit(parts.web.status or 0)


def _fill(sample: bool, asked: Interruption) -> None:
    """Bring the database up to date."""
    with asked.within():
        step("migrating the database")
        with db.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
        histories.upgrade()
        _name_plugins()
        run_unit(SYSTEM, seed)
    # These are not broken off: the passwords that they make are shown once.
    _first_admin()
    if sample:
        _load_sample()
    connections.close_all()
    asked.check()


def _name_plugins() -> None:
    """Say of plugins what to do: of those without migrations, which are written while the service runs, and of those
    that are gone."""
    for history in histories.OF_PLUGINS:
        if history.scripts().get_current_head() is None:
            step(f"{history} has no migrations: run flask db migrate --plugin {history.plugin}, then flask db upgrade")
    for each in histories.orphaned_plugins():
        step(str(each))


def _check_port() -> None:
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


def _grace() -> float:
    """Seconds that the parts have for their end: what they give to requests and jobs, and some for themselves."""
    return settings.stop_grace + OWN_END


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
    from app.ops import plugin_samples, samples  # which load all domains

    people = run_unit(SYSTEM, samples.load)
    if people is None:
        step("the database holds records already, so the sample data was left out")
        return
    step("loaded the sample data; its people, shown once:")
    for email, password in people:
        click.echo(f"    {email:<32} {password}")
    for name in plugin_samples.load_all(plugins.load(settings.plugin_names), principal_of(people[0][0])):
        step(f"loaded the sample data of {name}")


class Parts:
    """The web workers, under gunicorn, and the worker of background jobs, which is started again should it end."""

    web: OwnProcess

    def __init__(self, keeper: ChildReaper) -> None:
        self._keeper = keeper
        self._running: list[OwnProcess] = []
        self._has_reloaded = False

    def start(self) -> None:
        step("starting the worker of background jobs")
        self._jobs = self._worker_of_jobs()
        step(f"starting {settings.workers} workers")
        self.web = self._launched("-m", "gunicorn", "--config", str(GUNICORN), "--pythonpath", str(ROOT), "wsgi:app")

    def _worker_of_jobs(self) -> OwnProcess:
        if self._has_reloaded:  # and this process has loaded the files as they were
            return self._launched("-c", IN_ROOT + "wsgi.main()", "jobs", "work")
        app = current_app._get_current_object()  # type: ignore[attr-defined]
        return self._kept(fork(partial(registry.work, app, concurrency=registry.CONCURRENCY)))

    def _launched(self, *arguments: str) -> OwnProcess:
        """A Python of its own, in the folder that this process was started in: settings may name files there."""
        environment = os.environ | {"VAR_DIR": str(Path(settings.var_dir).resolve())}
        return self._kept(OwnProcess.launch([sys.executable, *arguments], env=environment))

    def _kept(self, started: OwnProcess) -> OwnProcess:
        self._running = [each for each in self._running if not each.has_ended()] + [started]
        self._keeper.watch(started)
        return started

    def tend(self, asked: Interruption) -> bool:
        """Look after the parts for a while, and tell whether gunicorn has ended."""
        if asked.pop_reload_request():
            self._reload(asked)
        with suppress(ReloadRequested), asked.within(by_reload=True):
            if self.web.wait(TENDED_EVERY):
                return True
        if self._jobs.has_ended():
            step("the worker of background jobs has ended; starting another")
            self._jobs = self._worker_of_jobs()
        return False

    def _reload(self, asked: Interruption) -> None:
        """Have both parts go on with the files as they are now, unless these do not load."""
        step("looking whether the files load")
        with asked.within():
            look = self._launched("-c", IN_ROOT + "wsgi.app")
            while not look.wait(TENDED_EVERY):
                pass
        if look.status:
            step("they do not, as said above, so the service goes on as it was")
            return
        step("reloading")
        self._has_reloaded = True
        self.web.send(signal.SIGHUP)
        self._jobs.send(signal.SIGTERM)
        self._jobs = self._worker_of_jobs()

    def end(self) -> None:
        """End both at the same time, by force when they take longer than they may."""
        end(self._running, _grace())


def _await_workers(parts: Parts, asked: Interruption) -> None:
    """Wait until gunicorn answers, take reloads from then on, and say where it serves."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - compared, not bound
    host = f"[{reachable}]" if ":" in reachable else reachable
    _await_answer(f"http://{host}:{settings.port}/healthz", parts.web)
    asked.begin_reloads()
    step(f"serving at {settings.public_url}")
    if not settings.mail_url and not settings.production:
        step(f"no mail server is set: messages are shown at {settings.public_url}/mailbox")
    step(f"account at {settings.public_url}/account")
    step(f"studio at {settings.public_url}/console")
    step(f"UI at {settings.public_url}/api/v1/docs (Ctrl-C stops everything)")


def _await_answer(url: str, workers: OwnProcess) -> None:
    deadline = time.monotonic() + READY_TIMEOUT
    while True:
        try:
            with urlopen(url, timeout=2):  # noqa: S310 - our own address
                return
        except (URLError, OSError):
            if workers.has_ended() or time.monotonic() > deadline:
                raise click.ClickException("The workers did not start; their messages stand above") from None
            time.sleep(0.1)


def step(message: str) -> None:
    click.echo(f"rowgate: {message}")
