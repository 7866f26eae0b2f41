"""Exports in the programs that people open them with: pandas and DuckDB find every value."""

from __future__ import annotations

import io

import duckdb
import pandas
import pytest

DEALS = "/api/v1/crm/deal"
FIELDS = "name,nextStep,amount,expectedCloseAt,description"
STEPS = ["+49 30 1234", "plain, with a comma", 'a "quote"\nand a line', "", None]


@pytest.fixture
def deals(owner):
    """Deals with texts, numbers and moments, some of them empty, in the order of their names."""
    company = owner.post("/api/v1/crm/company", {"name": "Harbour Works"}).json["id"]
    for number, step in enumerate(STEPS):
        amount, closes = (9007199254740991 - number, f"2027-01-15T12:00:00.0{number}0Z") if step else (None, None)
        body = {"name": f"Deal {number}", "nextStep": step, "amount": amount, "expectedCloseAt": closes}
        assert owner.post(DEALS, body | {"companyId": company, "description": "Ünï😀"}).status_code == 201
    return owner.get(f"{DEALS}?sort=name").json["data"]


@pytest.fixture
def export(owner, tmp_path):
    def save(form, **asked):
        path = tmp_path / f"deals.{form}"
        asked = {"as": form, "sort": "name", "fields": FIELDS, **asked}
        path.write_bytes(owner.get(f"{DEALS}/_export", query_string=asked).data)
        return path

    return save


def test_pandas_reads_csv(deals, export):
    read = {"csvSafe": "false"}
    found = pandas.read_csv(export("csv", **read), dtype={"amount": "Int64"}, parse_dates=["expectedCloseAt"])
    assert list(found["id"]) == [each["id"] for each in deals]
    # It takes an empty text for none.
    assert list(found["nextStep"].fillna("")) == [each["nextStep"] or "" for each in deals]
    assert [None if pandas.isna(each) else int(each) for each in found["amount"]] == [each["amount"] for each in deals]
    moments = [None if each["expectedCloseAt"] is None else pandas.Timestamp(each["expectedCloseAt"]) for each in deals]
    assert [None if pandas.isna(each) else each for each in found["expectedCloseAt"]] == moments


def test_pandas_reads_lines_of_json(deals, export):
    found = pandas.read_json(io.BytesIO(export("ndjson").read_bytes()), lines=True, dtype=False)
    assert list(found["name"]) == [each["name"] for each in deals]
    assert [each if isinstance(each, str) else None for each in found["nextStep"]] == STEPS
    assert list(found["description"]) == ["Ünï😀"] * len(STEPS)


@pytest.mark.parametrize("form", ["csv", "ndjson", "json"])
def test_duckdb_reads_every_form(deals, export, form):
    read = f"read_csv('{export('csv', csvSafe='false')}', nullstr='', allow_quoted_nulls=false, all_varchar=false)"
    source = read if form == "csv" else f"read_json('{export(form)}')"
    columns = "id::text, name, nextStep, amount::bigint, epoch_ms(expectedCloseAt::timestamptz)"
    asked = f"SELECT {columns} FROM {source} ORDER BY name"
    expected = [
        (each["id"], each["name"], each["nextStep"], each["amount"], milliseconds(each["expectedCloseAt"]))
        for each in deals
    ]
    assert duckdb.sql(asked).fetchall() == expected


def milliseconds(moment):
    return None if moment is None else pandas.Timestamp(moment).value // 1_000_000
