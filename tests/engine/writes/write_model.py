"""What writes of contacts, companies and deals do, in plain Python: organizations, keys, references and versions."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count

COMPANY, CONTACT, DEAL = "company", "contact", "deal"
WON_FROM = ("lead", "qualified", "proposal", "negotiation")
PROBABILITY = {"lead": 10, "qualified": 25, "proposal": 50, "negotiation": 75, "won": 100, "lost": 0}
STEPS = {
    **{each: {"lead", "qualified", "proposal", "negotiation", "won", "lost"} - {each} for each in WON_FROM},
    "won": {"negotiation"}, "lost": set(WON_FROM),
}  # fmt: skip
DEFAULTS = {
    COMPANY: {"industry": None}, CONTACT: {"title": None},
    DEAL: {"contactId": None, "amount": None, "stage": "lead", "lostReason": None},
}  # fmt: skip


class Refused(Exception):
    """A write that the contract refuses: its status."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


@dataclass
class Row:
    """A record as the reference has it."""

    kind: str
    organization: str
    values: dict
    version: int = 1


@dataclass
class Model:
    """The rows by their names here, which stand for ids."""

    rows: dict = field(default_factory=dict)
    names: count = field(default_factory=lambda: count(1))

    def copy(self):
        return Model(deepcopy(self.rows), self.names)

    def take(self, other):
        self.rows = other.rows

    def visible(self, organizations, kind=None):
        return {name: row for name, row in self.rows.items()
                if row.organization in organizations and kind in (None, row.kind)}  # fmt: skip

    def of(self, kind):
        return [name for name, row in self.rows.items() if row.kind == kind]

    def get(self, organizations, kind, name):
        row = self.visible(organizations, kind).get(name)
        if row is None:
            raise Refused(404)
        return row

    def create(self, caller, kind, values, organization=None):
        organization = organization or caller.home
        if organization not in caller.organizations:
            raise Refused(400)
        row = Row(kind, organization, DEFAULTS[kind] | values)
        self.check_references(caller, row, values)
        self._check_deal(row, named=True)
        if kind == DEAL:
            row.values["probability"] = PROBABILITY[row.values["stage"]]
        self._check_key(row)
        name = f"{kind}{next(self.names)}"
        self.rows[name] = row
        return name

    def update(self, caller, kind, name, values, version=None):
        row = self.get(caller.organizations, kind, name)
        if version is not None and version != row.version:
            raise Refused(412)
        changed = {key: each for key, each in values.items() if row.values[key] != each}
        if "stage" in changed and changed["stage"] not in STEPS[row.values["stage"]]:
            raise Refused(400)
        after = Row(kind, row.organization, row.values | changed, row.version + bool(changed))
        self.check_references(caller, after, changed)
        if changed:
            self._check_deal(after, named=bool({"contactId", "companyId"} & changed.keys()))
        if "stage" in changed:
            after.values["probability"] = PROBABILITY[changed["stage"]]
        if kind == CONTACT and "companyId" in changed:
            self._check_move(name, after)
        self._check_key(after, beside=name)
        self.rows[name] = after

    def delete(self, caller, kind, name, version=None):
        row = self.get(caller.organizations, kind, name)
        if version is not None and version != row.version:
            raise Refused(412)
        if kind == COMPANY and any(each.values.get("companyId") == name for each in self.rows.values()):
            raise Refused(400)
        del self.rows[name]
        for each in self.rows.values():
            if kind == CONTACT and each.values.get("contactId") == name:
                each.values["contactId"] = None
                each.version += 1

    def in_the_way(self, organization, email):
        """The contact that has the key, if there is one."""
        return next((name for name, row in self.rows.items() if row.kind == CONTACT
                     and (row.organization, row.values["email"]) == (organization, email)), None)  # fmt: skip

    def check_references(self, caller, row, named):
        """Refuse what ``named`` refers to where the caller does not see it, or it is elsewhere."""
        for field_name, kind in (("companyId", COMPANY), ("contactId", CONTACT)):
            target = named.get(field_name)
            if target is not None:
                found = self.visible(caller.organizations, kind).get(target)
                within = found is not None and (kind != COMPANY or found.organization == row.organization)
                if not within:
                    raise Refused(400)

    def _check_deal(self, row, *, named):
        if row.kind != DEAL:
            return
        contact = self.rows.get(row.values["contactId"])
        if named and contact is not None and contact.values["companyId"] != row.values["companyId"]:
            raise Refused(400)
        if row.values["stage"] == "lost" and not row.values["lostReason"]:
            raise Refused(400)

    def _check_move(self, name, contact):
        for each in self.rows.values():
            named = each.kind == DEAL and each.values["contactId"] == name
            if named and each.values["companyId"] != contact.values["companyId"]:
                raise Refused(400)

    def _check_key(self, row, beside=None):
        if row.kind == CONTACT and self.in_the_way(row.organization, row.values["email"]) not in (None, beside):
            raise Refused(409)


@dataclass(frozen=True)
class Caller:
    """A user: the actor, the organization that new records are in, and all that the user is a member of."""

    actor: object
    home: str
    organizations: frozenset
