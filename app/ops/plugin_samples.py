"""Sample data of plugins: a folder with the records of each model, one JSON object a line, as callers send them. Their
ids are those that the records of the folder name each other by; each load makes new ones."""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import orjson
from marshmallow import ValidationError

from app.engine.declare.principal import Principal
from app.engine.declare.record import Field, Record, Setter
from app.engine.declare.scope import Rule
from app.engine.read.encoding import dumps
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Failure, Invalid
from app.plugins import Plugin
from schemas.derive import create_schema
from schemas.query.finding import find_each

ENDING = ".ndjson"


def dump(plugin: Plugin, principal: Principal, folder: Path) -> dict[str, int]:
    """Write what the principal lists of the models of ``plugin``, the oldest first, into ``folder``, and return how
    many records of each there are. Whose they are is left out: they belong to whoever loads them."""
    found = {model: _told(model, principal) for model in models(plugin)}
    if not any(found.values()):
        raise Invalid(f"There are no records of {plugin.name} to write")
    folder.mkdir(parents=True, exist_ok=True)
    for model, lines in found.items():
        (folder / f"{model.segment}{ENDING}").write_bytes(b"".join(line + b"\n" for line in lines))
    return {model.qualified_name(): len(lines) for model, lines in found.items()}


def load(unit: Unit, plugin: Plugin, folder: Path) -> dict[str, int]:
    """Make the records of ``folder`` for the unit's principal, by the rules of creates, and return how many of each
    model. Raises Invalid with the file and the line of what cannot be made."""
    if unit.principal.organization_id is None:
        raise Invalid("The records belong to an organization: choose a user who is in one")
    ids: dict[str, Any] = {}
    counts = {}
    for model in models(plugin):
        path = folder / f"{model.segment}{ENDING}"
        lines = path.read_bytes().splitlines() if path.exists() else []
        for number, line in enumerate(lines, start=1):
            try:
                _make(unit, model, orjson.loads(line), ids)
            except (ValueError, TypeError, KeyError, ValidationError, Failure) as error:
                raise Invalid(f"{path.name}, line {number}: {error}") from error
        counts[model.qualified_name()] = len(lines)
    return counts


def load_all(plugins: Iterable[Plugin], principal: Principal) -> list[str]:
    """Load the sample data of all ``plugins`` that have some for a user, and return their names."""
    found = [plugin for plugin in plugins if plugin.sample]
    for plugin in found:
        run_unit(principal, load, plugin, Path(plugin.sample))
    return [plugin.name for plugin in found]


def models(plugin: Plugin) -> list[type[Record]]:
    """The models that callers make records of, each after those that it refers to."""
    made = [table for table in plugin.tables() if issubclass(table, Record) and table.policy.create is not Rule.NONE]
    sorter: TopologicalSorter[type[Record]] = TopologicalSorter({model: set() for model in made})
    for model in made:
        targets = {model.target(field.attribute) for field in model.fields().values() if field.references}
        sorter.add(model, *(targets & set(made) - {model}))
    try:
        return list(sorter.static_order())
    except CycleError as error:
        named = " > ".join(model.qualified_name() for model in error.args[1])
        raise Invalid(f"The models refer to each other in a circle, so no order makes them: {named}") from None


def _told(model: type[Record], principal: Principal) -> list[bytes]:
    """The records that the principal lists, each as a line."""
    sent = ["id", *(field.name for field in model.fields().values() if _is_told(field))]
    records = find_each(model, principal, sort=["createdAt"], fields=sent)
    return [dumps({name: each[name] for name in sent if each.get(name) is not None}) for each in records]


def _is_told(field: Field) -> bool:
    """Whether a field is among what somebody else can send, too."""
    whose = field.references in ("auth_user", "auth_organization")
    return field.set_on_create is Setter.CALLER and field.spec.readable and not whose


def _make(unit: Unit, model: type[Record], told: dict[str, Any], ids: dict[str, Any]) -> None:
    """Make a record, in the organization that the principal acts in; what it refers to outside of the folder is left
    out."""
    identifier = told.pop("id")
    for field in model.fields().values():
        if field.references == "auth_organization" and field.set_on_create is Setter.CALLER:
            told[field.name] = str(unit.principal.organization_id)
        elif field.references and field.name in told:
            named = ids.get(told.pop(field.name))
            if named is not None:
                told[field.name] = str(named)
    ids[identifier] = unit.create(model, create_schema(model).load(told))["id"]
