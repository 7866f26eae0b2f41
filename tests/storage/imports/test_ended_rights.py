"""Imports of people who are gone, or may do less by now: they end with a report, and no line follows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from sqlalchemy import delete, func, select, update

from app.auth.models.identity import AuthSession, AuthUser
from app.auth.models.keys import AuthApiKey
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.crm.models import CrmCompany
from app.engine.transfer import importing
from app.storage import imports
from app.testing.database import transaction
from app.testing.waiting import perform
from tests.storage.imports.files import COMPANIES, send, table

BAN = lambda actor: update(AuthUser).where(AuthUser.id == actor.user_id).values(banned=True)  # noqa: E731
REMOVE = lambda actor: delete(AuthMember).where(AuthMember.user_id == actor.user_id)  # noqa: E731
SIGN_OUT = lambda actor: delete(AuthSession).where(AuthSession.user_id == actor.user_id)  # noqa: E731
DISABLE = lambda actor: update(AuthApiKey).where(AuthApiKey.user_id == actor.user_id).values(enabled=False)  # noqa: E731
NARROW = lambda actor: update(AuthApiKey).where(AuthApiKey.user_id == actor.user_id).values(scopes=["read"])  # noqa: E731
GRANTS = lambda actor: update(AuthApiKey).where(AuthApiKey.user_id == actor.user_id).values(access=[])  # noqa: E731
MEMBER_GRANTS = lambda actor: update(AuthMember).where(AuthMember.user_id == actor.user_id).values(access=[])  # noqa: E731


@pytest.fixture
def colleague(cast, owner):
    """A member of the owner's organization and of one of their own."""
    return cast.colleague(owner)


@pytest.fixture
def at_the_second_batch(app, monkeypatch):
    """Has something happen while the second batch is written, in a transaction of its own."""

    def arrange(statement):
        plain, calls = importing.Import.write, count()

        def happen():
            with app.app_context(), transaction() as session:
                session.execute(statement)

        def write(self, unit, batch):
            written = plain(self, unit, batch)
            if next(calls) == 1:
                with ThreadPoolExecutor(1) as other:
                    other.submit(happen).result()
            return written

        monkeypatch.setattr(importing.Import, "write", write)

    monkeypatch.setattr(importing, "BATCH_SIZE", 3)
    return arrange


ROWS = [{"name": f"Firm {number}"} for number in range(10)]


@pytest.mark.parametrize("partial", [False, True], ids=["whole", "stepwise"])
@pytest.mark.parametrize("ended", [BAN, REMOVE, SIGN_OUT, DISABLE, NARROW, GRANTS, MEMBER_GRANTS],
                         ids=["banned", "removed", "signed-out", "key-disabled", "key-narrowed", "key-grants",
                              "grants"])  # fmt: skip
def test_an_import_in_a_request_ends_with_the_rights_of_its_caller(
    app, cast, colleague, at_the_second_batch, ended, partial
):
    actor = cast.key(colleague, "write") if ended in (DISABLE, NARROW, GRANTS) else colleague
    at_the_second_batch(ended(colleague))
    answer = send(actor, COMPANIES, table(*ROWS), partial=partial)
    assert answer.status_code in (401, 403), answer.json
    assert written_by(app, colleague) == (6 if partial else 0)


@pytest.mark.parametrize("partial", [False, True], ids=["whole", "stepwise"])
@pytest.mark.parametrize("ended", [BAN, REMOVE, MEMBER_GRANTS], ids=["banned", "removed", "grants"])
def test_an_import_by_a_job_ends_with_the_rights_of_its_user(
    app, owner, colleague, asked, at_the_second_batch, ended, partial
):
    url = asked(ROWS, actor=colleague, partial=partial)
    at_the_second_batch(ended(colleague))
    perform(app, imports.IMPORT)
    with app.app_context(), transaction() as session:
        session.execute(update(AuthUser).where(AuthUser.id == colleague.user_id).values(banned=False))
        session.execute(update(AuthMember).where(AuthMember.user_id == colleague.user_id).values(access=None))
    found = colleague.get(url).json
    assert (found["status"], found["created"]) == ("failed", 6 if partial else 0)
    assert "may no longer act" in found["error"] or "rights have ended" in found["error"]
    assert written_by(app, colleague) == (6 if partial else 0)


def test_the_report_is_told_with_the_refusal(app, cast, owner, colleague, at_the_second_batch):
    at_the_second_batch(REMOVE(colleague))
    notes = [{"title": f"Note {number}", "objective": "To know."} for number in range(10)]
    answer = send(colleague, "ai-research/project", table(*notes), partial=True)
    assert (answer.status_code, answer.json["code"]) == (403, "FORBIDDEN")
    assert answer.json["details"]["meta"]["created"] == 6


def written_by(app, actor):
    """How many companies somebody has made."""
    made = select(func.count()).select_from(CrmCompany).where(CrmCompany.created_by_id == actor.user_id)
    with app.app_context(), transaction() as session:
        return session.scalar(made)


@pytest.mark.parametrize("partial", [False, True], ids=["whole", "stepwise"])
def test_lines_go_to_the_organization_in_which_the_import_was_asked_for(
    app, cast, colleague, at_the_second_batch, partial
):
    before, other = colleague.organization_id, cast.user().organization_id
    with app.app_context(), transaction() as session:
        session.add(AuthMember(organization_id=other, user_id=colleague.user_id, role="member"))
    elsewhere = update(AuthSession).where(AuthSession.user_id == colleague.user_id)
    at_the_second_batch(elsewhere.values(active_organization_id=other))
    assert send(colleague, COMPANIES, table(*ROWS), partial=partial).status_code == 200
    with app.app_context(), transaction() as session:
        made = select(CrmCompany.organization_id).where(CrmCompany.created_by_id == colleague.user_id).distinct()
        assert session.scalars(made).all() == [before]


@pytest.mark.parametrize("partial", [False, True], ids=["whole", "stepwise"])
def test_an_import_of_somebody_who_is_asked_for_a_second_factor_elsewhere_is_carried_out(app, cast, owner, partial):
    other = cast.user()
    with app.app_context(), transaction() as session:
        session.add(AuthMember(organization_id=other.organization_id, user_id=owner.user_id, role="member"))
        asked = update(AuthOrganization).where(AuthOrganization.id == other.organization_id)
        session.execute(asked.values(require_two_factor=True))
    answer = send(owner, COMPANIES, table(*ROWS), partial=partial)
    assert (answer.status_code, answer.json["meta"]["created"]) == (200, 10)
