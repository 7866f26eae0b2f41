"""The console page, which uses the public routes alone."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from app.auth.authentication import open_to_all
from app.auth.oauth import providers

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


def build() -> Blueprint:
    """The page."""
    blp = Blueprint("console", __name__)

    @blp.get("/console")
    @open_to_all("a page without data")
    def console() -> Response:
        page = render_template("console.html", providers=providers.configured())
        return Response(page, headers={"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"})

    return blp
