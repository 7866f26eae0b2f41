"""Records that are shared with addresses: of nobody yet, of an account, and of somebody else by now."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.auth.models.identity import AuthUser
from app.crm.models import CrmCompany, CrmDeal
from app.testing.cast import Actor
from app.testing.database import transaction
from tests.auth.sharing.sharing import NOTHING, READS, ids, let_out, of, share, shared, statuses
from tests.auth.sign_in.visitors import address
from tests.mail import letters

KIND = "record-shared"


@pytest.fixture
def deal(workshop, owner):
    let_out(owner)
    return workshop.make(CrmDeal, name="Crane")["id"]


def change(app, actor, **values):
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == actor.user_id).values(**values))


def test_an_address_without_an_account_gets_a_mail_and_has_the_record_once_it_is_proved(app, cast, owner, deal):
    email = address()
    shared(owner, CrmDeal, deal, ("read", {"email": email.upper()}))
    assert letters.kinds(app, email) == [KIND]
    assert "Crane" not in letters.text(app, email, KIND)
    guest = cast.user()
    change(app, guest, email=email, email_verified=False)
    assert statuses(guest, CrmDeal, deal) == NOTHING
    change(app, guest, email_verified=True)
    assert statuses(guest, CrmDeal, deal) == READS
    assert [each["id"] for each in guest.get("/api/v1/_shared").json["data"]] == [deal]


def test_the_answer_never_says_whether_an_address_has_an_account(app, cast, owner, deal):
    guest, known, unknown = cast.user(), address(), address()
    change(app, guest, email=known)
    asked = [("read", {"email": each}) for each in (known, unknown)]
    before = shared(owner, CrmDeal, deal, *asked)
    assert guest.get(of(CrmDeal, deal)).status_code == 200
    assert owner.get(f"{of(CrmDeal, deal)}/_sharing").json["data"] == before
    assert [{**each, "with": None} for each in before] == [{**before[0], "with": None}] * 2
    assert [letters.kinds(app, each) for each in (known, unknown)] == [[KIND], [KIND]]


def test_a_record_stays_with_who_came_for_it_wherever_the_address_goes(app, cast, owner, deal):
    first, second, email = cast.user(), cast.user(), address()
    change(app, first, email=email)
    shared(owner, CrmDeal, deal, ("read", {"email": email}))
    assert statuses(first, CrmDeal, deal) == READS
    change(app, first, email=address())
    change(app, second, email=email)
    assert statuses(first, CrmDeal, deal) == READS
    assert statuses(second, CrmDeal, deal) == NOTHING
    shared(owner, CrmDeal, deal, ("read", {"email": email}))
    assert statuses(second, CrmDeal, deal) == NOTHING
    shared(owner, CrmDeal, deal)
    shared(owner, CrmDeal, deal, ("read", {"email": email}))
    assert statuses(first, CrmDeal, deal) == NOTHING
    assert statuses(second, CrmDeal, deal) == READS


def test_an_address_gets_one_mail_however_often_and_by_whom_something_is_shared_with_it(app, cast, owner):
    email = address()
    for actor in (owner, cast.user()):
        let_out(actor)
        for _ in range(10):
            company = actor.post(CrmCompany.collection_path(), {"name": "Slipway"}).json["id"]
            shared(actor, CrmCompany, company, ("read", {"email": email}))
    assert letters.kinds(app, email) == [KIND]


def test_an_account_that_is_new_shares_with_few_addresses(build, cast, owner, workshop):
    let_out(owner)
    deals = [workshop.make(CrmDeal)["id"] for _ in range(2)]
    careful = Actor(build(new_account_invitation_limit="3 per hour"), owner.token, owner.user_id)
    few, many = ([("read", {"email": address()}) for _ in range(most)] for most in (3, 4))
    assert share(careful, CrmDeal, deals[0], *few).status_code == 200
    assert share(careful, CrmDeal, deals[0], *few).status_code == 200
    assert share(careful, CrmDeal, deals[1], *many).status_code == 429
    assert owner.get(f"{of(CrmDeal, deals[1])}/_sharing").json["data"] == []


def test_a_key_has_what_is_shared_with_the_address_of_its_owner(app, cast, owner, deal):
    guest, email = cast.user(), address()
    change(app, guest, email=email)
    shared(owner, CrmDeal, deal, ("write", {"email": email}))
    key = cast.key(guest, "read")
    assert ids(key, CrmDeal) == [deal]
    assert key.patch(of(CrmDeal, deal), {"name": "X"}).status_code == 403
    assert cast.key(guest, "write").patch(of(CrmDeal, deal), {"name": "X"}).status_code == 200


def test_somebody_in_the_organization_is_told_in_the_product(cast, owner, workshop):
    member, deal = cast.colleague(owner), workshop.make(CrmDeal)["id"]
    shared(owner, CrmDeal, deal, ("read", member))
    shared(owner, CrmDeal, deal, ("write", member))
    (told,) = member.get("/api/v1/notification/notification?type=RECORD_SHARED").json["data"]
    assert told["data"]["link"] == f"/console/crm/deal/{deal}/show"
