"""SMTP: one message to one address (RFC 5321), with TLS where the server has it, and always before a password."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import partial
from urllib.parse import SplitResult, unquote, urlsplit
from uuid import UUID

from uuid_utils.compat import uuid7

from app.foundation.clock import now
from app.foundation.networks import is_loopback
from app.mail.attachments import Attachment
from config import Settings

PORTS = {"smtp": 25, "smtps": 465}


class TemporaryFailure(Exception):
    """The message may be taken later."""


class PermanentFailure(Exception):
    """The message will never be taken."""


def message(
    settings: Settings, *, to: str, subject: str, text: str, html: str, message_id: str,
    unsubscribe_url: str | None, attachments: Sequence[Attachment] = (),
) -> EmailMessage:  # fmt: skip
    """A message with a plain and an HTML body. The library refuses line breaks in headers."""
    headers = {
        "From": sender(settings),
        "To": to,  # an Address would refuse a local part that is not ASCII
        "Subject": subject,
        "Date": format_datetime(now()),
        "Message-ID": message_id,
        "Auto-Submitted": "auto-generated",
    }
    if unsubscribe_url:
        headers["List-Unsubscribe"] = f"<{unsubscribe_url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    made = EmailMessage(policy=SMTP)
    for name, value in headers.items():
        made[name] = value
    made.set_content(text)
    made.add_alternative(html, subtype="html")
    for each in attachments:
        main, _, sub = each.content_type.partition(";")[0].strip().partition("/")
        if not (main and sub) or main in ("multipart", "message"):  # which take no bytes (RFC 2046, 5)
            main, sub = "application", "octet-stream"
        made.add_attachment(each.content, maintype=main, subtype=sub, filename=each.filename)
    return made


def new_message_id(settings: Settings, id: UUID | None = None) -> str:
    """The Message-ID of a message, the same whenever it is sent (RFC 5322)."""
    return f"<{id or uuid7()}@{host(settings)}>"


def host(settings: Settings) -> str:
    """The name under which mail is sent."""
    return urlsplit(settings.public_url).hostname or "localhost"


def sender(settings: Settings) -> Address:
    """The sender by MAIL_FROM, or no-reply at the service's host."""
    name, address = parseaddr(settings.mail_from)
    domain = host(settings)
    fallback = f"no-reply@{domain if '.' in domain else domain + '.localdomain'}"
    return Address(name or settings.product_name, addr_spec=address or fallback)


def check_connection(settings: Settings) -> None:
    """Connect to the server, and log in where it is asked for; raises TemporaryFailure."""
    try:
        _connected(settings).quit()
    except (smtplib.SMTPException, OSError) as error:
        raise TemporaryFailure(f"{type(error).__name__}: {error}") from None


def deliver(settings: Settings, message: EmailMessage) -> None:
    """Hand a message to the server; raises TemporaryFailure and PermanentFailure.

    An answer that is lost after the last byte counts as a temporary failure: the repeat has the same Message-ID.
    """
    to = str(message["To"].addresses[0].addr_spec)
    from_ = str(message["From"].addresses[0].addr_spec)
    try:
        server = _connected(settings)
        try:
            server.send_message(message, from_, [to])
        finally:
            with suppress(smtplib.SMTPException, OSError):
                server.quit()
    except smtplib.SMTPRecipientsRefused as refused:
        code, said = refused.recipients[to]
        raise _failure(code, said) from None
    except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as refused:
        raise _failure(refused.smtp_code, refused.smtp_error) from None
    except smtplib.SMTPNotSupportedError as error:
        raise PermanentFailure(f"The server cannot take it: {error}") from None
    except (smtplib.SMTPException, OSError, ssl.SSLError) as error:
        raise TemporaryFailure(f"{type(error).__name__}: {error}") from None


def _connected(settings: Settings) -> smtplib.SMTP:
    url, context = urlsplit(settings.mail_url), ssl.create_default_context()
    where = (url.hostname or "", url.port or PORTS[url.scheme])
    kind = partial(smtplib.SMTP_SSL, context=context) if url.scheme == "smtps" else smtplib.SMTP
    server = kind(*where, timeout=settings.mail_timeout)
    try:
        server.ehlo_or_helo_if_needed()
        if url.scheme == "smtp" and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
        _log_in(server, url)
    except BaseException:
        server.close()
        raise
    return server


def _log_in(server: smtplib.SMTP, url: SplitResult) -> None:
    if not url.username:
        return
    if not isinstance(server.sock, ssl.SSLSocket) and not is_loopback(url.hostname or ""):
        raise smtplib.SMTPException("the server offers no TLS, so it is not told the password")
    server.login(unquote(url.username), unquote(url.password or ""))


def _failure(code: int, said: bytes | str) -> Exception:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    kind = PermanentFailure if 500 <= code < 600 else TemporaryFailure
    return kind(f"{code} {' '.join(text.split())}"[:900])
