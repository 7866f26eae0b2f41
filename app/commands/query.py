"""flask query: explains what a list asks of the database."""

from __future__ import annotations

import click

from app.auth.accounts import users
from app.commands.groups import Group, as_json
from app.engine.declare.principal import SYSTEM
from app.engine.read.database import reading
from app.engine.read.encoding import dumps
from app.ops.query_plans import explain

group = Group("query", help="Queries of lists.")


@group.command("explain")
@click.argument("query")
@click.option("--user", "email", help="Whose list it is, by address; without one, that of an admin.")
@as_json
def explain_command(query: str, email: str | None, as_json: bool) -> None:
    """Print the statement of QUERY, such as "crm/deal?sort=-amount&stage=lead", its plan, and the indexes that it uses
    and lacks."""
    principal = SYSTEM
    if email is not None:
        with reading() as session:
            identifier = users.by_email(session, email).id
        principal = users.require_user_principal(identifier)
    found = explain(query, principal)
    if as_json:
        click.echo(dumps(vars(found)).decode())
        return
    lines = [found.statement, "", *found.plan, "", f"uses: {', '.join(found.used) or 'no index'}"]
    click.echo("\n".join([*lines, *(f"lacks: {each}" for each in found.lacking)]))
