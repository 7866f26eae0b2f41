"""The contract of grants over writes in plain Python: what changing, making and removing a row answers, by status."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.crm.models import CrmCompany, CrmContact, CrmDeal
from tests.engine.queries.comparing import names_of
from tests.engine.queries.reference import Model, Reference
from tests.engine.queries.world import Caller, Row, World


def operations_of(caller: Caller, model: Model) -> set[str]:
    """What every list that holds wherever the caller acts opens; what none does is refused before any lookup."""
    opened = {"list", "read", "create", "update", "delete"}
    for grants in _everywhere(caller):
        opened &= {name for each in grants if model.qualified_name() in each["models"] for name in each["operations"]}
    return opened


def fields_of(caller: Caller, model: Model, operation: str = "list") -> set[str]:
    """The fields that some grant of every such list leaves; naming others is refused."""
    names = {field.name for field in model.fields().values()}
    for grants in _everywhere(caller):
        opening = [each for each in grants if model.qualified_name() in each["models"]
                   and operation in each["operations"]]  # fmt: skip
        names &= set().union(*(each.get("fields", names) for each in opening)) | {"id"} if opening else set()
    return names


def _everywhere(caller: Caller) -> list[list[dict[str, Any]]]:
    return [grants for organization, grants in caller.lists if organization is None or len(caller.roles) == 1]


def status_of_update(world: World, caller: Caller, model: Model, row: Row, sent: dict[str, Any]) -> int:
    """What ``sent``, by wire name, answers of a row."""
    reference, attributes = Reference(world, caller), names_of(model)
    if (refused := _kept(reference, model, row, "update")) is not None:
        return refused
    if set(sent) - fields_of(caller, model, "update"):
        return 400
    changed = {attributes[name]: value for name, value in sent.items() if row[attributes[name]] != value}
    if not all(_is_left(reference, model, row, "update", name) for name in changed):
        return 403
    if {"visibility", "organization_id"} & changed.keys() and not reference.is_own(model, row, may=()):
        return 403
    after = row | changed
    later = Reference(with_row(world, model, after), caller)
    return 200 if all(_is_left(later, model, after, "update", name) for name in ("id", *changed)) else 403


def status_of_delete(world: World, caller: Caller, model: Model, row: Row) -> int:
    """What removing a row that nothing refers to answers."""
    refused = _kept(Reference(world, caller), model, row, "delete")
    return 200 if refused is None else refused


def status_of_create(world: World, caller: Caller, model: Model, row: Row, sent: dict[str, Any]) -> int:
    """What making a row answers, of which ``sent`` is in the body."""
    if "create" not in operations_of(caller, model):
        return 403
    if set(sent) - fields_of(caller, model, "create"):
        return 400
    attributes = [names_of(model)[name] for name in sent]
    if not _names_its_own(Reference(world, caller), row):
        return 400
    later = Reference(with_row(world, model, row), caller)
    return 201 if all(_is_left(later, model, row, "create", name) for name in ("id", *attributes)) else 403


def _kept(reference: Reference, model: Model, row: Row, operation: str) -> int | None:
    """403 for what no grant opens, before any lookup; 404 for a row that the caller does not see, and 403 for one that
    the caller sees and may not write."""
    if operation not in operations_of(reference.caller, model):
        return 403
    is_left = reference.is_granted(model, row, operation)
    sees = reference._is_visible(model, row) and (is_left or reference.is_granted(model, row, "read"))
    if not sees:
        return 404
    shared_for = () if operation == "delete" else ("write",)
    return None if reference.is_own(model, row, may=shared_for) and is_left else 403


def _names_its_own(reference: Reference, row: Row) -> bool:
    """Whether the company that a row names, and that cannot go while it does, is the caller's, of the organization of
    the row, and read by the caller."""
    found = reference.by_id[CrmCompany][row["company_id"]]
    is_own = reference.is_own(CrmCompany, found, may=()) and found["organization_id"] == row["organization_id"]
    return is_own and reference.is_granted(CrmCompany, found, "read")


def _is_left(reference: Reference, model: Model, row: Row, operation: str, attribute: str) -> bool:
    return reference.is_granted(model, row, operation, model.fields()[attribute].name)


def with_row(world: World, model: Model, row: Row) -> World:
    """The world with a row as it is by now."""
    rows = [each for each in world.rows[model] if each["id"] != row["id"]]
    return replace(world, rows={**world.rows, model: [*rows, row]})


# What is changed by hand here: fields that no hook and no rule of another row follows.
CHANGED: dict[Model, tuple[str, ...]] = {
    CrmCompany: ("name", "industry", "visibility", "revenue", "employees"),
    CrmContact: ("firstName", "title"),
    CrmDeal: ("name", "amount", "currency", "priority", "description"),
}
