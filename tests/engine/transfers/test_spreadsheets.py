"""Texts that spreadsheets would run: no cell of theirs begins like a formula, and every text comes back as it was."""

from __future__ import annotations

import csv
import io
import json
import re

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.transfer import spreadsheets
from app.runtime.embedded import database_url

DEALS, CHATS = "/api/v1/crm/deal", "/api/v1/ai/chat"
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
SEPARATORS = (",", ";", "\t")
TEXTS = st.one_of(st.text(f'{SIGNS}\'"",;\t\r\n a1', max_size=12), st.text(max_size=20)).filter(
    lambda text: "\x00" not in text
)
KNOWN = [
    "x;=1+1", "x\t=1+1", "\n=1+1", "\r\n=1", "\uff1d1+1", "a\n\uff0b1", 'x;"=1+1"', 'x;"";=1', "x;'=1", "'", "''",
    "';'", "\t\t=1", "a, b;-1", '";=1', "rock 'n' roll\n'tis", "- one\n- two", "it's; 'quoted'", '"\n"=1', ";", "a;",
    "\r", "'\n'",
]  # fmt: skip


@pytest.mark.full
@settings(max_examples=2000)
@given(TEXTS)
def test_the_guard_can_be_taken_away_again(text):
    assert spreadsheets.bare(spreadsheets.guard(text)) == text


@pytest.fixture(scope="module")
def connection(app, var_dir):
    with psycopg.connect(database_url(var_dir), autocommit=True) as opened:
        yield opened


@settings(max_examples=50)
@given(st.lists(TEXTS, min_size=1, max_size=40))
def test_postgresql_guards_as_python_does(connection, texts):
    rows = "unnest(%s::text[]) WITH ORDINALITY AS sent (given, place)"
    query = f"SELECT {spreadsheets.guarded('given')} FROM {rows} ORDER BY place"
    found = [text for (text,) in connection.execute(query, [texts])]
    assert found == [spreadsheets.guard(text) for text in texts]


def cells(content, separator):
    """Every cell that a reader may find in a file: one that knows our quotes, and of other separators one that does
    not."""
    for row in csv.reader(io.StringIO(content, newline=""), delimiter=separator):
        yield from row
    if separator != ",":
        yield from re.split(rf"[{separator}\r\n]", content)


def check(content):
    for separator in SEPARATORS:
        for cell in cells(content, separator):
            assert not cell.strip('"').startswith(tuple(SIGNS)), (separator, cell)


def exported(owner, **asked):
    return owner.get(f"{DEALS}/_export", query_string={"fields": "name,nextStep,companyId", "sort": "name", **asked})


@pytest.fixture
def fill(cast):
    """Give somebody new deals with these texts."""

    def filled(texts):
        owner = cast.user()
        company = owner.post("/api/v1/crm/company", {"name": "Harbour Works"}).json["id"]
        rows = [{"name": f"{n:04}", "nextStep": text, "companyId": company} for n, text in enumerate(texts)]
        assert owner.post(DEALS, rows).status_code == 201
        return owner

    return filled


def check_round_trip(owner, texts):
    content = exported(owner).data
    check(content.decode())
    answer = owner.send("POST", f"{DEALS}/_import?as=csv", data=content, content_type="text/csv")
    assert answer.json["meta"]["created"] == len(texts), answer.json
    found = owner.get(DEALS, query_string={"sort": "name", "take": 1000}).json["data"]
    assert [each["nextStep"] for each in found] == [text for text in texts for _ in range(2)]


def test_known_tricks_reach_no_cell_and_come_back(fill):
    check_round_trip(fill(KNOWN), KNOWN)


@settings(max_examples=20)
@given(texts=st.lists(TEXTS, min_size=1, max_size=40))
def test_free_texts_reach_no_cell_and_come_back(fill, texts):
    check_round_trip(fill(texts), texts)


def test_without_the_guard_texts_are_as_they_are(fill):
    rows = csv.DictReader(io.StringIO(exported(fill(KNOWN), csvSafe="false").text, newline=""))
    assert [row["nextStep"] for row in rows] == KNOWN


def test_json_holds_no_semicolon_behind_which_a_cell_could_begin(cast):
    owner, value = cast.user(), {"a": "x;=1+1", "b": [";@sum", "\t=1", "'"]}
    owner.post(CHATS, {"title": "Chat", "metadata": value})
    content = owner.get(f"{CHATS}/_export?fields=metadata").text
    check(content)
    (row,) = csv.DictReader(io.StringIO(content, newline=""))
    assert json.loads(row["metadata"]) == value
    owner.send("POST", f"{CHATS}/_import?as=csv", data=content.encode(), content_type="text/csv")
    assert [each["metadata"] for each in owner.get(CHATS).json["data"]] == [value, value]


def test_names_of_references_are_guarded_alike(cast):
    owner = cast.user()
    owner.post("/api/v1/crm/company", {"name": "x;=1"})
    content = "name,company.name\r\nDeal,x;'=1\r\n"
    answer = owner.send("POST", f"{DEALS}/_import?as=csv", data=content.encode(), content_type="text/csv")
    assert answer.json["meta"]["created"] == 1
