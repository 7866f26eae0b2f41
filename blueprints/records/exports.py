"""Exports over HTTP: the whole of a list as a file, while it is read."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from flask import Response, copy_current_request_context, current_app, request

from app.auth.credentials import presence
from app.auth.credentials.authentication import caller
from app.engine.declare.record import Record
from app.engine.transfer.copying import Client, ClientGone
from app.engine.transfer.exporting import Export, ExportFormat
from app.foundation.clock import now
from app.foundation.errors import RequestTimedOut
from blueprints.http.base import JSON
from blueprints.http.compression import GZIP_WINDOW, wants_gzip
from schemas.transfer.exporting import export_query

CONTENT_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8; header=present",
    ExportFormat.NDJSON: "application/x-ndjson",
    ExportFormat.JSON: JSON,
}  # fmt: skip
# The best compression takes five times as long, in which the worker serves nobody else.
GZIP_LEVEL = 1


def export_records(model: type[Record]) -> Callable[[], Response]:
    """All of a list as a file."""
    return partial(export, model)


def export(model: type[Record]) -> Response:
    """The export that the query parameters ask for; of HEAD, only what would be said of it."""
    asked = export_query(model, caller(), request.args, current_app.config["SETTINGS"])
    name = f"{model.domain}-{model.segment}-{now().date()}.{asked.form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Vary": "Accept-Encoding"}
    body: Any = iter(())
    gzipped = wants_gzip()
    if gzipped:
        headers["Content-Encoding"] = "gzip"
    if request.method != "HEAD":
        try:
            body = Export(model, caller(), asked, _client())
        except ClientGone as gone:
            raise RequestTimedOut("The client is gone") from gone
        body = GzipStream(body) if gzipped else body
    return Response(body, headers=headers, content_type=CONTENT_TYPES[asked.form])


def _client() -> Client | None:
    """Who reads, where the server tells the socket that the request came on. The answer goes on after the request."""
    socket = request.environ.get("gunicorn.socket") or request.environ.get("werkzeug.socket")
    return (
        Client(socket, copy_current_request_context(partial(presence.is_still_authorized, caller())))
        if socket
        else None
    )


class GzipStream:
    """Blocks compressed on their way; closing it closes what they come from."""

    def __init__(self, blocks: Export) -> None:
        self._blocks = blocks

    def __iter__(self) -> Iterator[bytes]:
        blocks: Iterable[bytes] = self._blocks
        compressor = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_WINDOW)
        for block in blocks:
            if squeezed := compressor.compress(block):
                yield squeezed
        yield compressor.flush()

    def close(self) -> None:
        self._blocks.close()
