"""What anybody sends without a credential, through a form; ``test_combinations`` runs it with press loaded."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from app.testing.cast import Actor

FORMS, INQUIRIES = "/api/v1/press/form", "/api/v1/press/inquiry"


@pytest.fixture(scope="module")
def author(cast):
    return cast.user()


def form(author, **rest):
    return author.post(FORMS, {"title": "Ask us", **rest}).json["id"]


def test_anybody_sends_an_inquiry_by_an_open_form_and_never_reads_it(cast, author):
    sent = cast.nobody.post(INQUIRIES, {"formId": form(author), "text": "Hello"})
    assert (sent.status_code, set(sent.json)) == (201, {"id"})
    found = author.get(f"{INQUIRIES}/{sent.json['id']}").json
    assert (found["text"], found["organizationId"]) == ("Hello", str(author.organization_id))
    assert cast.nobody.get(f"{INQUIRIES}/{sent.json['id']}").status_code == 401
    assert cast.nobody.get(INQUIRIES).status_code == 401


def test_an_inquiry_by_a_form_that_is_shut_or_missing_is_refused_alike(cast, author):
    shut = form(author, state="shut")
    answers = [cast.nobody.post(INQUIRIES, {"formId": each, "text": "Hello"}) for each in (shut, str(author.user_id))]
    assert [each.status_code for each in answers] == [400, 400]
    assert answers[0].json == answers[1].json


@pytest.mark.parametrize("further", [{"readerId": None}, {"rank": 1}, {"organizationId": None}, {"nothing": 1}])
def test_an_inquiry_names_nothing_but_its_form_and_text(cast, author, further):
    (name,) = further
    body = {"formId": form(author), "text": "Hello", name: further[name] or str(author.user_id)}
    refused = cast.nobody.post(INQUIRIES, body)
    assert (refused.status_code, list(refused.json["details"]["fields"])) == (400, [name])


def test_anybody_sends_one_inquiry_at_a_time(cast, author):
    body = {"formId": form(author), "text": "Hello"}
    assert cast.nobody.post(INQUIRIES, [body]).status_code == 400
    assert cast.nobody.post(f"{INQUIRIES}?onConflict=id", body).status_code == 400
    assert cast.nobody.post(INQUIRIES, body, headers={"Idempotency-Key": "one"}).status_code == 400
    assert author.get(INQUIRIES, query_string={"formId": body["formId"]}).json["meta"]["count"] == 0


@pytest.fixture
def guarded(build, loopback):
    """An application that asks a captcha verifier."""
    return Actor(build(captcha_secret="shared", captcha_verify_url=f"{loopback.url}/siteverify"))


@pytest.mark.parametrize("is_person", [True, False])
def test_a_captcha_tells_people_from_machines(guarded, loopback, author, is_person):
    loopback.answer("/siteverify", json={"success": is_person}, method="POST")
    inquiry = {"formId": form(author), "text": "Hello"}
    assert guarded.post(INQUIRIES, inquiry | {"captcha": "solved"}).status_code == (201 if is_person else 400)
    asked = parse_qs(loopback.requests[-1].body.decode())
    assert asked == {"secret": ["shared"], "response": ["solved"], "remoteip": ["127.0.0.1"]}
    assert author.get(INQUIRIES, query_string={"formId": inquiry["formId"]}).json["meta"]["count"] == is_person


@pytest.mark.parametrize("captcha", [{}, {"captcha": 1}, {"captcha": ""}, {"captcha": "x" * 9000}])
def test_no_captcha_is_refused_unasked(guarded, loopback, author, captcha):
    assert guarded.post(INQUIRIES, {"formId": form(author), "text": "Hello"} | captcha).status_code == 400
    assert loopback.requests == []


def test_nothing_is_taken_while_the_verifier_is_away(build, author):
    away = Actor(build(captcha_secret="shared", captcha_verify_url="http://127.0.0.1:1/siteverify"))
    inquiry = {"formId": form(author), "text": "Hello", "captcha": "by a person"}
    assert away.post(INQUIRIES, inquiry).status_code == 503
    assert author.get(INQUIRIES, query_string={"formId": inquiry["formId"]}).json["meta"]["count"] == 0


def test_a_network_and_a_form_take_so_many_inquiries(build, author):
    app = build(anonymous_create_limit="3 per hour", anonymous_form_limit="2 per hour", trusted_proxies=1)
    one, other = form(author), form(author)

    def send(form, address):
        headers = {"X-Forwarded-For": address}
        return Actor(app).post(INQUIRIES, {"formId": form, "text": "Hello"}, headers=headers).status_code

    assert [send(one, "203.0.113.7") for _ in range(3)] == [201, 201, 429]
    assert [send(one, "203.0.113.8"), send(other, "203.0.113.8"), send(other, "203.0.113.7")] == [429, 201, 429]
