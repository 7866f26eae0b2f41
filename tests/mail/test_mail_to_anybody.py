"""Mail of plugins to addresses that are no accounts: templates, pauses, subscriptions, attachments."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest
from marshmallow import ValidationError

from app import extension_points
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.foundation.errors import NotFound
from app.mail import subscriptions
from app.mail.outbox import send_mail
from app.testing.waiting import work
from tests.mail.letters import rows


def said(subject, text):
    blocks = {"subject": f"{subject} {{{{ number }}}}", "text": f"{text}: {{{{ total }}}}."}
    return "".join(f"{{% block {name} %}}{words}{{% endblock %}}" for name, words in blocks.items())


LINES = "{{% for line in lines %}}{}{{% endfor %}}"
TEMPLATES = {
    "receipt.en.txt": said("Receipt", "Paid"),
    "receipt.de.txt": said("Beleg", "Bezahlt"),
    "receipt.fr.txt": said("Reçu", "Payé"),
    "order.en.txt": "{% block subject %}Order{% endblock %}{% block text %}"
    + LINES.format("{{ line.name }}\n")
    + "{% endblock %}",
    "order.en.html": "{% extends 'layout.html' %}{% block content %}"
    + LINES.format("<li>{{ line.name }}</li>")
    + "{% endblock %}",
}
UPLOADS = "/api/v1/storage/upload"
RECEIPT = {"number": 7, "total": "12.50 EUR"}


@pytest.fixture
def templates(tmp_path, monkeypatch):
    """The templates of a plugin."""
    for name, text in TEMPLATES.items():
        (tmp_path / name).write_text(text)
    folders = [*extension_points.MAIL_FOLDERS, tmp_path]
    monkeypatch.setattr("app.mail.templates.MAIL_FOLDERS", folders)


@pytest.fixture
def send(mailing, templates):
    """Has a receipt sent, in a unit of the service itself or somebody else."""

    def ask(to, kind="receipt", values=RECEIPT, *, principal=SYSTEM, **options):
        with mailing.app_context():
            given = {"cause": uuid4(), **options}
            return run_unit(principal, lambda unit: send_mail(unit, kind, to, values, **given))

    return ask


def stranger():
    return f"customer-{uuid4().hex[:12]}@example.com"


def bodies(message):
    return [message.get_body([kind]).get_content() for kind in ("plain", "html")]


@pytest.mark.parametrize(
    ("language", "subject"), [("en", "Receipt 7"), ("de", "Beleg 7"), ("fr", "Reçu 7"), ("it", "Receipt 7")]
)
def test_a_template_of_a_plugin_is_sent_in_the_language_that_there_is(mailing, server, send, language, subject):
    to = stranger()
    assert send(to, language=language) is True
    work(mailing)
    (message,) = server.to(to)
    assert message["Subject"] == subject
    assert all("12.50 EUR" in body for body in bodies(message))


def test_a_plugin_writes_its_own_html_and_nobody_writes_into_it(mailing, server, send):
    to = stranger()
    send(to, "order", {"lines": [{"name": "Crane"}, {"name": "<b>Boat</b>"}]})
    work(mailing)
    plain, html = bodies(server.to(to)[0])
    assert "Crane\r\n" in plain
    assert "<li>Crane</li>" in html
    assert "<b>" not in html


def test_an_address_gets_mail_of_a_kind_at_a_pace(mailing, send):
    to = stranger()
    assert [send(to), send(to)] == [True, False]
    assert send(to, limited=False) is True
    assert len(rows(mailing, to)) == 2


def test_a_cause_sends_once(mailing, send):
    to, cause = stranger(), uuid4()
    for _ in range(2):
        send(to, cause=cause, limited=False)
    assert len(rows(mailing, to)) == 1


def test_a_message_goes_with_its_unit(mailing, templates):
    to = stranger()

    def fail(unit):
        send_mail(unit, "receipt", to, RECEIPT, cause=uuid4())
        raise NotFound

    with mailing.app_context(), pytest.raises(NotFound):
        run_unit(SYSTEM, fail)
    assert rows(mailing, to) == []


def test_an_address_leaves_a_subscription_by_the_link_and_no_other_mail(mailing, server, send):
    to = stranger()
    send(to, subscription="news")
    work(mailing)
    (message,) = server.to(to)
    link = urlsplit(message["List-Unsubscribe"].strip("<>"))
    visitor, path = mailing.test_client(), f"{link.path}?{link.query}"
    asked = visitor.get(path)
    assert (asked.status_code, to in asked.text) == (200, True)
    assert send(to, subscription="news", limited=False) is True  # looking at the page ends nothing
    assert visitor.post(path, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert send(to, subscription="news", limited=False) is False
    assert send(to, subscription="orders", limited=False) is True
    assert send(stranger(), subscription="news") is True
    with mailing.app_context():
        run_unit(SYSTEM, subscriptions.join, "news", to)
    assert send(to, subscription="news", limited=False) is True


@pytest.mark.parametrize("name", ["shop:news", "News", "x" * 65])
def test_a_subscription_has_a_plain_name(send, name):
    with pytest.raises(ValueError, match="name of a subscription"):
        send(stranger(), subscription=name)


def test_an_address_is_the_same_however_it_is_written(mailing, send):
    to = stranger()
    with mailing.app_context():
        subscriptions.leave(subscriptions.Subscriber("news", to))
        run_unit(SYSTEM, subscriptions.join, "news", to.upper())
    assert send(to, subscription="news") is True


def test_answers_may_follow_each_other_within_a_day_of_mail(app, mailing, send):
    to, most = stranger(), app.config["SETTINGS"].mails_per_address
    assert [send(to, paused=False) for _ in range(most + 1)] == [True] * most + [False]


def test_what_waits_is_not_sent_to_whoever_has_left_meanwhile(mailing, server, send):
    to = stranger()
    send(to, subscription="news")
    with mailing.app_context():
        subscriptions.leave(subscriptions.Subscriber("news", to))
    work(mailing)
    assert (server.to(to), rows(mailing, to)[0]["status"]) == ([], "failed")


@pytest.mark.parametrize("token", ["", "nonsense", "x" * 5000])
def test_a_link_that_is_not_ours_ends_nothing(mailing, token):
    assert mailing.test_client().post("/account/unsubscribe", query_string={"token": token}).status_code == 404


@pytest.fixture
def file_of(owner):
    """Keeps a file of the owner, and returns its id."""

    def keep(content, name):
        made = owner.post(UPLOADS, {"filename": name, "contentBase64": b64encode(content).decode()})
        assert made.status_code == 201, made.json
        return UUID(made.json["id"])

    return keep


def test_uploads_go_with_a_message(mailing, server, owner, send, file_of):
    to = stranger()
    send(to, principal=owner.principal, attachments=[file_of(b"%PDF-1.7 one page", "Receipt.pdf")])
    work(mailing)
    (part,) = server.to(to)[0].iter_attachments()
    assert (part.get_filename(), part.get_content_type(), part.get_content()) == (
        "Receipt.pdf", "application/pdf", b"%PDF-1.7 one page",
    )  # fmt: skip


def test_nobody_sends_files_that_they_may_not_read(cast, send, file_of):
    with pytest.raises(NotFound):
        send(stranger(), principal=cast.user().principal, attachments=[file_of(b"secret", "plan.txt")])


def test_too_many_attachments_are_refused(owner, send, file_of):
    one = file_of(b"small", "a.txt")
    with pytest.raises(ValueError, match="10 attachments"):
        send(stranger(), principal=owner.principal, attachments=[one] * 11)


def test_a_message_whose_attachment_is_gone_is_given_up(mailing, server, owner, send, file_of):
    to, file = stranger(), file_of(b"small", "a.txt")
    send(to, principal=owner.principal, attachments=[file])
    assert owner.delete(f"{UPLOADS}/{file}").status_code == 200
    work(mailing)
    (row,) = rows(mailing, to)
    assert (server.to(to), row["status"], row["error_message"]) == ([], "failed", "An attachment is gone")


def test_what_cannot_be_sent_is_refused(send):
    with pytest.raises(LookupError):
        send(stranger(), "nothing")
    with pytest.raises(ValidationError):
        send("no address")
