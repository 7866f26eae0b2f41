"""The verbs of records, listed once. Routes, batches, the description of the API and its clients bind operations, which
are verbs of a model; none of them has a list of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.engine.declare.record import Record
from app.engine.declare.scope import Rule


@dataclass(frozen=True)
class Verb:
    """Something that callers do with the records of a model. ``rule`` is the rule of the policy that admits it; what
    ``reads`` changes nothing. ``private`` verbs are closed to admins who impersonate. A caller with grants needs one of
    that rule, and of every operation in ``besides``."""

    name: str
    rule: str
    reads: bool = False
    private: bool = False
    besides: tuple[str, ...] = ()

    @property
    def granted_by(self) -> tuple[str, ...]:
        """The operations that grants have to open."""
        return (self.rule, *self.besides)


LIST = Verb("list", "list", reads=True)
READ = Verb("read", "read", reads=True)
QUERY = Verb("query", "list", reads=True)
AGGREGATE = Verb("aggregate", "list", reads=True)
QUERY_AGGREGATE = Verb("queryAggregate", "list", reads=True)
EXPORT = Verb("export", "list", reads=True, private=True, besides=("export",))
CREATE = Verb("create", "create")
UPDATE = Verb("update", "update")
DELETE = Verb("delete", "delete")
UPDATE_MANY = Verb("updateMany", "update")
DELETE_MANY = Verb("deleteMany", "delete")
UPDATE_MATCHING = Verb("updateMatching", "update", besides=("list",))
DELETE_MATCHING = Verb("deleteMatching", "delete", besides=("list",))
IMPORT = Verb("import", "create", besides=("import",))
VERBS = (
    LIST, CREATE, READ, UPDATE, DELETE, QUERY, AGGREGATE, QUERY_AGGREGATE, EXPORT, UPDATE_MANY, UPDATE_MATCHING,
    DELETE_MANY, DELETE_MATCHING, IMPORT,
)  # fmt: skip


@dataclass(frozen=True)
class RecordOperation:
    """A verb of a model."""

    model: type[Record]
    verb: Verb

    @property
    def rule(self) -> Rule:
        """Who may do it."""
        rule: Rule = getattr(self.model.policy, self.verb.rule)
        return rule


def operations(model: type[Record]) -> Iterator[RecordOperation]:
    """Yield what somebody may do with records of ``model``."""
    for operation in (RecordOperation(model, verb) for verb in VERBS):
        if operation.rule is not Rule.NONE:
            yield operation
