"""Routes about the service: health, readiness, metrics, the description and its UI."""

from __future__ import annotations

import hmac
from importlib.resources import files

from flask import Blueprint, Response, redirect, render_template, request, send_from_directory, url_for
from prometheus_client import CONTENT_TYPE_LATEST
from werkzeug.wrappers import Response as BaseResponse

from app.auth.credentials.access import open_to_all
from app.foundation.errors import NotFound, Unavailable
from app.foundation.settings import settings
from app.runtime import metrics
from app.schema import readiness
from blueprints.http.base import answer
from blueprints.openapi.api import Api
from schemas.query.queries import CREDENTIAL, refuse_unknown

LOCAL_PEERS = ("127.0.0.1", "::1")
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via")
ASSETS = str(files("flask_swagger_ui") / "dist")
UI_POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"


def build(api: Api) -> Blueprint:
    """Routes about the service itself, next to ``api``."""
    blp = Blueprint("monitoring", __name__)

    @blp.get("/")
    @open_to_all("leads to the UI")
    def index() -> BaseResponse:
        return redirect(url_for("monitoring.docs"))

    @blp.get("/healthz")
    @open_to_all("a process that answers is up")
    def healthz() -> Response:
        return answer({"status": "ok"})

    @blp.get("/readyz")
    @open_to_all("a load balancer asks it")
    def readyz() -> Response:
        parts = readiness.parts()
        if not readiness.can_serve(parts):
            response = answer({"status": "unavailable", **parts}, 503)
            response.headers.update(Unavailable().headers)
            return response
        return answer({"status": "ok" if all(state == "ok" for state in parts.values()) else "degraded", **parts})

    @blp.get("/metrics")
    @open_to_all("answers callers on the same machine, and those with METRICS_TOKEN")
    def measured() -> Response:
        if not _may_read_metrics():
            raise NotFound()
        jobs, log = readiness.measured()
        changes = None if log is None else metrics.ChangeLog(log.position, log.lag)
        return Response(metrics.prometheus_text(jobs, changes), content_type=CONTENT_TYPE_LATEST)

    _route_description(blp, api)
    return blp


def _route_description(blp: Blueprint, api: Api) -> None:
    @blp.get("/api/v1/openapi.json")
    @open_to_all("the description of the API is public")
    def openapi() -> Response:
        refuse_unknown(request.args, (CREDENTIAL, "domain"))
        domain = request.args.get("domain")
        return Response(api.description if domain is None else api.part(domain), mimetype="application/json")

    @blp.get("/api/v1/docs")
    @open_to_all("the UI shows the public description")
    def docs() -> Response:
        domain = request.args.get("domain", next(iter(api.domains)))
        if domain not in api.domains:
            raise NotFound()
        page = render_template("docs.html", domains=api.domains, shown=domain)
        return Response(page, headers={"Content-Security-Policy": UI_POLICY})

    @blp.get("/api/v1/docs/<path:name>")
    @open_to_all("assets of the UI")
    def docs_assets(name: str) -> Response:
        return send_from_directory(ASSETS, name, max_age=86400)


def _may_read_metrics() -> bool:
    sent = request.headers.get("Authorization", "")
    if settings.metrics_token and hmac.compare_digest(sent.encode(), f"Bearer {settings.metrics_token}".encode()):
        return True
    return settings.metrics and is_local()


def is_local() -> bool:
    """Whether the caller is on this machine, through no proxy."""
    # What came through a proxy on this machine has a local address as well, but says where it came from.
    peer = request.environ.get("werkzeug.proxy_fix.orig", request.environ).get("REMOTE_ADDR")
    return peer in LOCAL_PEERS and not any(name in request.headers for name in FORWARDED)
