"""Bodies of requests, each within the name of what it is."""

from __future__ import annotations

from marshmallow import fields
from marshmallow.validate import Length

from rowgate.schemas import Email, Strings, Text, WireSchema


def within(name: str, schema: type[WireSchema]) -> type[WireSchema]:
    """A body such as ``{"user": {…}}``."""
    named = f"{schema.__name__}Within"
    return type(named, (WireSchema,), {"__doc__": schema.__doc__, name: fields.Nested(schema, required=True)})


class Login(WireSchema):
    """An address and its password."""

    email = Text(required=True, validate=Length(max=254))
    password = Text(required=True, validate=Length(max=128))


class Registration(Login):
    """A new account."""

    email = Email(required=True, validate=Length(max=254))
    username = Text(required=True, validate=Length(1, 60), metadata={"blank": False})


class UserChange(WireSchema):
    """What is to be different of an account."""

    email = Email(validate=Length(max=254))
    password = Text(validate=Length(max=128))
    username = Text(validate=Length(1, 60), metadata={"blank": False})
    bio = Text(validate=Length(max=2000), allow_none=True)
    image = Text(validate=Length(max=2048), allow_none=True)


class ArticleChange(WireSchema):
    """What is to be different of an article."""

    title = Text(validate=Length(1, 200), metadata={"blank": False})
    description = Text(validate=Length(1, 1000))
    body = Text(validate=Length(1, 200_000))
    tags = Strings(each=[Length(1, 60)], data_key="tagList", validate=Length(max=20))


class NewArticle(ArticleChange):
    """A new article."""

    title = Text(required=True, validate=Length(1, 200), metadata={"blank": False})
    description = Text(required=True, validate=Length(1, 1000))
    body = Text(required=True, validate=Length(1, 200_000))


class NewComment(WireSchema):
    """What somebody says."""

    body = Text(required=True, validate=Length(1, 20_000))
