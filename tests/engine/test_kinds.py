"""Kinds of fields: what each reads, says and takes, and who may set a field."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import ip_address, ip_network
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError
from sqlalchemy import CheckConstraint, types

from app.engine.declare import amounts, codes, dates, kinds, places, structures
from app.engine.declare.catalogue import every_model
from app.engine.declare.fields import ADMIN_WRITES, HIDDEN, IMMUTABLE, READ_ONLY, WRITE_ONLY, FieldSpec
from app.engine.declare.kind import EXAMPLE_ID, Identifier, Kind, Reference
from app.engine.declare.record import Field, Setter
from app.foundation import durations
from app.notification.models import NotificationNotification
from schemas.kinds import field_of

ALL = {
    "string": kinds.String(40, 2),
    "email": kinds.String(254, 3, format="email"),
    "url": kinds.String(2048, format="url"),
    "pattern": kinds.String(20, pattern=r"^[a-z]+$"),
    "text": kinds.LongText(1000),
    "integer": kinds.Integer(0, 10),
    "number": kinds.Number(0, 1),
    "boolean": kinds.Boolean(),
    "timestamp": kinds.Timestamp(),
    "json": structures.Json("object", 100),
    "list": structures.Json("array"),
    "strings": kinds.Strings(("read", "write"), max_items=2, min_items=1),
    "free strings": kinds.Strings(item_max=5),
    "vector": structures.Vector(),
    "enum": kinds.Enum(("lead", "won")),
    "open enum": kinds.OpenEnum(["A", "B"]),
    "identifier": Identifier(),
    "reference": Reference("auth_user", "cascade"),
    "date": dates.Date(),
    "time": dates.TimeOfDay(),
    "duration": dates.Duration(max=timedelta(days=2)),
    "decimal": amounts.Decimal(6, 2, min="-10"),
    "money": amounts.Money(min="0"),
    "country": codes.Country(),
    "language": codes.Language(),
    "currency": codes.Currency(),
    "color": codes.Color(),
    "ip": places.IpAddress(),
    "network": places.IpNetwork(),
    "point": places.Point(),
}
every = pytest.mark.parametrize("kind", ALL.values(), ids=list(ALL))
LATER = datetime(2026, 12, 24, 9, 0, tzinfo=UTC)


@every
def test_the_example_of_a_kind_is_one_that_its_schema_field_takes(kind):
    if kind != ALL["email"] and kind != ALL["pattern"]:  # examples of these know the field
        field_of(kind).deserialize(kind.example())


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "Ada", "Ada"), ("email", "Ada@Example.COM", "ada@example.com"),
        ("email", "No Address", "no address"),
        ("integer", "7", 7), ("integer", "-9223372036854775808", -(2**63)), ("number", "1e2", 100.0),
        ("boolean", "true", True), ("boolean", "false", False), ("timestamp", "2026-12-24T10:00:00+01:00", LATER),
        ("strings", "read", "read"), ("free strings", "any", "any"), ("enum", "won", "won"), ("open enum", "B", "B"),
        ("date", "2024-02-29", date(2024, 2, 29)), ("time", "08:30", time(8, 30)),
        ("time", "23:59:59", time(23, 59, 59)),
        ("duration", "P1W", timedelta(days=7)), ("duration", "P1DT36H0.5S", timedelta(days=2, hours=12, seconds=0.5)),
        ("decimal", "-0.50", Decimal("-0.5")), ("money", "7 JPY", {"amount": "7", "currency": "JPY"}),
        ("money", "0.5 KWD", {"amount": "0.500", "currency": "KWD"}), ("country", "CH", "CH"),
        ("language", "zh-Hans", "zh-Hans"), ("language", "en-IE", "en-IE"),
        ("money", "-0 EUR", {"amount": "0.00", "currency": "EUR"}),
        ("money", "12.50 RSD", {"amount": "12.50", "currency": "RSD"}), ("language", "es-419", "es-419"),
        ("currency", "CHF", "CHF"), ("color", "#ABCDEF", "#abcdef"), ("ip", "2001:DB8::1", ip_address("2001:db8::1")),
        ("network", "10.0.0.0/8", ip_network("10.0.0.0/8")), ("point", "-0.5,180", {"lat": -0.5, "lng": 180.0}),
        ("identifier", EXAMPLE_ID, UUID(EXAMPLE_ID)), ("reference", EXAMPLE_ID.upper(), UUID(EXAMPLE_ID)),
    ],
)  # fmt: skip
def test_a_filter_is_read_as_a_value_of_the_kind(kind, text, value):
    assert ALL[kind].parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("integer", "07", "Is not an integer."), ("integer", "9223372036854775808", "Is not an integer."),
        ("integer", "1.0", "Is not an integer."), ("number", "nan", "Is not a number."),
        ("number", "1e999", "Is not a number."), ("boolean", "True", "Is not a boolean."),
        ("timestamp", "2026-12-24T09:00:00", kinds.NOT_A_MOMENT), ("strings", "all", "Must be one of: read, write."),
        ("enum", "lost", "Must be one of: lead, won."), ("open enum", "C", "Must be one of: A, B."),
        ("identifier", "1", "Is not a string."), ("reference", "{" + EXAMPLE_ID + "}", "Is not a string."),
    ],
)  # fmt: skip
def test_a_filter_that_is_no_value_of_the_kind_is_none_and_the_kind_says_what_would_be_right(kind, text, expected):
    assert ALL[kind].parse(text) is None
    assert ALL[kind].expected() == expected


def test_a_list_of_free_strings_names_no_choices():
    assert ALL["free strings"].expected() == "Is not an array<string>."


@every
@given(text=st.text(max_size=60))
def test_no_text_of_a_query_raises(kind, text):
    kind.parse(text)


@pytest.mark.parametrize(
    ("kind", "constraints"),
    [
        ("string", {"minLength": 2, "maxLength": 40}), ("email", {"minLength": 3, "maxLength": 254, "format": "email"}),
        ("integer", {"minimum": 0, "maximum": 10}), ("number", {"minimum": 0, "maximum": 1}), ("boolean", {}),
        ("json", {"shape": "object", "maxBytes": 100}), ("identifier", {"format": "uuid"}), ("reference", {}),
        ("strings", {"items": ["read", "write"], "maxItems": 2, "minItems": 1}), ("free strings", {"itemMaxLength": 5}),
    ],
)  # fmt: skip
def test_the_bounds_of_a_kind_are_those_of_the_dictionary(kind, constraints):
    assert ALL[kind].constraints == constraints


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", "A"), ("string", "x" * 41), ("pattern", "abc1"), ("pattern", "abc\n"), ("integer", 11),
        ("integer", True), ("integer", "7"), ("number", 1.1), ("boolean", 1), ("timestamp", "2026-12-24"),
        ("json", []), ("list", {}),
        ("json", {"long": "x" * 100}), ("strings", []), ("strings", ["read", "all"]), ("free strings", ["sixsix"]),
        ("enum", "lost"), ("vector", []), ("vector", [1e39]),
        ("date", "2026-02-29"), ("date", 20260201), ("time", "24:00"),
        ("duration", "P3D"), ("duration", "P"), ("duration", "PT"), ("duration", "P1M"), ("decimal", "-10.01"),
        ("decimal", "10000"), ("decimal", "1.001"), ("decimal", 1), ("decimal", "9" * 600),
        ("money", {"amount": "-1", "currency": "EUR"}),
        ("money", {"amount": "1.5", "currency": "JPY"}), ("country", "EU"), ("language", "xx"),
        ("language", "de-de"), ("language", "de-DE-1901"), ("language", "de-"), ("currency", "eur"),
        ("color", "#fff"),
        ("ip", "10.0.0.0/8"), ("ip", "fe80::1%1"), ("ip", 1), ("network", "10.0.0.1/8"), ("network", "fe80::%1/64"),
        ("point", {"lat": 1, "lng": True}),
        ("point", {"lat": float("nan"), "lng": 0}), ("point", {"lat": 1, "lng": 1, "km": 1}),
    ],
)  # fmt: skip
def test_the_schema_field_of_a_kind_refuses_what_is_out_of_bounds(kind, value):
    with pytest.raises(ValidationError):
        field_of(ALL[kind]).deserialize(value)


def test_inside_json_numbers_and_booleans_are_told_apart():
    assert structures.Json().same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    for first, second in ((1, True), (1, 1.0), (0, False)):
        assert not structures.Json().same(first, second)
        assert kinds.Integer(0, 1).same(first, second)


def test_a_kind_of_ones_own_reads_its_values_itself():
    @dataclass(frozen=True)
    class Plate(Kind):
        name = "plate"

        def column_type(self) -> Any:
            return types.String(8)

        def parse(self, text: str) -> Any:
            return text.upper() if text.isalnum() else None

        def example(self) -> Any:
            return "B1234"

    assert field_of(Plate()).deserialize("b1234") == "B1234"
    with pytest.raises(ValidationError, match="Is not a plate"):
        field_of(Plate()).deserialize("b 1234")


@given(st.timedeltas(min_value=timedelta(), max_value=dates.LONGEST))
def test_a_duration_is_read_as_it_was_written_to_the_millisecond(duration):
    written = durations.iso(duration)
    assert abs(durations.duration_of(written) - duration) <= timedelta(milliseconds=0.5)
    assert durations.iso(durations.duration_of(written)) == written


@given(lat=st.floats(-90, 90), lng=st.floats(-180, 180), km=st.floats(0, places.FARTHEST_KM), bearing=st.floats(0, 360))
def test_the_box_around_a_circle_leaves_nothing_of_it_out(lat, lng, km, bearing):
    center = {"lat": lat, "lng": lng}
    box = places._box(center, km)
    angle, turn, up = km / places.EARTH_KM, math.radians(bearing), math.radians(lat)
    there = math.asin(max(-1, min(1, math.sin(up) * math.cos(angle) + math.cos(up) * math.sin(angle) * math.cos(turn))))
    across = math.atan2(
        math.sin(turn) * math.sin(angle) * math.cos(up), math.cos(angle) - math.sin(up) * math.sin(there)
    )
    at = (lng + math.degrees(across) + 540) % 360 - 180
    assert box["south"] <= math.degrees(there) <= box["north"]
    assert box["west"] <= at <= box["east"] or abs(math.cos(there)) < 1e-6


@pytest.mark.parametrize("model", list(every_model()), ids=lambda model: model.__name__)
def test_every_field_has_a_kind_with_a_schema_field(model):
    for field in model.fields().values():
        assert field_of(field.spec.kind) is not None


def test_a_check_constraint_guards_enumerations_that_no_plugin_adds_to():
    guarded = {
        each.name for each in NotificationNotification.__table__.constraints if isinstance(each, CheckConstraint)
    }
    assert "ck_notification_notification_delivery_status" in guarded
    assert "ck_notification_notification_type" not in guarded


@pytest.mark.parametrize(
    ("flags", "names_owner", "on_create", "on_update"),
    [
        ((), False, Setter.CALLER, Setter.CALLER),
        ((WRITE_ONLY,), False, Setter.CALLER, Setter.CALLER),
        ((IMMUTABLE,), False, Setter.CALLER, Setter.SERVER),
        ((READ_ONLY,), False, Setter.SERVER, Setter.SERVER),
        ((HIDDEN,), False, Setter.SERVER, Setter.SERVER),
        ((READ_ONLY,), True, Setter.CALLER, Setter.SERVER),
        ((READ_ONLY, ADMIN_WRITES), False, Setter.ADMIN, Setter.ADMIN),
        ((IMMUTABLE, ADMIN_WRITES), False, Setter.CALLER, Setter.ADMIN),
    ],
)
def test_who_may_set_a_field_follows_from_its_flags(cast, flags, names_owner, on_create, on_update):
    column = NotificationNotification.__table__.c.title
    field = Field("x", "x", FieldSpec(kinds.Boolean(), frozenset(flags)), column, names_owner=names_owner)
    assert (field.set_on_create, field.set_on_update) == (on_create, on_update)
    caller, admin = cast.user().principal, cast.admin.principal
    for setter in (on_create, on_update):
        assert setter.admits(caller) is (setter is Setter.CALLER)
        assert setter.admits(admin) is (setter is not Setter.SERVER)
