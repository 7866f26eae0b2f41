"""Record, the base of every stored model: id, timestamps, names, policy and the list of its fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import Column, MetaData, Uuid, inspect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from uuid_utils.compat import uuid7

from app.engine.declare.fields import (
    ADMIN_READS,
    ADMIN_WRITES,
    FILTERABLE,
    HIDDEN,
    IMMUTABLE,
    NOW,
    READ_ONLY,
    SCOPE_READS,
    SORTABLE,
    UNITS,
    UNLISTED,
    Display,
    FieldSpec,
    Virtual,
    integer,
    timestamp,
)
from app.engine.declare.indexes import IndexSpec
from app.engine.declare.kind import Identifier, Reference
from app.engine.declare.kinds import SAFE_MAX, String
from app.engine.declare.policy import Policy
from app.engine.declare.principal import Principal
from app.foundation.clock import now

BASE_FIELDS = ("id", "created_at", "updated_at")
VERSION = "row_version"
# What a field that names a record is called, the usual ones first.
LABELS = (
    "name", "title", "filename", "key", "heading", "slug", "email", "text", "statement", "quote", "criterion",
    "content", "original_text", "action",
)  # fmt: skip
COMMON = frozenset({READ_ONLY, FILTERABLE, SORTABLE})

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Tables of the service, reachable over routes or internal."""

    metadata = MetaData(naming_convention=NAMING)

    keys: ClassVar[tuple[IndexSpec, ...]] = ()

    id: Mapped[UUID] = mapped_column(
        Uuid(), primary_key=True, default=uuid7, sort_order=-3, info={"spec": FieldSpec(Identifier(), COMMON)}
    )
    created_at: Mapped[datetime] = timestamp(*COMMON, default=NOW, sort_order=-2)
    updated_at: Mapped[datetime] = timestamp(*COMMON, default=NOW, onupdate=now, sort_order=-1)


metadata = Base.metadata


class Record(Base):
    """A stored model with routes. Subclasses say who may do what (``policy``) and how their states move
    (``transitions``); ``domain`` and ``segment`` make the path, unless ``path`` names it. Beside these:

    - ``audited``: changes are written to the audit log;
    - ``bookkeeping``: columns that only the service writes, whose change raises no version; it moves ``updated_at``
      only where that is listed here;
    - ``cascades_widely``: a removal reaches both ends of restricting references;
    - ``has_custom_routes``: no generic routes are made;
    - ``headline``: the fields that a page shows first, beside what names the record;
    - ``is_credential``: changes are never taken back, and their log has nothing of ``bookkeeping``;
    - ``label``: the fields by which people know a record;
    - ``legacy_envelope``: lists and removals are answered in the older form;
    - ``logged``: changes are kept in the log of changes, as they are unless it says False;
    - ``undoable``: an undo deletes what the transaction made, unless it says False, as of what people have been told;
    - ``plural``: the name of relations that lead here from other models;
    - ``requires_version``: changes must say which version they are of;
    - ``sections``: the fields of its page under headings; what is in none of them follows;
    - ``searchable``: the fields that a search looks through; every reader of a row sees all of them;
    - ``semantic``: likewise, the fields by whose meaning a search ranks, as one text.
    """

    __abstract__ = True

    domain: ClassVar[str]
    segment: ClassVar[str]
    policy: ClassVar[Policy]
    path: ClassVar[str] = ""
    legacy_envelope: ClassVar[bool] = False
    has_custom_routes: ClassVar[bool] = False
    transitions: ClassVar[dict[str, dict[str, list[str]]]] = {}
    operations_note: ClassVar[str] = ""
    cascades_widely: ClassVar[bool] = False
    audited: ClassVar[bool] = False
    plural: ClassVar[str] = ""
    searchable: ClassVar[tuple[str, ...]] = ()
    semantic: ClassVar[tuple[str, ...]] = ()
    label: ClassVar[tuple[str, ...]] = ()
    headline: ClassVar[tuple[str, ...]] = ()
    sections: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    bookkeeping: ClassVar[tuple[str, ...]] = ()
    requires_version: ClassVar[bool] = False
    logged: ClassVar[bool] = True
    undoable: ClassVar[bool] = True
    is_credential: ClassVar[bool] = False

    # Raised by a trigger of the database, whatever changes the row. It is no field: the wire has it as an entity tag.
    row_version: Mapped[int] = integer(HIDDEN, min=1, max=SAFE_MAX, default=1, server_default="1", sort_order=100)

    @classmethod
    def plural_name(cls) -> str:
        """``plural``, or the segment with an s: ``deals``."""
        return cls.plural or f"{camel(cls.segment.replace('-', '_'))}s"

    @classmethod
    def qualified_name(cls) -> str:
        """The model's name in references: ``crm/contact``."""
        return f"{cls.domain}/{cls.segment}"

    @classmethod
    def collection_path(cls) -> str:
        return cls.path or f"/api/v1/{cls.domain}/{cls.segment}"

    @classmethod
    def model_summary(cls) -> str:
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def label_fields(cls) -> list[Field]:
        """The fields that name a record to people: ``label``, or the first that is called like a name. None where
        records have none."""
        fields = {name: field for name, field in cls.fields().items() if field.spec.readable}
        listed = (name for name in LABELS if name in fields and UNLISTED not in fields[name].spec.flags)
        named = cls.label or next(((name,) for name in listed), ())
        return [fields[name] for name in named]

    @classmethod
    def target(cls, attribute: str) -> type[Record]:
        """The model that the reference ``attribute`` points to."""
        (key,) = inspect(cls).mapper.columns[attribute].foreign_keys
        return by_table(key.column.table.name)

    @classmethod
    def fields(cls) -> dict[str, Field]:
        """The fields by attribute name, in declared order, virtual ones included."""
        return _fields(cls)


class Setter(Enum):
    """Who may set a field."""

    CALLER = "caller"
    ADMIN = "admin"
    SERVER = "server"

    def admits(self, principal: Principal) -> bool:
        return self is Setter.CALLER or (self is Setter.ADMIN and principal.is_admin)


@dataclass(frozen=True, eq=False)
class Field:
    """One field of a model: its two names, what was declared of it and, unless virtual, its column. ``names_owner``
    says that it holds whose row it is."""

    attribute: str
    name: str
    spec: FieldSpec
    column: Column[Any] | None
    virtual: Virtual | None = None
    names_owner: bool = False

    @property
    def set_on_create(self) -> Setter:
        """Who may set it on create. Whom callers may name as the owner is for the policy to say."""
        if self.spec.writable or self.names_owner:
            return Setter.CALLER
        return Setter.ADMIN if ADMIN_WRITES in self.spec.flags else Setter.SERVER

    @property
    def set_on_update(self) -> Setter:
        """Who may change it."""
        if self.column is None:
            return Setter.SERVER
        if not self.spec.flags & {READ_ONLY, IMMUTABLE, HIDDEN}:
            return Setter.CALLER
        return Setter.ADMIN if ADMIN_WRITES in self.spec.flags else Setter.SERVER

    @property
    def nullable(self) -> bool:
        return self.column is not None and bool(self.column.nullable)

    @property
    def required(self) -> bool:
        """Whether the caller has to send it on create."""
        return self.column is not None and not self.nullable and not self.spec.has_default and self.spec.writable

    @property
    def unique(self) -> bool:
        return self.column is not None and bool(self.column.unique or self.column.primary_key)

    def seen_by_every_reader(self, model: type[Record]) -> bool:
        """Whether it is text that whoever may read a row of ``model`` sees."""
        colleagues = model.policy.scope.colleague_fields
        plain = self.spec.readable and self.column is not None and not self.spec.flags & {ADMIN_READS, SCOPE_READS}
        plain = plain and self.spec.read is None
        return plain and self.spec.kind.is_text and (not colleagues or self.name in colleagues)

    @property
    def display(self) -> Display | None:
        """What people read its values as, where that is said or its name ends in a unit."""
        ending = self.attribute[self.attribute.rfind("_") :]
        return self.spec.display or UNITS.get(ending)

    @property
    def max_length(self) -> int:
        """How many characters its text has at most, 0 where that is not said."""
        return self.spec.kind.max if isinstance(self.spec.kind, String) else 0

    @property
    def references(self) -> str:
        """Name of the table it points to, empty for plain values."""
        return self.spec.kind.table if isinstance(self.spec.kind, Reference) else ""


def camel(attribute: str) -> str:
    """``created_at`` to ``createdAt``; a trailing underscore, there for the ORM's sake, goes."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), attribute.rstrip("_"))


@cache
def _fields(model: type[Record]) -> dict[str, Field]:
    mapped, owner = inspect(model).columns, model.policy.scope.owner_column
    found = {
        name: Field(name, camel(name), mapped[name].info["spec"], mapped[name], names_owner=name == owner != "id")
        for name in mapped.keys()
    }
    for name, value in vars(model).items():
        if isinstance(value, Virtual):
            found[name] = Field(name, camel(name), value.spec, None, value)
    declared = [name for name in vars(model) if name in found and name not in (*BASE_FIELDS, VERSION)]
    return {name: found[name] for name in ("id", *declared, "created_at", "updated_at")}


@cache
def by_table(table: str) -> type[Record]:
    """The model stored in ``table``; raises LookupError for one without routes."""
    for mapper in Base.registry.mappers:
        if mapper.class_.__tablename__ == table and issubclass(mapper.class_, Record):
            return mapper.class_
    raise LookupError(table)
