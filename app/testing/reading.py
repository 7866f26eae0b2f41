"""The rules of the data dictionary, read a second time: the status that each kind of caller is to get."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from app.engine.declare.record import Record

KEYS = ("anonymous", "read_key", "write_key", "stranger_key", "empty_key", "narrowed_key")
# Accounts, which a star leaves out.
APART = "auth/"
WRITES = ("create", "update", "delete")
PARTED = ("anyOf", "allOf")
SIMPLE = {"owner", "organization", "parent", "public", "admin"}
Model = type[Record]
Entry = dict[str, Any]


class Reading:
    """A dictionary, as ``rowgate resources --json`` prints it. ``apart`` has operations on models that go by further
    rules, which have tests of their own."""

    def __init__(self, dictionary: Mapping[str, Any], apart: Collection[tuple[Model, str]] = ()) -> None:
        self.entries: dict[str, Entry] = {
            f"{domain['name']}/{model['name']}": model for domain in dictionary["domains"] for model in domain["models"]
        }
        self.apart = apart

    def entry(self, model: Model) -> Entry:
        """What the dictionary says of a model."""
        return self.entries[model.qualified_name()]

    def status(self, model: Model, operation: str, name: str) -> int | None:
        """The status by the dictionary, or None where another rule decides."""
        rule = self.entry(model)["operations"][operation]
        if rule == "none":
            return 405
        if name == "nobody":
            return self.nobodys_status(model, operation)
        if self.refused_credential(model, operation, name):
            return 403
        if name == "empty_key" or (name == "narrowed_key" and self._is_closed(model, operation)):
            return 403
        if (model, operation) in self.apart:
            return None
        if name == "narrowed_member":
            return self.narrowed_status(model, operation)
        if operation == "list":
            return 200
        return {"read": self.read_status, "create": self.create_status}.get(operation, self.write_status)(
            model, rule, name
        )

    def nobodys_status(self, model: Model, operation: str) -> int | None:
        """The status without a credential. What is made names a form of the owner, which has to be public."""
        if operation not in self.entry(model).get("withoutCredential", ()):
            return 401
        if operation == "read":
            return 200 if self._is_met(self.entry(model), self.readers(model), "") else 404
        return 200 if operation == "list" else None

    def _is_closed(self, model: Model, operation: str) -> bool:
        """Whether grants of reading all but accounts close the operation."""
        return operation in WRITES or model.qualified_name().startswith(APART)

    def narrowed_status(self, model: Model, operation: str) -> int | None:
        """The status of a member who may read what the organization shares, but for accounts, and write nothing of it.
        Elsewhere such a member is one like any."""
        entry = self.entry(model)
        if self.combines(model) or entry["scope"]["kind"] not in ("organization", "parent", "owner"):
            return None
        if self.root_scope(model)["kind"] != "organization":
            return self.status(model, operation, "member")
        if operation == "list":
            return 200
        if model.qualified_name().startswith(APART):
            return None
        member = self.status(model, operation, "member")
        return member if operation == "read" or member is None or member >= 400 else 403

    def refused_credential(self, model: Model, operation: str, name: str) -> bool:
        """Whether the kind of credential is enough to refuse it."""
        if name in ("anonymous", "read_key") and operation in WRITES:
            return True
        session_only = self.entry(model).get("sessionOnly")
        return name in KEYS and (session_only == "all" or (session_only == "writes" and operation in WRITES))

    def sees(self, model: Model, name: str) -> bool:
        """Whether the caller sees a record that the owner has made."""
        return name == "admin" or self._is_met(self.entry(model), self.readers(model), name)

    def readers(self, model: Model) -> Entry:
        """The scope of those who read."""
        scope: Entry = self.entry(model)["scope"]
        readers: Entry = scope.get("readers", scope)
        return readers

    def writers(self, model: Model) -> Entry:
        """The scope of those who write."""
        scope: Entry = self.entry(model)["scope"]
        writers: Entry = scope.get("writers", scope)
        return writers

    def _is_met(self, entry: Entry, scope: Entry, name: str) -> bool:
        """Whether a record in the state that the owner makes it in is in the scope, for the caller."""
        if scope["kind"] in PARTED:
            return (any if scope["kind"] == "anyOf" else all)(self._is_met(entry, part, name) for part in scope["of"])
        if scope["kind"] == "where":
            fields = {field["name"]: field for field in entry["fields"]}
            return all(fields[name].get("default") in values for name, values in scope["values"].items())
        if self._is_public_at_first(entry, scope):
            return True
        if scope["kind"] == "through":
            followed = next(field for field in entry["fields"] if field["name"] == scope["column"])
            target = self.entries[followed["references"]["model"]]
            return self._is_met(target, target["scope"].get("readers", target["scope"]), name)
        if scope["kind"] not in ("owner", "organization", "parent"):
            return False
        if name != "member":
            return name in ("owner", "read_key", "write_key", "narrowed_key")
        return self._root_scope(entry, scope)["kind"] == "organization" and scope.get("read") != "managers"

    def may_be_public(self, model: Model) -> bool:
        """Whether strangers may find records in their lists that the owner has made."""
        is_public = self.entry(model)["scope"]["kind"] == "public"
        return is_public or self._is_met(self.entry(model), self.readers(model), "")

    def is_public_from_the_start(self, model: Model) -> bool:
        """Whether anonymous and other callers may read a record in the state that it is made in."""
        return self._is_public_at_first(self.entry(model), self.readers(model))

    def _is_public_at_first(self, entry: Entry, scope: Entry) -> bool:
        if scope["kind"] == "everybody":
            return True
        if scope["kind"] == "parent":
            above = self.entries[scope["parent"]]
            readers = above["scope"].get("readers", above["scope"])
            return scope.get("inheritsPublic", True) and self._is_public_at_first(above, readers)
        fields = {field["name"]: field for field in entry["fields"]}
        public = scope.get("publicWhen", {}).items()
        return any(fields[name].get("default") in values for name, values in public)

    def root_scope(self, model: Model) -> Entry:
        """The scope at the end of the way from parent to parent."""
        return self._root_scope(self.entry(model), self.writers(model))

    def _root_scope(self, entry: Entry, scope: Entry) -> Entry:
        while scope["kind"] == "parent":
            scope = self.entries[scope["parent"]]["scope"]
        return scope

    def combines(self, model: Model) -> bool:
        """Whether the rules of the model, or of what it lies below, are put together."""
        return not {self.entry(model)["scope"]["kind"], self.root_scope(model)["kind"]} <= SIMPLE

    def read_status(self, model: Model, rule: str, name: str) -> int | None:
        return 200 if self.sees(model, name) else 404

    def create_status(self, model: Model, rule: str, name: str) -> int | None:
        if rule == "admin" and name != "admin":
            return 403
        if name == "member" and self.combines(model):
            return None
        return self.member_create_status(model, rule) if name == "member" else 201

    def member_create_status(self, model: Model, rule: str) -> int | None:
        """A plain member adds to what the organization shares, and not to what belongs to the owner alone."""
        entry, root = self.entry(model), self.root_scope(model)
        kind = entry["scope"]["kind"]
        if kind == "owner":
            return None if any(field.get("required") and "references" in field for field in entry["fields"]) else 201
        if kind == "parent":
            if root["kind"] == "owner":  # which is not there for them, or is there to be read
                return 403 if self.is_public_from_the_start(model) else 400
            return 403 if root.get("write") == "managers" else None
        return 403 if rule in ("managers", "owners") or entry["scope"].get("write") == "managers" else 201

    def write_status(self, model: Model, rule: str, name: str) -> int | None:
        if not self.sees(model, name):
            return 404
        if rule == "admin":
            return 200 if name == "admin" else 403
        if self.combines(model):
            is_met = name == "admin" or self._is_met(self.entry(model), self.writers(model), name)
            return None if self.root_scope(model)["kind"] not in SIMPLE else 200 if is_met else 403
        scopes = (self.entry(model)["scope"], self.root_scope(model))
        if name == "stranger_key" or (name == "member" and scopes[1]["kind"] == "owner"):
            return 403  # what it sees is public
        if name != "member":
            return 200
        narrowed = rule in ("managers", "owners") or any(each.get("write") == "managers" for each in scopes)
        return 403 if narrowed else 200
