"""The studio: a page of its own for every path below /console, and the files that it is made of.

The files are built by Vite; their names hold a hash of what is in them, so that they are kept for good.
"""

from __future__ import annotations

import json
import mimetypes
from functools import cache
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from flask import Blueprint, Response, render_template, send_from_directory

from app.auth.credentials.access import open_to_all
from app.extension_points import STUDIO_FOLDERS
from app.foundation.errors import NotFound
from blueprints.http.compression import compressed, wants_gzip
from config import ROOT

BUILT = ROOT / "app" / "static" / "studio"
ENTRY = "index.html"
# Styles come in with a nonce, since the components make them while they run. Pictures of stored files are blobs.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; connect-src 'self'; font-src 'self'; "
    "img-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
PAGE = {"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"}
ASSET = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
# What gzip makes no smaller.
PACKED = ("image/png", "image/jpeg", "font/woff2")


def build() -> Blueprint:
    """The page and its files."""
    blp = Blueprint("studio", __name__, url_prefix="/console")

    @blp.get("/assets/<path:name>")
    @open_to_all("files of the studio, which hold no data")
    def asset(name: str) -> Response:
        plain, gzipped, kind = _asset(name)
        if gzipped is not None and wants_gzip():
            return Response(gzipped, content_type=kind, headers={**ASSET, "Content-Encoding": "gzip"})
        return Response(plain, content_type=kind, headers=ASSET)

    @blp.get("/extensions/<string:plugin>/<path:name>")
    @open_to_all("files that plugins add to the studio")
    def extension(plugin: str, name: str) -> Response:
        if plugin not in STUDIO_FOLDERS:
            raise NotFound()
        return send_from_directory(STUDIO_FOLDERS[plugin], name, max_age=0)

    @blp.get("")
    @blp.get("/")
    @blp.get("/<path:page>")
    @open_to_all("a page without data")
    def studio(page: str = "") -> Response:
        nonce = token_urlsafe(16)
        body = render_template("studio.html", nonce=nonce, **_parts())
        return Response(body, headers={**PAGE, "Content-Security-Policy": POLICY.format(nonce=nonce)})

    return blp


@cache
def _manifest() -> dict[str, Any]:
    return json.loads((BUILT / ".vite" / "manifest.json").read_bytes())


@cache
def _parts() -> dict[str, Any]:
    """The script of the page, what it imports first, and its styles."""
    entry = _manifest()[ENTRY]
    imported = [_manifest()[name]["file"] for name in entry.get("imports", ())]
    return {"script": entry["file"], "imported": imported, "styles": entry.get("css", ())}


@cache
def _asset(name: str) -> tuple[bytes, bytes | None, str]:
    """A file, compressed where that helps, and its type; raises NotFound for what the build has not made."""
    folder = BUILT / "assets"
    if name not in {path.name for path in folder.iterdir()}:
        raise NotFound()
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    content = Path(folder, name).read_bytes()
    gzipped = None if kind in PACKED else compressed(content)
    return content, gzipped, f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
