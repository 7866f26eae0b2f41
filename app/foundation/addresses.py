"""E-mail addresses in the one form in which they are stored and compared."""

from __future__ import annotations

import unicodedata

import idna
from marshmallow import ValidationError
from marshmallow.validate import Email

MAX_LENGTH = 254

_check = Email()


def normalized(address: str) -> str:
    """NFC-normalize, check, fold to lower case, and write the domain in ASCII. Raises marshmallow's ValidationError,
    also for look-alikes of the at sign, for characters that are not seen, and for numbers of hosts in place of a name:
    whoever types one aims at a machine, often at our own."""
    # The length comes first: normalizing combining marks takes time that grows with the square of their number.
    normal = unicodedata.normalize("NFC", address) if len(address) <= MAX_LENGTH else address
    if len(normal) > MAX_LENGTH or unicodedata.normalize("NFKC", normal).count("@") != normal.count("@"):
        raise ValidationError("Not a valid email address.")
    # Of ASCII, all that is not seen is not printable, which takes no look at each character.
    plain = normal.isascii() and normal.isprintable()
    if not plain and any(unicodedata.category(character) in ("Cc", "Cf") for character in normal):
        raise ValidationError("Not a valid email address.")
    local, at, domain = str(_check(str(_check(normal)).lower())).rpartition("@")
    name = _a_label(domain)
    # No top-level domain is a number (RFC 3696, section 2), and every address of a host ends in one.
    if name.startswith("[") or name.rpartition(".")[2].isdigit():
        raise ValidationError("Not a valid email address.")
    return local + at + name


def _a_label(domain: str) -> str:
    """The domain in the form in which the name system has it (RFC 5890): one address is one address, however its domain
    is written."""
    if domain.isascii():
        return domain
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        raise ValidationError("Not a valid email address.") from None
