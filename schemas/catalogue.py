"""What the service holds, as one caller may use it: models with their fields, relations, states and operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from marshmallow import fields

from app.engine.declare import relations
from app.engine.declare.catalogue import domains
from app.engine.declare.dictionary import to_dict
from app.engine.declare.fields import ADMIN_READS, CURRENCY
from app.engine.declare.policy import SessionOnly
from app.engine.declare.principal import MANAGERS, Credential, Principal, Reader
from app.engine.declare.record import Field, Record, Setter
from app.engine.declare.scope import Rule, is_nothing
from app.engine.operations.verbs import HISTORY, RESTORE, REVERT, operations
from app.engine.write.upserts import rules_of
from app.extension_points import STUDIO_FOLDERS
from app.platform.comments import takes_comments
from schemas.fields import WireSchema

# What the dictionary says of a model or field that its users have no need of.
STORAGE = ("table", "operations", "sessionOnly", "indexes", "unique", "relations", "fields")
# Catalogues of callers who differ in what they may do.
KEPT = 256
STORED = ("access", "atRest", "attribute", "readableBy", "writableBy")


class Catalogue(WireSchema):
    """The domains with the models that the caller may read."""

    currency = fields.String(required=True, metadata={"description": "That of amounts whose record names none."})
    upload_max_bytes = fields.Integer(
        data_key="uploadMaxBytes",
        required=True,
        metadata={"description": "That an uploaded file may have; buckets have bounds besides."},
    )
    changes_days = fields.Integer(
        data_key="changesDays", required=True, metadata={"description": "How long changes are kept; 0 for not at all."}
    )
    domains = fields.List(fields.Dict(), required=True)
    extensions = fields.List(
        fields.String(), required=True, metadata={"description": "Modules that plugins add to the studio."}
    )


# In how many organizations somebody is changes nothing of this.
ALIKE: dict[Reader, Reader] = {
    Reader.MEMBER_OF_SEVERAL: Reader.MEMBER,
    Reader.MEMBER_OF_SEVERAL_WITH_SHARES: Reader.MEMBER_WITH_SHARES,
}


@dataclass(frozen=True)
class CallerProfile:
    """What decides which models, fields and operations there are for a caller: few callers differ in it."""

    reader: Reader
    writes: bool
    in_person: bool
    is_client: bool
    roles: frozenset[str]

    @classmethod
    def of(cls, principal: Principal) -> CallerProfile:
        """The standing of ``principal``."""
        in_person = principal.credential is Credential.SESSION
        reader = ALIKE.get(principal.reader, principal.reader)
        roles = frozenset(principal.memberships.values())
        return cls(reader, "write" in principal.scopes, in_person, principal.is_client, roles)

    @property
    def is_admin(self) -> bool:
        return self.reader.base is Reader.ADMIN

    def may(self, rule: Rule) -> bool:
        """Whether the rule lets the caller do it anywhere."""
        if rule is Rule.NONE or self.is_admin:
            return rule is not Rule.NONE
        if rule in (Rule.MANAGERS, Rule.OWNERS):
            return bool(self.roles & set(MANAGERS if rule is Rule.MANAGERS else ("owner",)))
        return rule is Rule.SCOPE

    def sets(self, setter: Setter) -> bool:
        return setter is Setter.CALLER or (setter is Setter.ADMIN and self.is_admin)

    def may_read(self, model: type[Record], *operations: str) -> bool:
        """Whether there are records that the caller may ``list`` or ``read``, or both alike."""
        policy = model.policy
        if not any(self.reader.admits(model, each) for each in operations or ("list", "read")):
            return False
        if self.reader.base is Reader.ANONYMOUS:
            return not is_nothing(policy.scope.public_rows(model))
        by_person = policy.session_only is SessionOnly.ALL
        return self.may(policy.list) and (self.in_person or not by_person)

    def may_write(self, model: type[Record], operation: str) -> bool:
        """Whether there are records on which the caller may carry out the operation."""
        policy = model.policy
        if not self.reader.admits(model, operation) or (self.is_client and model.domain == "auth"):
            return False
        if not self.writes or (policy.session_only is not SessionOnly.NEVER and not (self.in_person or self.is_admin)):
            return False
        rule: Rule = getattr(policy, operation)
        if operation == "delete" and rule is not Rule.NONE and (policy.leaves or policy.managed):
            return True
        if operation == "update" and policy.shares and self.reader.base.has_shares:
            return rule not in (Rule.ADMIN, Rule.NONE)
        return self.may(rule) and self.may(policy.scope.writers)

    def shows(self, field: Field, model: type[Record], *operations: str) -> bool:
        """Whether the caller gets the field of some record by one of ``operations``, or sets it."""
        if ADMIN_READS in field.spec.flags and not self.is_admin:
            return False
        return field.name == "id" or any(self.reader.shows(model, field.name, each) for each in operations)

    def operations(self, model: type[Record]) -> dict[str, bool]:
        """Which operations, in the words of grants, the caller may carry out on some record."""
        found = {name: self.may_read(model, name) for name in ("list", "read")}
        found |= {name: self.may_write(model, name) for name in ("create", "update", "delete")}
        whole = {"export": found["list"], "import": found["create"]}
        return found | {name: may and self.reader.admits(model, name) for name, may in whole.items()}

    def access(self, model: type[Record]) -> dict[str, Any]:
        """What the caller may do with records of ``model``, in the words of grants, and which fields some of that is
        about; None for all."""
        operations = [name for name, may in self.operations(model).items() if may]
        known = [field for field in model.fields().values() if field.spec.readable or field.spec.writable]
        shown = [field.name for field in known if self.shows(field, model, *operations)]
        fields = None if self.reader.base is self.reader else shown
        return {"model": model.qualified_name(), "operations": operations, "fields": fields}


def catalogue_for(standing: CallerProfile) -> dict[str, Any]:
    """The catalogue of callers of this standing, as the running application has it."""
    return _catalogue(standing, served())


def served() -> tuple[str, ...]:
    """The domains of the running application: those of another one in the process may be others."""
    return tuple(domain.name for domain in domains())


@lru_cache(maxsize=KEPT)
def _catalogue(standing: CallerProfile, names: tuple[str, ...]) -> dict[str, Any]:
    described = [
        {"name": domain.name, "summary": domain.summary, "models": _models(domain.models, standing)}
        for domain in domains()
    ]
    return {
        "currency": CURRENCY,
        "domains": [domain for domain in described if domain["models"]],
        "extensions": [f"/console/extensions/{name}/index.js" for name in STUDIO_FOLDERS],
    }


def _models(models: tuple[type[Record], ...], standing: CallerProfile) -> list[dict[str, Any]]:
    return [_model(model, standing) for model in models if standing.may_read(model)]


def _model(model: type[Record], standing: CallerProfile) -> dict[str, Any]:
    entry = to_dict(model)
    allowed = standing.operations(model)
    found = {name: value for name, value in entry.items() if name not in STORAGE}
    found["operations"] = allowed
    found["domain"] = model.domain
    found["requiresVersion"] = model.requires_version
    found |= {name: True for name, is_so in _kept_changes(model, allowed, standing).items() if is_so}
    if standing.in_person:
        shown = {"links": model.policy.links, "shares": model.policy.shares}
        found |= {name: allowed["update"] for name, is_open in shown.items() if is_open}
        reads_whole = allowed["read"] and standing.reader.admits_wholly(model, "read")
        found |= {"comments": reads_whole} if takes_comments(model) else {}
    if allowed["create"]:
        found["upsertBy"] = rules_of(model)
    found["relations"] = [
        {"name": each.name, "model": each.target.qualified_name(), "many": each.many, "reference": each.reference.name}
        for each in relations.of(model).values()
        if standing.may_read(each.target) and _is_shown(each.reference, each.target if each.many else model, standing)
    ]
    found["fields"] = [
        _field(field, model, described, allowed, standing)
        for field, described in zip(model.fields().values(), entry["fields"], strict=True)
        if _is_shown(field, model, standing)
    ]
    # A field that can neither be read nor set is none.
    found["fields"] = [each for each in found["fields"] if each.get("readable") or each["settable"]]
    return found | _page(model, {each["name"] for each in found["fields"]})


def _page(model: type[Record], shown: set[str]) -> dict[str, Any]:
    """How the page of a record is laid out, of what is ``shown`` to the caller."""

    def names(attributes: Sequence[str]) -> list[str]:
        return [name for name in (model.fields()[each].name for each in attributes) if name in shown]

    sections = [{"title": title, "fields": names(attributes)} for title, attributes in model.sections.items()]
    page = {"headline": names(model.headline), "sections": [each for each in sections if each["fields"]]}
    return {name: value for name, value in page.items() if value}


def _kept_changes(model: type[Record], allowed: dict[str, bool], standing: CallerProfile) -> dict[str, bool]:
    """What the log of changes offers, where changes are kept."""
    is_wide = model.domain == "auth" and model.cascades_widely
    kept = {operation.verb for operation in operations(model)}
    return {
        "history": HISTORY in kept and allowed["read"],
        "revertible": REVERT in kept and allowed["update"],
        "restorable": RESTORE in kept
        and allowed["delete"]
        and allowed["create"]
        and (standing.is_admin or not is_wide),
        "undoable": model.logged and model.undoable and not model.is_credential,
    }


def _is_shown(field: Field, model: type[Record], standing: CallerProfile) -> bool:
    """Whether the caller reads the field on some record, or sets it."""
    is_known = field.spec.readable or field.spec.writable
    return is_known and standing.shows(field, model, "list", "read", "create", "update")


def _field(
    field: Field, model: type[Record], described: dict[str, Any], allowed: dict[str, bool], standing: CallerProfile
) -> dict[str, Any]:
    found = {name: value for name, value in described.items() if name not in STORED}
    found["readable"] = field.spec.readable and standing.shows(field, model, "list", "read")
    found["required"] = field.required or bool(field.virtual and field.virtual.required)
    setters = {"create": field.set_on_create, "update": field.set_on_update}
    found["settable"] = [
        name
        for name, setter in setters.items()
        if allowed[name] and standing.sets(setter) and standing.shows(field, model, name)
    ]
    # Marks that are not there are false, which keeps the catalogue half as long.
    return {name: value for name, value in found.items() if value is not False}
