"""What the columns of a file mean: fields, names that stand for others, references, and ids of the file itself."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.storage.imports.files import (
    COMPANIES,
    CONTACTS,
    QUESTIONS,
    WRITERS,
    all_of,
    array,
    faults,
    lines,
    meta,
    project,
    send,
    table,
    values,
)
from tests.writes import created

forms = pytest.mark.parametrize("form", WRITERS)
GRACE = {"firstName": "Grace", "lastName": "Hopper", "email": "grace@example.com"}


@forms
def test_columns_may_be_called_otherwise_or_left_out(owner, form):
    row = {"Firm": "Harbour Works", "Sector": "Cranes", "Remark": "Ours"}
    asked = {"map": "Firm:name,Sector:industry,Remark:"}
    assert meta(send(owner, COMPANIES, WRITERS[form](row), form, **asked)) == {"rows": 1, "created": 1}
    (made,) = all_of(owner, COMPANIES)
    assert (made["name"], made["industry"]) == ("Harbour Works", "Cranes")


def test_columns_that_only_the_server_writes_are_ignored(owner):
    row = {"name": "Harbour Works", "id": str(uuid4()), "createdAt": "2001-01-01T00:00:00.000Z", "createdById": "x"}
    assert meta(send(owner, COMPANIES, table(row))) == {"rows": 1, "created": 1}
    (made,) = all_of(owner, COMPANIES)
    assert made["id"] != row["id"]
    assert made["createdAt"] > "2002"
    assert made["createdById"] == str(owner.user_id)


@pytest.mark.parametrize("name", ["nope", "company", "company.nope", "createdBy.password", "deals.name"])
def test_a_column_that_nobody_knows_is_named_before_anything_is_written(owner, name):
    company = created(owner, COMPANIES, name="Harbour Works")["id"]
    answer = send(owner, CONTACTS, table(GRACE | {"companyId": company, name: "x"}), partial=True)
    assert (answer.status_code, answer.json["details"]["fields"]) == (400, {name: ["Unknown column."]})
    assert all_of(owner, CONTACTS) == []


def test_a_column_without_a_name_is_left_out(owner):
    assert meta(send(owner, COMPANIES, ",name\r\n0,Harbour Works\r\n1,Quay\r\n")) == {"rows": 2, "created": 2}


@pytest.mark.parametrize("form", ["ndjson", "json"])
def test_a_member_that_nobody_knows_is_a_fault_of_its_record(owner, form):
    rows = [{"name": f"Firm {number}"} for number in range(600)]
    rows[550]["nope"] = 1
    answer = send(owner, COMPANIES, WRITERS[form](*rows), form, partial=True)
    assert meta(answer) == {"rows": 600, "created": 599, "failed": 1}
    assert list(faults(answer).values()) == [{"nope": ["Unknown column."]}]
    assert meta(send(owner, COMPANIES, WRITERS[form](*rows), form)) == {"rows": 600, "failed": 1}


@forms
def test_a_reference_may_be_given_by_a_field_of_its_target(owner, form):
    company = created(owner, COMPANIES, name="'s-Hertogenbosch BV")["id"]
    called = "'s-Hertogenbosch BV"
    assert meta(send(owner, CONTACTS, WRITERS[form](GRACE | {"company.name": called}), form)) == {
        "rows": 1, "created": 1,
    }  # fmt: skip
    assert values(owner, CONTACTS, "companyId") == [company]


def test_an_apostrophe_that_an_export_has_put_in_front_is_no_part_of_what_is_looked_up(owner):
    company = created(owner, COMPANIES, name="+49 Ventures")["id"]
    assert meta(send(owner, CONTACTS, table(GRACE | {"company.name": "'+49 Ventures"}))) == {"rows": 1, "created": 1}
    assert values(owner, CONTACTS, "companyId") == [company]


@forms
def test_one_that_meets_none_or_several_is_a_fault_of_its_line(owner, form):
    for name in ("One", "Two", "Two", "Two"):
        created(owner, COMPANIES, name=name)
    rows = [GRACE | {"email": f"{name}@example.com", "company.name": name} for name in ("One", "Two", "None")]
    answer = send(owner, CONTACTS, WRITERS[form](*rows), form, partial=True)
    assert list(faults(answer).values()) == [
        {"company.name": ["Meets several records."]}, {"company.name": ["Refers to a record that does not exist."]},
    ]  # fmt: skip
    assert meta(answer) == {"rows": 3, "created": 1, "failed": 2}


def test_records_of_others_are_not_met(owner, cast):
    created(cast.user(), COMPANIES, name="Harbour Works")
    row = GRACE | {"company.name": "Harbour Works"}
    none = {2: {"company.name": ["Refers to a record that does not exist."]}}
    assert faults(send(owner, CONTACTS, table(row))) == none
    own = created(owner, COMPANIES, name="Harbour Works")["id"]
    assert meta(send(owner, CONTACTS, table(row))) == {"rows": 1, "created": 1}
    assert values(owner, CONTACTS, "companyId") == [own]


def test_a_target_is_looked_up_by_what_its_lists_can_be_asked_by_alone(owner):
    answer = send(owner, CONTACTS, table(GRACE | {"company.website": "x"}))
    assert answer.json["details"]["fields"] == {"company.website": ["Unknown column."]}


@forms
def test_records_of_a_file_refer_to_each_other_by_its_ids(owner, form):
    of, (top, middle, leaf) = project(owner), (str(uuid4()) for _ in range(3))
    rows = [
        {"id": leaf, "parentQuestionId": middle, "text": "leaf", "projectId": of},
        {"id": middle, "parentQuestionId": top, "text": "middle", "projectId": of},
        {"id": top, "parentQuestionId": "" if form == "csv" else None, "text": "top", "projectId": of},
    ]
    answer = send(owner, QUESTIONS, WRITERS[form](*rows), form)
    assert meta(answer) == {"rows": 3, "created": 3}, answer.json
    made = {each["text"]: each for each in all_of(owner, QUESTIONS)}
    assert made["top"]["parentQuestionId"] is None
    assert made["middle"]["parentQuestionId"] == made["top"]["id"]
    assert made["leaf"]["parentQuestionId"] == made["middle"]["id"]
    assert made["leaf"]["id"] != leaf


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize(
    ("form", "ids"), [("csv", ("Q-1", "Q 2")), ("csv", ("1", "2")), ("csv", ("=1", "@2")), ("json", (1, 2))]
)
def test_an_id_of_a_file_is_whatever_its_lines_refer_to(owner, form, ids, partial):
    of, (top, below) = project(owner), ids
    rows = [
        {"id": below, "parentQuestionId": top, "text": "below", "projectId": of},
        {"id": top, "text": "top", "projectId": of} | ({"parentQuestionId": ""} if form == "csv" else {}),
    ]
    answer = send(owner, QUESTIONS, WRITERS[form](*rows), form, partial=partial)
    assert meta(answer) == {"rows": 2, "created": 2}, answer.json
    made = {each["text"]: each for each in all_of(owner, QUESTIONS)}
    assert made["below"]["parentQuestionId"] == made["top"]["id"]


@forms
def test_what_no_line_of_the_file_is_called_is_a_fault_of_the_line_that_refers_to_it(owner, form):
    of = project(owner)
    rows = [{"id": "a", "parentQuestionId": "b", "text": "first", "projectId": of}]
    answer = send(owner, QUESTIONS, WRITERS[form](*rows), form)
    assert list(faults(answer).values()) == [{"parentQuestionId": ["Refers to a record that does not exist."]}]


@pytest.mark.parametrize("partial", [False, True])
def test_records_below_one_that_is_there_already_refer_to_each_other_too(owner, partial):
    of = project(owner)
    there = created(owner, QUESTIONS, text="there", projectId=of)["id"]
    first, second = str(uuid4()), str(uuid4())
    rows = [
        {"id": second, "parentQuestionId": first, "text": "second", "projectId": of},
        {"id": first, "parentQuestionId": there, "text": "first", "projectId": of},
    ]
    assert meta(send(owner, QUESTIONS, table(*rows), partial=partial)) == {"rows": 2, "created": 2}
    made = {each["text"]: each for each in all_of(owner, QUESTIONS)}
    assert made["first"]["parentQuestionId"] == there
    assert made["second"]["parentQuestionId"] == made["first"]["id"]


def test_records_that_refer_to_each_other_in_a_ring_are_faults(owner):
    of, first, second = project(owner), str(uuid4()), str(uuid4())
    rows = [
        {"id": first, "parentQuestionId": second, "text": "first", "projectId": of},
        {"id": second, "parentQuestionId": first, "text": "second", "projectId": of},
        {"id": str(uuid4()), "parentQuestionId": "", "text": "alone", "projectId": of},
    ]
    answer = send(owner, QUESTIONS, table(*rows), partial=True)
    assert meta(answer) == {"rows": 3, "created": 1, "failed": 2}
    assert sorted(faults(answer)) == [2, 3]


def test_a_record_below_one_that_is_refused_is_refused_with_it(owner):
    of, top = project(owner), str(uuid4())
    rows = [
        {"id": top, "parentQuestionId": "", "text": "", "projectId": of},
        {"id": str(uuid4()), "parentQuestionId": top, "text": "below", "projectId": of},
    ]
    answer = send(owner, QUESTIONS, table(*rows), partial=True)
    assert faults(answer) == {
        2: {"text": ["Missing data for required field."]},
        3: {"parentQuestionId": ["Refers to a record that does not exist."]},
    }  # fmt: skip


def test_types_are_read_by_the_field(owner):
    company = created(owner, COMPANIES, name="Harbour Works")["id"]
    row = {"name": "42", "companyId": company, "amount": "9007199254740991", "expectedCloseAt": "2027-01-15T12:00:00Z"}
    assert meta(send(owner, "crm/deal", table(row))) == {"rows": 1, "created": 1}
    (made,) = all_of(owner, "crm/deal")
    assert (made["name"], made["amount"]) == ("42", 9007199254740991)
    assert made["expectedCloseAt"] == "2027-01-15T12:00:00.000Z"


@pytest.mark.parametrize(
    ("name", "cell"),
    [("amount", "many"), ("amount", "1.5"), ("stage", "sold"), ("expectedCloseAt", "soon"), ("companyId", "x")],
)
def test_a_cell_that_does_not_fit_is_a_fault_of_its_line(owner, name, cell):
    row = {"name": "Deal", "companyId": created(owner, COMPANIES, name="Harbour Works")["id"]} | {name: cell}
    answer = send(owner, "crm/deal", table(row))
    assert list(faults(answer)[2]) == [name]


@pytest.mark.parametrize(
    "cell", ['{"a": "\\u0000"}', '{"a": 1, "a": 2}', "[" * 100 + "]" * 100, "{", "NaN", '"\\ud800"']
)
def test_json_in_a_cell_is_as_strict_as_in_a_body(owner, cell):
    answer = send(owner, "analytics/event", table({"name": "told", "properties": cell}))
    assert list(faults(answer)) == [2], answer.json


def test_an_empty_cell_is_none_and_an_empty_text_in_quotes_a_text(owner):
    company = created(owner, COMPANIES, name="Harbour Works")["id"]
    head = "name,companyId,nextStep,stage\r\n"
    content = head + f'bare,{company},,\r\nquoted,{company},"",\r\nshort,{company}\r\n'
    assert meta(send(owner, "crm/deal", content)) == {"rows": 3, "created": 3}
    found = {each["name"]: (each["nextStep"], each["stage"]) for each in all_of(owner, "crm/deal")}
    assert found == {"bare": (None, "lead"), "quoted": ("", "lead"), "short": (None, "lead")}


def test_apostrophes_of_an_export_go_and_those_of_texts_stay(owner):
    texts = ["=1+1", "+49 30 1234", "-x", "@sum", "\ttab", "\rreturn", "'s-Hertogenbosch", "'", "''twice", "it's"]
    company = created(owner, COMPANIES, name="Harbour Works")["id"]
    rows = [{"name": f"Deal {place}", "nextStep": text, "companyId": company} for place, text in enumerate(texts)]
    assert meta(send(owner, "crm/deal", lines(*rows), "ndjson"))["created"] == len(texts)
    exported = owner.get("/api/v1/crm/deal/_export").data
    assert b",'=1+1" in exported
    assert meta(send(owner, "crm/deal", exported))["created"] == len(texts)
    assert values(owner, "crm/deal", "nextStep") == sorted(2 * texts)


def test_json_values_need_no_apostrophe(owner):
    assert meta(send(owner, COMPANIES, array({"name": "'=x"}), "json")) == {"rows": 1, "created": 1}
    assert values(owner, COMPANIES, "name") == ["'=x"]


def test_a_public_record_of_others_takes_no_name_from_ours(owner, cast):
    own = created(owner, COMPANIES, name="Harbour Works")["id"]
    created(cast.user(), COMPANIES, name="Harbour Works", visibility="public")
    assert meta(send(owner, CONTACTS, table(GRACE | {"company.name": "Harbour Works"}))) == {"rows": 1, "created": 1}
    assert values(owner, CONTACTS, "companyId") == [own]


def test_a_name_is_of_a_record_in_the_same_organization(owner, cast):
    other = cast.user()
    colleague = cast.colleague(owner)
    own = {each.organization_id: created(each, COMPANIES, name="Harbour Works")["id"] for each in (owner, colleague)}
    created(other, COMPANIES, name="Harbour Works")
    for organization, company in own.items():
        row = GRACE | {"company.name": "Harbour Works", "organizationId": str(organization)}
        for actor in (colleague, cast.admin):
            email = f"{actor.user_id}@example.com"
            assert meta(send(actor, CONTACTS, table(row | {"email": email}))) == {"rows": 1, "created": 1}
        found = all_of(colleague, CONTACTS, organizationId=str(organization))
        assert {each["companyId"] for each in found} == {company}


def test_of_a_whole_import_only_lines_that_are_wrong_themselves_are_told(owner):
    of, top, wrong = project(owner), str(uuid4()), str(uuid4())
    rows = [
        {"id": wrong, "parentQuestionId": "", "text": "", "projectId": of},
        {"id": top, "parentQuestionId": "", "text": "top", "projectId": of},
        {"id": str(uuid4()), "parentQuestionId": top, "text": "below", "projectId": of},
    ]
    answer = send(owner, QUESTIONS, table(*rows))
    assert (list(faults(answer)), meta(answer)) == ([2], {"rows": 3, "failed": 1})
    assert all_of(owner, QUESTIONS) == []
