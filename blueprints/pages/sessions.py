"""Where one is signed in: every device, and ways to end that."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from app.auth.credentials import sessions as services
from app.auth.credentials.authentication import caller
from app.auth.models.identity import AuthSession
from app.engine.declare.kind import Operator
from app.engine.read.pages import list_page
from app.engine.read.query import Comparison, Junction, Query, SortKey, equals
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.clock import now
from app.foundation.languages import gettext as _
from blueprints.pages import pages

# More than anybody looks through; the oldest use is at the end.
MAX_SHOWN = 100


@pages.signed_in
def sessions() -> Response:
    fields, principal = AuthSession.fields(), caller()
    own = equals(AuthSession, user_id=pages.own_id()).parts
    alive = Comparison(fields["expires_at"], Operator.GT, now())
    latest = (SortKey((), fields["last_seen_at"], True), SortKey((), fields["created_at"], True))
    query = Query(where=Junction((*own, alive)), sort=latest, take=MAX_SHOWN, is_plain=False)
    found = list_page(AuthSession, principal, query).records
    # The one that looks comes first, wherever it stands.
    found.sort(key=lambda each: each["id"] != principal.credential_id)
    return pages.page("sessions", sessions=found, current=principal.credential_id)


@pages.signed_in
@pages.acts_on("sessions")
def revoke(session_id: UUID) -> Response:
    run_unit(caller(), Unit.delete, AuthSession, session_id)
    return pages.done("sessions", _("That device is signed out."))


@pages.signed_in
@pages.acts_on("sessions")
def revoke_others() -> Response:
    run_unit(caller(), services.sign_out_elsewhere)
    return pages.done("sessions", _("You are signed out everywhere else."))


ROUTES = (
    ("/sessions", "sessions", sessions),
    ("/sessions/others/revoke", "revoke_other_sessions", revoke_others, "POST"),
    ("/sessions/<uuid:session_id>/revoke", "revoke_session", revoke, "POST"),
)
