"""Comments on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from app.engine.declare.principal import Principal
from app.platform.comments import LONGEST, MOST_MENTIONS, Shown, is_own
from schemas.envelopes import ListMeta
from schemas.fields import Embedded, Flag, Identifier, Moment, Text, WireSchema


class CommentUpdate(WireSchema):
    """What a comment says now."""

    text = Text(required=True, validate=validate.Length(1, LONGEST))


class CommentCreate(CommentUpdate):
    """A new comment on a record."""

    mentions = fields.List(
        Identifier(), validate=validate.Length(max=MOST_MENTIONS),
        metadata={"description": "Colleagues who are named in it; those who see the record are notified."},
    )  # fmt: skip


class Comment(CommentUpdate):
    """A comment, with who wrote it; nobody, once they are gone."""

    id = Identifier(required=True)
    author = Embedded(required=True, allow_none=True)
    is_own = Flag(required=True, data_key="own", metadata={"description": "Whether the caller wrote it."})
    is_removable = Flag(
        required=True, data_key="removable", metadata={"description": "Whether the caller may remove it."}
    )
    created_at = Moment(required=True, data_key="createdAt")
    edited_at = Moment(required=True, allow_none=True, data_key="editedAt")


class CommentList(WireSchema):
    """A page of comments, the newest first."""

    data = fields.List(fields.Nested(Comment), required=True)
    meta = fields.Nested(ListMeta, required=True)


def comment_of(shown: Shown, principal: Principal) -> dict[str, Any]:
    """A comment as ``principal`` gets it."""
    comment, author, is_removable = shown
    return {
        "id": comment.id, "text": comment.text, "own": is_own(comment, principal),
        "removable": is_removable,
        "author": None if author is None else {"id": author.id, "name": author.name, "image": author.image},
        "createdAt": comment.created_at, "editedAt": comment.edited_at,
    }  # fmt: skip
