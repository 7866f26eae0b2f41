"""Keys that grants narrow: rows, fields, operations, and what a write may leave behind."""

from __future__ import annotations

import pytest

from app.auth.models.keys import AuthApiKey
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.foundation.crypto import vault
from app.testing.database import transaction
from tests.auth.access.granting import COMPANIES, CONTACTS, DEALS, FORBIDDEN, KEYS, READS, grant, ids, narrow, told


def test_rows_outside_of_its_grants_are_absent(cast, owner, shop):
    seen, hidden = shop.make(CrmCompany, industry="steel"), shop.make(CrmCompany, industry="shipping")
    key = narrow(cast, owner, grant("crm/company", where={"industry": "steel"}))
    assert ids(key.get(COMPANIES)) == {seen["id"]}
    assert key.get(COMPANIES).json["total"] == 1
    assert [key.get(f"{COMPANIES}/{each['id']}").status_code for each in (seen, hidden)] == [200, 404]
    assert key.get(f"{COMPANIES}/_aggregate", query_string={"count": ""}).json["data"][0]["count"] == 1


def test_an_operation_outside_of_all_grants_is_refused_before_anything_is_looked_up(cast, owner, shop):
    made = shop.make(CrmDeal)
    key = narrow(cast, owner, grant("crm/deal", ["list"]))
    for answer in (
        key.get(f"{DEALS}/{made['id']}"), key.get(f"{DEALS}/nothing"), key.post(DEALS, {"nothing": 1}),
        key.put(f"{DEALS}/{made['id']}", {"name": "x"}), key.delete(f"{DEALS}/{made['id']}"),
        key.get(f"{DEALS}/_export"), key.get(COMPANIES), key.get("/api/v1/auth/api-key"), key.get("/api/v1/_views"),
    ):  # fmt: skip
        assert told(answer)[0] == 403, answer.json


@pytest.mark.parametrize(
    "query",
    [
        {"amount[gt]": "1"}, {"amount": "1"}, {"sort": "amount"}, {"fields": "amount"}, {"expand": "company"},
        {"company.name": "x"}, {"where": '{"amount": 1}'}, {"where": '{"company": {"name": "x"}}'},
        {"sort": "company.name"},
    ],
    ids=str,
)  # fmt: skip
def test_a_field_outside_cannot_be_named(cast, owner, shop, query):
    shop.make(CrmDeal, amount=5)
    key = narrow(cast, owner, grant("crm/deal", fields=["name", "stage"]))
    (shown,) = key.get(DEALS).json["data"]
    assert set(shown) == {"id", "name", "stage"}
    refused = key.get(DEALS, query_string=query)
    assert refused.status_code == 400
    assert "amount" not in refused.json["error"].partition("Allowed:")[2]


def test_groups_and_measures_outside_cannot_be_named(cast, owner, shop):
    shop.make(CrmDeal, amount=5)
    key = narrow(cast, owner, grant("crm/deal", fields=["name", "stage"]))
    for query in ({"group": "amount"}, {"sum": "amount"}, {"group": "company.name"}):
        assert key.get(f"{DEALS}/_aggregate", query_string={**query, "count": ""}).status_code == 400


def test_a_field_outside_counts_for_nothing_in_a_search(cast, owner, shop):
    shop.make(CrmCompany, name="Harbour", industry="Cranes")
    by_name, whole = grant("crm/company", fields=["name"]), grant("crm/company")
    assert len(ids(narrow(cast, owner, whole).get(COMPANIES, query_string={"search": "harb"}))) == 1
    assert len(ids(narrow(cast, owner, by_name).get(COMPANIES, query_string={"search": "harb"}))) == 1
    by_industry = narrow(cast, owner, grant("crm/company", fields=["industry"]))
    assert ids(by_industry.get(COMPANIES, query_string={"search": "harb"})) == set()


def test_grants_unite_for_each_operation_and_for_each_row_of_fields(cast, owner, shop):
    won, lost = shop.make(CrmDeal, amount=1), shop.make(CrmDeal, amount=2)
    key = narrow(
        cast, owner, grant("crm/deal", ["list"], fields=["name"]),
        grant("crm/deal", READS, fields=["amount"], where={"amount": 1}),
    )  # fmt: skip
    listed = {each["id"]: each for each in key.get(DEALS).json["data"]}
    assert {id: set(each) for id, each in listed.items()} == {
        won["id"]: {"id", "name", "amount"}, lost["id"]: {"id", "name"},
    }  # fmt: skip
    assert set(key.get(f"{DEALS}/{won['id']}").json) == {"id", "amount"}
    assert key.get(f"{DEALS}/{lost['id']}").status_code == 404
    assert ids(key.get(DEALS, query_string={"amount[gt]": "0"})) == {won["id"]}


def test_a_write_is_judged_on_the_row_as_it_was_and_as_it_is_to_be(cast, owner, shop):
    mine, other = shop.make(CrmCompany, industry="steel"), shop.make(CrmCompany, industry="shipping")
    key = narrow(cast, owner, grant("crm/company", [*READS, "create", "update"], where={"industry": "steel"}))
    assert key.put(f"{COMPANIES}/{mine['id']}", {"name": "New"}).status_code == 200
    assert told(key.put(f"{COMPANIES}/{mine['id']}", {"industry": "shipping"})) == FORBIDDEN
    assert key.put(f"{COMPANIES}/{other['id']}", {"industry": "steel"}).status_code == 404
    assert told(key.post(COMPANIES, {"name": "A", "industry": "shipping"})) == FORBIDDEN
    assert key.post(COMPANIES, {"name": "A", "industry": "steel"}).status_code == 201
    assert told(key.delete(f"{COMPANIES}/{mine['id']}")) == FORBIDDEN
    found = {each["name"]: each["industry"] for each in owner.get(COMPANIES).json["data"]}
    assert found == {"New": "steel", other["name"]: "shipping", "A": "steel"}


def test_what_it_may_change_and_not_read_is_absent_unless_it_is_changed(cast, owner, shop):
    made = shop.make(CrmCompany, industry="steel")
    key = narrow(
        cast,
        owner,
        grant("crm/company", ["update"], fields=["name"]),
        grant("crm/company", ["create"], fields=["name"]),
    )
    changed = key.put(f"{COMPANIES}/{made['id']}", {"name": "New"})
    assert (changed.status_code, changed.json) == (200, {"id": made["id"]})
    assert changed.headers["ETag"]
    refused = key.put(f"{COMPANIES}/{made['id']}", {"industry": "x"})
    assert (refused.status_code, refused.json["error"]) == (400, "Validation error")
    answer = key.post(COMPANIES, {"name": "Other"})
    assert (answer.status_code, set(answer.json)) == (201, {"id"})
    assert key.post(COMPANIES, {"name": "Other", "industry": "x"}).status_code == 400


def test_what_it_may_change_of_some_rows_needs_no_grant_that_reads_them(cast, owner, shop):
    steel, ships = shop.make(CrmCompany, industry="steel"), shop.make(CrmCompany, industry="ships")
    key = narrow(cast, owner, grant("crm/company", ["update"], where={"industry": "steel"}))
    answers = [key.put(f"{COMPANIES}/{each['id']}", {"name": "New"}).status_code for each in (steel, ships)]
    assert answers == [200, 404]


def test_a_write_of_what_is_not_read_answers_its_id_alone(cast, owner, shop):
    steel, ships = shop.make(CrmCompany, industry="steel"), shop.make(CrmCompany, industry="ships")
    key = narrow(
        cast, owner, grant("crm/company", where={"industry": "steel"}), grant("crm/company", ["create", "update"])
    )
    assert key.put(f"{COMPANIES}/{steel['id']}", {"name": "A"}).json["name"] == "A"
    assert key.put(f"{COMPANIES}/{ships['id']}", {"name": "A"}).json == {"id": ships["id"]}
    assert set(key.post(COMPANIES, {"name": "B", "industry": "ships"}).json) == {"id"}


def test_a_field_that_only_grants_of_other_rows_open_is_refused(cast, owner, shop):
    steel, ships = shop.make(CrmCompany, industry="steel"), shop.make(CrmCompany, industry="ships")
    key = narrow(
        cast, owner, grant("crm/company"), grant("crm/company", ["update"], fields=["name"]),
        grant("crm/company", ["update"], fields=["website"], where={"industry": "steel"}),
    )  # fmt: skip
    site = {"website": "https://example.com"}
    assert key.put(f"{COMPANIES}/{steel['id']}", site).status_code == 200
    refused = key.put(f"{COMPANIES}/{ships['id']}", {**site, "name": "x"})
    assert (refused.status_code, refused.json["error"]) == (403, "Invalid website: May not be set on this record.")
    assert owner.get(f"{COMPANIES}/{ships['id']}").json == ships


def test_what_a_record_names_has_to_be_readable(cast, owner, shop):
    seen, hidden = shop.make(CrmCompany, industry="steel"), shop.make(CrmCompany, industry="ships")
    key = narrow(
        cast, owner, grant("crm/deal", ["create", "read"]), grant("crm/company", ["read"], where={"industry": "steel"})
    )
    assert key.post(DEALS, {"name": "A", "companyId": seen["id"]}).status_code == 201
    refused = key.post(DEALS, {"name": "A", "companyId": hidden["id"]})
    assert told(refused) == (400, "FOREIGN_KEY_VIOLATION")
    mine = {"ownerId": str(owner.user_id), "organizationId": str(owner.organization_id)}
    assert key.post(DEALS, {"name": "A", "companyId": seen["id"], **mine}).status_code == 201
    colleague = {"ownerId": str(cast.colleague(owner).user_id)}
    refused = key.post(DEALS, {"name": "A", "companyId": seen["id"], **colleague})
    assert told(refused) == (400, "FOREIGN_KEY_VIOLATION")


def test_expansions_and_relations_go_by_the_grants_of_where_they_lead(cast, owner, shop):
    seen, hidden = shop.make(CrmCompany, industry="steel"), shop.make(CrmCompany, industry="ships")
    deals = [shop.make(CrmDeal, companyId=each["id"]) for each in (seen, hidden)]
    key = narrow(
        cast, owner, grant("crm/deal"), grant("crm/company", fields=["name"], where={"industry": "steel"}),
    )  # fmt: skip
    expanded = {each["id"]: each["company"] for each in key.get(f"{DEALS}?expand=company").json["data"]}
    assert expanded == {deals[0]["id"]: {"id": seen["id"], "name": seen["name"]}, deals[1]["id"]: None}
    assert ids(key.get(DEALS, query_string={"company.name[ne]": "nothing"})) == {deals[0]["id"]}
    reads = narrow(cast, owner, grant("crm/deal"), grant("crm/company", ["read"]))
    assert reads.get(f"{DEALS}?expand=company").status_code == 200
    assert reads.get(DEALS, query_string={"company.name": "x"}).status_code == 400
    lists = narrow(cast, owner, grant("crm/company"), grant("crm/deal", ["read"]))
    assert lists.get(f"{COMPANIES}?expand=deals").status_code == 400


def test_expansions_of_one_go_by_what_is_read_and_of_many_by_what_is_listed(cast, owner, shop):
    company = shop.make(CrmCompany, industry="steel")
    first, second = (shop.make(CrmDeal, companyId=company["id"], amount=amount) for amount in (1, 2))
    listed, read = (grant("crm/deal", [name], where={"amount": n}) for n, name in enumerate(READS, 1))
    key = narrow(cast, owner, listed, read, grant("crm/company"))
    expanded = key.get(f"{COMPANIES}/{company['id']}?expand=deals").json["deals"]
    assert [each["id"] for each in expanded] == [first["id"]]
    assert [key.get(f"{DEALS}/{each['id']}").status_code for each in (first, second)] == [404, 200]
    for operations, seen in ((["list"], False), (["read"], True)):
        companies = grant("crm/company", operations, where={"industry": "steel"})
        other = grant("crm/company", READS, where={"industry": "ships"})
        found = narrow(cast, owner, grant("crm/deal"), companies, other).get(f"{DEALS}?expand=company").json["data"]
        assert all(bool(each["company"]) is seen for each in found)


def test_a_reference_that_a_row_does_not_show_leads_nowhere(cast, owner, shop):
    company = shop.make(CrmCompany, industry="steel")
    first, _ = (shop.make(CrmDeal, companyId=company["id"], amount=amount) for amount in (1, 2))
    amounts, companies = grant("crm/deal", fields=["amount"]), grant("crm/company")
    key = narrow(cast, owner, amounts, grant("crm/deal", where={"amount": 1}), companies)
    expanded = key.get(f"{COMPANIES}/{company['id']}?expand=deals").json["deals"]
    assert [each["id"] for each in expanded] == [first["id"]]
    assert ids(key.get(DEALS, query_string={"company.industry": "steel"})) == {first["id"]}
    for amount, found in ((1, {company["id"]}), (2, set())):
        assert ids(key.post(f"{COMPANIES}/_query", {"where": {"deals": {"some": {"amount": amount}}}})) == found
    groups = key.get(f"{DEALS}/_aggregate", query_string={"group": "company.industry", "count": ""}).json["data"]
    assert {each["group"]["company.industry"]: each["count"] for each in groups} == {"steel": 1, None: 1}
    nowhere = narrow(cast, owner, amounts, companies)
    for path in (f"{DEALS}?expand=company", f"{DEALS}?company.industry=steel", f"{COMPANIES}?expand=deals"):
        assert nowhere.get(path).status_code == 400


def test_an_export_needs_a_grant_of_its_own_besides_that_of_the_list(cast, owner, shop):
    for industry in ("steel", "ships"):
        shop.make(CrmCompany, industry=industry)
    only_list = narrow(cast, owner, grant("crm/company", ["list"]))
    assert told(only_list.get(f"{COMPANIES}/_export")) == FORBIDDEN
    key = narrow(
        cast, owner, grant("crm/company", ["list"], fields=["name", "industry", "revenue"]),
        grant("crm/company", ["export"], fields=["name", "industry"], where={"industry": "steel"}),
    )  # fmt: skip
    assert [set(each) for each in key.get(f"{COMPANIES}/_export?as=json").json] == [{"id", "name", "industry"}]
    assert key.get(f"{COMPANIES}/_export?as=csv").data.splitlines()[0] == b"id,name,industry"


def test_an_import_needs_a_grant_of_its_own_besides_that_of_what_it_does(cast, owner):
    rows = b"name,industry\r\nA,steel\r\n"
    path = f"{COMPANIES}/_import"
    send = {"data": rows, "headers": {"Content-Type": "text/csv"}}
    assert narrow(cast, owner, grant("crm/company", ["create"])).send("POST", path, **send).status_code == 403
    elsewhere = narrow(
        cast, owner, grant("crm/company", ["create"]), grant("crm/company", ["import"], where={"industry": "ships"})
    )
    assert elsewhere.post(COMPANIES, {"name": "B", "industry": "steel"}).status_code == 201
    refused = elsewhere.send("POST", path, **send)
    assert refused.json["meta"]["created"] == 0, refused.json
    assert refused.json["meta"]["failed"] == 1
    both = narrow(cast, owner, grant("crm/company", ["create", "import"], where={"industry": "steel"}))
    assert both.send("POST", path, **send).json["meta"]["created"] == 1


def test_an_upsert_needs_create_and_update_and_writes_about_what_matches_need_list(cast, owner, shop):
    made = shop.make(CrmContact, email="ada@example.com")
    sent = [{"email": "ada@example.com", "firstName": "Ada", "lastName": "L", "companyId": made["companyId"]}]
    for operations in (["create"], ["update"]):
        key = narrow(cast, owner, grant("crm/contact", operations), grant("crm/company", ["read"]))
        assert key.post(f"{CONTACTS}?onConflict=email", sent).status_code == 403
    body = {"where": {"email": "ada@example.com"}, "set": {"firstName": "A"}, "max": 5}
    matching = f"{CONTACTS}/_matching/_update"
    assert told(narrow(cast, owner, grant("crm/contact", ["update"])).post(matching, body)) == FORBIDDEN
    assert narrow(cast, owner, grant("crm/contact", ["list", "update"])).post(matching, body).status_code == 200
    hidden = narrow(cast, owner, grant("crm/contact", ["list"]), grant("crm/contact", ["update"], where={"email": "b"}))
    assert hidden.post(matching, body).json["meta"]["count"] == 0


def test_a_star_leaves_accounts_out_and_no_grant_writes_them(cast, owner):
    key = narrow(cast, owner, {"models": ["*"], "operations": READS})
    assert key.get(DEALS).status_code == 200
    assert key.get("/api/v1/auth/organization").status_code == 403
    refused = owner.post(KEYS, {"name": "K", "access": [grant("auth/team", ["create"])]})
    assert "access[0].models[0]" in refused.json["details"]["fields"]
    reads = narrow(cast, owner, grant("auth/organization"))
    assert ids(reads.get("/api/v1/auth/organization")) == {str(owner.organization_id)}


def test_an_admins_key_is_narrowed_like_any(cast):
    admin = cast.user(role="admin")
    key = cast.key(admin, "read", "write", "admin", access=[grant("crm/deal", where={"name": "nothing"})])
    assert ids(key.get(DEALS)) == set()
    assert key.get(COMPANIES).status_code == 403


def test_an_anonymous_key_is_narrowed_like_any(cast, owner, shop):
    public = shop.make(CrmCompany, visibility="public", industry="steel")
    with cast.app.app_context(), transaction() as session:
        key = session.get_one(AuthApiKey, anonymous_key(cast, session))
        key.access = [grant("crm/company", fields=["name"])]
    asked = {"visibility": "public"}
    assert cast.anonymous.get(COMPANIES, query_string=asked).status_code == 400
    found = [each for each in cast.anonymous.get(COMPANIES).json["data"] if each["id"] == public["id"]]
    assert found == [{"id": public["id"], "name": public["name"]}]
    cast.__dict__.pop("anonymous")


def anonymous_key(cast, session):
    return session.query(AuthApiKey.id).filter_by(key_hash=vault().digest(cast.anonymous.token)).scalar()


def test_me_is_the_owner_of_the_key_and_in_a_query_whoever_asks(cast, owner, shop):
    shop.make(CrmDeal, ownerId=None)
    mine = shop.make(CrmDeal, ownerId=str(owner.user_id))
    key = narrow(cast, owner, grant("crm/deal", where={"ownerId": {"is": "me"}}))
    assert ids(key.get(DEALS)) == {mine["id"]}
    assert ids(owner.get(DEALS, query_string={"ownerId[is]": "me"})) == {mine["id"]}
    assert owner.get(DEALS, query_string={"ownerId[is]": "you"}).status_code == 400
    assert owner.get(DEALS, query_string={"companyId[is]": "me"}).status_code == 400
