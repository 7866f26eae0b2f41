"""Delivery of files: their bytes, or where these are for a minute."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from flask import Response, redirect, send_file

from app.foundation.errors import NotFound
from app.storage.object_store import object_store
from app.storage.uploads import Stored

# Types that a browser shows without running anything in them. All others are for saving.
SHOWN_IN_PLACE = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "text/plain")
SHOWN_FAMILIES = ("audio/", "video/")
HARMLESS = "default-src 'none'; sandbox"


def delivered(stored: Stored) -> Response:
    """Answer with the bytes of a file, whole or in part, or with where they are for a minute."""
    in_place = stored.content_type in SHOWN_IN_PLACE or stored.content_type.startswith(SHOWN_FAMILIES)
    disposition = f"{'inline' if in_place else 'attachment'}; filename*=UTF-8''{quote(stored.filename, safe='')}"
    delivery = object_store().deliver(stored.key, content_type=stored.content_type, disposition=disposition)
    if delivery.path is None:
        response: Any = redirect(delivery.url)
        response.headers["Cache-Control"] = "private, no-store"
        return response
    try:
        response = send_file(delivery.path, mimetype=stored.content_type, etag=stored.sha256, conditional=True)
    except FileNotFoundError:
        raise NotFound() from None
    response.headers.update(
        {
            "Content-Disposition": disposition,
            "Content-Security-Policy": HARMLESS,
            "Cache-Control": "private, no-cache",
        }
    )
    return response
