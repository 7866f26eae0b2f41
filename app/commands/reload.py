"""flask reload: has flask serve begin anew with the files and plugins as they are now, without a pause."""

from __future__ import annotations

import os
import signal

import click
from flask.cli import with_appcontext

from app.commands.groups import Command
from app.foundation.settings import settings
from app.runtime.var_dir_lock import holder


@click.command("reload", cls=Command)
@with_appcontext
def command() -> None:
    """Have flask serve load the code as it is now. This command loads it first, so that code which does not load is
    never served; requests go on in the old workers until new ones are ready."""
    process = holder(settings.var_dir)
    if process is None:
        raise click.ClickException(f"Nothing serves in {settings.var_dir}: start flask serve, or signal gunicorn")
    os.kill(process, signal.SIGHUP)
    click.echo(f"Process {process} reloads")
