"""Models of the shapes that others have and gadgets have not."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped

from rowgate import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    Organization,
    Owner,
    Parent,
    Policy,
    Record,
    enum,
    reference,
    string,
    timestamp,
    unique,
)


class CornersPlace(Record):
    """A place on a map."""

    __tablename__ = "corners_place"
    domain, segment, plural = "corners", "place", "cornersPlaces"
    policy = Policy(Organization("organization_id"))

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    name: Mapped[str] = string(min=1, max=100)
    home: Mapped[str] = string(max=200, format="url")
    mail: Mapped[str] = string(max=200, format="email")
    seen_at: Mapped[datetime] = timestamp(FILTERABLE)


class CornersRoad(Record):
    """A way from one place to another, of which there is one."""

    __tablename__ = "corners_road"
    domain, segment, plural = "corners", "road", "cornersRoads"
    policy = Policy(Organization("organization_id"))
    keys = (unique("start_id", "end_id"),)

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    start_id: Mapped[UUID] = reference("corners_place", "cascade", FILTERABLE)
    end_id: Mapped[UUID] = reference("corners_place", "cascade", FILTERABLE)


class CornersProfile(Record):
    """What somebody says about themselves."""

    __tablename__ = "corners_profile"
    domain, segment, plural = "corners", "profile", "cornersProfiles"
    policy = Policy(Owner("owner_id"))

    owner_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, unique=True, default=CALLER_USER)
    text: Mapped[str] = string(min=1, max=100)


class CornersPost(Record):
    """Something that everybody reads unless its owner hides it."""

    __tablename__ = "corners_post"
    domain, segment, plural = "corners", "post", "cornersPosts"
    policy = Policy(Owner("owner_id", public={"visibility": ["public"]}))

    owner_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    title: Mapped[str] = string(min=1, max=100)
    visibility: Mapped[str] = enum("public", "private", flags=(FILTERABLE,), default="public")


class CornersLine(Record):
    """A line of a post."""

    __tablename__ = "corners_line"
    domain, segment, plural = "corners", "line", "cornersLines"
    policy = Policy(Parent("post_id"))

    post_id: Mapped[UUID] = reference("corners_post", "cascade", IMMUTABLE, FILTERABLE)
    text: Mapped[str] = string(min=1, max=100)
