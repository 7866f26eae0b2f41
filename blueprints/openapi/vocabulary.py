"""What descriptions of operations are made of: who may do something, in words; references, bodies and answers."""

from __future__ import annotations

from typing import Any

from app.engine.declare.policy import SessionOnly
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from blueprints.http.base import JSON


def error_reference(model: type[Record], status: int) -> dict[str, str]:
    family = "GuideError" if model.legacy_envelope else "Error"
    return {"$ref": f"#/components/responses/{family}{status}"}


def schema_reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def summary(model: type[Record], text: str) -> str:
    """Say ``text`` of the records of ``model``."""
    one, many = noun(model)
    return text.format(noun=one, article="an" if one[0] in "aeiou" else "a", plural=many)


def noun(model: type[Record]) -> tuple[str, str]:
    """What summaries call one record of ``model``, and many."""
    one = f"{model.domain} {model.segment.replace('-', ' ')}"
    return one, one if one.endswith(("data", "s")) else f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"


def access_text(model: type[Record], operation: str) -> str:
    """Who may do it, in words."""
    rule = getattr(model.policy, operation)
    who = {
        Rule.SCOPE: "",
        Rule.MANAGERS: "For managers of the organization.",
        Rule.OWNERS: "For owners of the organization.",
        Rule.ADMIN: "For platform admins.",
    }[rule]
    session = model.policy.session_only
    if session is SessionOnly.ALL or (session is SessionOnly.WRITES and operation not in ("list", "read")):
        who = f"{who} Needs a session token.".strip()
    note = f" Note: {model.operations_note}." if model.operations_note else ""
    return f"{model.model_summary()} {who}".strip() + note


def written_forms(model: type[Record]) -> list[dict[str, str]]:
    """What writes of many records answer: the records, or with ``return=minimal`` their ids and versions."""
    return [schema_reference(f"{model.__name__}Written"), schema_reference("WrittenVersions")]


def json_answer(schema: Any, shown: Any = None, said: str = "OK") -> dict[str, Any]:
    content = {name: each for name, each in (("schema", schema), ("example", shown)) if each is not None}
    return {"description": said, "content": {JSON: content}}


def json_body(schema: Any, shown: Any) -> dict[str, Any]:
    content = {"example": shown} | ({} if schema is None else {"schema": schema})
    return {"required": True, "content": {JSON: content}}
