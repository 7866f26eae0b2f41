"""create_app: settings, extensions, routes, error shapes, headers and commands, put together."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson
import psycopg
from flask import Flask, Response, g, request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from uuid_utils import uuid7
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from app import plugins
from app.engine.declare import catalogue
from app.engine.declare.record import metadata
from app.engine.read import concurrency
from app.engine.read.database import translated
from app.extensions import READS, db, migrate
from app.foundation import errors, percent_encoding
from app.foundation.crypto import Vault
from app.ops import public_names
from app.runtime import change_context, connections, embedded, headers, logs, metrics, pubsub, rate_limits, var_dir_lock
from app.schema import readiness
from blueprints.http import routing
from config import ROOT, SettingError, Settings, listed, named
from schemas.errors import error_body, is_under

log = logging.getLogger("rowgate")
expected = logs.Throttle()

REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{8,128}")
AUTOCOMMIT = {"isolation_level": "AUTOCOMMIT", "pool_reset_on_return": None}
# Which driver; where to is decided at each connection.
DRIVER = "postgresql+psycopg://"
# What the framework says besides the status.
KEPT_HEADERS = ("Allow", "Retry-After", "Content-Range")
FAILURE_OF_STATUS: dict[int, type[errors.Failure]] = {
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    413: errors.PayloadTooLarge,
    415: errors.UnsupportedMediaType,
    416: errors.RangeNotSatisfiable,
    429: errors.RateLimited,
}


class Rowgate(Flask):
    """Flask without asking of every function at every call whether it is a coroutine: none is."""

    url_rule_class = routing.Route

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    def handle_user_exception(self, e: Exception) -> Any:
        """Write what failed in the service into the log, whichever handler answers it."""
        if (failure := _failure_of(e)).status >= 500:
            _report(failure, e)
        return super().handle_user_exception(e)


def create_app(settings: Settings | None = None, *, lazy_routes: bool = False, commands: bool = True) -> Flask:
    """Build the application; nothing is connected to before the first request. ``lazy_routes`` are added when one is
    first asked for, which in some processes is never; only the command line needs ``commands``."""
    if settings:
        loaded = plugins.load(settings.plugin_names, listed(settings.domains))
    else:
        loaded = plugins.load(named("PLUGINS"), named("DOMAINS"))
    settings = settings or Settings.from_environment()
    settings.check()
    app = Rowgate("app", root_path=str(ROOT / "app"))
    app.url_map.merge_slashes = False
    app.extensions["domains"] = {plugin.name for plugin in loaded}
    app.extensions["tools"] = {name: tool for plugin in loaded for name, tool in plugin.tools.items()}
    pubsub.init_app(app, settings.redis_url or embedded.redis_url(settings.var_dir))
    _configure(app, settings)
    db.init_app(app)
    migrate.init_app(app, db, directory=str(ROOT / "migrations"), metadata=metadata)
    app.before_request(_identify)
    rate_limits.init_app(app, _limiter_url(settings.redis_url or embedded.redis_url(settings.var_dir)))
    concurrency.init_app(app)
    for plugin in loaded:
        if plugin.init_app is not None:
            plugin.init_app(app)
    add_routes = partial(_register_routes, app, settings, loaded)
    if lazy_routes:
        routing.add_lazily(app, add_routes)
    else:
        add_routes()
    app.register_error_handler(Exception, _render)
    connections.init_app(app)
    readiness.init_app(app)
    metrics.init_app(app)
    if settings.log_requests:
        app.after_request(_log)
    if commands:
        from app.commands import catalogue as catalogue_of_commands  # which load what web workers never need

        catalogue_of_commands.register(app, loaded)
    return app


def _configure(app: Flask, settings: Settings) -> None:
    options = _engine_options(settings)
    app.config.update(
        SETTINGS=settings,
        MAX_CONTENT_LENGTH=settings.max_json_bytes,
        SQLALCHEMY_DATABASE_URI=DRIVER,
        SQLALCHEMY_ENGINE_OPTIONS=options,
        SQLALCHEMY_BINDS={READS: {"url": DRIVER, **options, **AUTOCOMMIT}},
    )
    announced = {"Deprecation": settings.api_v1_deprecation, "Sunset": settings.api_v1_sunset}
    app.extensions["vault"] = Vault(settings.secret_key or var_dir_lock.secret_key(settings.var_dir))
    secure = settings.base_url.startswith("https:")
    app.config.update(
        SECRET_KEY=app.extensions["vault"].signing_key,
        SESSION_COOKIE_NAME="__Host-flow" if secure else "flow",
        SESSION_COOKIE_SECURE=secure,
        SESSION_COOKIE_SAMESITE="Lax",
        TRUSTED_HOSTS=settings.hosts or None,
    )
    app.wsgi_app = headers.CommonHeaders(  # type: ignore[method-assign]
        app.wsgi_app,
        [(name, value) for name, value in announced.items() if value],
        app.extensions["announcements"].announce,
    )
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]


def _limiter_url(url: str) -> str:
    return "redis+" + url if url.startswith("unix://") else url


def _engine_options(settings: Settings) -> dict[str, Any]:
    return {
        "creator": partial(connections.connect, settings),
        "pool_size": settings.database_pool_size,
        "max_overflow": settings.database_pool_overflow,
        "pool_timeout": settings.database_pool_timeout,
        "pool_use_lifo": True,
        "hide_parameters": True,
        "json_serializer": lambda value: orjson.dumps(value).decode(),
        "json_deserializer": orjson.loads,
    }


def _register_routes(app: Flask, settings: Settings, loaded: Sequence[plugins.Plugin]) -> None:
    # A process whose routes come late does without all that they are made of.
    from blueprints.http import origins
    from blueprints.http.base import Blueprint as ApiBlueprint
    from blueprints.openapi import document as openapi
    from blueprints.records import domains
    from blueprints.service import monitoring, studio

    with app.app_context():
        routing.init_app(app)
        api = openapi.build(app)
        for domain in catalogue.domains():
            api.register_blueprint(domains.build(domain), domain=domain.name)
    owners = {each.name: each for each in loaded}
    for plugin, name in ((each, name) for each in loaded for name in each.blueprints):
        with app.app_context():
            built = plugins.resolve(name)()
        if built.name in app.blueprints:
            raise SettingError(
                f"The plugin {plugin.name} brings the blueprint {built.name}, whose name is taken: call it otherwise"
            )
        owners[built.name] = plugin
        if not isinstance(built, ApiBlueprint):
            app.register_blueprint(built)
        elif f"{built.url_prefix or ''}/".startswith(openapi.DATA):
            api.register_blueprint(built, domain=plugin.name)
        else:
            api.register_blueprint(origins.open_to(settings.origins, built), domain=plugin.name)
    app.register_blueprint(monitoring.build(api))
    app.register_blueprint(studio.build())
    if any(not each.is_ours for each in loaded):
        if not settings.production:
            public_names.warn(loaded)
        routing.check_route_conflicts(app, {name: "" if each.is_ours else each.name for name, each in owners.items()})


def _identify() -> None:
    """Take the request id from the caller when it is plain, make one otherwise. Refuse addresses that nobody can read
    alike."""
    environ, known = request.environ, g._get_current_object()
    known.began = time.perf_counter()
    sent = environ.get("HTTP_X_REQUEST_ID", "")
    known.request_id = environ[headers.REQUEST_ID] = sent if REQUEST_ID.fullmatch(sent) else uuid7().hex
    logs.request_id.set(known.request_id)
    change_context.origin.set(change_context.UNWRITTEN)
    if environ["PATH_INFO"].startswith("//"):
        raise errors.NotFound()  # the framework has stripped the slashes already
    percent_encoding.check(environ["PATH_INFO"], environ["QUERY_STRING"])


def _render(error: Exception) -> Response | HTTPException:
    """Turn whatever was raised into a body in the shape of its route family."""
    from blueprints.http.base import answer
    from blueprints.pages import pages as account_pages  # which come with the routes

    if isinstance(error, HTTPException) and (error.code or 500) < 400:
        return error
    failure = _failure_of(error)
    if failure.status >= 500:
        failure.details = {**failure.details, "requestId": g.request_id}
    if is_under(request.path, account_pages.ROOT):
        response = account_pages.refusal(failure)
    else:
        response = answer(error_body(failure, request.path), failure.status)
    response.headers.update(failure.headers)
    return response


def _report(failure: errors.Failure, error: Exception) -> None:
    """Write what failed into the log: a part that is away in a line, everything else with its traceback. Of one that
    nobody has set up there is nothing to tell, here and in metrics of failures."""
    if isinstance(failure, errors.NotConfigured):
        metrics.count_as("not_set_up")
        return
    if failure.status != errors.Unavailable.status:
        log.error("%s %r: %s", request.method, request.path, failure.code, exc_info=error)
        return
    reason = type(error.__cause__ or error).__name__
    if expected.admits(f"{failure.code} {reason}"):
        log.warning("%s %r: %s: %s (%s)", request.method, request.path, failure.code, failure.text, reason)


def _failure_of(error: Exception) -> errors.Failure:
    if isinstance(error, errors.Failure):
        return error
    if isinstance(error, DBAPIError | PoolTimeout | psycopg.Error):
        return translated(error)
    if isinstance(error, HTTPException):
        known = FAILURE_OF_STATUS.get(error.code or 500)
        failure = known() if known else _other(error)
        failure.headers |= {name: value for name, value in error.get_headers() if name in KEPT_HEADERS}
        return failure
    return errors.Failure()


def _other(error: HTTPException) -> errors.Failure:
    failure = errors.Failure(error.name)
    failure.status, failure.code = (
        error.code or 500,
        "VALIDATION_ERROR" if (error.code or 500) < 500 else "UNKNOWN_ERROR",
    )
    return failure


def _log(response: Response) -> Response:
    route = request.url_rule.rule if request.url_rule else "unmatched"
    took = round((time.perf_counter() - g.began) * 1000, 1)
    log.info(
        "request",
        extra={"method": request.method, "route": route, "status": response.status_code, "milliseconds": took},
    )
    return response
