"""Imports in the request: what becomes of records, all of them, those that can be, or none."""

from __future__ import annotations

import pytest

from tests.storage.imports.files import (
    COMPANIES,
    CONTACTS,
    WRITERS,
    all_of,
    faults,
    in_form,
    meta,
    send,
    table,
    values,
)
from tests.writes import created

forms = pytest.mark.parametrize("form", WRITERS)


@pytest.fixture
def company(owner):
    return created(owner, COMPANIES, name="Harbour Works")["id"]


def people(company, *names):
    return [
        {"firstName": name, "lastName": "Hopper", "email": f"{name.lower()}@example.com", "companyId": company}
        for name in names
    ]


@forms
def test_every_row_of_a_file_becomes_a_record(owner, company, form):
    answer = send(owner, CONTACTS, WRITERS[form](*people(company, "Grace", "Ada")), form)
    assert answer.json == {"meta": {"rows": 2, "created": 2, "updated": 0, "ignored": 0, "failed": 0}, "data": []}
    assert values(owner, CONTACTS, "firstName") == ["Ada", "Grace"]
    assert {each["createdById"] for each in all_of(owner, CONTACTS)} == {str(owner.user_id)}


@forms
def test_a_form_brings_a_file_as_a_body_does(owner, company, form):
    assert meta(in_form(owner, CONTACTS, WRITERS[form](*people(company, "Grace")), form)) == {"rows": 1, "created": 1}


@forms
def test_one_bad_line_keeps_all_others_out(owner, company, form):
    rows = people(company, "Grace", "Ada", "Joan")
    rows[1]["email"] = "nonsense"
    answer = send(owner, CONTACTS, WRITERS[form](*rows), form)
    assert meta(answer) == {"rows": 3, "failed": 1}
    ((line, fields),) = faults(answer).items()
    assert (line, list(fields)) == ({"csv": 3, "ndjson": 2, "json": 8}[form], ["email"])
    assert all_of(owner, CONTACTS) == []


@forms
def test_or_is_left_out_of_a_partial_import(owner, company, form):
    rows = people(company, "Grace", "Ada", "Joan")
    rows[1]["email"] = "nonsense"
    answer = send(owner, CONTACTS, WRITERS[form](*rows), form, partial=True)
    assert meta(answer) == {"rows": 3, "created": 2, "failed": 1}
    assert values(owner, CONTACTS, "firstName") == ["Grace", "Joan"]


@pytest.mark.parametrize("partial", [False, True])
def test_a_dry_run_tells_the_same_and_writes_nothing(owner, company, partial):
    rows = people(company, "Grace", "Ada", "Joan")
    rows[1]["email"] = rows[0]["email"]
    dry = send(owner, CONTACTS, table(*rows), dryRun=True, partial=partial)
    assert all_of(owner, CONTACTS) == []
    real = send(owner, CONTACTS, table(*rows), partial=partial)
    assert dry.json == real.json
    assert meta(real) == {"rows": 3, "failed": 1, **({"created": 2} if partial else {})}


@pytest.mark.parametrize("partial", [False, True])
def test_a_dry_run_counts_what_the_import_makes_of_the_batches_around_a_refusal(owner, company, partial):
    rows = people(company, *(f"Grace{number}" for number in range(1200)))
    rows[4]["firstName"] = ""
    rows[700]["email"] = rows[600]["email"]
    dry = send(owner, CONTACTS, table(*rows), dryRun=True, partial=partial)
    assert all_of(owner, CONTACTS) == []
    assert dry.json == send(owner, CONTACTS, table(*rows), partial=partial).json
    assert len(all_of(owner, CONTACTS)) == dry.json["meta"]["created"] == (1198 if partial else 0)


def test_faults_of_all_batches_are_told_by_line(owner, company):
    rows = people(company, *(f"Grace{number}" for number in range(1200)))
    for place in (4, 700, 1100):
        rows[place]["firstName"] = ""
    rows[3]["email"] = rows[2]["email"]
    answer = send(owner, CONTACTS, table(*rows))
    assert list(faults(answer)) == [5, 6, 702, 1102]
    assert meta(answer) == {"rows": 1200, "failed": 4}


def test_faults_of_a_thousand_lines_are_told_and_all_are_counted(owner, company):
    rows = [row | {"email": "nonsense"} for row in people(company, *(f"G{number}" for number in range(1100)))]
    for partial in (False, True):
        answer = send(owner, CONTACTS, table(*rows), partial=partial)
        assert (len(answer.json["data"]), answer.json["meta"]["failed"]) == (1000, 1100)


def test_a_partial_import_stops_at_no_line_that_the_database_refuses(owner, company):
    rows = people(company, *(f"Grace{number}" for number in range(60)))
    for place in range(0, 60, 2):
        rows[place]["email"] = "same@example.com"
    answer = send(owner, CONTACTS, table(*rows), partial=True)
    assert meta(answer) == {"rows": 60, "created": 31, "failed": 29}
    assert {each["code"] for each in answer.json["data"]} == {"UNIQUE_VIOLATION"}


@forms
@pytest.mark.parametrize(
    ("resolution", "counts", "titles"),
    [("merge", {"updated": 1}, ["Admiral", "Countess"]), ("ignore", {"ignored": 1}, ["Captain", "Countess"])],
)
def test_records_that_are_there_are_merged_or_left(owner, company, form, resolution, counts, titles):
    grace, ada = people(company, "Grace", "Ada")
    created(owner, CONTACTS, **grace, title="Captain")
    rows = [grace | {"title": "Admiral"}, ada | {"title": "Countess"}]
    answer = send(owner, CONTACTS, WRITERS[form](*rows), form, onConflict="email", resolution=resolution)
    assert meta(answer) == {"rows": 2, "created": 1, **counts}
    assert values(owner, CONTACTS, "title") == titles


def test_without_that_a_record_that_is_there_is_a_fault_of_its_line(owner, company):
    (grace,) = people(company, "Grace")
    created(owner, CONTACTS, **grace)
    assert faults(send(owner, CONTACTS, table(grace))) == {2: {"email": ["Is already taken."]}}


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"as": "xml"}, "as"), ({"partial": "1"}, "partial"), ({"dryRun": "yes"}, "dryRun"),
        ({"onConflict": "phone"}, "onConflict"), ({"onConflict": "email", "resolution": "replace"}, "resolution"),
        ({"map": "Mail"}, "map"), ({"map": "a:email,a:phone"}, "map"), ({"take": "1"}, "take"),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_is_named(owner, asked, place):
    answer = send(owner, CONTACTS, b"email\r\n", **asked)
    assert (answer.status_code, list(answer.json["details"]["fields"])) == (400, [place])


def test_a_body_of_another_type_is_refused(owner):
    path = f"/api/v1/{CONTACTS}/_import"
    answer = owner.send("POST", path, data=b"x", content_type="application/xml", query_string={"as": "csv"})
    assert answer.status_code == 415
    assert owner.send("POST", path, data=b"email", content_type="text/plain").status_code == 400
    answer = owner.send("POST", path, data=b"email\n", content_type="text/plain", query_string={"as": "csv"})
    assert meta(answer) == {}
