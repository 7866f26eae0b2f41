"""Kinds of fields, for those that are worked out when read: ``virtual(Integer(0, 100), …)``; and ``Kind`` with
``column``, for kinds of one's own."""

from app.engine.declare.amounts import Decimal, Money
from app.engine.declare.codes import Color, Country, Currency, Language
from app.engine.declare.dates import Date, Duration, TimeOfDay
from app.engine.declare.fields import column
from app.engine.declare.kind import Kind, Operator
from app.engine.declare.kinds import Boolean, Enum, Integer, LongText, Number, String, Strings, Timestamp
from app.engine.declare.places import IpAddress, IpNetwork, Point

__all__ = [  # noqa: RUF022
    "String", "LongText", "Integer", "Number", "Boolean", "Timestamp", "Strings", "Enum",
    "Date", "TimeOfDay", "Duration", "Decimal", "Money", "Country", "Language", "Currency", "Color", "IpAddress",
    "IpNetwork", "Point", "Kind", "Operator", "column",
]  # fmt: skip
