"""Mail that others have sent to an address: few for each address, whoever asks and whatever they do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from sqlalchemy import select, update

from app.auth.models.identity import AuthUser
from app.foundation.clock import now
from app.mail import outbox
from app.mail.models import PlatformMail
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.accounts.people import NEW_PASSWORD, sign_up_person
from tests.auth.sign_in.visitors import PASSWORD, address
from tests.mail import letters

INVITATIONS, MEMBERS = "/api/v1/auth/invitation", "/api/v1/auth/member"


def test_an_account_that_is_new_or_not_verified_sends_fewer(build, cast):
    careful = build(new_account_invitation_limit="2 per hour")
    new, unverified, known = (Actor(careful, actor.token, actor.user_id) for actor in (cast.user() for _ in range(3)))
    for actor, values in (
        (unverified, {"created_at": now() - timedelta(days=2), "email_verified": False}),
        (known, {"created_at": now() - timedelta(days=2)}),
    ):
        with careful.app_context(), transaction() as session:
            session.execute(update(AuthUser).where(AuthUser.id == actor.user_id).values(**values))
    sent = {
        name: [actor.post(INVITATIONS, {"email": address()}).status_code for _ in range(3)]
        for name, actor in (("new", new), ("unverified", unverified), ("known", known))
    }
    assert sent == {"new": [201, 201, 429], "unverified": [201, 201, 429], "known": [201, 201, 201]}


def mails(app, email):
    return letters.kinds(app, email).count("invitation")


def test_withdrawing_and_inviting_again_sends_one_mail(app, owner):
    email = address()
    for place in range(4):
        made = owner.post(INVITATIONS, {"email": email})
        assert (made.status_code, made.json["mailed"]) == (201, place == 0)
        assert owner.put(f"{INVITATIONS}/{made.json['id']}", {"status": "canceled"}).status_code == 200
    assert mails(app, email) == 1


def test_an_address_gets_one_invitation_mail_whoever_and_whatever_invites(app, cast, owner):
    email = address()
    organizations = [owner.post("/api/v1/auth/organization", {"name": "Crew"}).json["id"] for _ in range(3)]
    for organization_id in organizations:
        assert owner.post(INVITATIONS, {"email": email, "organizationId": organization_id}).status_code == 201
    for _ in range(3):
        assert cast.user().post(INVITATIONS, {"email": email}).status_code == 201
    assert mails(app, email) == 1


def test_invitations_at_once_send_one_mail(app, cast):
    email, senders = address(), [cast.user() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda actor: actor.post(INVITATIONS, {"email": email}), senders))
    assert [each.status_code for each in made] == [201] * 6
    assert (sum(each.json["mailed"] for each in made), mails(app, email)) == (1, 1)


def test_an_address_gets_a_few_invitation_mails_a_day(app, cast, monkeypatch):
    email, clock, most = address(), outbox.now, app.config["SETTINGS"].mails_per_address
    for turn in range(most + 2):
        monkeypatch.setattr(outbox, "now", lambda turn=turn: clock() + timedelta(minutes=6 * turn))
        made = cast.user().post(INVITATIONS, {"email": email})
        assert made.json["mailed"] is (turn < most)
        with app.app_context(), transaction() as session:
            newest = select(PlatformMail.id).where(PlatformMail.to == email).order_by(PlatformMail.id.desc()).limit(1)
            at = {"created_at": clock() + timedelta(minutes=6 * turn)} if turn < most else {}
            if at:
                session.execute(update(PlatformMail).where(PlatformMail.id == newest.scalar_subquery()).values(at))
    assert mails(app, email) == most


def test_an_invitation_without_a_mail_is_accepted_in_the_account(app, ada, cast, owner):
    assert cast.user().post(INVITATIONS, {"email": ada.email}).json["mailed"]
    made = owner.post(INVITATIONS, {"email": ada.email, "organizationId": str(owner.organization_id)}).json
    assert made["mailed"] is False
    assert ada.actor.put(f"{INVITATIONS}/{made['id']}", {"status": "accepted"}).status_code == 200
    query = {"userId": ada.id, "organizationId": str(owner.organization_id)}
    assert owner.get(MEMBERS, query_string=query).json["meta"]["count"] == 1


def test_names_of_links_are_no_links_in_the_mail(app, owner):
    email, name = address(), "Prize at https://www.evil.example/x"
    organization = owner.post("/api/v1/auth/organization", {"name": name}).json
    owner.post(INVITATIONS, {"email": email, "organizationId": organization["id"]})
    (row,) = letters.rows(app, email)
    for text in (row["subject"], letters.text(app, email, "invitation")):
        assert "Prize at https: //www. evil. example/x" in text
        assert "www.evil" not in text


def test_what_is_done_to_an_account_is_not_told_again_and_again_to_an_address_nobody_proved(app, newcomer):
    current = PASSWORD
    for number in range(3):
        changed = newcomer.post("change-password", currentPassword=current, newPassword=f"{NEW_PASSWORD} {number}")
        newcomer.token, current = changed.json["token"], f"{NEW_PASSWORD} {number}"
    assert newcomer.mails().count("password-changed") == 1


def test_an_account_that_is_made_again_and_again_sends_one_mail_to_its_address(app):
    email = address()
    for _ in range(3):
        person = sign_up_person(app, email=email, verified=False)
        assert person.actor.delete(f"/api/v1/auth/user/{person.id}").status_code == 200
    assert letters.kinds(app, email) == ["verify-address"]
