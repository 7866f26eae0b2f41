"""What an import asks, and how the rows of its file become values of a model: columns by wire name, cells by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError

from app.engine.declare import relations, structures
from app.engine.declare.kinds import Boolean, Integer, Number, Strings
from app.engine.declare.principal import Principal
from app.engine.declare.record import Field, Record, Setter
from app.engine.read.query_context import filterable, readable
from app.engine.transfer.importing import Line, Lookup
from app.engine.transfer.spreadsheets import bare
from app.engine.transfer.tabular import MAX_COLUMNS, Row
from app.foundation import strict_json
from app.foundation.errors import Failure, Invalid, InvalidJson
from app.foundation.identifiers import uuid_of
from app.runtime.turns import yield_if_overdue
from schemas.derive import create_schema
from schemas.errors import flatten_messages

# Columns that nobody knows are told as far as this.
MAX_TOLD = 20


@dataclass(frozen=True)
class Columns:
    """What the columns of a file mean: the fields of the model by column, and references by a field of their target.
    ``id`` is the column that other rows of the file refer to. All others are left out."""

    model: type[Record]
    fields: Mapping[str, Field]
    lookups: Mapping[str, Lookup]
    ids: str | None = None
    is_text: bool = False


def mapping_of(text: str) -> dict[str, str]:
    """The names of columns that stand for others: ``Mail:email,Tel:phone``; nothing behind the colon leaves one out.
    Raises Invalid."""
    found: dict[str, str] = {}
    for pair in text.split(",") if text else ():
        column, colon, name = pair.partition(":")
        if not colon or not column or column in found:
            raise Invalid({"map": ["Must be pairs such as Mail:email, between commas."]})
        found[column] = name
    return found


def columns_of(
    model: type[Record], principal: Principal, names: Iterable[str], mapping: Mapping[str, str], *, is_text: bool
) -> Columns:
    """What the columns called ``names`` mean; raises Invalid for those that are no field of the model. One without a
    name, as of the index of a data frame, is left out."""
    sent, lookups, unknown = {}, {}, []
    ids = None
    by_name = {each.name: each for each in model.fields().values()}
    for column in names:
        name = mapping.get(column, column)
        if not name:
            continue
        known = by_name.get(name)
        if name == "id":
            ids = column
        elif known is not None and (known.spec.readable or known.set_on_create is not Setter.SERVER):
            if known.set_on_create.admits(principal):
                sent[column] = known
        elif (lookup := _lookup(model, principal, name)) is not None:
            lookups[column] = lookup
        else:
            unknown.append(column)
    if unknown:
        raise Invalid({name: ["Unknown column."] for name in unknown[:MAX_TOLD]})
    return Columns(model, sent, lookups, ids, is_text)


def lines(
    model: type[Record], principal: Principal, rows: Iterable[Row], mapping: Mapping[str, str], *, is_text: bool
) -> Iterator[Line]:
    """The lines of an import, each with its values or with what is wrong with it; raises Invalid for columns of CSV
    (``is_text``) that nobody knows."""
    schema = create_schema(model)
    known: dict[tuple[str, ...], Columns] = {}
    for number, row in rows:
        yield_if_overdue()
        names = tuple(row)
        columns = known.get(names)
        if columns is None:
            if len(known) > MAX_COLUMNS:
                known.clear()
            try:
                columns = columns_of(model, principal, names, mapping, is_text=is_text)
            except Invalid as fault:
                if is_text:  # where the first line names them for all
                    raise
                yield Line(number, None, {}, fault=fault)
                continue
            known[names] = columns
        yield _line(columns, schema, number, row)


def _line(columns: Columns, schema: Any, number: int, row: Mapping[str, Any]) -> Line:
    identifier = _called(columns, row[columns.ids]) if columns.ids and row.get(columns.ids) is not None else None
    try:
        sent = _sent(columns, row)
        named = _named(columns, sent)
        wanted = {lookup: row[column] for column, lookup in columns.lookups.items() if row.get(column) is not None}
        partial = (*(lookup.reference.attribute for lookup in wanted), *named)
        given = schema.load(sent, partial=partial or None)
    except ValidationError as error:
        wrong = Invalid({name: flatten_messages(told) for name, told in error.messages_dict.items()})
        return Line(number, identifier, {}, fault=wrong)
    except Failure as failure:
        return Line(number, identifier, {}, fault=failure)
    return Line(number, identifier, given, {lookup: _called(columns, value) for lookup, value in wanted.items()}, named)


def _sent(columns: Columns, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as a body that makes a record."""
    found: dict[str, Any] = {}
    for column, field_ in columns.fields.items():
        value = row.get(column)
        if value is None:
            if field_.nullable and column in row:
                found[field_.name] = None
        else:
            found[field_.name] = _value(field_, value) if columns.is_text else value
    return found


def _named(columns: Columns, sent: dict[str, Any]) -> dict[str, str]:
    """Take out of ``sent`` what may be called as another line of the file is, by attribute."""
    own = [each for each in columns.fields.values() if each.references == columns.model.__tablename__]
    return {each.attribute: _called(columns, sent.pop(each.name)) for each in own if _is_called(sent.get(each.name))}


def _is_called(value: Any) -> bool:
    """Tell whether a value may be what a line is called."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def _value(field_: Field, text: str) -> Any:
    """The JSON value that a cell stands for."""
    kind = field_.spec.kind
    if isinstance(kind, Integer | Number):
        value = kind.parse(text)
        return text if value is None else value
    if isinstance(kind, Boolean):
        return {"true": True, "false": False}.get(text.lower(), text)
    if isinstance(kind, Strings | structures.Json | structures.Vector):
        try:
            return strict_json.loads(text.encode())
        except InvalidJson as failure:
            raise Invalid({field_.name: [f"{failure.text}."]}) from failure
    return kind.from_cell(bare(text))


def _called(columns: Columns, value: Any) -> str:
    """What a record is called by another one; ids in the one way that they are written."""
    text = bare(str(value)) if columns.is_text else str(value)
    return str(uuid_of(text) or text)


def _lookup(model: type[Record], principal: Principal, name: str) -> Lookup | None:
    """The reference that ``company.name`` stands for."""
    called, dot, of = name.partition(".")
    relation: relations.Relation | None = relations.of(model).get(called) if dot else None
    if relation is None or relation.many or not relation.admits(principal):
        return None
    if not relation.reference.set_on_create.admits(principal):
        return None
    found = readable(relation.target, principal.is_admin).get(of)
    return Lookup(relation.reference, relation.target, found, name) if found and filterable(found) else None
