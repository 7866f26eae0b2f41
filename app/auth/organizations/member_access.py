"""The grants of members and teams: set by managers, and laid down on the memberships that they narrow, where the
statement that finds a credential reads them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, case, cast, column, exists, func, join, literal, select, true, update
from sqlalchemy.dialects.postgresql import JSONB

from app.auth.models.organizations import AuthMember, AuthTeam, AuthTeamMember
from app.engine.changes.returning import on_restore
from app.engine.declare.record import Record
from app.engine.read.grant_parser import fit_one_list_each
from app.engine.write import audit
from app.engine.write.changes import record_changed
from app.engine.write.hooks import Write, on_delete
from app.engine.write.unit_of_work import Unit
from app.foundation.errors import Conflict, Forbidden, NotFound

Grants = list[Any] | None
NOTHING = cast(literal("[]"), JSONB)


def of_member(unit: Unit, identifier: UUID) -> dict[str, Grants]:
    """What narrows a member: the own list, and that of the member's teams; raises NotFound and Forbidden."""
    member = _managed(unit, AuthMember, identifier)
    return {"access": member.access, "teamAccess": member.team_access}


def set_of_member(unit: Unit, identifier: UUID, given: Grants) -> dict[str, Grants]:
    """Narrow a member to a list, or with None no longer; what teams have left behind goes. Raises NotFound and
    Forbidden."""
    member = _managed(unit, AuthMember, identifier)
    audit.note(unit, "auth.member.access", member, changes={"before": member.access, "after": given})
    member.access = given
    unit.session.flush()
    _lay_down(unit, AuthMember.id == member.id)
    unit.session.refresh(member)
    return {"access": member.access, "teamAccess": member.team_access}


def of_team(unit: Unit, identifier: UUID) -> dict[str, Grants]:
    """What narrows the members of a team; raises NotFound and Forbidden."""
    return {"access": _managed(unit, AuthTeam, identifier).access}


def set_of_team(unit: Unit, identifier: UUID, given: Grants) -> dict[str, Grants]:
    """Narrow the members of a team to a list, or with None no longer; raises NotFound and Forbidden."""
    team = _managed(unit, AuthTeam, identifier)
    if team.access is None and given is None:
        return {"access": None}
    audit.note(unit, "auth.team.access", team, changes={"before": team.access, "after": given})
    team.access = given
    unit.session.flush()
    joined = select(AuthTeamMember.user_id).where(AuthTeamMember.team_id == team.id)
    _lay_down(unit, AuthMember.organization_id == team.organization_id, AuthMember.user_id.in_(joined))
    return {"access": team.access}


@record_changed.subscribe(AuthTeamMember)
def follow_team_member(unit: Unit, model: type[Record], verb: str, before: Any, after: Any) -> None:
    """Narrow whoever joins or leaves a team by what remains."""
    row = before if verb == "delete" else after
    team = unit.session.get(AuthTeam, row["team_id"])
    if team is not None and team.access is not None:
        mine = (AuthMember.organization_id == team.organization_id, AuthMember.user_id == row["user_id"])
        _lay_down(unit, *mine, without=team.id if verb == "delete" else None)


@on_delete(AuthTeam)
def end_team(team: AuthTeam, write: Write) -> None:
    """Narrow the members of a team that is deleted by what remains."""
    if team.access is not None:
        joined = select(AuthTeamMember.user_id).where(AuthTeamMember.team_id == team.id)
        mine = (AuthMember.organization_id == team.organization_id, AuthMember.user_id.in_(joined))
        _lay_down(write.unit, *mine, without=team.id)


@on_restore(AuthTeam)
def begin_team_again(unit: Unit, team: AuthTeam, with_parent: bool) -> None:
    """Narrow the members of a team that is there again by what it says as well."""
    if team.access is not None:
        joined = select(AuthTeamMember.user_id).where(AuthTeamMember.team_id == team.id)
        _lay_down(unit, AuthMember.organization_id == team.organization_id, AuthMember.user_id.in_(joined))


def _lay_down(unit: Unit, *members: ColumnElement[bool], without: UUID | None = None) -> None:
    """Write the union of the lists of their teams, but for the team that is going, onto ``members``. Where a team that
    narrowed goes and none remains that does, nothing is left to them until a manager says what."""
    # Under their locks, so that of two changes at once the later sees what the earlier wrote.
    unit.session.execute(select(AuthMember.id).where(*members).order_by(AuthMember.id).with_for_update())
    narrowing = and_(
        AuthTeamMember.user_id == AuthMember.user_id,
        AuthTeamMember.team_id == AuthTeam.id,
        AuthTeam.organization_id == AuthMember.organization_id,
        AuthTeam.access.is_not(None),
        AuthTeam.id.is_distinct_from(without),
    )
    grant = func.jsonb_array_elements(AuthTeam.access).table_valued(column("value", JSONB)).alias("grants")
    joined = join(join(AuthTeamMember, AuthTeam, AuthTeam.id == AuthTeamMember.team_id), grant, true())
    union = select(func.jsonb_agg(grant.c.value.distinct())).select_from(joined).where(narrowing)
    rest = NOTHING if without is not None else None
    laid = case((exists().where(narrowing), func.coalesce(union.scalar_subquery(), NOTHING)), else_=rest)
    unit.bookkeep(
        update(AuthMember).where(*members).values(team_access=laid).execution_options(synchronize_session=False)
    )
    _check_bounds(unit, *members)


def _check_bounds(unit: Unit, *members: ColumnElement[bool]) -> None:
    """Refuse unions that are more than one list may hold, which each request of the member would pay for; raises
    Conflict."""
    unions = select(AuthMember.team_access).where(*members, AuthMember.team_access.is_not(None)).distinct()
    if not fit_one_list_each(unit.session.scalars(unions)):
        raise Conflict("The teams of a member have more grants together than one list may hold")


def _managed(unit: Unit, model: Any, identifier: UUID) -> Any:
    """The member or team, locked; raises NotFound, and Forbidden for one whom others manage."""
    principal = unit.principal
    visible = model.policy.visible(model, principal.reader)
    found = unit.session.scalar(select(model).where(model.id == identifier, visible).with_for_update(), principal.binds)
    if found is None:
        raise NotFound()
    if not principal.manages(found.organization_id):
        raise Forbidden("Managers of the organization say what its members may do")
    return found
