"""flask resources: the registry of models, their paths and rules."""

from __future__ import annotations

from typing import Any

import click
from flask.cli import with_appcontext

from app.commands.groups import as_json
from app.engine.declare.dictionary import dictionary
from app.engine.read.encoding import dumps


@click.command("resources", help="Print every model with its path, scope and operations, and the totals.")
@with_appcontext
@as_json
def command(as_json: bool) -> None:
    found = dictionary()
    if as_json:
        click.echo(dumps(found).decode())
        return
    for domain in found["domains"]:
        click.echo(f"{domain['name']} ({sum('routes' not in model for model in domain['models'])})")
        for model in domain["models"]:
            click.echo(f"  {model['name']:<20} {model['path']:<36} {_scope(model):<34} {_operations(model)}")
    totals = found["totals"]
    click.echo(
        f"\n{totals['domains']} domains, {totals['models']} models and company, "
        f"{totals['explicitRoutes']} explicit generic routes"
    )


def _scope(model: dict[str, Any]) -> str:
    scope = model["scope"]
    over = " -> ".join(scope.get("path", [scope["column"]] if "column" in scope else []))
    return f"{scope['kind']}({over})" + (" +public" if "publicWhen" in scope else "")


def _operations(model: dict[str, Any]) -> str:
    allowed = ((name, rule) for name, rule in model["operations"].items() if rule != "none")
    return " ".join(name if rule == "scope" else f"{name}:{rule}" for name, rule in allowed)
