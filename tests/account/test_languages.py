"""The languages of the pages: which one a browser gets, and that every page has it."""

from __future__ import annotations

import re

import pytest

from tests.account.visitors import Visitor, alerts_of, wrong_with
from tests.auth.sign_in.visitors import PASSWORD

PAGES = {
    "/account": ("Profile", "Profil"),
    "/account/sessions": ("Devices", "Geräte"),
    "/account/linked": ("Ways to sign in", "Anmeldung"),
    "/account/organizations": ("Organizations", "Organisationen"),
    "/account/notifications": ("Notifications", "Benachrichtigungen"),
    "/account/confirm": ("Confirm that it is you", "Bestätigen, dass Sie es sind"),
}
ENTRANCES = {
    "/account/sign-in": ("Sign in", "Anmelden"),
    "/account/sign-up": ("Create an account", "Konto anlegen"),
    "/account/forgot": ("Forgotten your password?", "Passwort vergessen?"),
    "/account/forgot/sent": ("Look into your mail", "Sehen Sie in Ihre E-Mails"),
    "/account/verify": ("Open the link in your mail", "Öffnen Sie den Link in Ihrer E-Mail"),
    "/account/nowhere": ("There is no page here.", "Hier gibt es keine Seite."),
}


def assert_is_in(response, language, title):
    assert f'<html lang="{language}">' in response.text
    assert f"<title>{title} - Rowgate</title>" in response.text
    assert re.search(rf"<h1[^>]*>{re.escape(title)}</h1>", response.text)
    assert response.headers["Content-Language"] == language


@pytest.mark.parametrize(("path", "titles"), PAGES.items(), ids=list(PAGES))
def test_every_page_is_in_both_languages(member, path, titles):
    for language, title in zip(("en", "de"), titles, strict=True):
        assert_is_in(member.get(f"{path}?lang={language}"), language, title)


@pytest.mark.parametrize(("path", "titles"), ENTRANCES.items(), ids=list(ENTRANCES))
def test_the_ways_in_are_in_both_languages(visitor, path, titles):
    for language, title in zip(("en", "de"), titles, strict=True):
        assert_is_in(visitor.get(f"{path}?lang={language}"), language, title)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("de-AT,en;q=0.5", "de"),
        ("fr,de;q=0.5,en;q=0.4", "de"),
        ("fr", "en"),
        ("", "en"),
        ("en-GB", "en"),
    ],
)
def test_a_browser_gets_the_first_of_its_languages_that_there_is(app, accepted, language):
    assert f'<html lang="{language}">' in Visitor(app, accepted).get("/account/sign-in").text


def test_a_chosen_language_stays_chosen(visitor):
    visitor.get("/account/sign-in?lang=de")
    assert '<html lang="de">' in visitor.get("/account/sign-up").text
    assert '<html lang="de">' in visitor.get("/account/sign-up?lang=fr").text
    visitor.get("/account/sign-in?lang=en")
    assert '<html lang="en">' in visitor.get("/account/sign-up").text


def test_a_page_links_to_itself_in_the_other_language(visitor):
    page = visitor.get("/account/sign-in?next=/account/linked").text
    assert 'href="/account/sign-in?next=%2Faccount%2Flinked&amp;lang=de" lang="de" hreflang="de"' in page


def test_what_fails_is_said_in_the_language_of_the_page(app):
    visitor = Visitor(app, "de")
    given = {"name": "", "email": visitor.email, "password": "kurz"}
    response = visitor.send("/account/sign-up", **given)
    assert wrong_with(response, "name") == "Dieses Feld wird benötigt."
    assert wrong_with(response, "password") == "Mindestens 8 Zeichen verwenden."
    assert alerts_of(response) == ["Bitte prüfen Sie, was unten markiert ist."]
    assert "<title>Fehler: Konto anlegen - Rowgate</title>" in response.text


def test_moments_are_in_the_language_of_the_page(app):
    visitor = Visitor(app, "de").sign_up(password=PASSWORD)
    page = visitor.get("/account/sessions").text
    assert re.search(r'<time datetime="[^"]+Z" title="\d\d\.\d\d\.\d{4}, [\d:]+ UTC">(vor|in) \d', page)
