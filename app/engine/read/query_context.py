"""What a caller may ask by: the fields and relations of a model, and the failures that name a location in a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from app.engine.declare import relations
from app.engine.declare.fields import ADMIN_READS, FILTERABLE, SORTABLE
from app.engine.declare.principal import Principal
from app.engine.declare.record import Field, Record
from app.engine.declare.relations import Relation
from app.foundation.errors import Failure, InvalidFilter
from config import Settings


@dataclass(frozen=True)
class QueryContext:
    """A caller with the bounds of what one query may hold; ``max_values`` is that of one list of values."""

    principal: Principal
    settings: Settings
    max_values: int

    def fields(self, model: type[Record]) -> dict[str, Field]:
        """The fields that the caller may read in lists, by wire name."""
        known = readable(model, self.principal.is_admin)
        if self.principal.narrowing is None:
            return known
        reader = self.principal.reader
        return {name: each for name, each in known.items() if name == "id" or reader.shows(model, name, "list")}

    def relations(self, model: type[Record]) -> dict[str, Relation]:
        """The relations that the caller's credential may follow."""
        return {name: each for name, each in relations.of(model).items() if self._admits(model, each)}

    def path(
        self, model: type[Record], steps: Sequence[str], location: str, failure: type[Failure], hops: int = 0
    ) -> tuple[tuple[Relation, ...], type[Record]]:
        """Follow ``steps``, relations to one record, from ``hops`` relations away on. Return them, and the model that
        they lead to; raises ``failure``."""
        if hops + len(steps) > self.settings.max_hops:
            raise invalid(location, f"Goes along more than {self.settings.max_hops} relations.", failure)
        path = []
        for step in steps:
            relation = self.relation(model, step)
            if relation is None or relation.many:
                names = [each.name for each in self.relations(model).values() if not each.many]
                raise invalid(location, f"{step or 'Nothing'} is no relation to one record. {allowed(names)}", failure)
            path.append(relation)
            model = relation.target
        return tuple(path), model

    def relation(self, model: type[Record], name: str, *, expanded: bool = False) -> Relation | None:
        """The relation called ``name``, for conditions or to be ``expanded``; None where the caller follows none."""
        found = relations.of(model).get(name)
        if found is None:
            return None
        return found if self._admits(model, found, expanded=expanded) else None

    def may_search(self, model: type[Record]) -> bool:
        """Whether the caller may search: without a credential only where the policy says so."""
        return not self.principal.is_nobody or model.policy.anonymous_search

    def _admits(self, model: type[Record], relation: Relation, *, expanded: bool = False) -> bool:
        if self.principal.is_nobody and relation.many and not expanded and not model.policy.anonymous_many:
            return False
        return relation.admits(self.principal, "read" if expanded and not relation.many else "list")


@cache
def readable(model: type[Record], is_admin: bool) -> dict[str, Field]:
    """The fields of ``model`` that may be read, by wire name."""
    fields = model.fields().values()
    return {each.name: each for each in fields if each.spec.readable and (is_admin or not _for_admins(each))}


def _for_admins(field: Field) -> bool:
    return ADMIN_READS in field.spec.flags


def filterable(field: Field) -> bool:
    return FILTERABLE in field.spec.flags


def sortable(field: Field) -> bool:
    return SORTABLE in field.spec.flags


def invalid(location: str, message: str, failure: type[Failure] = InvalidFilter) -> Failure:
    """The failure of one location in a query, such as ``amount[gte]`` or ``where.or[1].stage``."""
    return failure(f"Invalid query parameter {location}: {message}", details={"fields": {location: [message]}})


def allowed(names: Iterable[str]) -> str:
    """What is allowed, in words."""
    return f"Allowed: {', '.join(names) or 'nothing'}."
