"""E-mail addresses in the one form in which they are stored and compared."""

from __future__ import annotations

import unicodedata

from marshmallow import ValidationError
from marshmallow.validate import Email

LONGEST = 254

_check = Email()


def normalized(address: str) -> str:
    """NFC-normalize, check, then fold to lower case. Raises marshmallow's ValidationError, also for look-alikes of
    the at sign."""
    # The length comes first: normalizing combining marks takes time that grows with the square of their number.
    normal = unicodedata.normalize("NFC", address) if len(address) <= LONGEST else address
    if len(normal) > LONGEST:
        raise ValidationError("Not a valid email address.")
    if unicodedata.normalize("NFKC", normal).count("@") != normal.count("@"):
        raise ValidationError("Not a valid email address.")
    return str(_check(str(_check(normal)).lower()))
