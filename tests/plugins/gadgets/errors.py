"""What can go wrong with gadgets."""

from __future__ import annotations

from rowgate import Failure


class TooManyParts(Failure):
    """A part too many."""

    status, code, text = 409, "GADGETS_TOO_MANY_PARTS", "The gadget has all the parts that it may have"
