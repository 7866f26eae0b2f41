"""One's own data: an archive of it, and the end of the account."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response, g

from app.auth.accounts import deletion
from app.auth.credentials.authentication import caller
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import Failure
from app.foundation.languages import gettext as _
from app.storage import exports
from blueprints.pages import notices, pages


@partial(pages.signed_in, private=True)
def export() -> Response:
    principal = caller()
    found = run_unit(principal, exports.own)
    may_ask = len(found) < exports.MAX_EXPORTS and not any(each.status == "pending" for each in found)
    deletion_at = notices.account_status_of(principal).delete_after
    return pages.page("export", exports=found, may_ask=may_ask, deletion_at=deletion_at)


@pages.signed_in
@pages.acts_on("export")
def ask() -> Response:
    run_unit(caller(), exports.ask)
    return pages.done("export", _("The archive is being made. A mail says when it is ready."))


@pages.signed_in
def delete() -> Response:
    failure: Failure | None = g.get("failure")
    named: list[dict[str, Any]] = failure.details.get("organizations", []) if failure else []
    deletion_at = notices.account_status_of(caller()).delete_after
    return pages.page("delete", organizations=named, deletion_at=deletion_at, days=deletion.GRACE.days)


@pages.signed_in
@pages.acts_on("delete")
def begin() -> Response:
    deletion.begin(caller())
    return pages.done("delete", _("Your account will be deleted."))


@pages.signed_in
@pages.acts_on("delete")
def cancel() -> Response:
    run_unit(caller(), deletion.cancel)
    return pages.done("delete", _("Your account stays."))


ROUTES = (
    ("/export", "export", export),
    ("/export", "ask_for_export", ask, "POST"),
    ("/delete", "delete", delete),
    ("/delete", "begin_deletion", begin, "POST"),
    ("/delete/cancel", "cancel_deletion", cancel, "POST"),
)
