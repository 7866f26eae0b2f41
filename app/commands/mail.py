"""flask mail: what was sent, what was refused, and a message to try the server with."""

from __future__ import annotations

import click
from sqlalchemy import select

from app.commands.groups import Group, as_json, show
from app.engine.read.database import reading
from app.foundation.addresses import normalized
from app.foundation.settings import settings
from app.mail import smtp
from app.mail.models import PlatformMail

group = Group("mail", help="Look at mail that was sent, and try the mail server.")
COLUMNS = ("id", "kind", "to", "status", "attempts", "nextAttemptAt", "error", "createdAt")


@group.command("list")
@click.option(
    "--status", type=click.Choice(["pending", "sent", "failed", "shown"]), help="Only those with this status."
)
@click.option("--take", default=50, show_default=True, type=click.IntRange(1, 1000))
@as_json
def list_(status: str | None, take: int, as_json: bool) -> None:
    """List messages without their contents, newest first."""
    wanted = select(PlatformMail).order_by(PlatformMail.created_at.desc()).limit(take)
    if status:
        wanted = wanted.where(PlatformMail.status == status)
    with reading() as session:
        found = [
            {
                "id": mail.id, "kind": mail.kind, "to": mail.to, "status": mail.status, "attempts": mail.attempts,
                "nextAttemptAt": mail.next_attempt_at if mail.status == "pending" else None,
                "error": mail.error_message, "createdAt": mail.created_at,
            }
            for mail in session.scalars(wanted)
        ]  # fmt: skip
    show(found, as_json, COLUMNS)


@group.command()
@click.argument("address")
def test(address: str) -> None:
    """Send a message to an address now, and say what the server answers."""
    if not settings.mail_url:
        raise click.ClickException("MAIL_URL is not set")
    text = f"This is a message from {settings.product_name}, sent to try the mail server."
    made = smtp.message(
        settings, to=normalized(address), subject=f"A message from {settings.product_name}", text=text,
        html=f"<p>{text}</p>", message_id=smtp.new_message_id(settings), unsubscribe_url=None,
    )  # fmt: skip
    try:
        smtp.deliver(settings, made)
    except (smtp.TemporaryFailure, smtp.PermanentFailure) as failure:
        raise click.ClickException(str(failure)) from None
    click.echo(f"{address}: taken by the server.")
