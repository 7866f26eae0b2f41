"""Mails in words: every kind in every language, and values that want to be more than text."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from jinja2 import UndefinedError

from app.mail import templates
from app.mail.templates import LANGUAGES, kinds, render

LINK = "https://rowgate.example/account/x?token=" + "a1B2" * 11 + "&page=1"
UNSUBSCRIBE = "https://rowgate.example/unsubscribe?token=abc"
LOGO = "https://rowgate.example/logo.png"
MARKUP = "<img src=x onerror=alert(1)>"
SAMPLES = {
    "verify-address": {"link": LINK},
    "change-address": {"link": LINK},
    "address-changed": {"link": LINK, "address": "new@example.com"},
    "record-shared": {"link": LINK, "address": "new@example.com", "sharer": "Grace Hopper"},
    "reset-password": {"link": LINK},
    "client-connected": {"link": LINK, "client": "Assistant", "time": "12 May 2027, 14:05"},
    "webhook-disabled": {"address": "https://hooks.example.com/", "reason": "gone", "link": LINK},
    "welcome": {"link": LINK},
    "invitation": {
        "link": LINK, "organization": "Acme", "inviter": "Grace Hopper", "role": "member", "until": "12 May 2027",
    },
    "new-device": {"link": LINK, "device": "Firefox on Linux", "address_of": "192.0.2.7", "time": "12 May 2027, 14:05"},
    "password-changed": {"link": LINK, "time": "12 May 2027, 14:05 UTC"},
    "factors-changed": {"link": LINK, "change": "passkey-added", "time": "12 May 2027, 14:05 UTC"},
    "sign-in-linked": {"link": LINK, "way": "google", "time": "12 May 2027, 14:05 UTC"},
    "sign-in-unlinked": {"link": LINK, "way": "google", "time": "12 May 2027, 14:05 UTC"},
    "key-created": {"link": LINK, "key": "Deployment", "start": "rg_4fK2", "time": "12 May 2027, 14:05 UTC"},
    "key-expires": {"link": LINK, "key": "Deployment", "start": "rg_4fK2", "until": "19 May 2027"},
    "impersonated": {"by": "Grace Hopper", "time": "12 May 2027, 14:05", "until": "12 May 2027, 14:35"},
    "deletion": {"link": LINK, "until": "19 May 2027"},
    "export-ready": {"link": LINK, "until": "19 May 2027"},
    "notification": {
        "link": LINK, "unsubscribe": UNSUBSCRIBE, "title": "Report finished", "body": "Acme: 12 pages.\n\nNo errors.",
    },
}  # fmt: skip
# Anybody can have these sent to an address that is not theirs.
UNPROVED = ("verify-address", "change-address")
CHOICES = {
    ("invitation", "role"): ("owner", "admin", "member"),
    ("factors-changed", "change"): (
        "two-factor-enabled", "two-factor-disabled", "recovery-codes", "passkey-added", "passkey-removed",
        "passkey-cloned", "factors-reset",
    ),
    ("sign-in-linked", "way"): ("github", "google", "microsoft"),
    ("sign-in-unlinked", "way"): ("github", "google", "microsoft", "credential"),
    ("webhook-disabled", "reason"): ("gone", "failing", "overflow"),
}  # fmt: skip
# Values that the service makes itself, and the address of a person.
OURS = ("link", "unsubscribe", "role", "change", "way", "address", "reason")
HOSTILE = {
    "line feeds": ("Ada\n\nBcc: all@example.com\n\n", "Ada Bcc: all@example. com"),
    "a header": ("Ada\r\nBcc: all@example.com", "Ada Bcc: all@example. com"),
    "other separators": ("Ada\u2028Bcc:\x0b\x85all@example.com", "Ada Bcc: all@example. com"),
    "controls": ("A\x00d\x1b[2Ja\x7f", "Ad[2Ja"),
    "half of a pair": ("A\ud83dda", "Ada"),
    "turned text": ("Ada \u202emoc.elpmaxe\u202c", "Ada moc. elpmaxe"),
    "markup": (f"{MARKUP}</title><b>&amp;", f"{MARKUP}</title><b>&amp;"),
    "a template": ("{{ 7 * 7 }}{% block x %}", "{{ 7 * 7 }}{% block x %}"),
    "great length": ("Ada " * 2500, ("Ada " * 50)[:199] + "…"),
}
NO_LINKS = (
    "javascript:alert(1)", "JavaScript://https://x.example", " javascript:alert(1)", "data:text/html,x", "//x.example",
    "/account", "https://x.example/\" onclick=\"alert(1)", "https://x.example/\nBcc: all", "https://x.example/\u202e",
    "https://", "https://x.example/" + "a" * 2000, "", None,
)  # fmt: skip
EVERY = [(kind, language) for kind in SAMPLES for language in ("en", "de")]


def rendered(kind, language="en", **values):
    return render(kind, language, {"name": "Ada Lovelace"} | SAMPLES[kind] | values, product="Rowgate", logo=LOGO)


def shown(mail):
    return " ".join(BeautifulSoup(mail.html, "html.parser").body.get_text(" ").split())


def hrefs(mail):
    return [a["href"] for a in BeautifulSoup(mail.html, "html.parser").find_all("a")]


def test_the_kinds_and_languages_are_those_of_the_templates():
    assert kinds() == sorted(SAMPLES)
    assert LANGUAGES == ("en", "de")


@pytest.mark.parametrize(("kind", "language"), EVERY)
def test_a_mail_says_its_values_and_its_link_in_both_bodies(kind, language):
    mail = rendered(kind, language)
    greeting = {"en": "Hello", "de": "Guten Tag"}[language] + ("," if kind in UNPROVED else " Ada Lovelace,")
    assert mail.text.startswith(f"{greeting}\n\n")
    for value in ("Rowgate", *SAMPLES[kind].values()):
        for line in value.splitlines() if (kind, value) not in chosen() else ():
            assert line in mail.subject + mail.text
            assert line in shown(mail) or value == UNSUBSCRIBE
    assert hrefs(mail) == [SAMPLES[kind][name] for name in ("link", "unsubscribe") if name in SAMPLES[kind]]
    assert not re.search(r"\n{3}| \n|[{}]", mail.text)


def chosen():
    """Values that are translated and so never said as they are."""
    return {(kind, word) for (kind, _), words in CHOICES.items() for word in words}


@pytest.mark.parametrize(("kind", "language"), EVERY)
def test_a_subject_is_one_short_line(kind, language):
    subject = rendered(kind, language).subject
    assert 10 < len(subject) < 120
    assert re.fullmatch(r"[^\n{}]+", subject)


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_mail_is_translated(kind):
    english, german = rendered(kind, "en"), rendered(kind, "de")
    own = {line for line in english.text.splitlines() if line} - {"--", *str(SAMPLES[kind].get("body")).splitlines()}
    same = own & set(german.text.splitlines())
    # What stays alike are lines of a value, such as a name; no sentence does.
    assert {line for line in same if line.endswith(".")} == set()
    assert (english.subject == german.subject) is (kind == "notification")
    for mail, language in ((english, "en"), (german, "de")):
        assert BeautifulSoup(mail.html, "html.parser").html["lang"] == language


@pytest.mark.parametrize(("kind", "name", "word"), [(*key, word) for key, words in CHOICES.items() for word in words])
def test_a_choice_is_said_in_words(kind, name, word):
    texts = {(language, each): rendered(kind, language, **{name: each}).text
             for language in LANGUAGES for each in CHOICES[kind, name]}  # fmt: skip
    assert len(set(texts.values())) == len(texts)
    assert "-" not in word or all(word not in texts[language, word] for language in LANGUAGES)


# Plugins bring further ways.
@pytest.mark.parametrize(("kind", "name"), [each for each in CHOICES if each[1] != "way"])
def test_a_choice_that_nobody_translated_is_an_error(kind, name):
    with pytest.raises(UndefinedError):
        rendered(kind, **{name: "emperor"})


@pytest.mark.parametrize(("kind", "language"), EVERY)
def test_a_hostile_value_stays_text_on_one_line(kind, language, subtests):
    free = [name for name in ("name", *SAMPLES[kind]) if name not in (*OURS, "body")]
    plain = rendered(kind, language, body=None)
    for what, (given, said) in HOSTILE.items():
        with subtests.test(what):
            stays_text(kind, language, plain, free, given, said)


def stays_text(kind, language, plain, free, given, said):
    mail = rendered(kind, language, **dict.fromkeys(free, given), body=None)
    assert mail.text.count("\n") == plain.text.count("\n")
    assert len(mail.subject) < 120
    assert len(mail.subject.splitlines()) == 1
    for body in (mail.text, shown(mail)):
        assert body.count(said) >= (len(free) - 1 if kind in UNPROVED else len(free))
    mail.html.encode()
    tags = [each.name for each in BeautifulSoup(mail.html, "html.parser").find_all()]
    assert tags == [each.name for each in BeautifulSoup(plain.html, "html.parser").find_all()]


# What programs that read mail turn into a link by themselves.
LINKED = re.compile(r"\w+://|\bwww\.\w|\w[.\u3002\uff0e\uff61][^\W\d_]")
TYPED = {
    "https://evil.example/pay?x=1": "https: //evil. example/pay?x=1",
    "HTTP://EVIL.EXAMPLE": "HTTP: //EVIL. EXAMPLE",
    "pay at www.evil.example now": "pay at www. evil. example now",
    "evil.\u202ecom": "evil. com",
    "ev\x00il.\x00com": "evil. com",
    "b\u00fccher.example, b\u00fccher\u3002\u4e2d\u56fd": "b\u00fccher. example, b\u00fccher\u3002 \u4e2d\u56fd",
    "evil.xn--p1ai": "evil. xn--p1ai",
    "mail ada@evil.example": "mail ada@evil. example",
    "J.R.R. Tolkien, 3.5 t, Acme Inc.": "J. R. R. Tolkien, 3.5 t, Acme Inc.",
}


@pytest.mark.parametrize(("kind", "language"), EVERY)
def test_what_people_type_is_readable_and_becomes_no_link(kind, language, subtests):
    free = [name for name in ("name", *SAMPLES[kind]) if name not in OURS]
    for given, said in TYPED.items():
        with subtests.test(ascii(given)):
            becomes_no_link(kind, rendered(kind, language, **dict.fromkeys(free, given)), said)


def becomes_no_link(kind, mail, said):
    for text in (mail.subject, mail.text, shown(mail)):
        for value in (SAMPLES[kind][name] for name in SAMPLES[kind] if name in OURS):
            text = text.replace(value, "")
        assert not LINKED.search(text)
    assert said in mail.text or kind in UNPROVED


@pytest.mark.parametrize("kind", UNPROVED)
def test_a_mail_to_an_address_nobody_has_proved_says_nothing_a_stranger_chose(kind):
    mail = rendered(kind, name="You won, see https://x.example")
    assert "You won" not in mail.subject + mail.text + mail.html


def test_the_body_of_a_notification_has_paragraphs_and_lines():
    mail = rendered("notification", body=f"\r\n One:\r\n- {MARKUP}\n-\ttwo\x00\n \n\n\n\nLast. " + "\n")
    assert f"\n\nOne:\n- {MARKUP}\n- two\n\nLast.\n\n" in mail.text
    texts = [p.get_text("|") for p in BeautifulSoup(mail.html, "html.parser").find_all("p")]
    assert texts[1:3] == [f"One:|- {MARKUP}|- two", "Last."]
    assert "<img src=x" not in mail.html


def test_a_body_is_cut_and_need_not_be_there():
    long = rendered("notification", body="word " * 5000).text
    assert 3990 < max(map(len, long.splitlines())) <= 4000
    assert "\n\nReport finished\n\n" in rendered("notification", body=None).text
    assert rendered("notification", title=" \n").subject == "Rowgate"


@pytest.mark.parametrize("link", NO_LINKS, ids=ascii)
def test_a_link_that_is_not_http_is_left_out(link):
    mail = render(
        "notification", "en", {"name": "Ada", "title": "T", "body": "B", "link": link, "unsubscribe": link},
        product="Rowgate", logo=link or "",
    )  # fmt: skip
    assert hrefs(mail) == []
    assert BeautifulSoup(mail.html, "html.parser").find("img") is None
    assert not link or link not in mail.text + mail.html
    assert "Unsubscribe" not in mail.text + mail.html


@pytest.mark.parametrize("link", ["http://localhost:5000/x", "HTTPS://bücher.example/?a='b'&c=%20#d"])
def test_a_link_is_kept_to_the_letter(link):
    mail = rendered("reset-password", link=link)
    assert hrefs(mail) == [link]
    assert f"Choose a new password: {link}\n" in mail.text
    assert link in shown(mail)


@pytest.mark.parametrize("logo", [LOGO, ""])
def test_nothing_is_loaded_but_the_logo(logo):
    page = render("reset-password", "en", {"name": "Ada", "link": LINK}, product="Row & Gate", logo=logo).html
    soup = BeautifulSoup(page, "html.parser")
    assert [(img["src"], img["alt"]) for img in soup.find_all("img")] == ([(LOGO, "Row & Gate")] if logo else [])
    assert soup.find(["script", "link", "iframe", "object", "form"]) is None
    assert "url(" not in page
    assert "@import" not in page


@pytest.mark.parametrize(
    ("kind", "missing"),
    [(kind, name) for kind in SAMPLES for name in ("name", *SAMPLES[kind])
     if not (kind == "notification" and name in ("link", "unsubscribe")) and (kind not in UNPROVED or name != "name")],
)  # fmt: skip
def test_a_missing_value_is_an_error(kind, missing):
    values = {"name": "Ada"} | SAMPLES[kind]
    del values[missing]
    with pytest.raises((UndefinedError, LookupError)):
        render(kind, "de", values, product="Rowgate")


@pytest.mark.parametrize("kind", ["shared", "layout", "../console", "reset-password.en", ""])
def test_an_unknown_kind_is_an_error(kind):
    with pytest.raises(LookupError, match="There is no mail of the kind"):
        render(kind, "en", {"name": "Ada", "link": LINK}, product="Rowgate")


@pytest.mark.parametrize("language", ["fr", "", "../en", "de.txt"])
def test_a_language_without_a_translation_falls_back_to_english(language):
    assert rendered("invitation", language) == rendered("invitation", "en")


def test_a_kind_without_a_translation_is_english_throughout(monkeypatch):
    found = frozenset({("deletion", "en"), ("shared", "en"), ("shared", "de")})
    fewer = replace(templates.library(), found=found)
    monkeypatch.setattr(templates, "library", lambda: fewer)
    assert rendered("deletion", "de") == rendered("deletion", "en")
