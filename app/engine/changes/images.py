"""Images of rows in the log, read as if they were rows: under the policy, with the fields that a reader sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from app.engine.changes.triggers import long_columns, omitted_columns
from app.engine.declare.principal import Reader
from app.engine.declare.record import Field, Record
from app.engine.read import fragments
from app.engine.read.encoding import READING, STATEMENTS_KEPT, Operations, RowDecoder, completion, guards, shown_fields
from app.engine.read.fragments import Fragment


@dataclass(frozen=True)
class ImageColumns(RowDecoder):
    """What a reader sees of an image, as columns of SQL; ``admitted`` is the condition that the policy shows it."""

    sql: str
    admitted: str
    fixed: Mapping[str, Any]

    @property
    def width(self) -> int:
        return len(self.names) + len(self.guards)


@lru_cache(maxsize=STATEMENTS_KEPT)
def image_columns(model: type[Record], reader: Reader, alias: str, today: str = "") -> ImageColumns:
    """Compile what ``reader`` sees of images of ``model``: its stored fields, of which the row called ``today`` shows
    as much, where one is named."""
    fields = tuple(seen_fields(model, reader).values())
    admitted, fixed = admits(model, reader, alias, "read")
    shown = shown_columns(model, reader, fields, READING)
    texts = [part.on(alias) for part in shown.selected]
    texts += [" AND ".join(f"({guard.on(row)})" for row in (alias, today) if row) for guard in shown.guards]
    return ImageColumns(shown.decoder.names, shown.decoder.guards, ", ".join(texts), admitted, fixed | shown.fixed)


class ShownColumns(NamedTuple):
    """What is selected of fields, and behind it whether the row shows those that only some rows show."""

    decoder: RowDecoder
    selected: list[Fragment]
    guards: list[Fragment]

    @property
    def fixed(self) -> dict[str, Any]:
        return {name: value for part in (*self.selected, *self.guards) for name, value in part.fixed.items()}


def shown_columns(
    model: type[Record], reader: Reader, fields: tuple[Field, ...], operations: Operations, *, complete: bool = False
) -> ShownColumns:
    """Return the columns of ``fields`` that ``reader`` gets for ``operations``; with ``complete``, of rows, and not of
    images, which lack some."""
    completed = completion(model, reader, fields, operations) if complete else None
    fields += completed.beside if completed is not None else ()
    names = tuple(field.name for field in fields)
    known = (*names, *(completed.names if completed is not None else ()))
    found = [(each.names.intersection(known), index) for index, each in enumerate(guards(model, reader, operations))]
    hiding = [(hidden, index) for hidden, index in found if hidden]
    return ShownColumns(
        RowDecoder(names, tuple(hidden for hidden, _ in hiding), completion=completed),
        [fragments.selected(model, field.attribute) for field in fields],
        [fragments.guard(model, reader, operations, index) for _, index in hiding],
    )


def admits(model: type[Record], reader: Reader, alias: str, operation: str) -> tuple[str, dict[str, Any]]:
    """The condition that the policy shows the image called ``alias`` of the change ``c``, with its parameters. What
    followed another row was public when that was, and not because it is by now."""
    visible = fragments.visible(model, reader, operation)
    if not model.policy.scope.parent_column:
        return f"({visible.on(alias)})", dict(visible.fixed)
    own = fragments.own(model, reader)
    return f"(({visible.on(alias)}) AND (c.is_public OR {own.on(alias)}))", {**visible.fixed, **own.fixed}


def seen_fields(model: type[Record], reader: Reader) -> dict[str, Field]:
    """The stored fields that ``reader`` sees of an image, by the name of their column."""
    shown, omitted = shown_fields(model, reader, listed=False), omitted_columns(model)
    columns = {field.column.name: field for field in shown if field.column is not None}
    return {name: field for name, field in columns.items() if name not in omitted}


def as_row(model: type[Record], document: str, alias: str) -> str:
    """An image as a row: a table of one, called ``alias``."""
    return f"jsonb_populate_record(NULL::{model.__tablename__}, {document}) AS {alias}"


def left_out(model: type[Record]) -> str:
    """The long texts that the image of the change ``c`` has not, as they were then: what the next change of them tells,
    or the row of today."""
    columns = long_columns(model)
    if not columns:
        return "'{}'::jsonb"
    return f"""(
        SELECT coalesce(jsonb_object_agg(k.key, coalesce((
            SELECT CASE WHEN l.old ? k.key THEN l.old -> k.key ELSE l.image -> k.key END FROM platform_change AS l
            WHERE l.record_id = c.record_id AND l.seq > c.seq
                AND (l.old ? k.key OR (l.operation = 'delete' AND l.image ? k.key))
            ORDER BY l.seq LIMIT 1), to_jsonb(today) -> k.key)), '{{}}')
        FROM unnest('{{{",".join(columns)}}}'::text[]) AS k (key)
        LEFT JOIN {model.__tablename__} AS today ON today.id = c.record_id
        WHERE NOT c.image ? k.key)"""  # noqa: S608
