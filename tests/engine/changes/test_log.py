"""The log of changes: whatever changes a row of a logged model is one row of it, by whatever way."""

from __future__ import annotations

import io
import uuid

import psycopg
import pytest
from sqlalchemy import select, text

from app.ai.models.answering import AiProvider
from app.ai.models.chats import AiArtifact, AiMessage
from app.auth.models.identity import AuthAccount
from app.auth.models.keys import AuthApiKey
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.changes import triggers
from app.engine.declare.catalogue import every_model
from app.engine.declare.principal import SYSTEM
from app.engine.write.unit_of_work import run_unit
from app.extensions import db
from app.schema import change_log
from app.testing.database import transaction
from tests.engine.changes.replay import differences

COMPANY = "/api/v1/crm/company"


def test_creating_changing_and_deleting_a_record_is_written_down(owner, logged):
    made = owner.post(COMPANY, {"name": "Harbour Works"}).json
    owner.put(f"{COMPANY}/{made['id']}", {"industry": "shipping"})
    owner.delete(f"{COMPANY}/{made['id']}")
    rows = logged(made["id"])
    assert [(row["operation"], row["version"], row["changed"]) for row in rows] == [
        ("create", 1, []), ("update", 2, ["industry"]), ("delete", 2, [])
    ]  # fmt: skip
    assert rows[1]["image"]["industry"] == "shipping"
    assert rows[1]["old"]["industry"] is None
    assert len({row["transaction"] for row in rows}) == 3


def test_a_change_names_who_made_it_for_which_request(cast, owner, logged):
    key = cast.key(owner, "write")
    by_key = key.post(COMPANY, {"name": "Harbour Works"}, headers={"X-Request-Id": "of-the-key"})
    deal = {"name": "Crane", "stage": "lead", "companyId": by_key.json["id"]}
    by_user = owner.post("/api/v1/crm/deal", deal, headers={"X-Request-Id": "of-the-user"})
    found = [logged(answer.json["id"])[0] for answer in (by_key, by_user)]
    assert [(row["actor_type"], row["request_id"]) for row in found] == [("key", "of-the-key"), ("user", "of-the-user")]
    with key.app.app_context(), transaction() as session:
        key_id = session.scalar(select(AuthApiKey.id).where(AuthApiKey.user_id == owner.user_id))
    assert [row["actor_id"] for row in found] == [key_id, owner.user_id]
    for answer, row in zip((by_key, by_user), found, strict=True):
        assert answer.headers["Transaction-Id"] == str(row["transaction"])


def test_what_jobs_write_is_of_jobs(workshop, do_jobs, logged):
    document = workshop.make(next(model for model in every_model() if model.qualified_name() == "ai-rag/document"))
    do_jobs()
    assert {row["actor_type"] for row in logged(document["id"]) if row["operation"] == "update"} == {"job"}


def test_all_that_one_request_writes_is_one_transaction(owner, sql, logged):
    answer = owner.post(COMPANY, [{"name": f"Number {number}"} for number in range(3)])
    found = {row["transaction"] for each in answer.json["data"] for row in logged(each["id"])}
    assert found == {uuid.UUID(answer.headers["Transaction-Id"])}
    lines = "name\nOne\nTwo\n"
    imported = owner.send("POST", f"{COMPANY}/_import", data=lines, content_type="text/csv")
    named = {name for (name,) in sql("SELECT image ->> 'name' FROM platform_change WHERE transaction = %s",
                                     imported.headers["Transaction-Id"])}  # fmt: skip
    assert named == {"One", "Two"}


def test_a_kept_answer_names_the_transaction_of_its_write(owner):
    sent = {"Idempotency-Key": uuid.uuid4().hex}
    first = owner.post(COMPANY, {"name": "Harbour Works"}, headers=sent)
    again = owner.post(COMPANY, {"name": "Harbour Works"}, headers=sent)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["Transaction-Id"] == first.headers["Transaction-Id"]


def test_a_file_names_the_transaction_in_which_it_came(owner, logged):
    with owner.app.test_client() as client:
        form = {"file": (io.BytesIO(b"Quay 4"), "quay.txt")}
        answer = client.post("/api/upload", data=form, headers={"Authorization": f"Bearer {owner.token}"})
    assert answer.status_code == 200
    (row,) = logged(answer.headers["Location"].rpartition("/")[2])
    assert str(row["transaction"]) == answer.headers["Transaction-Id"]


def test_reads_name_no_transaction(owner):
    assert "Transaction-Id" not in owner.get(COMPANY).headers
    assert "Transaction-Id" not in owner.post(f"{COMPANY}/_query", {}).headers


def test_what_the_database_does_by_itself_is_written_down(owner, workshop, logged):
    """A cascade removes the messages of a chat, and what names a contact names nobody once it is gone."""
    message = workshop.make(AiMessage)
    contact = workshop.make(CrmContact)
    deal = workshop.make(CrmDeal, companyId=contact["companyId"], contactId=contact["id"])
    owner.delete(f"/api/v1/ai/chat/{message['chatId']}")
    owner.delete(f"/api/v1/crm/contact/{contact['id']}")
    assert [row["operation"] for row in logged(message["id"])][-1] == "delete"
    assert logged(deal["id"])[-1]["changed"] == ["contact_id"]


def test_what_somebody_does_at_psql_is_written_down(workshop, sql, logged):
    company = workshop.make(CrmCompany)
    sql("UPDATE crm_company SET name = 'Renamed' WHERE id = %s", company["id"])
    sql("DELETE FROM crm_company WHERE id = %s", company["id"])
    found = logged(company["id"])[1:]
    assert [(row["operation"], row["actor_type"], row["actor_id"]) for row in found] == [
        ("update", "system", None), ("delete", "system", None)
    ]  # fmt: skip
    assert found[0]["transaction"] != found[1]["transaction"]


def test_a_statement_that_changes_many_rows_is_written_down_row_by_row(owner, sql, connect):
    """Also behind one of one row over the same connection, whose plan is kept."""
    ids = [
        each["id"] for each in owner.post(COMPANY, [{"name": f"Number {number}"} for number in range(120)]).json["data"]
    ]
    connection = connect(autocommit=True)
    for many in (1, 120):
        connection.execute("UPDATE crm_company SET industry = %s WHERE id = ANY (%s)", [f"Of {many}", ids[:many]])
    asked = "SELECT count(*) FROM platform_change WHERE record_id = ANY (%s) AND changed = '{industry}'"
    assert sql(asked, ids) == [(121,)]


def test_two_statements_of_one_transaction_at_psql_are_one(workshop, connect, logged):
    company = workshop.make(CrmCompany)
    connection = connect()
    connection.execute("UPDATE crm_company SET name = 'Renamed' WHERE id = %s", [company["id"]])
    connection.execute("DELETE FROM crm_company WHERE id = %s", [company["id"]])
    connection.commit()
    assert len({row["transaction"] for row in logged(company["id"])[1:]}) == 1


def test_a_connection_tells_of_nobody_else_afterwards(app, owner, logged):
    """What wrote last over a connection says nothing of what is written over it next."""
    owner.post(COMPANY, {"name": "Harbour Works"})
    with app.app_context(), db.engine.begin() as connection:
        made = connection.execute(text("SELECT nullif(current_setting('rowgate.context', true), '')")).scalar()
    assert made is None


def test_what_is_rolled_back_leaves_nothing(app, owner, logged):
    identifier = uuid.uuid4()

    def store_and_fail(unit):
        values = {"organization_id": owner.organization_id, "created_by_id": owner.user_id}
        unit.store(CrmCompany(id=identifier, name="Harbour Works", **values))
        raise LookupError

    with app.app_context(), pytest.raises(LookupError):
        run_unit(SYSTEM, store_and_fail)
    assert logged(identifier) == []


def test_a_change_of_bookkeeping_alone_is_not_written_down(cast, logged):
    somebody = cast.user()
    before = len(logged(somebody.user_id))
    with somebody.app.app_context(), transaction() as session:
        session.execute(text("UPDATE auth_user SET last_login_at = now() WHERE id = :id"), {"id": somebody.user_id})
    assert len(logged(somebody.user_id)) == before


def test_a_table_of_the_log_is_not_truncated(sql):
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        sql("TRUNCATE crm_company CASCADE")


def test_secrets_never_enter_and_encrypted_fields_say_that_they_changed(cast, workshop, logged):
    provider = workshop.make(AiProvider, apiKey="sk-first")
    cast.admin.put(f"{AiProvider.collection_path()}/{provider['id']}", {"apiKey": "sk-second"})
    rows = logged(provider["id"])
    assert rows[-1]["changed"] == ["api_key"]
    assert all("api_key" not in {*row["image"], *row["old"]} for row in rows)


@pytest.mark.parametrize("model", [each for each in every_model() if each.logged], ids=lambda each: each.__tablename__)
def test_no_digest_and_nothing_encrypted_is_in_the_images_of(model):
    flags = {"digest", "encrypted"}
    secret = {f.column.name for f in model.fields().values() if f.column is not None and flags & set(f.spec.flags)}
    assert secret <= triggers.omitted_columns(model)
    if model is AuthAccount:
        assert {"password", "access_token", "issuer"} <= triggers.omitted_columns(model)


def test_long_texts_that_did_not_change_are_left_out_and_come_back(owner, workshop, logged):
    text = "Quay 4. " * 400
    artifact = workshop.make(AiArtifact, content=text)
    path = f"/api/v1/ai/artifact/{artifact['id']}"
    owner.put(path, {"title": "Second"})
    second = owner.get(path).json["updatedAt"]
    owner.put(path, {"title": "Third"})
    owner.put(path, {"content": "short"})
    assert "content" not in logged(artifact["id"])[1]["image"]
    assert owner.get(path, query_string={"asOf": second}).json["content"] == text
    assert owner.get(f"{path}/_history").json["data"][0]["before"]["content"] == text


def test_every_table_of_a_logged_model_has_its_triggers_and_no_other_has(app, sql):
    with app.app_context():
        assert change_log.differences() == []
    counted = "SELECT tgrelid::regclass::text, count(*) FROM pg_trigger WHERE starts_with(tgname, %s) GROUP BY 1"
    assert dict(sql(counted, "rowgate_log_")) == {
        model.__tablename__: len(triggers.TRIGGERS) for model in every_model() if model.logged
    }


def test_the_log_replayed_is_what_is_there(sql):
    """Of all that the tests of this process have written so far."""
    assert differences(sql) == []
