"""A plugin of ordinary Flask: a blueprint with what Flask's have, and an extension that sets the application up."""

from __future__ import annotations

from flask import Blueprint, Flask, Response, g, jsonify, redirect, render_template_string, request, url_for

from rowgate import Failure, Plugin
from rowgate.http import caller, credentials_required, open_to_all


class Overdue(Exception):
    """Something that routes of the plugin raise."""


def build() -> Blueprint:
    """The blueprint that the plugin names."""
    blp = Blueprint("library", __name__, url_prefix="/library")

    @blp.before_request
    def count() -> Response | None:
        g.counted = g.get("counted", 0) + 1
        return Response("Closed", 503) if request.args.get("closed") else None

    @blp.after_request
    def mark(response: Response) -> Response:
        response.headers["X-Library"] = str(g.get("counted"))
        return response

    @blp.errorhandler(Overdue)
    def say(error: Overdue) -> tuple[Response, int]:
        return jsonify(said=str(error)), 409

    @blp.get("/")
    @open_to_all("is for everybody")
    def home() -> str:
        return render_template_string("<h1>{{ title }}</h1>", title="Books & more")

    @blp.get("/mine")
    @credentials_required()
    def mine() -> Response:
        return jsonify(user=str(caller().user_id))

    @blp.get("/old")
    @open_to_all("leads home")
    def old() -> Response:
        return redirect(url_for("library.home"))

    @blp.get("/late")
    @open_to_all("shows how it fails")
    def late() -> Response:
        raise Overdue("A week late")

    @blp.errorhandler(Failure)
    def answer_failure(failure: Failure) -> tuple[Response, int]:
        return jsonify(code=failure.code), failure.status

    @blp.get("/broken")
    @open_to_all("shows how it breaks")
    def broken() -> Response:
        raise Failure

    @blp.get("/forgotten")
    def forgotten() -> str:
        return "What no declaration opens"

    return blp


def init_app(app: Flask) -> None:
    """Set the application up, as Flask's extensions do."""

    @app.before_request
    def note() -> None:
        g.noted = True

    @app.context_processor
    def names() -> dict[str, str]:
        return {"library": "Town"}


plugin = Plugin("library", "A library.", blueprints=("plain_flask:build",), init_app=init_app)
