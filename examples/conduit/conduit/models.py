"""Profiles, articles, and what readers do with them: all of it open to everybody."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Mapped

from rowgate import (
    CALLER_USER,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    Everybody,
    Owner,
    Parent,
    Policy,
    Record,
    long_text,
    reference,
    string,
    strings,
    unique,
)

OPEN = {"readers": Everybody(), "listed": "visible", "anonymous": True, "anonymous_many": True}


class ConduitProfile(Record):
    """What others see of an account."""

    __tablename__ = "conduit_profile"
    domain, segment = "conduit", "profile"
    policy = Policy(**OPEN, writers=Owner("user_id"))

    user_id: Mapped[UUID] = reference("auth_user", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_USER, unique=True)
    username: Mapped[str] = string(FILTERABLE, min=1, max=60, unique=True)
    bio: Mapped[str | None] = long_text(max=2000)
    image: Mapped[str | None] = string(max=2048)


class ConduitFollow(Record):
    """A reader who follows an author."""

    __tablename__ = "conduit_follow"
    domain, segment, plural = "conduit", "follow", "conduitFollows"
    policy = Policy(**OPEN, writers=Parent("reader_id"))
    keys = (unique("reader_id", "author_id"),)

    reader_id: Mapped[UUID] = reference("conduit_profile", "cascade", IMMUTABLE, FILTERABLE)
    author_id: Mapped[UUID] = reference("conduit_profile", "cascade", IMMUTABLE, FILTERABLE)


class ConduitArticle(Record):
    """Something to read."""

    __tablename__ = "conduit_article"
    domain, segment = "conduit", "article"
    policy = Policy(**OPEN, writers=Parent("author_id"))

    author_id: Mapped[UUID] = reference("conduit_profile", "cascade", IMMUTABLE, FILTERABLE)
    slug: Mapped[str] = string(READ_ONLY, FILTERABLE, max=240, unique=True)
    title: Mapped[str] = string(min=1, max=200)
    description: Mapped[str] = string(min=1, max=1000)
    body: Mapped[str] = long_text(min=1, max=200_000)
    tags: Mapped[list[str]] = strings(FILTERABLE, max_items=20, item_max=60, default=[])


class ConduitFavorite(Record):
    """A reader who likes an article."""

    __tablename__ = "conduit_favorite"
    domain, segment, plural = "conduit", "favorite", "conduitFavorites"
    policy = Policy(**OPEN, writers=Parent("reader_id"))
    keys = (unique("reader_id", "article_id"),)

    reader_id: Mapped[UUID] = reference("conduit_profile", "cascade", IMMUTABLE, FILTERABLE)
    article_id: Mapped[UUID] = reference("conduit_article", "cascade", IMMUTABLE, FILTERABLE)


class ConduitComment(Record):
    """What a reader says about an article."""

    __tablename__ = "conduit_comment"
    domain, segment, plural = "conduit", "comment", "conduitComments"
    policy = Policy(**OPEN, writers=Parent("author_id"))

    article_id: Mapped[UUID] = reference("conduit_article", "cascade", IMMUTABLE, FILTERABLE)
    author_id: Mapped[UUID] = reference("conduit_profile", "cascade", IMMUTABLE, FILTERABLE)
    body: Mapped[str] = long_text(min=1, max=20_000)
