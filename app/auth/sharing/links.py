"""Links that show one record, and what belongs to it, to whoever has them.

The record is read as its maker may read it now, narrowed to that record: a link of somebody who has left, is banned or
sees the record no longer shows nothing. Fields that only those see whose record it is are not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from uuid import UUID

from sqlalchemy import delete, select, update

from app.auth.accounts import users
from app.auth.models.organizations import AuthOrganization
from app.auth.models.sharing import AuthLink
from app.auth.sharing.shareable import Model, children, organization_of, require_shareable
from app.engine.declare.catalogue import find_model
from app.engine.declare.fields import ADMIN_READS, SCOPE_READS
from app.engine.declare.kind import Operator
from app.engine.declare.principal import SYSTEM, Credential, Principal
from app.engine.declare.record import Field
from app.engine.read import records
from app.engine.read.database import reading
from app.engine.read.encoding import Representation
from app.engine.read.grants import Grant, GrantList, Narrowing
from app.engine.read.query import Comparison, Expansion, Junction, Selection
from app.engine.write import audit
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation import crypto
from app.foundation.clock import now, wire
from app.foundation.errors import Conflict, Forbidden, NotFound, require_found

MOST_OF_A_RECORD = 20
LIFE, LONGEST = timedelta(days=7), timedelta(days=365)
# Of what belongs to a record, of each kind.
MOST_CHILDREN = 100
MAX_LENGTH = 100


@dataclass(frozen=True)
class Shown:
    """What a link shows."""

    model: Model
    record: Representation
    until: datetime


def make(unit: Unit, model: Model, identifier: UUID, until: datetime | None) -> tuple[AuthLink, str]:
    """A new link of a record, and its secret. Raises NotFound, Forbidden and Conflict."""
    record = require_shareable(unit, model, identifier)
    organization_id = organization_of(record)
    if organization_id is not None and not unit.get(AuthOrganization, organization_id).public_links:
        raise Forbidden("The organization has switched links off")
    unit.lock(f"links of {identifier}")
    if len(_living(unit, model, identifier)) >= MOST_OF_A_RECORD:
        raise Conflict(f"A record has at most {MOST_OF_A_RECORD} links at a time")
    secret = crypto.link_secret()
    link = AuthLink(
        token_hash=crypto.vault().digest(secret), model=model.qualified_name(), record_id=identifier,
        organization_id=organization_id, created_by_id=unit.principal.user_id, expires_at=until or now() + LIFE,
    )  # fmt: skip
    unit.store(link)
    audit.note(unit, "auth.link.create", record, changes={"link": str(link.id), "until": wire(link.expires_at)})
    return link, secret


def of_record(unit: Unit, model: Model, identifier: UUID) -> Sequence[AuthLink]:
    """The links of a record that have not ended, newest first. Raises NotFound and Forbidden."""
    require_shareable(unit, model, identifier)
    return _living(unit, model, identifier)


def revoke(unit: Unit, model: Model, identifier: UUID, link_id: UUID) -> None:
    """End a link of a record. Raises NotFound and Forbidden."""
    record = require_shareable(unit, model, identifier)
    if not unit.bookkeep(delete(AuthLink).where(AuthLink.id == link_id, AuthLink.record_id == identifier)):
        raise NotFound()
    audit.note(unit, "auth.link.delete", record, changes={"link": str(link_id)})


def show(secret: str, caller_id: UUID) -> Shown:
    """What a link shows, counted; ``caller_id`` is the network that asks. Raises NotFound, alike for links that never
    were, have ended, or are of what their makers do not see any more."""
    if len(secret) > MAX_LENGTH:
        raise NotFound()
    with reading() as session:
        found = session.execute(
            select(AuthLink, AuthOrganization.public_links)
            .outerjoin(AuthOrganization, AuthOrganization.id == AuthLink.organization_id)
            .where(AuthLink.token_hash == crypto.vault().digest(secret), AuthLink.expires_at > now())
        ).one_or_none()
        link, is_allowed = require_found(found)
        model = require_found(model_of(link.model))
        if is_allowed is False:
            raise NotFound()
        maker = (
            users.user_principal(session, link.created_by_id)
            if link.organization_id is None
            else users.member_principal(session, link.created_by_id, link.organization_id)
        )
    reader = _narrowed(require_found(maker), model, link.record_id, caller_id)
    expanded = tuple(Expansion(each, take=MOST_CHILDREN) for each in children(model))
    record = records.get(model, reader, link.record_id, Selection(None, expanded))
    used = update(AuthLink).where(AuthLink.id == link.id).values(uses=AuthLink.uses + 1, last_used_at=now())
    run_unit(SYSTEM, Unit.bookkeep, used)
    return Shown(model, record, link.expires_at)


def model_of(name: str) -> Model | None:
    """The model called ``name``, where its policy takes links."""
    found = find_model(name)
    return found if found is not None and found.policy.links else None


def _living(unit: Unit, model: Model, identifier: UUID) -> Sequence[AuthLink]:
    of_it = (AuthLink.record_id == identifier, AuthLink.model == model.qualified_name(), AuthLink.expires_at > now())
    return unit.session.scalars(select(AuthLink).where(*of_it).order_by(AuthLink.created_at.desc())).all()


def _narrowed(maker: Principal, model: Model, identifier: UUID, caller_id: UUID) -> Principal:
    """The maker, without a credential, and with grants of the record and what belongs to it alone."""
    grants = [_grant(model, "read", model.fields()["id"], identifier)]
    grants += [_grant(each.target, "list", each.reference, identifier) for each in children(model)]
    lists = () if maker.narrowing is None else maker.narrowing.lists
    narrowing = Narrowing([*lists, GrantList(tuple(grants))], f"{maker.grants_hash} {identifier}")
    return replace(
        maker, credential=Credential.NOBODY, credential_id=caller_id, is_admin=False, scopes=frozenset(),
        narrowing=narrowing,
    )  # fmt: skip


def _grant(model: Model, operation: str, field: Field, identifier: UUID) -> Grant:
    condition = Junction((Comparison(field, Operator.EQ, identifier),))
    return Grant((model,), frozenset({operation}), _open_fields(model), {model: condition})


@cache
def _open_fields(model: Model) -> frozenset[str]:
    """The fields that readers of a public record see."""
    return frozenset(
        field.name
        for field in model.fields().values()
        if field.spec.readable and not field.spec.flags & {ADMIN_READS, SCOPE_READS} and field.spec.read is None
    )
