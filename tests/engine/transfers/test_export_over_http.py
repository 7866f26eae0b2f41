"""How an export travels: headers, formats, cells, compression, refusals, and the failures of its statement."""

from __future__ import annotations

import csv
import gzip
import io
import time

import psycopg
import pytest

from app.crm.models import CrmDeal
from app.engine.declare.principal import SYSTEM
from app.engine.read.query import Query
from app.engine.transfer import copying
from app.engine.transfer.exporting import Export, ExportQuery
from app.foundation.clock import now
from app.foundation.errors import Unavailable

DEALS, COMPANIES = "/api/v1/crm/deal", "/api/v1/crm/company"
RISKY = [
    "=1+1", "+49 30 1234", "-x", "@sum", "\ttab", "\rreturn", "\nline", "'s-Hertogenbosch", "''twice", '"=1', "\uff1d1",
    "\uff0b1", "\uff0d1", "\uff201",
]  # fmt: skip
PLAIN = [
    "plain",
    'a "quoted" word',
    "comma, and\nline\r\nbreaks",
    "back\\slash \\n",
    "Ünï😀",
    " spaces ",
    "\\.",
    "NULL",
]


@pytest.fixture
def company(owner):
    return owner.post(COMPANIES, {"name": "Harbour Works"}).json["id"]


@pytest.fixture
def deals(owner, company):
    """Deals whose next steps are hard to write down."""
    for text in (*RISKY, *PLAIN, "", None):
        made = owner.post(DEALS, {"name": "Deal", "companyId": company, "nextStep": text, "amount": 5})
        assert made.status_code == 201
    return [each["nextStep"] for each in owner.get(f"{DEALS}?take=100").json["data"]]


def read(response):
    assert response.status_code == 200, response.json
    return list(csv.DictReader(io.StringIO(response.text, newline="")))


@pytest.mark.parametrize(
    ("form", "content_type"),
    [
        ("csv", "text/csv; charset=utf-8; header=present"),
        ("ndjson", "application/x-ndjson"),
        ("json", "application/json"),
    ],
)
def test_an_export_is_a_file_with_a_name_and_a_type(owner, form, content_type):
    response = owner.get(f"/api/v1/storage/document/_export?as={form}")
    assert response.headers["Content-Type"] == content_type
    named = f'attachment; filename="storage-document-{now().date()}.{form}"'
    assert response.headers["Content-Disposition"] == named
    assert response.headers["Vary"] == "Accept-Encoding"
    assert response.headers["Cache-Control"] == "private, no-store"


def test_no_records_are_a_header_an_empty_file_and_an_empty_array(owner):
    fields = "fields=name,amount"
    assert owner.get(f"{DEALS}/_export?{fields}").data == b"id,name,amount\r\n"
    assert owner.get(f"{DEALS}/_export?as=ndjson").data == b""
    assert owner.get(f"{DEALS}/_export?as=json").json == []


def test_rows_end_as_rfc_4180_has_it_and_line_breaks_in_cells_stay(owner, company):
    owner.post(DEALS, {"name": "a\nb\r\nc", "companyId": company})
    owner.post(DEALS, {"name": "plain", "companyId": company})
    first, second = owner.get(f"{DEALS}?sort=name").json["data"]
    response = owner.get(f"{DEALS}/_export?fields=name&sort=name")
    assert response.data == f'id,name\r\n{first["id"]},"a\nb\r\nc"\r\n{second["id"]},plain\r\n'.encode()


def test_cells_that_spreadsheets_would_run_begin_with_an_apostrophe(owner, deals):
    cells = [row["nextStep"] for row in read(owner.get(f"{DEALS}/_export"))]
    assert cells == [f"'{each}" if each in RISKY else each or "" for each in deals]
    for row in read(owner.get(f"{DEALS}/_export")):
        assert row["amount"] == "5"


def test_without_that_cells_are_the_text_itself(owner, deals):
    cells = [row["nextStep"] for row in read(owner.get(f"{DEALS}/_export?csvSafe=false"))]
    assert cells == [each or "" for each in deals]


def test_an_empty_text_is_told_from_none(owner, company):
    for text in ("", None):
        owner.post(DEALS, {"name": "Deal", "companyId": company, "nextStep": text})
    lines = owner.get(f"{DEALS}/_export?fields=nextStep").text.splitlines()
    assert [line.partition(",")[2] for line in lines] == ["nextStep", "", '""']


def test_conditions_search_sort_and_fields_are_those_of_the_list(owner, deals):
    asked = (
        "where=%7B%22not%22:%7B%22stage%22:%22won%22%7D%7D&amount[gte]=5&search=deal&sort=-name,id"
        "&company.name=Harbour Works"
    )
    listed = owner.get(f"{DEALS}?{asked}&take=100&fields=name,amount").json["data"]
    assert len(listed) == len(deals)
    assert owner.get(f"{DEALS}/_export?as=json&{asked}&fields=name,amount").json == listed


def test_a_field_that_lists_leave_out_is_there_and_can_be_chosen(owner):
    path = "/api/v1/storage/document"
    made = owner.post(path, {"title": "Plan", "content": "Where the cranes stand."}).json
    assert owner.get(f"{path}/_export?as=json").json == [made]
    assert read(owner.get(f"{path}/_export?fields=content")) == [{"id": made["id"], "content": made["content"]}]


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "*"])
def test_gzip_for_who_asks(owner, deals, accepted):
    plain = owner.get(f"{DEALS}/_export?as=ndjson").data
    response = owner.get(f"{DEALS}/_export?as=ndjson", headers={"Accept-Encoding": accepted})
    assert response.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(response.data) == plain


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "gzip;q=0.5, identity"])
def test_and_nothing_for_who_does_not(owner, accepted):
    response = owner.get(f"{DEALS}/_export?as=ndjson", headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in response.headers


def test_head_says_the_same_and_asks_the_database_for_nothing(owner, monkeypatch):
    expected = owner.get(f"{DEALS}/_export")
    monkeypatch.setattr(copying, "_connected", None)
    response = owner.send("HEAD", f"{DEALS}/_export")
    assert (response.status_code, response.data) == (200, b"")
    for name in ("Content-Type", "Content-Disposition", "Vary"):
        assert response.headers[name] == expected.headers[name]
    assert owner.send("HEAD", f"{DEALS}/_export?nope=1").status_code == 400


@pytest.mark.parametrize(
    ("asked", "code", "place"),
    [
        ("as=xml", "INVALID_FILTER", "as"),
        ("as=csv&as=json", "INVALID_PAGINATION", "as"),
        ("csvSafe=1", "INVALID_FILTER", "csvSafe"),
        ("as=json&csvSafe=true", "INVALID_FILTER", "csvSafe"),
        ("expand=company", "INVALID_EXPAND", "expand"),
        ("fields=company.name", "INVALID_FIELDS", "fields"),
        ("fields=nope", "INVALID_FIELDS", "fields"),
        ("take=1", "INVALID_PAGINATION", "take"),
        ("skip=1", "INVALID_PAGINATION", "skip"),
        ("cursor=", "INVALID_PAGINATION", "cursor"),
        ("count=none", "INVALID_PAGINATION", "count"),
        ("nope=1", "INVALID_FILTER", "nope"),
        ("sort=nope", "INVALID_SORT", "sort"),
        ("search=", "INVALID_SEARCH", "search"),
        ("where=[]", "INVALID_FILTER", "where"),
        ("amount[gte]=x", "INVALID_FILTER", "amount[gte]"),
    ],
)
def test_what_an_export_does_not_take_is_refused_by_name(owner, asked, code, place):
    response = owner.get(f"{DEALS}/_export?{asked}")
    assert (response.status_code, response.json["code"]) == (400, code)
    assert list(response.json["details"]["fields"]) == [place]


def test_reading_is_enough_and_it_counts_one(cast, owner):
    key = cast.key(owner, "read", rate_limit_enabled=True, rate_limit_max=2)
    statuses = [key.get(f"{DEALS}/_export").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


def test_values_of_callers_are_quoted_by_the_driver(owner, company):
    name = "'; DROP TABLE crm_deal; -- %s %(v0)s \\' \\"
    owner.post(DEALS, {"name": name, "companyId": company})
    found = owner.get(f"{DEALS}/_export", query_string={"as": "json", "name": name, "name[contains]": name}).json
    assert [each["name"] for each in found] == [name]


@pytest.mark.alone
def test_a_statement_that_takes_too_long_is_an_answer(build, owner, monkeypatch):
    app = build(export_timeout=1.0)
    slow = "COPY (SELECT pg_sleep(30)::text) TO STDOUT"
    monkeypatch.setattr(copying.ClientCursor, "mogrify", lambda *_: slow)
    begun = time.monotonic()
    response = type(owner)(app, owner.token).get(f"{DEALS}/_export")
    assert (response.status_code, response.json["code"]) == (400, "QUERY_TIMEOUT")
    assert time.monotonic() - begun < 5


def test_a_database_that_is_away_is_an_answer(owner, monkeypatch):
    def refuse(settings):
        raise psycopg.OperationalError("is away")

    monkeypatch.setattr(copying.connections, "connect", refuse)
    assert owner.get(f"{DEALS}/_export").status_code == 503


def test_there_are_so_many_exports_at_a_time_and_operators_do_not_count(build, cast, monkeypatch):
    app = build(exports_at_once=1)
    first, second = cast.user(), cast.user()
    monkeypatch.setattr(copying, "BLOCK_BYTES", 1)
    with app.app_context():
        for actor in (first, second):
            company = actor.post(COMPANIES, {"name": "Harbour Works"}).json["id"]
            for _ in range(3):
                assert actor.post(DEALS, {"name": "Deal", "companyId": company}).status_code == 201
        running = Export(CrmDeal, first.principal, ExportQuery(Query()))
        with pytest.raises(Unavailable):
            Export(CrmDeal, second.principal, ExportQuery(Query()))
        Export(CrmDeal, SYSTEM, ExportQuery(Query())).close()
        running.close()
        Export(CrmDeal, second.principal, ExportQuery(Query())).close()
