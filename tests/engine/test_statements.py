"""What reads cost: one statement for the credential, one for the work, and an index for every list."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import text

from app.auth.keys import key_usage
from app.crm.models import CrmCompany, CrmContact
from app.engine.declare.catalogue import every_model
from app.engine.declare.indexes import COUNT_INDEX_PREDICATE, has_count_index
from app.engine.declare.principal import Reader
from app.engine.read import pages
from app.engine.read.query import PLAIN
from app.extensions import db
from app.testing.workshop import Workshop

MODELS = [model for model in every_model() if not model.has_custom_routes]
every = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.qualified_name())


@pytest.fixture(scope="module")
def owner(cast):
    actor = cast.user()
    actor.get("/api/v1/crm/contact")  # the first use of a credential in a minute is noted
    return actor


@every
def test_a_list_takes_one_statement_besides_the_credential(counting, cast, owner, model):
    for actor in (owner, cast.admin):
        actor.get(model.collection_path())
        with counting() as asked:
            response = actor.get(model.collection_path(), query_string={"take": 100})
        if response.status_code == 200:
            assert len(asked) == 2, asked


@every
def test_an_item_takes_one_statement_besides_the_credential(counting, owner, model):
    with counting() as asked:
        owner.get(f"{model.collection_path()}/0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11")
    assert len(asked) == 2


def test_a_list_of_a_hundred_takes_as_many_statements_as_a_list_of_one(counting, cast):
    actor = cast.user()
    workshop = Workshop(cast, actor)
    company = workshop.make(CrmCompany)["id"]
    for _ in range(100):
        workshop.make(CrmContact, companyId=company)
    counts = []
    for take in (1, 100):
        with counting() as asked:
            assert len(actor.get("/api/v1/crm/contact", query_string={"take": take}).json["data"]) == take
        counts.append(len(asked))
    assert counts == [2, 2]


def test_a_write_takes_a_constant_number_of_statements(counting, cast):
    actor = cast.user()
    company = actor.post("/api/v1/crm/company", {"name": "Acme"}).json["id"]
    person = {"firstName": "A", "lastName": "B", "companyId": company}
    with counting() as asked:
        made = actor.post("/api/v1/crm/contact", {**person, "email": "a@example.com"}).json
    assert len(asked) <= 4, asked
    with counting() as asked:
        actor.put(f"/api/v1/crm/contact/{made['id']}", {"phone": "1"})
    assert len(asked) <= 4, asked


@every
@pytest.mark.parametrize("reader", [Reader.ADMIN, Reader.MEMBER, Reader.ANONYMOUS])
def test_every_default_list_walks_an_index(app, owner, model, reader):
    statement = pages.compiled(model, reader, PLAIN, None)
    binds = {
        "take": 20,
        "skip": 0,
        "caller_user": owner.user_id,
        "caller_email": None,
        "caller_organization": owner.organization_id,
        "caller_organizations": [owner.organization_id],
        "caller_managed": [owner.organization_id],
        "caller_owned": [owner.organization_id],
    }
    with app.app_context(), db.engine.connect() as connection:
        # Small tables are read whole whatever indexes there are; what counts is that one would serve.
        connection.execute(text("SET LOCAL enable_seqscan = off"))
        plan = connection.exec_driver_sql(f"EXPLAIN {statement.sql}", {**statement.fixed, **binds}).scalars().all()
    lines = "\n".join(plan)
    assert f"Seq Scan on {model.__tablename__}" not in lines, lines


@pytest.mark.parametrize("known", [True, False])
def test_a_count_reads_the_smallest_index_and_a_page_that_of_its_order(app, cast, owner, known):
    company = Workshop(cast, owner).make(CrmCompany)["id"]
    made = text(
        "INSERT INTO crm_contact"
        " (id, organization_id, first_name, last_name, email, company_id, created_at, updated_at)"
        " SELECT gen_random_uuid(), :organization, 'A', 'B', number || '@count.example', :company, now(), now()"
        " FROM generate_series(1, 5000) AS number"
    )
    binds = {"caller_organization": owner.organization_id, "take": 20, "skip": 0}
    statement = pages.compiled(CrmContact, Reader.MEMBER, PLAIN, None).sql
    with app.app_context(), db.engine.connect() as connection:
        connection.execute(made, {"organization": owner.organization_id, "company": company})
        connection.execute(text("ANALYZE crm_contact"))
        # What shows that rows are visible to all comes with a VACUUM, which no transaction can do.
        connection.execute(text("SET LOCAL enable_seqscan = off"))
        connection.execute(text("SET LOCAL enable_bitmapscan = off"))
        if known:
            plan = connection.exec_driver_sql(f"EXPLAIN {statement}", binds).scalars().all()
        else:  # as for a statement that is kept, of which PostgreSQL does not know who asks
            for place, name in enumerate(binds, 1):
                statement = statement.replace(f"%({name})s", f"${place}")
            plan = connection.exec_driver_sql(f"EXPLAIN (GENERIC_PLAN) {statement}").scalars().all()
        connection.rollback()
    lines = "\n".join(plan)
    assert "Index Only Scan using ix_crm_contact_organization_id_count on crm_contact r0 " in lines, lines
    assert re.search("Index Scan using ix_crm_contact_(organization_id_)?order on crm_contact r0_1 ", lines), lines
    assert "(organization_id = (InitPlan" in lines, lines


@every
def test_what_is_counted_by_the_owner_alone_says_so(model):
    statement = pages.compiled(model, Reader.MEMBER, PLAIN, None).sql
    counted = has_count_index(model.__table__, model.policy.scope)
    assert statement.count(COUNT_INDEX_PREDICATE) == counted
    assert [index.name for index in model.__table__.indexes if str(index.name).endswith("_count")] == (
        [f"ix_{model.__tablename__}_{model.policy.scope.column}_count"] if counted else []
    )
    assert COUNT_INDEX_PREDICATE not in pages.compiled(model, Reader.ADMIN, PLAIN, None).sql


@pytest.mark.parametrize("table", sorted({model.__tablename__ for model in MODELS}))
def test_every_reference_leads_an_index(app, table):
    wanted = {column.name for column in _table(table).columns if column.foreign_keys}
    query = text(
        "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
        " WHERE i.indrelid = CAST(:table AS regclass)"
    )
    with app.app_context(), db.engine.connect() as connection:
        leading = set(connection.execute(query, {"table": table}).scalars())
    assert wanted <= leading


def _table(name):
    return next(model for model in MODELS if model.__tablename__ == name).__table__


def test_validating_a_key_takes_one_statement_and_one_round_trip_to_redis(counting, app, cast, owner, monkeypatch):
    key = cast.key(owner, "read", rate_limit_enabled=True, rate_limit_max=1000)
    path = f"/api/v1/auth/user/{owner.user_id}"
    key.get(path)
    key_usage.flush(app)
    commands = []
    client = app.extensions["limit_counter"].shared.storage
    send = client.connection_pool.connection_class.send_packed_command
    monkeypatch.setattr(
        client.connection_pool.connection_class, "send_packed_command",
        lambda self, *rest, **options: (commands.append(rest), send(self, *rest, **options))[1],
    )  # fmt: skip
    with counting() as asked:
        assert key.get(path).status_code == 200
    assert len([query for query in asked if "auth_api_key" in str(query)]) == 1
    assert len(asked) == 2, "the key, and the record that is read"
    assert len(commands) == 1
