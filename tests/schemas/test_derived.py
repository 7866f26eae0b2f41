"""Schemas of models for routes by hand, and what they tell."""

from __future__ import annotations

import pytest

from app.crm.models import CrmContact
from rowgate import Invalid
from rowgate.schemas import create_schema, load, update_schema
from schemas.errors import by_field

LONG = "x" * 1000


@pytest.mark.parametrize(
    ("schema", "given"), [(create_schema, {"firstName": LONG}), (update_schema, {"firstName": LONG})]
)
def test_what_is_sent_is_checked_by_the_fields_of_a_model_and_told_by_their_names(schema, given):
    with pytest.raises(Invalid) as refused:
        load(schema(CrmContact), given)
    assert "firstName" in refused.value.details["fields"]


def test_a_schema_without_an_attribute_asks_for_it_no_more_and_takes_none():
    with pytest.raises(Invalid) as refused:
        load(create_schema(CrmContact, without=("first_name",)), {"firstName": "Ada"})
    assert refused.value.details["fields"]["firstName"] == ["Unknown field."]
    assert "first_name" in create_schema(CrmContact).fields
    names = {type(each).__name__ for each in (create_schema(CrmContact), create_schema(CrmContact, without=("email",)))}
    assert len(names) == 2, "each is described by a name of its own"


@pytest.mark.parametrize(
    ("told", "by"),
    [
        ({"name": ["Too long."]}, {"name": ["Too long."]}),
        ({"article": {"title": ["No."], "body": ["No.", "Never."]}},
         {"article.title": ["No."], "article.body": ["No.", "Never."]}),
        ({"article": {"author": {"name": ["No."]}}}, {"article.author.name": ["No."]}),
        ({"article": {"_schema": ["Must be an object."]}}, {"article": ["Must be an object."]}),
        ({"_schema": ["Either of both."]}, {"_schema": ["Either of both."]}),
        ({"tags": {0: ["Too long."], 3: ["Too long."]}}, {"tags": ["Too long."]}),
    ],
    ids=["field", "object", "deeper", "no-object", "whole", "list"],
)  # fmt: skip
def test_a_fault_is_told_at_the_field_whose_it_is(told, by):
    assert by_field(told) == by
