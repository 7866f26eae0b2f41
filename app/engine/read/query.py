"""What a caller asks of a list, as values: conditions as a tree, sort keys, chosen fields, relations, paging.

Parsers make these from a request (``schemas.query.queries``), and ``app.engine.read.conditions`` makes SQL of them. A
tree's ``key`` is its shape without the values, by which compiled statements are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from app.engine.declare.kind import Operator
from app.engine.declare.record import Field, Record
from app.engine.declare.relations import Relation

DEFAULT_TAKE = 20
CacheKey = tuple[Any, ...]


class Quantifier(StrEnum):
    """How many rows of a relation have to meet its condition: the one that a reference names, or of many some, none
    or every one."""

    ONE = "one"
    SOME = "some"
    NONE = "none"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A field against a value, a list of values, for ``isNull`` true or false, or for ``is`` the caller. ``with_null``
    says that the empty value is among those of ``in`` or ``nin``."""

    field: Field
    operator: Operator
    value: Any
    with_null: bool = False

    @property
    def key(self) -> CacheKey:
        is_null = self.value if self.operator is Operator.IS_NULL else None
        return (self.field.attribute, self.operator, is_null, self.with_null)

    def values(self) -> Iterator[Any]:
        if self.operator not in (Operator.IS_NULL, Operator.IS):
            yield parameter(self)

    @property
    def excludes_null(self) -> bool:
        """Whether no NULL meets it."""
        if self.operator is Operator.IS_NULL:
            return not self.value
        return self.operator not in (Operator.NE, Operator.NIN) and not self.with_null


@dataclass(frozen=True, slots=True)
class Junction:
    """Parts joined by AND, or with ``any`` by OR. No parts under AND are true, under OR false."""

    parts: tuple[Condition, ...] = ()
    any: bool = False

    @property
    def key(self) -> CacheKey:
        return ("any" if self.any else "all", *[part.key for part in self.parts])

    def values(self) -> Iterator[Any]:
        for part in self.parts:
            yield from part.values()


@dataclass(frozen=True, slots=True)
class Negation:
    """True where ``part`` is not, whatever made it so."""

    part: Condition

    @property
    def key(self) -> CacheKey:
        return ("not", self.part.key)

    def values(self) -> Iterator[Any]:
        return self.part.values()


@dataclass(frozen=True, slots=True)
class Related:
    """A condition on the rows that a relation leads to, out of those that the caller may see."""

    relation: Relation
    quantifier: Quantifier
    part: Condition

    @property
    def key(self) -> CacheKey:
        return (self.relation.name, self.quantifier, self.part.key)

    def values(self) -> Iterator[Any]:
        return self.part.values()


Condition = Comparison | Junction | Negation | Related
MATCH_ALL = Junction()


def parameter(comparison: Comparison) -> Any:
    """The parameter that stands for the value of ``comparison`` in its statement."""
    value = comparison.value
    match comparison.operator:
        case Operator.CONTAINS:
            return f"%{_escaped(value)}%"
        case Operator.ENDS_WITH:
            return f"%{_escaped(value)}"
        case Operator.STARTS_WITH if not comparison.field.max_length:
            return f"{_escaped(value)}%"
        case _:
            return comparison.field.spec.kind.bound(value)


def _escaped(text: str) -> str:
    """``text`` within a pattern of LIKE."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


@dataclass(frozen=True, slots=True)
class SortKey:
    """A field to sort by, of the record or of the one that ``path`` leads to; dates and moments by the span, of a
    zone, that they lie in."""

    path: tuple[Relation, ...]
    field: Field
    descending: bool = False
    span: tuple[str, str] | None = None

    @property
    def key(self) -> CacheKey:
        return (*[relation.name for relation in self.path], self.field.attribute, self.descending, self.span)


@dataclass(frozen=True, slots=True)
class Selection:
    """What an answer holds of a record: the fields called ``names`` (all where it is None), and related records."""

    names: frozenset[str] | None = None
    expansions: tuple[Expansion, ...] = ()

    @property
    def key(self) -> CacheKey:
        references = sorted(each.relation.reference.attribute for each in self.expansions if not each.relation.many)
        return (self.names, *references)

    @property
    def records(self) -> int:
        """How many records it has at most of each row, the row and what is expanded at every level included."""
        return 1 + sum(each.records for each in self.expansions)

    def of(self, record: dict[str, Any]) -> dict[str, Any]:
        """What is chosen of a whole ``record``."""
        if self.names is None:
            return record
        kept = {"id", *self.names, *(each.relation.name for each in self.expansions)}
        return {name: value for name, value in record.items() if name in kept}


ALL_FIELDS = Selection()


@dataclass(frozen=True, slots=True)
class Expansion:
    """Records that stand beside the one that refers to them, or that they refer to: of many, ``take`` for each."""

    relation: Relation
    selection: Selection = ALL_FIELDS
    where: Condition = MATCH_ALL
    sort: tuple[SortKey, ...] = ()
    take: int = DEFAULT_TAKE

    @property
    def records(self) -> int:
        """How many records stand at most beside each row."""
        return self.selection.records * (self.take if self.relation.many else 1)


class Count(StrEnum):
    """How exactly the matching rows are counted."""

    EXACT = "exact"
    BOUNDED = "bounded"
    NONE = "none"


class RankBy(StrEnum):
    """What a search ranks rows by: its words, its meaning, or both."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Query:
    """One page of a list. ``cursor`` is what the caller sent, empty for the first page of a walk. ``counts`` says that
    the answer tells how its count was made, ``versions`` that it tells the version of each record. ``rank_by`` says
    that the search ranks the rows, which have no other order then. ``is_plain`` says that it asks for equality and a
    window alone, as every list could from the first release on."""

    where: Junction = MATCH_ALL
    search: str = ""
    sort: tuple[SortKey, ...] = ()
    selection: Selection = ALL_FIELDS
    take: int = DEFAULT_TAKE
    skip: int = 0
    cursor: str | None = None
    count: Count = Count.EXACT
    counts: bool = False
    versions: bool = False
    rank_by: RankBy | None = None
    is_plain: bool = True

    def without_search(self) -> Query:
        return replace(self, search="")


PLAIN = Query()


def bound(tree: Condition) -> dict[str, Any]:
    """The parameters of ``tree``, in its order, as the compiled conditions name them."""
    return bound_as(tree, "v", 0)


def bound_as(tree: Condition, name: str, start: int) -> dict[str, Any]:
    """The same, called ``name`` and numbered from ``start``."""
    return {f"{name}{index}": value for index, value in enumerate(tree.values(), start)}


def equals(model: type[Record], **wanted: Any) -> Junction:
    """Rows whose fields, by attribute, have the values ``wanted``."""
    fields = model.fields()
    return Junction(tuple(Comparison(fields[name], Operator.EQ, value) for name, value in wanted.items()))


@dataclass(frozen=True)
class Page:
    """Records of a list by wire name. ``count`` is -1 where nothing was counted; ``next`` is the cursor of the page
    that follows, None at the end or where no cursor was asked for; ``versions`` are by id, where they were. A ranked
    page is ``degraded`` where it was to be ranked by meaning and is not."""

    records: list[dict[str, Any]]
    count: int
    counted: str = "exact"
    has_more: bool = False
    next: str | None = None
    versions: dict[str, int] | None = None
    degraded: bool | None = None
