"""Mail to any address, in templates of the plugin (``Plugin.mails``)."""

from app.mail.delivery import mail_concluded
from app.mail.outbox import link, send_mail
from app.mail.subscriptions import has_left, join

__all__ = ["send_mail", "link", "join", "has_left", "mail_concluded"]  # noqa: RUF022
