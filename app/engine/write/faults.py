"""What is wrong with the records of one request: each by its index, and together one failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from app.engine.read.database import DRIVER_ERRORS, LostRace, OutcomeUnknown, translated
from app.foundation.errors import Failure, Unavailable
from app.runtime.turns import yield_if_overdue

# Of more faults than this the first are told.
MAX_TOLD = 100
# What says nothing of a record.
PASSING = (LostRace, OutcomeUnknown, Unavailable)


class ItemsRefused(Failure):
    """Records of a request that were refused, and the whole request with them: it has the status and code of the
    first, and tells each (``items``)."""

    def __init__(self, faults: Mapping[int, Failure]) -> None:
        indexes = sorted(faults)
        first = faults[indexes[0]]
        items = [item(index, faults[index]) for index in indexes[:MAX_TOLD]]
        super().__init__(f"Record {indexes[0]}: {first.text}", details={"items": items}, headers=first.headers)
        self.status, self.code = first.status, first.code
        self.faults = faults


def item(index: int, failure: Failure) -> dict[str, Any]:
    """What is told of one refused record."""
    rest = {name: value for name, value in failure.details.items() if name != "fields"}
    return {"index": index, "code": failure.code, "fields": failure.details.get("fields", {})} | rest


class Faults(dict[int, Failure]):
    """The faults found so far, by the index of the record in the request."""

    @contextmanager
    def of(self, index: int) -> Iterator[None]:
        """Note the failure of the record at ``index``, and go on with the next one. What says nothing of the record
        itself passes. Each record is a turn, so that a thousand of them keep nobody waiting."""
        yield_if_overdue()
        try:
            yield
        except PASSING:
            raise
        except Failure as failure:
            self[index] = failure

    @contextmanager
    def among(self, indexes: Sequence[int], *, removing: bool = False) -> Iterator[None]:
        """Do what cannot go on after the failure of one of the records at ``indexes``: of the only one, or of the one
        that the failure names by its index among them. Raises what ``check`` does."""
        yield_if_overdue()
        try:
            try:
                yield
            except DRIVER_ERRORS as error:
                if len(indexes) > 1:
                    raise
                raise translated(error, removing=removing) from error
        except PASSING:
            raise
        except Failure as failure:
            index = 0 if len(indexes) == 1 else failure.record_index
            if index is None:
                raise
            self[indexes[index]] = failure
            self.check()

    def check(self) -> None:
        """Raise ItemsRefused if any record was refused."""
        if self:
            raise ItemsRefused(self)


class FirstFault(Faults):
    """The faults of a write of one record: the first one is raised as it is."""

    def of(self, index: int) -> AbstractContextManager[None]:  # type: ignore[override]
        """Let a failure pass."""
        return PASSING_ALL

    def among(  # type: ignore[override]
        self, indexes: Sequence[int], *, removing: bool = False
    ) -> AbstractContextManager[None]:
        """Let a failure pass."""
        return PASSING_ALL

    def __setitem__(self, index: int, failure: Failure) -> None:
        raise failure


PASSING_ALL = nullcontext()
