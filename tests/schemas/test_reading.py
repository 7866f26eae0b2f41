"""Bodies that are right are read without the bookkeeping of the library, and as it would read them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import Schema, ValidationError, fields, post_load

from app.engine.declare.catalogue import every_model
from schemas.derive import create_schema, update_schema
from schemas.fields import WireSchema
from tests.shapes import showing

MODELS = sorted(showing(every_model()), key=lambda model: model.__tablename__)
WORDS = st.sampled_from(["x", "", "ada@example.com", "https://example.com", "lead", "2026-01-01T00:00:00Z", "x" * 300])
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), WORDS, st.uuids().map(str), st.lists(WORDS, max_size=2)
)


def outcome(load: Any, body: dict[str, Any]) -> Any:
    try:
        return load(body)
    except ValidationError as error:
        return error.messages


@given(data=st.data())
def test_a_body_is_read_as_the_library_reads_it(data):
    schema = data.draw(st.sampled_from([made(model) for model in MODELS for made in (create_schema, update_schema)]))
    names = st.sampled_from([*(each.data_key for each in schema.fields.values()), "unknown"])
    body = data.draw(st.dictionaries(names, VALUES, max_size=4))
    assert outcome(schema.load, body) == outcome(lambda given: Schema.load(schema, given), body)


class Followed(WireSchema):
    name = fields.String(required=True)

    @post_load
    def follow(self, values: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {**values, "followed": True}


class Defaulted(WireSchema):
    name = fields.String(load_default="none")


@pytest.mark.parametrize(
    ("schema", "body", "read"),
    [(Followed(), {"name": "x"}, {"name": "x", "followed": True}), (Defaulted(), {}, {"name": "none"})],
    ids=["hooks", "defaults"],
)
def test_what_more_a_schema_does_is_done(schema, body, read):
    assert schema.load(body) == read
