"""Relations between models, derived from their references: to the one row that a reference names, and back to many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.declare.fields import ADMIN_READS
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import Credential, Principal
from app.engine.declare.scope import Rule
from config import SettingError

if TYPE_CHECKING:
    from app.engine.declare.record import Field, Record

# The parameters of lists and sums, which no field can be called.
RESERVED = frozenset({
    "take", "skip", "where", "search", "sort", "fields", "expand", "cursor", "count", "api_key",
    "group", "sum", "avg", "min", "max", "countDistinct", "timeZone",
})  # fmt: skip
# The words of conditions.
WORDS = frozenset({"and", "or", "not"})


@dataclass(frozen=True, eq=False)
class Relation:
    """A way from ``model`` to rows of ``target``. ``reference`` is the field that holds the id: of ``model`` where it
    leads to one row, of ``target`` where it leads to ``many``."""

    name: str
    model: type[Record]
    target: type[Record]
    reference: Field
    many: bool

    def admits(self, principal: Principal, operation: str = "list") -> bool:
        """Whether the credential may read the target and the reference at all: ``list`` the target, as conditions and
        expansions of many do, or ``read`` it."""
        reader, holder = principal.reader, self.target if self.many else self.model
        if not reader.admits(self.target, operation) or not any(
            reader.shows(holder, self.reference.name, each) for each in ("list", "read")
        ):
            return False
        if ADMIN_READS in self.reference.spec.flags and not principal.is_admin:
            return False
        policy = self.target.policy
        if policy.scope.readers is Rule.ADMIN and not principal.is_admin:
            return False
        by_session = principal.credential in (Credential.SESSION, Credential.SYSTEM)
        return by_session or policy.session_only is not SessionOnly.ALL


_relations: dict[type[Record], dict[str, Relation]] = {}


def of(model: type[Record]) -> dict[str, Relation]:
    """The relations of ``model`` by name, those to one row first."""
    return _relations.get(model, {})


def derive(models: Sequence[type[Record]]) -> None:
    """Find the relations of all ``models``; raises SettingError where a name is taken."""
    _check_fields(models)
    plurals: dict[str, type[Record]] = {}
    for model in models:
        other = plurals.setdefault(model.plural_name(), model)
        if other is not model:
            names = f"{other.qualified_name()} and {model.qualified_name()}"
            raise SettingError(f"{names} are both called {model.plural_name()}: declare another plural")
    _relations.update({model: {} for model in models})
    references = [
        (model, field)
        for model in models
        for field in model.fields().values()
        if field.references and field.spec.readable
    ]
    for model, field in references:
        _add(Relation(_name_of_one(field), model, model.target(field.attribute), field, many=False))
    meeting: dict[tuple[type[Record], type[Record]], list[Field]] = defaultdict(list)
    for model, field in references:
        meeting[model, model.target(field.attribute)].append(field)
    for (model, target), fields in meeting.items():
        for field in fields:
            name = model.plural_name()
            if len(fields) > 1:
                called = _name_of_one(field)
                name = f"{name}By{called[0].upper()}{called[1:]}"
            _add(Relation(name, target, model, field, many=True))


def _name_of_one(field: Field) -> str:
    return getattr(field.spec.kind, "relation", "") or field.name.removesuffix("Id")


def _add(relation: Relation) -> None:
    model, name = relation.model, relation.name
    taken = {field.name for field in model.fields().values()}
    if name in taken or name in _relations[model] or name in WORDS:
        holder = f"{relation.target.qualified_name()}.{relation.reference.name}"
        raise SettingError(f"The relation {name} of {model.qualified_name()}, by {holder}, meets another name there")
    _relations[model][name] = relation


def _check_fields(models: Sequence[type[Record]]) -> None:
    for model in models:
        for field in model.fields().values():
            if field.spec.readable and field.name in RESERVED | WORDS:
                raise SettingError(f"{model.qualified_name()}.{field.name}: lists have a parameter of this name")
