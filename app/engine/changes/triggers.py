"""The triggers that write the log of changes: for each logged table one function, which the statements of all who write
it end in, whatever their way. Its text follows the declaration of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import inspect

from app.engine.declare.fields import DIGEST, ENCRYPTED, FILTERABLE
from app.engine.declare.kinds import LongText
from app.engine.declare.record import VERSION, Record

# Texts that are longer, and did not change, are left out of an image.
LONG_TEXT = 2000
PREFIX = "rowgate_log_"
EACH = "FOR EACH STATEMENT EXECUTE FUNCTION"
TRIGGERS = {
    "rowgate_log_insert": f"AFTER INSERT ON {{table}} REFERENCING NEW TABLE AS new_rows {EACH} {{function}}()",
    "rowgate_log_update": (
        f"AFTER UPDATE ON {{table}} REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows {EACH} {{function}}()"
    ),
    "rowgate_log_delete": f"AFTER DELETE ON {{table}} REFERENCING OLD TABLE AS old_rows {EACH} {{function}}()",
    "rowgate_log_truncate": f"BEFORE TRUNCATE ON {{table}} {EACH} rowgate_refuse_truncate()",
}
# The plan of a statement is kept, and made for as many rows as it was run for first: with more, it is made anew.
FEW_ROWS = 50
BODY = """
DECLARE
    told text[] := rowgate_change_context();
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO platform_change ({columns})
        SELECT {told}, r.id, 'create', r.row_version, '{{}}', {image}, '{{}}', {root}
        FROM new_rows AS r{parents};
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO platform_change ({columns})
        SELECT {told}, r.id, 'delete', r.row_version, '{{}}', {image}, '{{}}', {root}
        FROM old_rows AS r{parents};
    ELSIF (SELECT count(*) FROM new_rows) <= {few} THEN{update};
    ELSE
        EXECUTE $update${dynamic_update}$update$ USING told;
    END IF;
    RETURN NULL;
END
"""
UPDATE = """
        INSERT INTO platform_change ({columns})
        SELECT {told}, r.id, 'update', r.row_version, d.changed, j.is_row{shortened}, d.old, {root}
        FROM new_rows AS r JOIN old_rows AS o ON o.id = r.id
        -- OFFSET 0: else both are worked out for each column anew.
        CROSS JOIN LATERAL (
            SELECT to_jsonb(r) - {omitted} AS is_row, to_jsonb(o) - {omitted} AS was_row OFFSET 0
        ) AS j
        CROSS JOIN LATERAL (
            SELECT coalesce(array_agg(n.key) FILTER (WHERE n.key <> 'updated_at'), '{{}}'){sealed} AS changed,
                coalesce(jsonb_object_agg(n.key, j.was_row -> n.key), '{{}}') AS old
            FROM jsonb_each(j.is_row) AS n WHERE n.value IS DISTINCT FROM j.was_row -> n.key
        ) AS d{parents}
        WHERE r.row_version <> o.row_version"""
COLUMNS = (
    "actor_type, actor_id, request_id, transaction, model, record_id, operation, version, changed, image, old, "
    "organization_id, owner_id, is_public, parent_id"
)
TOLD = "told[1], nullif(told[2], '')::uuid, nullif(told[3], ''), told[4]::uuid, '{model}'"


@dataclass(frozen=True)
class Root:
    """Whose rows of a model are, as expressions over ``r`` and the ``parents`` that are joined to it."""

    organization: str
    owner: str
    is_public: str
    # The row that says so, where it is another one and cannot be found.
    parent: str = "NULL::uuid"
    parents: str = ""

    def __str__(self) -> str:
        return f"{self.organization}, {self.owner}, {self.is_public}, {self.parent}"


def function_name(model: type[Record]) -> str:
    """The name of the function that writes changes of ``model`` down."""
    return PREFIX + model.__tablename__


def function_body(model: type[Record]) -> str:
    """The text of that function."""
    omitted = "'{" + ",".join(sorted(omitted_columns(model))) + "}'::text[]"
    root, told = _root(model), TOLD.format(model=model.qualified_name())
    parts = {"columns": COLUMNS, "omitted": omitted, "root": root, "parents": root.parents}
    parts |= {"sealed": "".join(_sealed(model)), "shortened": "".join(_shortened(model))}
    update = UPDATE.format(told=told, **parts)
    dynamic = UPDATE.format(told=told.replace("told[", "$1["), **parts)
    image = f"to_jsonb(r) - {omitted}"
    return BODY.format(told=told, image=image, few=FEW_ROWS, update=update, dynamic_update=dynamic, **parts)


def omitted_columns(model: type[Record]) -> set[str]:
    """The columns that an image has not: secrets, what PostgreSQL works out itself, and the version beside it."""
    fields = {field.column.name: field for field in model.fields().values() if field.column is not None}
    secret = {name for name, field in fields.items() if field.spec.flags & {DIGEST, ENCRYPTED}}
    if model.is_credential:
        secret |= {inspect(model).columns[name].name for name in model.bookkeeping} - {"updated_at"}
    computed = {column.name for column in model.__table__.columns if column.computed is not None}
    return secret | computed | {VERSION}


def long_columns(model: type[Record]) -> list[str]:
    """The columns of long texts that no condition asks for: what of them did not change is left out of an image."""
    columns = ((field.column, field.spec) for field in model.fields().values() if field.column is not None)
    return [
        column.name
        for column, spec in columns
        if isinstance(spec.kind, LongText) and FILTERABLE not in spec.flags and not 0 < spec.kind.max <= LONG_TEXT
    ]


def _sealed(model: type[Record]) -> Iterator[str]:
    """Tell of encrypted columns that they changed, and no value."""
    for field in model.fields().values():
        if field.column is not None and ENCRYPTED in field.spec.flags and not model.is_credential:
            name = field.column.name
            differs = f"r.{name} IS DISTINCT FROM o.{name}"
            yield f"\n                || CASE WHEN {differs} THEN '{{{name}}}'::text[] ELSE '{{}}' END"


def _shortened(model: type[Record]) -> Iterator[str]:
    for name in long_columns(model):
        same = f"length(r.{name}) > {LONG_TEXT} AND r.{name} IS NOT DISTINCT FROM o.{name}"
        yield f"\n                - CASE WHEN {same} THEN '{name}' ELSE '' END"


def _root(model: type[Record]) -> Root:
    """Whose rows of ``model`` are; of rows that follow another one, whose that is."""
    row, joins, scope, inherits = "r", "", model.policy.scope, True
    first = scope.parent_column
    while scope.parent_column and not (scope.organization_column or scope.owner_column):
        above = model.target(scope.parent_column)
        key, parent = inspect(model).columns[scope.parent_column].name, f"p{joins.count('JOIN') + 1}"
        inherits = inherits and all(getattr(each, "inherits_public", True) for each in scope.parts())
        joins += f"\n        LEFT JOIN {above.__tablename__} AS {parent} ON {parent}.id = {row}.{key}"
        row, model, scope = parent, above, above.policy.scope
    columns = inspect(model).columns

    def column(name: str) -> str:
        return f"{row}.{columns[name].name}" if name else "NULL::uuid"

    public = [
        f"{column(name)} = ANY ('{{{','.join(map(str, values))}}}')"
        for name, values in ((scope.public or {}) if inherits else {}).items()
    ]
    return Root(
        column(scope.organization_column),
        column(scope.owner_column),
        f"coalesce({' OR '.join(public)}, false)" if public else "false",
        f"CASE WHEN {row}.id IS NULL THEN r.{first} END" if joins else "NULL::uuid",
        joins,
    )
