"""Who may hear of a change: open streams by whose records their callers have, so that those of others cost nothing."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from uuid import UUID

from app.engine.changes.judgments import roots
from app.engine.changes.telling import Candidate
from app.engine.declare.catalogue import every_model
from app.engine.declare.record import Record
from app.engine.declare.scopes import Organization, Owner, Parent
from app.live.change_stream import ChangeStream


class Audience:
    """The open streams of changes. Whether one is really told, the policy says when it is judged."""

    def __init__(self) -> None:
        self._all: set[ChangeStream] = set()
        self._by_organization: dict[UUID, set[ChangeStream]] = defaultdict(set)
        self._by_user: dict[UUID, set[ChangeStream]] = defaultdict(set)
        # Of admins, and of those with whom records are shared one by one.
        self._of_everything: set[ChangeStream] = set()

    def add(self, stream: ChangeStream) -> None:
        """Count a stream in, by the rights that its caller has."""
        self._all.add(stream)
        for streams in self._sets(stream):
            streams.add(stream)

    def remove(self, stream: ChangeStream) -> None:
        """Count a stream out; its caller has the rights of when it was added."""
        self._all.discard(stream)
        for streams in self._sets(stream):
            streams.discard(stream)
        # Of organizations and users without a stream nothing stays.
        for sets, ids in ((self._by_organization, stream.principal.memberships), (self._by_user, (stream.owner,))):
            for each in ids:
                if not sets[each]:
                    del sets[each]

    def of(self, change: Candidate) -> set[ChangeStream]:
        """Return the streams that follow the model of a change, and whose callers may have had or have its record."""
        found = self._all
        model = _models().get(change.model)
        if model is not None and not change.is_public and _says_whose(model) and not _moves(model, change):
            found = self._of_everything | self._by_user.get(change.owner_id, set())  # type: ignore[arg-type]
            found |= self._by_organization.get(change.organization_id, set())  # type: ignore[arg-type]
        return {stream for stream in found if change.model in stream.models}

    def _sets(self, stream: ChangeStream) -> list[set[ChangeStream]]:
        principal = stream.principal
        sets = [self._by_organization[each] for each in principal.memberships]
        sets.append(self._by_user[stream.owner])
        return [*sets, self._of_everything] if principal.is_admin or principal.recipients else sets


@cache
def _models() -> dict[str, type[Record]]:
    return {model.qualified_name(): model for model in every_model()}


@cache
def _says_whose(model: type[Record]) -> bool:
    """Whether the organization and the owner that the log has of a record say whose it is, but for what is public."""
    *below, top = (each.policy.scope for each in (model, *roots(model)))
    # What is put together, or made by others, may have further readers.
    if any(type(scope) is not Parent for scope in below):
        return False
    if type(top) is Owner:
        return not top.co_members
    return type(top) is Organization and not top.addressee


def _moves(model: type[Record], change: Candidate) -> bool:
    """Whether a change may have made a record somebody else's, or nobody can tell whose it was."""
    is_nobodys = change.organization_id is None and change.owner_id is None
    return is_nobodys or (change.operation == "update" and not _deciding(model).isdisjoint(change.changed))


@cache
def _deciding(model: type[Record]) -> frozenset[str]:
    """The columns that say whose a record is, and whether it is public."""
    fields = model.fields()
    named = (fields[name].column for name in (*model.policy.scope.columns(), model.policy.scope.parent_column) if name)
    return frozenset(column.name for column in named if column is not None)
