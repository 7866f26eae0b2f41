"""A service of version 0.1, upgraded with its data: its rows are there, its people come in, and there is a way back."""

from __future__ import annotations

import pytest
from flask_migrate import downgrade, upgrade
from sqlalchemy import text

from app.extensions import db
from app.testing.cast import Actor
from tests.migrations.conftest import OLD

DEAL, COMPANY = "/api/v1/crm/deal", "/api/v1/crm/company"


def signed_in(app, facts, email="ada@example.com"):
    """Whoever signs in with the password of then."""
    answer = Actor(app).post("/api/auth/signin", {"email": email, "password": facts["password"]})
    assert answer.status_code == 200, answer.text
    return Actor(app, answer.json["token"])


@pytest.fixture
def ada(upgraded, facts):
    return signed_in(upgraded, facts)


@pytest.fixture
def sync(upgraded, facts):
    """The key of then that may write."""
    return Actor(upgraded, facts["keys"]["sync"])


def test_the_schema_is_the_present_one(upgraded):
    assert upgraded.test_client().get("/readyz").json["migrations"] == "ok"


def test_people_sign_in_with_the_password_of_then_and_are_in_their_organization(upgraded, facts):
    for email in ("ada@example.com", "grace@bücher.example"):
        listed = signed_in(upgraded, facts, email).get("/api/v1/auth/organization").json["data"]
        assert facts["organization"] in {each["id"] for each in listed}


def test_their_rows_are_there_in_every_domain(ada, facts):
    companies = {each["id"]: each["name"] for each in ada.get(COMPANY).json["data"]}
    assert [companies[each] for each in facts["companies"]] == ["Crane & Sons", "Müller Reederei"]
    deals = {each["id"]: each for each in ada.get(DEAL).json["data"]}
    assert {(deals[each]["amount"], deals[each]["stage"]) for each in facts["deals"]} == {
        (1_250_000, "qualified"), (98_000_000, "lead"),
    }  # fmt: skip
    documents = ada.get("/api/v1/storage/document").json["data"]
    assert {each["title"] for each in documents} == {"Handbook", "Canteen", "Holidays", "Parking"}
    (told,) = ada.get("/api/v1/notification/notification?type=MESSAGE").json["data"]
    assert told["title"] == "Welcome"
    assert ada.get(f"/api/upload/{facts['upload']}").json["filename"] == "quay.txt"


def test_a_chat_of_then_can_be_read_and_goes_on(ada, facts):
    told = ada.post("/api/chat/history", {"chatId": facts["chat"]}).json["messages"]
    assert [each["role"] for each in told] == ["user", "assistant"]
    question = {"id": facts["chat"], "messages": [{"role": "user", "content": "How much may the cranes lift?"}]}
    assert "40 tonnes" in ada.post("/api/chat", question).text
    assert len(ada.post("/api/chat/history", {"chatId": facts["chat"]}).json["messages"]) == 4


def test_keys_of_then_work_within_their_scopes(upgraded, facts, sync):
    export = Actor(upgraded, facts["keys"]["export"])
    assert export.get("/api/v1/auth/api-key/self").json["name"] == "export"
    assert export.get(f"{COMPANY}/{facts['companies'][0]}").status_code == 200
    assert export.post(COMPANY, {"name": "No"}).status_code == 403
    assert sync.post(COMPANY, {"name": "Crane & Daughters"}).status_code == 201


def test_records_of_then_have_version_1_and_a_change_makes_it_2(sync, facts):
    path = f"{DEAL}/{facts['deals'][1]}"
    assert sync.get(path).headers["ETag"].startswith('"1-')
    changed = sync.patch(path, {"nextStep": "Call them"}, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.headers["ETag"][:3]) == (200, '"2-')


def test_what_lists_can_be_asked_since_finds_records_of_then(sync, facts):
    found = sync.get(f"{DEAL}?company.name=Crane %26 Sons&search=quay&expand=contact").json["data"]
    assert [(each["id"], each["contact"]["lastName"]) for each in found] == [(facts["deals"][1], "Meitner")]


def rows(app):
    """Every row of the tables of then, as their columns of then had it; the queue's own are left out."""
    columns = """
    SELECT table_name, string_agg(quote_ident(column_name), ', ' ORDER BY column_name) FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name NOT LIKE 'procrastinate%' GROUP BY table_name
    """
    with app.app_context(), db.engine.connect() as connection:
        return {
            table: connection.execute(text(f"SELECT {names} FROM {table} ORDER BY 1, 2, 3")).all()
            for table, names in connection.execute(text(columns)).all()
            if table != "alembic_version"
        }


@pytest.mark.full
def test_the_way_there_and_back_leaves_every_row_and_column_of_then(restored):
    with restored("backward") as app:
        before = rows(app)
        with app.app_context():
            upgrade()
            downgrade(revision=OLD)
        assert rows(app) == before
        assert app.test_client().get("/readyz").json["migrations"] == "pending"


def test_what_was_written_since_is_there_after_the_way_back(restored, facts):
    with restored("written") as app:
        with app.app_context():
            upgrade()
        sync = Actor(app, facts["keys"]["sync"])
        sync.post(COMPANY, {"name": "Since then"})
        sync.patch(f"{DEAL}/{facts['deals'][0]}", {"nextStep": "Sign"})
        with app.app_context():
            downgrade(revision=OLD)
            with db.engine.connect() as connection:
                names = connection.execute(text("SELECT name FROM crm_company")).scalars().all()
                steps = connection.execute(text("SELECT next_step FROM crm_deal")).scalars().all()
        assert set(names) == {"Crane & Sons", "Müller Reederei", "Since then"}
        assert set(steps) == {"Sign", None}
