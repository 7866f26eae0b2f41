"""rowgate add: writes a model or a column into a plugin, with its migration and its row in the tests."""

from __future__ import annotations

import difflib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import getsourcefile
from pathlib import Path

import click
from flask.cli import with_appcontext

from app import plugins
from app.commands.groups import Group
from app.engine.declare.catalogue import every_model, find_model
from app.engine.declare.record import Record
from app.foundation.settings import settings
from app.ops.generators import columns, models, source
from app.plugins import Plugin
from app.runtime.var_dir_lock import holder
from config import listed

YES = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group("add", cls=Group)
def group() -> None:
    """Write a model or a field into a plugin, with its migration.

    Fields are written as name:type, with what the type takes in parentheses, a question mark where it may be empty, and
    =value for a default: title:string(120) state:enum(open,done)=open note:long_text? company:belongs_to(crm/company).
    """


@group.command("model")
@click.argument("name")
@click.argument("fields", nargs=-1)
@YES
@with_appcontext
def add_model(name: str, fields: tuple[str, ...], yes: bool) -> None:
    """Write the model NAME, such as shop/booking, with FIELDS: its class behind the others, its migration, and its row
    in tests/test_models.py. It belongs to an organization, whose members read and write it."""
    with told():
        domain, segment = models.split_name(name)
        plugin = _plugin(domain)
        path = Path(plugin.models[0].__file__ or "")
        made = [columns.read(each, lambda called: _table(domain, called, name)) for each in fields]
        if find_model(name) is not None:
            raise columns.Misread(f"{name} is there: rowgate add field {name} …")
        _check_once(made)
        imports = {**models.IMPORTS, "rowgate": (*models.IMPORTS["rowgate"], *models.keys_of(made))}
        for module, names in models.imports_of(made).items():
            imports[module] = (*imports.get(module, ()), *names)
        changes = {path: source.with_model(_text(path), models.written(domain, segment, made), imports)}
        changes |= _tests(path, plugin, models.class_name(domain, segment))
    _write(changes, plugin, f"{segment.replace('-', ' ')}s", yes=yes)


@group.command("field")
@click.argument("name")
@click.argument("fields", nargs=-1, required=True)
@YES
@with_appcontext
def add_field(name: str, fields: tuple[str, ...], yes: bool) -> None:
    """Write FIELDS into the model NAME, such as shop/booking, where it stands. Rows that are there get the default, or
    nothing."""
    with told():
        model = find_model(name)
        if model is None:
            raise columns.Misread(f"{name} is no model: flask catalogue lists those that are")
        plugin, path = _plugin(model.domain), Path(getsourcefile(model) or "")
        made = [columns.read(each, lambda called: _table(model.domain, called, name), has_rows=True) for each in fields]
        _check_new(model, made)
        text = source.with_field(_text(path), model.__name__, [each.text for each in made], models.imports_of(made))
    _write({path: text}, plugin, f"{' and '.join(each.attribute for each in made)} of {model.segment}", yes=yes)


@contextmanager
def told() -> Iterator[None]:
    """Tell what is asked for wrongly in one line."""
    try:
        yield
    except columns.Misread as wrong:
        raise click.ClickException(str(wrong)) from None
    except LookupError as missing:
        raise click.ClickException(f"The module cannot be changed for {missing.args[0]}: write it by hand") from None


def _check_new(model: type[Record], made: list[columns.Column]) -> None:
    _check_once(made)
    for column in made:
        if column.attribute in vars(model):
            raise columns.Misread(f"{model.qualified_name()} has a {column.attribute}")
        if (function := column.imports["rowgate"][0]) in vars(model):
            raise columns.Misread(f"{model.qualified_name()} has a {function}, which hides the function of that name")


def _check_once(made: list[columns.Column]) -> None:
    if len({column.attribute for column in made}) < len(made):
        raise columns.Misread("A column is named twice")


def _plugin(domain: str) -> Plugin:
    for plugin in plugins.load(settings.plugin_names, listed(settings.domains)):
        if plugin.name == domain and plugin.models and not plugin.is_ours:
            return plugin
    raise columns.Misread(f"{domain} is no plugin that is loaded and has models: name it in PLUGINS")


def _table(domain: str, called: str, own: str) -> str:
    """The table of the model ``called`` so, of the same domain unless that is named."""
    wanted = called if "/" in called else f"{domain}/{called.replace('_', '-')}"
    if wanted == own:
        return models.table_name(*models.split_name(own))
    found = find_model(wanted)
    if found is None:
        others = [each.qualified_name() for each in every_model() if each.segment == called.replace("_", "-")]
        more = f": did you mean belongs_to({others[0]})?" if others else ""
        raise columns.Misread(f"{wanted} is no model{more}")
    return found.__tablename__


def _tests(path: Path, plugin: Plugin, name: str) -> dict[Path, str]:
    """The tests of every model with the new one, where the plugin has them."""
    tests = path.parents[1] / "tests" / "test_models.py"
    if not tests.exists():
        return {}
    try:
        return {tests: source.with_test(_text(tests), plugin.models[0].__name__, name)}
    except LookupError:
        return {}


def _write(changes: Mapping[Path, str], plugin: Plugin, what: str, *, yes: bool) -> None:
    """Show the differences, and write them with a migration once they are agreed to."""
    for path, text in changes.items():
        compile(text, path, "exec")
        shown = _relative(path)
        lines = difflib.unified_diff(_text(path).splitlines(), text.splitlines(), shown, shown, lineterm="")
        for line in lines:
            click.echo(line)
    if not yes:
        click.confirm("Write this", abort=True)
    for path, text in changes.items():
        path.write_bytes(text.encode())
    if reason := _failure_of("db", "migrate", "--plugin", plugin.name, "-m", what):
        again = f"rowgate db migrate --plugin {plugin.name} -m '{what}'"
        raise click.ClickException(f"The code is written, and its migration is not ({reason}): {again}")
    click.echo(f"\n{_migration(plugin)} is the migration.")
    _serve(yes=yes)


def _serve(*, yes: bool) -> None:
    """In development, apply the migration, and have a running service begin anew."""
    if settings.production or not (yes or click.confirm("Apply and serve it", default=True)):
        click.echo("Have a look at it, then: rowgate db upgrade; rowgate reload")
        return
    if reason := _failure_of("db", "upgrade"):
        raise click.ClickException(f"The migration is not applied ({reason}): rowgate db upgrade")
    if holder(settings.var_dir) is None:
        click.echo("It is applied; nothing serves now")
    elif reason := _failure_of("reload"):
        raise click.ClickException(f"The service goes on as before ({reason}): rowgate reload")
    else:
        click.echo("It is applied and served")


def _failure_of(*arguments: str) -> str:
    """Run a command in a process of its own, which has the new code; return why it failed, or nothing."""
    asked = [sys.executable, "-m", "flask", "--app", "wsgi:app", *arguments]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return (done.stderr.strip().splitlines() or ["it says nothing"])[-1] if done.returncode else ""


def _migration(plugin: Plugin) -> str:
    folder = plugin.history.folder
    return _relative(max(folder.glob("*.py"), key=lambda path: path.stat().st_mtime)) if folder else ""


def _text(path: Path) -> str:
    """A module with the ends of lines that it has."""
    return path.read_bytes().decode()


def _relative(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
