"""A mail server on loopback that speaks SMTP, and that can be slow, rude or gone."""

from __future__ import annotations

import asyncio
import socket
import ssl
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

NAME, PASSWORD = "postman", "s3cret bag"


class MailServer:
    """Takes mail in a thread of its own; a test says how it behaves."""

    def __init__(self, *, with_tls: ssl.SSLContext | None = None, from_the_start: bool = False) -> None:
        self.forget()
        self.port = free_port()
        self.url = f"smtp://127.0.0.1:{self.port}"
        options: dict[str, Any] = {"authenticator": self._authenticate, "auth_require_tls": False}
        options["ssl_context" if from_the_start else "tls_context"] = with_tls
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, ready_timeout=20, **options)
        self._controller.start()

    def forget(self) -> None:
        """Be as new: polite, quick, and without mail."""
        self.received: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.passwords: list[bytes] = []
        # Of each message: whether it came encrypted.
        self.encrypted: list[bool] = []
        # Answers to recipients, and to each message.
        self.refused: dict[str, str] = {}
        self.answer = ""
        self.delay = 0.0
        # Take the message, and hang up before saying so.
        self.hangs_up = False

    def stop(self) -> None:
        """Be away from now on."""
        self._controller.stop(no_assert=True)

    def to(self, address: str) -> list[EmailMessage]:
        """The messages that came for an address."""
        pairs = zip(self.received, self.recipients, strict=True)
        return [message for message, recipients in pairs if address in recipients]

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        await asyncio.sleep(self.delay)
        if self.answer:
            return self.answer
        message = message_from_bytes(envelope.content, policy=default)
        assert isinstance(message, EmailMessage)
        self.received.append(message)
        self.recipients.append(list(envelope.rcpt_tos))
        self.encrypted.append(server.transport.get_extra_info("ssl_object") is not None)
        if self.hangs_up:
            server.transport.abort()
        return "250 OK"

    def _authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
        self.passwords.append(given.password)
        right = (given.login, given.password) == (NAME.encode(), PASSWORD.encode())
        return AuthResult(success=right, handled=False)


def free_port() -> int:
    """A port on loopback on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])
