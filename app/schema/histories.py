"""The histories of the schema: the trunk's migrations and, apart from them, those of each plugin of somebody else.

Alembic stops at a revision that it cannot find, so a plugin that is gone must not stand in the trunk's table: each has
a folder and a table of versions of its own. That table keeps in its comment which tables the plugin has, for the time
when nobody else can say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.script import ScriptDirectory
from flask import current_app
from psycopg import sql

from app.engine.declare.record import metadata
from app.engine.read.statements import autocommit_connection
from app.extensions import migrate
from app.foundation.errors import Failure, require_found
from app.schema import change_log
from app.schema.upgrade_locks import LocksMissed

PREFIX = "alembic_version_"
LEFT = r"""
SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class c
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname LIKE 'alembic\_version\_%'
ORDER BY c.relname
"""
MEND = "mend it, then run flask db upgrade"
PRESENT = "SELECT name FROM unnest(%(names)s::text[]) AS name WHERE to_regclass(name) IS NOT NULL"


class MigrationFailed(Failure):
    """A migration that broke off; the text says which one, and what to do."""


@dataclass(frozen=True)
class History:
    """The migrations of ``plugin``, in ``folder``, which look after ``tables``; those of the trunk have no name."""

    plugin: str = ""
    folder: Path | None = None
    tables: tuple[str, ...] = ()
    version: str = ""

    @property
    def version_table(self) -> str:
        return PREFIX + self.plugin.replace("-", "_") if self.plugin else "alembic_version"

    def __str__(self) -> str:
        return f"the plugin {self.plugin}" if self.plugin else "Rowgate"

    def config(self) -> Config:
        """The configuration of Alembic for it."""
        with active(self):
            return current_app.extensions["migrate"].migrate.get_config()

    def scripts(self) -> ScriptDirectory:
        """Its migrations, from the first to the head."""
        return ScriptDirectory.from_config(self.config())

    def note(self) -> str:
        """What its table of versions remembers."""
        return json.dumps({"plugin": self.plugin, "version": self.version, "tables": list(self.tables)})


@dataclass(frozen=True)
class OrphanedPlugin:
    """A plugin that is not loaded and whose tables are still there."""

    plugin: str
    tables: tuple[str, ...]
    version_table: str

    def __str__(self) -> str:
        kept = f"left {', '.join(self.tables)}" if self.tables else "left its table of versions"
        return f"The plugin {self.plugin} is not loaded and has {kept}: flask plugins drop {self.plugin} removes that"


TRUNK = History()
# Filled by the plugins, in the order in which they are upgraded.
OF_PLUGINS: list[History] = []
_active: ContextVar[History] = ContextVar("history", default=TRUNK)


def every_history() -> Sequence[History]:
    """The trunk, and what stands on it."""
    return [TRUNK, *OF_PLUGINS]


def of_plugin(name: str) -> History:
    """The history of the plugin ``name``; raises LookupError."""
    return require_found(next((each for each in OF_PLUGINS if each.plugin == name), None), LookupError(name))


@contextmanager
def active(history: History) -> Iterator[None]:
    """Have Alembic work on ``history``."""
    token = _active.set(history)
    try:
        yield
    finally:
        _active.reset(token)


@migrate.configure
def _configure(config: Config) -> Config:
    history = _active.get()
    config.attributes["history"] = history
    if history.folder is not None:
        config.set_main_option("path_separator", "newline")
        config.set_main_option("version_locations", str(history.folder).replace("%", "%%"))
    return config


def upgrade(histories: Sequence[History] | None = None, *, online: bool = False) -> list[str]:
    """Bring the trunk to its head, and then each plugin, and return what was applied. Each migration is one
    transaction, and ``online`` each of its steps: raises MigrationFailed where one breaks off."""
    from alembic import command  # which few processes need

    applied = []
    for each in every_history() if histories is None else histories:
        config, missing = each.config(), pending(each)
        config.attributes["online"] = online
        with naming_failures(each, online=online):
            command.upgrade(config, "head")
        applied += [f"{revision} of {each}: {text}" for revision, text in missing.items()]
    if not any(pending(each) for each in every_history()):
        change_log.install()
    return applied


@contextmanager
def naming_failures(history: History, *, online: bool = False) -> Iterator[None]:
    """Say of an upgrade that fails which migration that was; raises MigrationFailed."""
    try:
        yield
    except Exception as error:
        revision = _next(history)
        if revision is None:
            raise
        lines = str(error).strip().splitlines() or [type(error).__name__]
        kept = "its steps before that are kept" if online else "nothing of it was kept"
        text = f"The migration {revision} of {history} failed ({lines[0]}), and {kept}"
        remedy = "run flask db upgrade once that has ended" if isinstance(error, LocksMissed) else MEND
        raise MigrationFailed(f"{text}: {remedy}") from error


def _next(history: History) -> str | None:
    """The revision that an upgrade was at, when it failed."""
    return next(iter(pending(history)), None)


def pending(history: History) -> dict[str, str]:
    """The revisions that the database has not, in their order, with what they say of themselves."""
    last = next(iter(stored(history)), None)
    known = {each.revision: each.doc or "" for each in history.scripts().walk_revisions("base", "head")}
    ordered = [*reversed(known)]
    later = ordered[ordered.index(last) + 1 :] if last in known else ordered
    return {revision: known[revision] for revision in later}


def stored(history: History) -> list[str]:
    """The revisions that the database has of ``history``; raises Failure when it does not say."""
    with autocommit_connection() as connection:
        if not connection.execute(PRESENT, {"names": [history.version_table]}).fetchall():
            return []
        asked = sql.SQL("SELECT version_num FROM {}").format(sql.Identifier(history.version_table))
        return [row[0] for row in connection.execute(asked)]


def orphaned_plugins() -> list[OrphanedPlugin]:
    """The plugins that are not loaded and have left tables; raises Failure when the database does not say."""
    known = {each.version_table for each in OF_PLUGINS}
    with autocommit_connection() as connection:
        left = [(name, _noted(name, note)) for name, note in connection.execute(LEFT) if name not in known]
        return [
            OrphanedPlugin(plugin, tuple(row[0] for row in connection.execute(PRESENT, {"names": _left(tables)})), name)
            for name, (plugin, tables) in left
        ]


def recorded_tables(history: History) -> list[str]:
    """The tables that a plugin had at its last migration; raises Failure when the database does not say."""
    with autocommit_connection() as connection:
        return next((_noted(*row)[1] for row in connection.execute(LEFT) if row[0] == history.version_table), [])


def drop(left: OrphanedPlugin, connection: Any) -> None:
    """Remove the tables of a plugin with its table of versions, in the transaction of ``connection``. What refers to
    them loses its references."""
    for name in [*left.tables, left.version_table]:
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(sql.Identifier(name)))


def record_tables(execute: Callable[[str], Any], history: History) -> None:
    """Have the table of versions remember the tables of its plugin."""
    if history.plugin:
        table, note = sql.Identifier(history.version_table), sql.Literal(history.note())
        execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(table, note).as_string())


def _left(tables: Iterable[str]) -> list[str]:
    """Those of ``tables`` that nobody else has: the note of a plugin that is gone may name tables that Rowgate, the
    queue of jobs, or a plugin that is loaded has by now."""
    others = ("alembic_", "procrastinate_")
    return [each for each in tables if each not in metadata.tables and not each.startswith(others)]


def _noted(table: str, note: str | None) -> tuple[str, list[str]]:
    try:
        found = json.loads(note or "{}")
        return str(found["plugin"]), [str(each) for each in found["tables"]]
    except (ValueError, LookupError, TypeError):
        return table.removeprefix(PREFIX), []
