"""rowgate new: makes a project with a plugin of its own."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import click

from app import plugins
from app.commands.groups import Command
from config import ROOT, VERSION

TEMPLATE = ROOT / "app" / "ops" / "project"
SUFFIX = ".tmpl"
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# The longest name with which the names of tables and notifications fit.
MAX_LENGTH = 30
# Files whose names would mean something in the template itself.
RENAMED = {"gitignore": ".gitignore", "env.example": ".env.example"}
# Packages of ours: a project's own would be imported in their place.
OURS = ("app", "blueprints", "schemas", "config", "wsgi", "migrations", "tests", "rowgate")


@click.command("new", cls=Command)
@click.argument("folder", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Make a project in FOLDER, called as that is: a plugin with two models, a route, a job and tests."""
    name = folder.name
    _check(name, folder)
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise click.ClickException(f"There is a {folder} already, which is not an empty folder")
    for path in write(name, folder):
        click.echo(path)
    _version(folder)
    click.echo(f"\ncd {folder}; make serve")


def write(name: str, folder: Path) -> list[Path]:
    """Write the files of the project ``name`` into ``folder``, and return them."""
    package = name.replace("-", "_")
    title = "".join(part.capitalize() for part in name.split("-"))
    words = {
        "name": name, "package": package, "Class": title, "camel": title[0].lower() + title[1:],
        "UPPER": package.upper(), "version": ".".join(VERSION.split(".")[:2]),
    }  # fmt: skip
    written = []
    for source in sorted(TEMPLATE.rglob(f"*{SUFFIX}")):
        inside = source.relative_to(TEMPLATE).with_suffix("")
        parts = [package if part == "package" else RENAMED.get(part, part) for part in inside.parts]
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text()
        for word, value in words.items():
            text = text.replace(f"{{{{{word}}}}}", value)
        target.write_text(text)
        written.append(target)
    if found := origin():
        local = folder / "local.mk"
        local.write_text(f"# Of this machine alone: where Rowgate comes from.\nROWGATE_SOURCE ?= {found}\n")
        written.append(local)
    return written


def origin() -> Path | None:
    """The checkout that this is run from, or the wheel that it was installed from; None where an index has it."""
    if (ROOT / "setup.cfg").exists():
        return ROOT
    try:
        noted = distribution("rowgate").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    url = urlsplit(json.loads(noted)["url"] if noted else "")
    found = Path(url2pathname(url.path))
    return found if url.scheme == "file" and found.exists() else None


def _check(name: str, folder: Path) -> None:
    package = name.replace("-", "_")
    if not NAME.fullmatch(name) or len(name) > MAX_LENGTH:
        raise click.ClickException(
            f"A name has lowercase letters, digits and hyphens, {MAX_LENGTH} at most, and begins with a letter"
        )
    if package in OURS or iskeyword(package) or (find_spec(package) is not None and not folder.exists()):
        raise click.ClickException(f"{package} is the name of something else already: choose another")
    if any(each.name == name for each in plugins.load()):
        raise click.ClickException(f"Rowgate has a domain called {name}: choose another")


def _version(folder: Path) -> None:
    """Make the folder a repository, where git is there."""
    for arguments in (("init", "--quiet"), ("add", "--all")):
        try:
            subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            click.echo("git is not there, so this is no repository yet", err=True)
            return
