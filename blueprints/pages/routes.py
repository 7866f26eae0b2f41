"""The blueprint of the account pages, put together."""

from __future__ import annotations

from typing import Any

from flask import Blueprint
from flask.blueprints import BlueprintSetupState

from app.foundation import languages
from app.runtime import rate_limits
from blueprints.pages import (
    clients,
    data,
    entrance,
    formats,
    invitation,
    linked,
    members,
    notifications,
    organizations,
    pages,
    passkeys,
    profile,
    reauthentication,
    recovery,
    second_factor,
    security,
    sessions,
    two_factor,
    unsubscribing,
)
from blueprints.pages.forms import CSRF_FIELD

GROUPS = (
    entrance, second_factor, recovery, invitation, reauthentication, unsubscribing, profile, sessions, linked, security,
    two_factor, passkeys, organizations, members, clients, notifications, data,
)  # fmt: skip


def build() -> Blueprint:
    """The account pages."""
    blp = Blueprint("account", __name__, url_prefix=pages.ROOT)
    for group in GROUPS:
        for path, endpoint, view, *methods in group.ROUTES:
            blp.add_url_rule(path, endpoint, view, methods=methods or ["GET"])
    blp.record_once(_set_up)
    blp.before_request(languages.remember)
    blp.after_request(rate_limits.add_headers)
    blp.after_request(pages.add_headers)
    return blp


def _set_up(state: BlueprintSetupState) -> None:
    """Teach the templates languages and formats, and the forms what their token is called."""
    # A page may lie open for as long as the browser does.
    state.app.config.update(WTF_CSRF_FIELD_NAME=CSRF_FIELD, WTF_CSRF_TIME_LIMIT=None)
    templates: Any = state.app.jinja_env
    templates.add_extension("jinja2.ext.i18n")
    templates.policies["ext.i18n.trimmed"] = True
    templates.install_gettext_callables(languages.gettext, languages.ngettext, newstyle=True)
    templates.filters.update(formats.FILTERS)
