"""The settings of mail."""

from config import Setting

SETTINGS = (
    Setting("product_name", "Rowgate", "name of the product in mails and on account pages"),
    Setting(
        "product_logo",
        "",
        "URL of a logo for them",
        pattern=r"https?://[^/?#@*\s;,'\"]+/[^\s;,'\"<>]*",
    ),
    Setting(
        "mail_url",
        "",
        "mail server, such as smtp://name:password@mail.example.com:587, or smtps:// for TLS; empty shows mails at "
        "/mailbox in development, sends none in production",
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
        "mails of one kind to one address in a day: invitations, links to prove it, notices while it is not verified",
        low=1,
        high=1000,
    ),
    Setting("mail_timeout", 20.0, "seconds for each step of a delivery", low=0.1, high=300.0),
)
