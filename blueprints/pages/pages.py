"""What all account pages share: who may see one, how it is made, and how what failed is shown on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from flask import Response, current_app, flash, g, redirect, render_template, request, url_for
from flask_limiter import RateLimitExceeded
from flask_wtf.csrf import generate_csrf, validate_csrf
from wtforms import ValidationError

from app.auth.credentials import cookies, sessions
from app.auth.credentials.authentication import caller
from app.auth.credentials.login import login_optional
from app.auth.errors import ReauthenticationRequired
from app.engine.declare.principal import SAFE_METHODS, Principal
from app.engine.write.unit_of_work import run_unit
from app.foundation import languages
from app.foundation.errors import Failure, Forbidden, Invalid, RateLimited, require_found
from app.foundation.languages import gettext as _
from app.foundation.settings import settings
from blueprints.pages import notices
from blueprints.pages.forms import CSRF_FIELD, AccountForm
from blueprints.pages.sentences import said, told
from schemas.people.sign_in import MAX_PATH_LENGTH, OWN_PATH

ROOT = "/account"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src {pictures}; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

F = TypeVar("F", bound=Callable[..., Any])
Form = TypeVar("Form", bound=AccountForm)


class FormRefused(Failure):
    """A form whose fields say by themselves what is wrong with them."""

    status, code, text = 400, "VALIDATION_ERROR", "Check what is marked below."


class FormOutOfDate(Failure):
    """A form without the secret that the browser got with its page."""

    status, code, text = 400, "VALIDATION_ERROR", "The page had been open for too long. Send it once more."


def signed_in(view: F, *, private: bool = False) -> F:
    """Declare that a view is for whoever is signed in; anybody else signs in first and comes back. One that is
    ``private`` is closed to admins who impersonate."""

    @wraps(view)
    def checked(*arguments: Any, **options: Any) -> Any:
        if caller_if_known() is not None:
            return view(*arguments, **options)
        back = request.full_path.rstrip("?") if request.method in SAFE_METHODS else _place_of(view, options)
        return redirect(url_for("account.sign_in", next=own_path(back)), 303)

    return login_optional("leads whoever is not signed in to the sign-in page", private=private)(checked)  # type: ignore[return-value]


def acts_on(page: str) -> Callable[[F], F]:
    """Let a view act for the page with the endpoint ``page``, which shows what failed. It runs only for a form of the
    account pages that this browser was given."""

    def declare(action: F) -> F:
        @wraps(action)
        def attempted(**options: Any) -> Any:
            try:
                _check_origin_of_form()
                return action(**options)
            except RateLimitExceeded:
                g.failure = RateLimited()
            except Failure as failure:
                if failure.status >= 500:
                    raise
                g.failure = failure
            shown = current_app.view_functions[f"account.{page}"]
            g.place = _place_of(attempted, options)
            answer: Any = shown(**_options_of(shown, options))
            response = current_app.make_response(answer)
            if response.status_code == 200:
                response.status_code = g.failure.status
                response.headers.update(g.failure.headers)
            return response

        attempted.page = page  # type: ignore[attr-defined]
        return attempted  # type: ignore[return-value]

    return declare


def page(template: str, status: int = 200, **values: Any) -> Response:
    """The page that ``template`` makes of ``values``, of who is signed in and of what failed."""
    shared = {
        "alerts": _alerts(), "again": _way_to_proof(), "caller": caller_if_known(), "csrf_token": generate_csrf,
        "language": languages.current(), "languages": languages.LANGUAGES, "places": _in_languages(),
        "settings": settings, "notices": notices.of_caller(caller_if_known()),
    }  # fmt: skip
    return add_headers(Response(render_template(f"account/{template}.html", **shared, **values), status))


def refusal(failure: Failure) -> Response:
    """The page that says why there is none."""
    g.pop("failure", None)
    return page("error", failure.status, said=said(failure), request_id=failure.details.get("requestId"))


def done(page: str, text: str, **values: Any) -> Response:
    """Lead back to a page, which says ``text`` once."""
    flash(text)
    return to(page, **values)


def to(page: str, **values: Any) -> Response:
    """Lead to a page by GET."""
    return redirect_to(url_for(f"account.{page}", **values))


def redirect_to(url: str) -> Response:
    """Lead to an address by GET."""
    return cast(Response, redirect(url, 303))


def sent(form: type[Form], prepare: Callable[[Form], None] | None = None) -> Form:
    """The form that was sent, after ``prepare``; raises FormRefused unless its own rules are met."""
    g.form = filled = form()
    if prepare is not None:
        prepare(filled)
    if not filled.validate():
        raise FormRefused()
    return filled


def shown(form: type[Form], **values: Any) -> Form:
    """The form as a page shows it: with what was sent where that failed, and otherwise with ``values``."""
    failed = g.get("form")
    return failed if isinstance(failed, form) and "failure" in g else form(formdata=None, data=values)


@contextmanager
def beside(field: str, kind: type[Failure], text: str = "") -> Iterator[None]:
    """Have a failure of ``kind`` shown beside a field, with ``text`` in place of its own."""
    try:
        yield
    except kind as failure:
        failure.details = {"fields": {field: [text or failure.text]}}
        raise


def page_error(*kinds: type[Failure]) -> Failure | None:
    """What failed, for a page that has no form left to show it. One of ``kinds`` is told in the words of the page, so
    that nothing at its top tells it again."""
    failure: Failure | None = g.get("failure")
    if isinstance(failure, kinds):
        g.pop("failure")
    return failure


def own_path(text: str | None) -> str:
    """``text`` where it is a path of this service to go on to, and the first of the account pages otherwise."""
    fits = text and len(text) <= MAX_PATH_LENGTH and OWN_PATH.fullmatch(text)
    return str(text) if fits else url_for("account.profile")


def next_url() -> str:
    """Where to go on to: as the form says, or the address of the page."""
    return own_path(request.form.get("next") or request.args.get("next"))


def own_id() -> UUID:
    """Who is signed in; raises Forbidden for a credential that is nobody's."""
    return require_found(caller().user_id, Forbidden)


def end_session_before() -> None:
    """End the session that the browser had before the one that it is about to get."""
    before = caller_if_known()
    if before is not None:
        run_unit(before, sessions.sign_out)


def caller_if_known() -> Principal | None:
    """Who is signed in; nobody where the request failed before anybody asked."""
    return cast("Principal | None", g.get("principal"))


def add_headers(response: Response) -> Response:
    """Put what browsers have to know of every account page on an answer."""
    logo = urlsplit(settings.product_logo)
    pictures = f"'self' data: {logo.scheme}://{logo.netloc}" if logo.netloc else "'self' data:"
    response.headers.update(
        {
            "Content-Security-Policy": POLICY.format(pictures=pictures),
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Content-Language": languages.current(),
        }
    )
    return response


def _check_origin_of_form() -> None:
    """Refuse a form that another site sends, or that this browser was not given; forms need not ask again."""
    cookies.refuse_cross_site()
    try:
        validate_csrf(request.form.get(CSRF_FIELD))
    except ValidationError:
        raise FormOutOfDate() from None
    g.csrf_valid = True
    if any("\x00" in value for values in request.form.listvalues() for value in values):
        raise Invalid("Must be readable text.")


def _in_languages() -> dict[str, str]:
    """Where this page is in each language."""
    asked = {name: value for name, value in request.args.items() if name != languages.CHOICE}
    place = g.get("place", request.path)
    return {each: f"{place}?{urlencode({**asked, languages.CHOICE: each})}" for each in languages.LANGUAGES}


def _way_to_proof() -> str:
    """Where to prove who one is once more, where an action failed for want of that."""
    wanted = isinstance(g.get("failure"), ReauthenticationRequired)
    return url_for("account.confirm", next=g.place) if wanted else ""


def _place_of(view: Callable[..., Any], options: dict[str, Any]) -> str:
    """Where the page is that an action belongs to."""
    endpoint = f"account.{getattr(view, 'page', 'profile')}"
    return url_for(endpoint, **_options_of(current_app.view_functions[endpoint], options))


def _options_of(view: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
    """Those of the parts of a path that ``view`` takes."""
    wanted = inspect.signature(view).parameters
    return {name: value for name, value in options.items() if name in wanted}


def _alerts() -> list[str]:
    """What failed, in sentences for the top of the page; what is wrong with a field of its form goes there."""
    failure: Failure | None = g.get("failure")
    if failure is None:
        return []
    form: AccountForm | None = g.get("form")
    of_fields: dict[str, list[str]] = failure.details.get("fields", {})
    found = []
    for name, messages in of_fields.items():
        texts = [told(each) for each in messages]
        if form is not None and name in form:
            form[name].errors = [*form[name].errors, *texts]
        else:
            found += texts
    if form is not None and form.errors:
        return [*found, _("Check what is marked below.")]
    return found or [said(failure)]
