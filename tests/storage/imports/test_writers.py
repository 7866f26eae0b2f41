"""Files that programs write: pandas, DuckDB, and the dialects of spreadsheets bring every value, and take ours back."""

from __future__ import annotations

import csv
import io

import duckdb
import pandas
import pytest

from tests.storage.imports.files import all_of, meta, send
from tests.writes import created

DEALS = "crm/deal"
STEPS = ["plain", "a, b; c\td", 'a "word"', "two\nlines", "two\r\nlines", "Ünï😀", "007", "+49 30 1234", None]
NAMES = ("name", "nextStep", "amount", "probability", "expectedCloseAt", "companyId")


@pytest.fixture
def deals(owner):
    """Deals with texts, numbers and moments, some of them empty."""
    company = created(owner, "crm/company", name="Harbour Works")["id"]
    return [
        {
            "name": f"Deal {number}", "nextStep": step, "amount": 9007199254740991 - number if step else None,
            "probability": number, "expectedCloseAt": f"2027-01-15T12:00:00.{number:03}Z" if step else None,
            "companyId": company,
        }
        for number, step in enumerate(STEPS)
    ]  # fmt: skip


@pytest.fixture
def frame(deals):
    """The same as pandas has it."""
    found = pandas.DataFrame(deals)
    found["amount"] = found["amount"].astype("Int64")
    found["expectedCloseAt"] = pandas.to_datetime(found["expectedCloseAt"])
    return found


def found(owner):
    rows = [{name: each[name] for name in NAMES} for each in all_of(owner, DEALS)]
    return sorted(rows, key=lambda row: row["name"])


class Semicolons(csv.excel):
    """What Excel and LibreOffice write where the comma is the decimal mark."""

    delimiter = ";"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize(
    "dialect", [csv.excel, csv.excel_tab, csv.unix_dialect, Semicolons], ids=lambda each: each.__name__
)
def test_dialects_of_spreadsheets(owner, deals, dialect, encoding):
    text = io.StringIO(newline="")
    # What unix_dialect quotes throughout says nothing of what is empty.
    rows = deals if dialect is not csv.unix_dialect else deals[:-1]
    writer = csv.DictWriter(text, NAMES, dialect=dialect)
    writer.writeheader()
    writer.writerows(rows)
    assert meta(send(owner, DEALS, text.getvalue().encode(encoding))) == {"rows": len(rows), "created": len(rows)}
    assert found(owner) == rows


@pytest.mark.parametrize("options", [{}, {"index": False}, {"sep": ";"}, {"sep": "\t", "encoding": "utf-8-sig"}])
def test_pandas_writes_csv(owner, deals, frame, options):
    file = io.BytesIO()
    frame.to_csv(file, **options)
    assert meta(send(owner, DEALS, file.getvalue()))["created"] == len(deals)
    assert found(owner) == deals


@pytest.mark.parametrize(("form", "options"), [("ndjson", {"lines": True}), ("json", {})])
def test_pandas_writes_json(owner, deals, frame, form, options):
    content = frame.to_json(orient="records", date_format="iso", **options)
    assert meta(send(owner, DEALS, content, form))["created"] == len(deals)
    assert found(owner) == deals


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("csv", "HEADER"),
        ("csv", "HEADER, DELIMITER ';'"),
        ("ndjson", "FORMAT json"),
        ("json", "FORMAT json, ARRAY true"),
    ],
)
def test_duckdb_writes(owner, deals, frame, tmp_path, form, options):
    path = tmp_path / "deals"
    chosen = "* REPLACE (strftime(expectedCloseAt AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ') AS expectedCloseAt)"
    written = options if "FORMAT" in options else f"FORMAT csv, {options}"
    duckdb.sql(f"COPY (SELECT {chosen} FROM frame) TO '{path}' ({written})")
    assert meta(send(owner, DEALS, path.read_bytes(), form))["created"] == len(deals)
    assert found(owner) == deals


def test_what_a_spreadsheet_saves_again_comes_back(owner, deals):
    """It reads the cells as they are, and writes them in its own dialect."""
    for each in deals:
        created(owner, DEALS, **each)
    rows = list(csv.reader(io.StringIO(owner.get(f"/api/v1/{DEALS}/_export").text, newline="")))
    text = io.StringIO(newline="")
    csv.writer(text, Semicolons).writerows(rows)
    assert meta(send(owner, DEALS, text.getvalue().encode("utf-8-sig")))["created"] == len(deals)
    assert [row for row in found(owner) if row["name"] == "Deal 7"] == 2 * [deals[7]]
    assert found(owner) == sorted(2 * deals, key=lambda row: row["name"])
