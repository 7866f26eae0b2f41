"""What a model names in its declaration is there: its own columns, and the tables that it refers to. Otherwise the
service does not start, and says in one sentence what is misspelt."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import Any

from app.engine.declare.counters import Counter
from app.engine.declare.fields import ENCRYPTED, FILTERABLE, HIDDEN, IMMUTABLE, READ_ONLY, SORTABLE, Numbered, SlugOf
from app.engine.declare.files import File
from app.engine.declare.kind import Reference
from app.engine.declare.kinds import Enum, LongText, String
from app.engine.declare.positions import Placed, Position
from app.engine.declare.record import Base, Record
from config import SettingError

ON_DELETE = ("cascade", "set null", "restrict")


def check_names(model: type[Base]) -> None:
    """Refuse a model that names a column or a state which it does not have; raises SettingError."""
    known = {*model.__table__.columns.keys(), *model.__mapper__.columns.keys()}
    if issubclass(model, Record):
        known |= model.fields().keys()
    for place, name in _named(model):
        if name not in known:
            raise SettingError(
                f"{place} of the model {model.__name__} names {name}, {_not_there('column', name, known)}"
            )
    _check_encrypted(model)
    if issubclass(model, Record):
        _check_states(model)
        _check_computed(model)
        _check_semantic(model)
        _check_files(model)
        _check_positions(model)


def _check_encrypted(model: type[Base]) -> None:
    """Refuse to encrypt what is no text, or is asked by."""
    for column in model.__mapper__.columns:
        spec = column.info.get("spec")
        if spec is None or ENCRYPTED not in spec.flags:
            continue
        named = f"The encrypted field {column.key} of the model {model.__name__}"
        if not isinstance(spec.kind, String | LongText):
            raise SettingError(f"{named} is no text")
        if spec.flags & {FILTERABLE, SORTABLE} or column.key in getattr(model, "searchable", ()):
            raise SettingError(f"{named} cannot be asked by")
        if issubclass(model, Record) and spec.readable and not column.nullable:
            raise SettingError(f"{named} has to be nullable: a deleted record comes back without it")


def _check_positions(model: type[Record]) -> None:
    """Refuse one order for the rows of all owners, which each of them would write."""
    scope = model.policy.scope
    for field in model.fields().values():
        if isinstance(field.spec.kind, Position) and not field.spec.kind.per and scope.column:
            raise SettingError(f"The position {field.attribute} of the model {model.__name__} has to name its list")


def _check_files(model: type[Record]) -> None:
    """Refuse a file that has to be there: uploads go with their owners."""
    for field in model.fields().values():
        if isinstance(field.spec.kind, File) and not field.nullable:
            raise SettingError(f"The file {field.attribute} of the model {model.__name__} has to be nullable")


def _check_computed(model: type[Record]) -> None:
    """Refuse to ask by a field that no SQL makes, and to count by one that changes."""
    for field in model.fields().values():
        counted = field.spec.default
        is_counted = isinstance(counted, Numbered) and not isinstance(counted, Placed)
        per = model.fields().get(counted.per) if is_counted else None
        if isinstance(field.spec.kind, Counter) and field.attribute not in model.bookkeeping:
            raise SettingError(f"The counter {field.attribute} of the model {model.__name__} is not in its bookkeeping")
        if per is not None and not per.spec.flags & {IMMUTABLE, READ_ONLY, HIDDEN}:
            raise SettingError(
                f"The number {field.attribute} of the model {model.__name__} counts by {per.attribute}, "
                "which has to be IMMUTABLE"
            )
        is_made = field.virtual is None or field.virtual.expression is not None
        if not is_made and field.spec.flags & {FILTERABLE, SORTABLE}:
            raise SettingError(f"The field {field.attribute} of the model {model.__name__} has no SQL to be asked by")


def _check_semantic(model: type[Record]) -> None:
    """Refuse to rank a model by what some of its readers do not see, or beside a field called like the score."""
    name = model.qualified_name()
    if model.semantic and (not model.searchable or "score" in model.fields()):
        raise SettingError(f"{name} has semantic fields: it needs searchable ones, and none that is called score")
    for attribute in model.semantic:
        if not model.fields()[attribute].seen_by_every_reader(model):
            raise SettingError(f"{name}.{attribute} is semantic, and not shown to every reader")


def _check_states(model: type[Record]) -> None:
    for attribute, moves in model.transitions.items():
        kind = model.fields()[attribute].spec.kind
        known = kind.values if isinstance(kind, Enum) else ()
        for name in (*moves, *(each for ends in moves.values() for each in ends)):
            if name not in known:
                raise SettingError(
                    f"The transitions of {attribute} of the model {model.__name__} name {name}, "
                    f"{_not_there('value', name, known)}"
                )


def _named(model: Any) -> Iterator[tuple[str, str]]:
    """The names of columns in a declaration, and where they stand."""
    for key in model.keys:
        yield from (("An index or unique rule", name.removeprefix("-").partition(".")[0]) for name in key.columns)
    if not issubclass(model, Record):
        return
    yield from (("The policy", name) for name in model.policy.scope.columns())
    for field in model.fields().values():
        if isinstance(field.spec.default, Numbered) and field.spec.default.per:
            yield f"The number {field.attribute}", field.spec.default.per
        if isinstance(field.spec.default, SlugOf):
            yield f"The slug {field.attribute}", field.spec.default.attribute
        for rule in filter(None, (field.spec.read, field.spec.write)):
            yield from ((f"A rule of the field {field.attribute}", name) for name in rule.columns())
    for attribute in ("searchable", "semantic", "label", "headline", "bookkeeping", "transitions"):
        yield from ((f"The attribute {attribute}", name) for name in getattr(model, attribute))
    for title, names in model.sections.items():
        yield from ((f"The section {title!r}", name) for name in names)


def check_references(models: Collection[type[Base]]) -> None:
    """Refuse a reference to a table that none of ``models`` is stored in, or whose rows callers could never name;
    raises SettingError."""
    tables = {model.__tablename__: model for model in models}
    for model in models:
        for name, column in model.__mapper__.columns.items():
            kind = column.info.get("spec") and column.info["spec"].kind
            if isinstance(kind, Reference):
                _check_reference(model, name, kind, tables)
            if isinstance(kind, Counter):
                _check_counter(model, name, kind, tables)


def _check_reference(model: type[Base], name: str, kind: Reference, tables: dict[str, type[Base]]) -> None:
    named = f"The reference {name} of the model {model.__name__}"
    if kind.table not in tables:
        raise SettingError(f"{named} names {kind.table}, {_not_there('table', kind.table, tables)}")
    is_shown = issubclass(model, Record) and model.fields()[name].spec.readable
    if is_shown and not issubclass(tables[kind.table], Record):
        raise SettingError(f"{named} names {kind.table}, a table without routes: hide the field, or refer to another")
    if kind.on_delete not in ON_DELETE:
        raise SettingError(f"{named} says {kind.on_delete!r} of removals: it is one of {', '.join(ON_DELETE)}")


def _check_counter(model: type[Base], name: str, kind: Counter, tables: dict[str, type[Base]]) -> None:
    named = f"The counter {name} of the model {model.__name__}"
    if kind.table not in tables:
        raise SettingError(f"{named} counts rows of {kind.table}, {_not_there('table', kind.table, tables)}")
    known = tables[kind.table].__table__.columns.keys()
    if kind.column not in known:
        raise SettingError(f"{named} counts by {kind.column}, {_not_there('column', kind.column, known)}")


def _not_there(what: str, name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, 1)
    return f"a {what} that is not there" + (f": did you mean {close[0]}?" if close else "")
