"""The first page: who one is here."""

from __future__ import annotations

from typing import Any

from flask import Response
from wtforms import URLField
from wtforms.validators import Length

from app.auth.credentials.authentication import caller
from app.auth.models.identity import AuthUser
from app.engine.read import records
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.languages import gettext
from app.foundation.languages import lazy as _
from blueprints.http.base import load
from blueprints.pages import pages
from blueprints.pages.forms import AccountForm, name_field, stripped
from schemas.derive import update_schema

MAX_URL_LENGTH = 2048


class ProfileForm(AccountForm):
    name = name_field(_("Name"), "name")
    image = URLField(
        _("Address of a picture"), [Length(max=MAX_URL_LENGTH)], [stripped], render_kw={"autocomplete": "photo"}
    )


@pages.signed_in
def profile() -> Response:
    user = _own()
    return pages.page("profile", user=user, form=pages.shown(ProfileForm, name=user["name"], image=user["image"]))


@pages.signed_in
@pages.acts_on("profile")
def change() -> Response:
    form = pages.sent(ProfileForm)
    given = load(update_schema(AuthUser), {"name": form.name.data, "image": form.image.data or None})
    run_unit(caller(), Unit.update, AuthUser, _own()["id"], given)
    return pages.done("profile", gettext("Your profile is saved."))


def _own() -> dict[str, Any]:
    return records.get(AuthUser, caller(), pages.own_id())


ROUTES = (
    ("", "profile", profile),
    ("", "change_profile", change, "POST"),
)
