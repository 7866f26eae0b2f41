"""The reference of the log: replayed into empty tables, its last images are the rows that are there."""

from __future__ import annotations

from app.engine.changes.triggers import long_columns, omitted_columns
from app.engine.declare.catalogue import every_model


def differences(ask) -> list[tuple[str, str, str]]:
    """Return the records that the log has not as the tables have them: the table, the id, and what is wrong. ``ask``
    returns the rows of a query."""
    return [found for model in every_model() if model.logged for found in _differences(ask, model)]


def _differences(ask, model):
    table = model.__tablename__
    # A change of these columns alone is not written down, and long texts stand with their last change.
    uncounted = {*omitted_columns(model), *long_columns(model), *(column.name for column in _bookkeeping(model))}
    if uncounted.intersection(column.name for column in _bookkeeping(model)):
        uncounted.add("updated_at")
    left_out = "'{" + ",".join(sorted(uncounted)) + "}'::text[]"
    asked = f"""
        SELECT coalesce(t.id, l.record_id), CASE
            WHEN t.id IS NULL THEN 'is gone, of which the log says nothing'
            WHEN l.operation IS NULL THEN 'is there, of which the log says nothing'
            WHEN l.operation = 'delete' THEN 'is there, which the log says is gone'
            WHEN to_jsonb(t) - {left_out} <> l.image - {left_out} THEN 'differs'
            ELSE 'has another version' END
        FROM {table} AS t FULL JOIN (
            SELECT DISTINCT ON (record_id) record_id, operation, version, image FROM platform_change
            WHERE model = '{model.qualified_name()}' ORDER BY record_id, seq DESC
        ) AS l ON l.record_id = t.id
        WHERE (t.id IS NULL AND l.operation <> 'delete') OR (t.id IS NOT NULL AND (l.operation IS NULL
            OR l.operation = 'delete' OR to_jsonb(t) - {left_out} <> l.image - {left_out}
            OR l.version <> t.row_version))
    """
    return [(table, str(identifier), said) for identifier, said in ask(asked)]


def _bookkeeping(model):
    return [model.__table__.columns[getattr(model, name).property.columns[0].name] for name in model.bookkeeping]
