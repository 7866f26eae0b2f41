"""Ways to sign in: the password, and identities at providers, which are linked and unlinked here."""

from __future__ import annotations

from uuid import UUID

from flask import Response, request, url_for

from app.auth.credentials.authentication import caller
from app.auth.models.identity import AuthAccount
from app.auth.sign_in.oauth import flow, providers
from app.engine.read.pages import list_page
from app.engine.read.query import Query, equals
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.languages import gettext as _
from blueprints.pages import pages, sentences

MAX_SHOWN = 100


@pages.signed_in
def linked() -> Response:
    query = Query(where=equals(AuthAccount, user_id=pages.own_id()), take=MAX_SHOWN)
    found = list_page(AuthAccount, caller(), query).records
    refused = request.args.get("error")
    told = sentences.of_provider(refused) if refused and request.method == "GET" else ""
    return pages.page("linked", accounts=found, providers=providers.configured(), told=told)


@pages.signed_in
@pages.acts_on("linked")
def link(provider: str) -> Response:
    here = url_for("account.linked")
    return pages.page("away", place=flow.start(provider, caller(), here, here), provider=provider)


@pages.signed_in
@pages.acts_on("linked")
def unlink(account_id: UUID) -> Response:
    run_unit(caller(), Unit.delete, AuthAccount, account_id)
    return pages.done("linked", _("That way to sign in is removed."))


ROUTES = (
    ("/linked", "linked", linked),
    ("/linked/providers/<string:provider>", "link", link, "POST"),
    ("/linked/<uuid:account_id>/remove", "unlink", unlink, "POST"),
)
