"""The verbs of records, listed once. Routes, batches, the description of the API and its clients bind operations, which
are verbs of a model; none of them has a list of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.engine.declare.files import File
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
DELETED = Verb("deleted", "delete", reads=True, private=True)
RESTORE = Verb("restore", "create", besides=("delete",))
QUERY = Verb("query", "list", reads=True)
AGGREGATE = Verb("aggregate", "list", reads=True)
QUERY_AGGREGATE = Verb("queryAggregate", "list", reads=True)
FILE = Verb("file", "read", reads=True)
HISTORY = Verb("history", "read", reads=True, private=True)
EXPORT = Verb("export", "list", reads=True, private=True, besides=("export",))
CREATE = Verb("create", "create")
UPDATE = Verb("update", "update")
REVERT = Verb("revert", "update", besides=("read",))
DELETE = Verb("delete", "delete")
UPDATE_MANY = Verb("updateMany", "update")
DELETE_MANY = Verb("deleteMany", "delete")
UPDATE_MATCHING = Verb("updateMatching", "update", besides=("list",))
DELETE_MATCHING = Verb("deleteMatching", "delete", besides=("list",))
IMPORT = Verb("import", "create", besides=("import",))
VERBS = (
    LIST, CREATE, READ, UPDATE, DELETE, FILE, HISTORY, REVERT, DELETED, RESTORE, QUERY, AGGREGATE, QUERY_AGGREGATE,
    EXPORT, UPDATE_MANY, UPDATE_MATCHING, DELETE_MANY, DELETE_MATCHING, IMPORT,
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
        if operation.rule is not Rule.NONE and _is_kept_for(operation):
            yield operation


def _is_kept_for(operation: RecordOperation) -> bool:
    """Whether the model and the log have what the operation needs. Changes of credentials are never taken back, and
    what nobody could make does not come back."""
    model, verb = operation.model, operation.verb
    if verb is FILE:
        return any(isinstance(field.spec.kind, File) and field.spec.readable for field in model.fields().values())
    if verb in (DELETED, RESTORE) and Rule.NONE in (model.policy.create, model.policy.delete):
        return False
    if verb in (REVERT, DELETED, RESTORE) and model.is_credential:
        return False
    return model.logged or verb not in (HISTORY, REVERT, DELETED, RESTORE)
