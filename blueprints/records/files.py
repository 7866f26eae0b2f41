"""Files of records over HTTP."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request

from app.auth.credentials.authentication import caller
from app.engine.declare.record import Record
from app.foundation.errors import Invalid
from app.storage import record_files
from blueprints.http.base import parse_id
from blueprints.http.delivery import delivered

SIZE = "size"


def read_file(model: type[Record]) -> Callable[..., Response]:
    """The bytes of a file of a record, a picture in the size that the query names."""

    def handler(id: str, field: str) -> Response:
        return delivered(record_files.find(model, caller(), parse_id(id), field, _size()))

    return handler


def _size() -> int | None:
    """The size that is asked for; raises Invalid."""
    given = request.args.get(SIZE)
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 6):
        raise Invalid({SIZE: ["Must be a number of pixels."]})
    return int(given)
