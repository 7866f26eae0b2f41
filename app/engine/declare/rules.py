"""Rules that rows are held to by the database: that no two overlap, and what is checked of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, Date, DateTime, Integer, SmallInteger, Table, Uuid, text
from sqlalchemy.dialects.postgresql import ExcludeConstraint

from app.engine.declare.indexes import IndexSpec
from config import SettingError

# PostgreSQL compares ids in a GiST index only with an extension; an id has as many bits as an address of IPv6.
ID_AS_INET = "regexp_replace(replace({}::text, '-', ''), '(....)(?!$)', '\\1:', 'g')::inet"


@dataclass(frozen=True)
class CheckSpec(IndexSpec):
    """What is to hold of each row: ``condition``, in SQL. Where it does not, ``message`` is told at the first of
    ``columns``."""

    condition: str = ""
    message: str = ""

    def build(self, table: Table) -> None:
        name = "_".join([*self.columns, "holds"])
        rule = CheckConstraint(text(self.condition), name=name, info={"columns": self.columns, "says": self.message})
        table.append_constraint(rule)


@dataclass(frozen=True)
class ExclusionSpec(IndexSpec):
    """No two rows that ``where`` holds for are equal in all of ``equal`` and overlap in what lies between the two
    columns ``during``."""

    equal: tuple[str, ...] = ()
    during: tuple[str, str] = ("", "")

    def build(self, table: Table) -> None:
        begin, end = (table.c[name] for name in self.during)
        is_of_days = isinstance(begin.type, Date)
        if type(begin.type) is not type(end.type) or not isinstance(begin.type, Date | DateTime):
            raise SettingError(f"excludes of {table.name}: {begin.name} and {end.name} are no dates, and no timestamps")
        compared = "<=" if is_of_days else "<"
        order = f"{begin.name} {compared} {end.name}"
        told = f"Must {'not be before' if is_of_days else 'be after'} the beginning."
        CheckSpec((end.name, begin.name), condition=order, message=told).build(table)
        # A day is taken whole, and a moment that one ends at is free for the next.
        span = (
            f"{'daterange' if is_of_days else 'tstzrange'}({begin.name}, {end.name}, '{'[]' if is_of_days else '[)'}')"
        )
        keys = [_key(table.c[name]) for name in self.equal]
        elements: list[tuple[Any, str]] = [(text(f"({each}){ending}"), operator) for each, ending, operator in keys]
        rule = ExcludeConstraint(
            *elements, (text(span), "&&"), name=f"ex_{table.name}_{'_'.join(self.columns)}", using="gist",
            # Judged at the end of a statement, so that two rows may change places.
            deferrable=True, initially="IMMEDIATE",
            where=text(self.where) if self.where else None,
        )  # fmt: skip
        compares = tuple((each, operator) for each, _, operator in keys)
        rule.info.update(columns=self.columns, compares=(*compares, (span, "&&")), where=self.where, judged=order)
        table.append_constraint(rule)


def _key(column: Column[Any]) -> tuple[str, str, str]:
    """What an index has of ``column``, the operator class, and the operator that says that two are equal."""
    if isinstance(column.type, Uuid):
        return ID_AS_INET.format(column.name), " inet_ops", "="
    if isinstance(column.type, BigInteger | Integer | SmallInteger):
        # A range without bounds would meet all others.
        name = column.name
        return f"CASE WHEN {name} IS NOT NULL THEN int8range({name}, {name}, '[]') END", "", "&&"
    raise SettingError(f"excludes of {column.table.name}: {column.name} is neither an id nor an integer")


def check(condition: str, *columns: str, message: str) -> CheckSpec:
    """``condition``, in SQL over columns of the row, holds of each row or is unknown; where it does not, ``message``
    is told at the first of ``columns``: ``check("ends_at > starts_at", "ends_at", message="Must be after
    startsAt.")``. One rule for each set of columns."""
    return CheckSpec(columns, condition=condition, message=message)


def excludes(*equal: str, during: tuple[str, str], where: str = "") -> ExclusionSpec:
    """No two rows that ``where`` holds for are equal in all of the ids and integers ``equal`` and overlap in time:
    ``excludes("item_id", during=("starts_at", "ends_at"))``. A span of dates has its last day, one of timestamps ends
    before its last moment, and one without an end has none."""
    return ExclusionSpec((*equal, *during), where=where, equal=equal, during=during)


def declared(table: Table) -> Iterable[Any]:
    """The constraints that these rules have made of ``table``."""
    return (each for each in table.constraints if "columns" in each.info)
