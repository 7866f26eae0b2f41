"""The contract of queries in plain Python: what a caller may see of a world, and which rows a query finds in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cmp_to_key
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from app.ai.models.chats import AiChat, AiMessage
from app.ai_rag.models import AiRagChunk, AiRagDocument, AiRagIndex
from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation, AuthMember, AuthOrganization
from app.crm.models import CrmCompany, CrmContact, CrmDeal
from app.engine.declare import relations
from app.engine.declare.fields import ADMIN_READS, SCOPE_READS, UNLISTED
from app.engine.declare.record import Record
from tests.engine.queries import sharing
from tests.engine.queries.comparing import (
    attribute_of,
    compare,
    is_equality,
    names_of,
    ordered_value,
    total,
    truncated,
    wire,
    words,
)
from tests.engine.queries.world import Caller, Row, World

PARENTS = {AiMessage: ("chat_id", AiChat), AiRagDocument: ("index_id", AiRagIndex),
           AiRagChunk: ("document_id", AiRagDocument)}  # fmt: skip
OPEN = (CrmCompany, AiChat, AiRagIndex)
# Whose rows are a user's, whatever organization they name.
OF_USERS = (AuthUser, AiChat)
SEEN_OF_COLLEAGUES = ("id", "name", "image")
Model = type[Record]


class Reference:
    """Answers for one caller."""

    def __init__(self, world: World, caller: Caller) -> None:
        self.world, self.caller = world, caller
        self.by_id = {model: {row["id"]: row for row in rows} for model, rows in world.rows.items()}

    # Who sees what.

    def is_own(self, model: Model, row: Row, *, may: tuple[str, ...] = ("read", "write")) -> bool:
        """Whether the row is the caller's, or shared with them for what they ``may``."""
        caller = self.caller
        if caller.is_admin:
            return True
        if caller.user_id is None:
            return False
        if model in PARENTS:
            return self.is_own(*self._parent(model, row), may=may)
        if sharing.is_shared(self.world, caller, model, row, may):
            return True
        if model is AuthUser:
            return row["id"] == caller.user_id
        if model is AiChat:
            return row["user_id"] == caller.user_id
        if model is AuthOrganization:
            return row["id"] in caller.roles
        if model is AuthInvitation:
            return row["organization_id"] in caller.managed or row["email"] == caller.email
        assert model in (AuthMember, CrmCompany, CrmContact, CrmDeal, AiRagIndex)
        return row["organization_id"] in caller.roles

    def is_public(self, model: Model, row: Row) -> bool:
        if model in PARENTS:
            return self.is_public(*self._parent(model, row))
        return model in OPEN and row["visibility"] == "public"

    # Grants: at least one of every list, for each operation by itself.

    def is_granted(self, model: Model, row: Row, operation: str, name: str = "") -> bool:
        """Whether grants leave the row, or of it the field called ``name``."""
        for organization, grants in self.caller.lists:
            if organization is not None and self._organization(model, row) != organization:
                continue
            if not any(
                operation in each.get("operations", ("list", "read"))
                and model.qualified_name() in each["models"]
                and (not name or name == "id" or name in each.get("fields", (name,)))
                and self._eyes(organization).meets(model, row, each.get("where", {}))
                for each in grants
            ):
                return False
        return True

    def _eyes(self, organization: UUID | None) -> Reference:
        """Who asks the conditions: the owner of a key, without grants; of a member, all of the organization."""
        whole = replace(self.caller, lists=())
        return OrganizationReference(self.world, whole, organization) if organization else Reference(self.world, whole)

    def _organization(self, model: Model, row: Row) -> UUID | None:
        if model in PARENTS:
            return self._organization(*self._parent(model, row))
        if model is AuthOrganization:
            found: UUID = row["id"]
            return found
        return row.get("organization_id") if model not in OF_USERS else None

    def is_visible(self, model: Model, row: Row, operation: str = "list") -> bool:
        return self._is_visible(model, row) and self.is_granted(model, row, operation)

    def _is_visible(self, model: Model, row: Row) -> bool:
        if self.is_own(model, row) or self.is_public(model, row):
            return True
        if model is not AuthUser or self.caller.user_id is None:
            return False
        theirs = {each["organization_id"] for each in self.world.rows[AuthMember] if each["user_id"] == row["id"]}
        return bool(theirs & set(self.caller.roles))

    def is_listed(self, model: Model, row: Row, asked: list[str]) -> bool:
        opener = PARENTS[model][0] if model in PARENTS else "visibility"
        opened = self.caller.user_id is None or (opener in asked and (model in PARENTS or model in OPEN))
        listed = self.is_own(model, row) or (opened and self.is_public(model, row))
        return listed and self.is_granted(model, row, "list")

    def value(self, model: Model, row: Row, attribute: str, operation: str = "list") -> tuple[bool, Any]:
        """Whether the row shows the field, and what it holds."""
        if not self.is_granted(model, row, operation, model.fields()[attribute].name):
            return False, None
        kept = SCOPE_READS in model.fields()[attribute].spec.flags
        kept = kept or (model is AuthUser and attribute not in SEEN_OF_COLLEAGUES)
        shown = self.is_own(model, row) or not kept
        return shown, row[attribute] if shown else None

    def _parent(self, model: Model, row: Row) -> tuple[Model, Row]:
        attribute, parent = PARENTS[model]
        return parent, self.by_id[parent][row[attribute]]

    # Relations.

    def one(self, model: Model, row: Row, name: str, operation: str = "list") -> tuple[Model, Row | None]:
        relation = relations.of(model)[name]
        _, identifier = self.value(model, row, relation.reference.attribute)
        found = self.by_id[relation.target].get(identifier)
        return relation.target, found if found and self.is_visible(relation.target, found, operation) else None

    def many(self, model: Model, row: Row, name: str) -> tuple[Model, list[Row]]:
        relation = relations.of(model)[name]
        target, attribute = relation.target, relation.reference.attribute
        rows = [each for each in self.world.rows[target] if self.value(target, each, attribute) == (True, row["id"])]
        return target, [each for each in rows if self.is_visible(target, each)]

    # Conditions.

    def meets(self, model: Model, row: Row, where: dict[str, Any]) -> bool:
        return all(self._member(model, row, name, value) for name, value in where.items())

    def _member(self, model: Model, row: Row, name: str, value: Any) -> bool:
        if name == "and":
            return all(self.meets(model, row, each) for each in value)
        if name == "or":
            return any(self.meets(model, row, each) for each in value)
        if name == "not":
            return not self.meets(model, row, value)
        relation = relations.of(model).get(name)
        if relation is None:
            compared = value if isinstance(value, dict) else {"eq": value}
            attribute = attribute_of(model, name)
            shown, stored = self.value(model, row, attribute)
            compared = {name: self.caller.user_id if name == "is" else each for name, each in compared.items()}
            return all(shown and compare(model, attribute, stored, *each) for each in compared.items())
        if not relation.many:
            target, found = self.one(model, row, name)
            return found is not None and self.meets(target, found, value)
        target, rows = self.many(model, row, name)
        quantified = {"some": any, "every": all, "none": lambda each: not any(each)}
        return all(
            quantified[quantifier](self.meets(target, each, inner) for each in rows)
            for quantifier, inner in value.items()
        )

    # Lists.

    def found(self, model: Model, asked: dict[str, Any]) -> list[Row]:
        """All rows that the list has, in its order."""
        where = asked.get("where", {})
        opening = [attribute_of(model, name) for name, value in where.items()
                   if name in names_of(model) and is_equality(value)]  # fmt: skip
        rows = [row for row in self.world.rows[model] if self.is_listed(model, row, opening)]
        rows = [row for row in rows if self.meets(model, row, where)]
        if "search" in asked:
            rows = [row for row in rows if self._matches(model, row, asked["search"])]
        return self.ordered(model, rows, asked.get("sort") or ["-createdAt"])

    def _matches(self, model: Model, row: Row, search: str) -> bool:
        text = " ".join(self.value(model, row, name)[1] or "" for name in model.searchable)
        tokens = words(text)
        return all(any(token.startswith(word) for token in tokens) for word in words(search))

    def ordered(self, model: Model, rows: list[Row], sort: list[str]) -> list[Row]:
        keys = [(self._sorting(model, name.removeprefix("-")), name.startswith("-")) for name in sort]
        if "id" not in [name.removeprefix("-") for name in sort]:
            keys.append((lambda row: row["id"], keys[-1][1]))

        def compared(first: Row, second: Row) -> int:
            for value, descending in keys:
                one, other = value(first), value(second)
                if one == other:
                    continue
                if one is None or other is None:
                    return 1 if one is None else -1
                return (1 if one > other else -1) * (-1 if descending else 1)
            return 0

        return sorted(rows, key=cmp_to_key(compared))

    def _sorting(self, model: Model, name: str) -> Callable[[Row], Any]:
        *steps, last = name.split(".")

        def value(row: Row | None) -> Any:
            target = model
            for step in steps:
                if row is not None:
                    target, row = self.one(target, row, step)
            if row is None:
                return None
            return ordered_value(self.value(target, row, attribute_of(target, last))[1])

        return value

    # Answers.

    def record(self, model: Model, row: Row, chosen: dict[str, Any], operation: str = "list") -> dict[str, Any]:
        """What an answer is known to hold of a row, by wire name: the fields that the world has, and expansions."""
        fields, expand = chosen.get("fields"), chosen.get("expand", {})
        answered = {}
        for name, attribute in names_of(model).items():
            shown, value = self.value(model, row, attribute, operation)
            shown = shown and self._is_in_lists(model, attribute)
            if shown and (fields is None or name in (*fields, "id")):
                answered[name] = wire(value)
        for name, inner in expand.items():
            if relations.of(model)[name].many:
                target, rows = self.many(model, row, name)
                rows = [each for each in rows if self.meets(target, each, inner.get("where", {}))]
                rows = self.ordered(target, rows, inner.get("sort") or ["-createdAt"])[: inner.get("take", 20)]
                answered[name] = [self.record(target, each, inner) for each in rows]
            else:
                target, found = self.one(model, row, name, "read")
                answered[name] = self.record(target, found, inner, "read") if found else None
        return answered

    def _is_in_lists(self, model: Model, attribute: str) -> bool:
        flags = model.fields()[attribute].spec.flags
        return UNLISTED not in flags and (ADMIN_READS not in flags or self.caller.is_admin)

    def sums(self, model: Model, asked: dict[str, Any]) -> list[tuple[Any, ...]]:
        """The groups with their count and their sum, as sets are compared."""
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.found(model, asked):
            key = tuple(self._grouped(model, row, each, asked["timeZone"]) for each in asked["group"])
            groups.setdefault(key, []).append(row)
        if not asked["group"]:
            groups.setdefault((), [])
        measured = asked["measures"].get("sum", [])
        return [
            (key, len(rows), *(total([self.value(model, row, attribute_of(model, name))[1] for row in rows])
                               for name in measured))
            for key, rows in groups.items()
        ]  # fmt: skip

    def _grouped(self, model: Model, row: Row, group: Any, zone: str) -> Any:
        field, unit = (group["field"], group["by"]) if isinstance(group, dict) else (group, None)
        *steps, last = field.split(".")
        found: Row | None = row
        for step in steps:
            if found is not None:
                model, found = self.one(model, found, step)
        value = None if found is None else self.value(model, found, attribute_of(model, last))[1]
        return truncated(value, unit, ZoneInfo(zone)) if unit and value else wire(value)


class OrganizationReference(Reference):
    """Who asks the conditions of a member's grants: all rows of the organization, and of others what the member sees
    of them."""

    def __init__(self, world: World, caller: Caller, organization: UUID) -> None:
        super().__init__(world, caller)
        self.organization = organization

    def _has_organization(self, model: Model) -> bool:
        return model not in OF_USERS and (model not in PARENTS or self._has_organization(PARENTS[model][1]))

    def is_visible(self, model: Model, row: Row, operation: str = "list") -> bool:
        if self._has_organization(model):
            return self._organization(model, row) == self.organization
        return super().is_visible(model, row, operation)

    def value(self, model: Model, row: Row, attribute: str, operation: str = "list") -> tuple[bool, Any]:
        return (True, row[attribute]) if self._has_organization(model) else super().value(model, row, attribute)
