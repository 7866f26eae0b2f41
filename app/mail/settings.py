"""The settings of mail."""

from __future__ import annotations

from config import Setting

SETTINGS = (
    Setting("product_name", "Rowgate", "what the product is called in mails and on account pages"),
    Setting(
        "product_logo",
        "",
        "address of a picture, shown in mails and on account pages",
        pattern=r"https?://[^/?#@*\s;,'\"]+/[^\s;,'\"<>]*",
    ),
    Setting(
        "mail_url",
        "",
        "mail server, such as smtp://name:password@mail.example.com:587, or smtps:// for TLS from the first byte; "
        "empty shows messages at /mailbox in development, and sends none in production",
        pattern=r"smtps?://([^@/\s]+@)?[^@/?#\s]+",
    ),
    Setting(
        "mail_from",
        "",
        "sender of mails, such as Rowgate <no-reply@example.com>; empty means no-reply at the host of BASE_URL",
        pattern=r"[^<>\r\n]*<[^@<>\s]+@[^@<>\s]+>|[^@<>\s]+@[^@<>\s]+",
    ),
    Setting(
        "mails_per_address",
        5,
        "mails of one kind that others can have sent to one address in a day, however many ask: invitations, and links "
        "to prove an address; the same for notices about an account whose address is not verified",
        low=1,
        high=1000,
    ),
    Setting("mail_timeout", 20.0, "seconds that each step of a delivery may take", low=0.1, high=300.0),
)
