"""The event of all writes: told once for each record that was created, changed or deleted, whoever wrote it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from app.engine.declare.record import Record
from app.engine.write import inputs

if TYPE_CHECKING:
    from app.engine.write.unit_of_work import Unit

Values = Mapping[str, Any]
# What is called: the unit, the model, the verb (create, update or delete), and values by attribute before and after: of
# an update those that have changed, of a new record none before, of one that is gone none after.
Subscriber = Callable[["Unit", type[Record], str, Values, Values], None]


class RecordChanged:
    """Hears of the writes of models. Of rows that the database removes with others by cascade nobody is told: they may
    be millions."""

    def __init__(self) -> None:
        self.subscribers: dict[type[Record], list[Subscriber]] = defaultdict(list)

    def subscribe(self, *models: type[Record]) -> Callable[[Subscriber], Subscriber]:
        """Call the function for each record of ``models`` that is written, in the transaction that writes it."""

        def register(subscriber: Subscriber) -> Subscriber:
            for model in models:
                self.subscribers[model].append(subscriber)
            return subscriber

        return register

    def has_listeners(self, model: type[Any]) -> bool:
        """Whether anybody hears of records of ``model``."""
        return model in self.subscribers

    def tell(self, unit: Unit, verb: str, record: Record, before: Values) -> None:
        """Tell that ``record`` was written, of whose changed attributes ``before`` has the earlier values."""
        model = type(record)
        if model not in self.subscribers:
            return
        stored = inputs.stored_of(record)
        after = stored if verb == "create" else {name: stored.get(name) for name in before}
        if verb == "delete":
            before = stored
        for subscriber in self.subscribers[model]:
            subscriber(unit, model, verb, before, after)


record_changed = RecordChanged()
