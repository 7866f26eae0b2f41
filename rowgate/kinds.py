"""Kinds of fields, for those that are worked out when read: ``virtual(Integer(0, 100), …)``."""

from app.engine.declare.kinds import Boolean, Enum, Integer, LongText, Number, String, Strings, Timestamp

__all__ = ["String", "LongText", "Integer", "Number", "Boolean", "Timestamp", "Strings", "Enum"]  # noqa: RUF022
