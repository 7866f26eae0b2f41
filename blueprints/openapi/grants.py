"""The description of grants, in the names of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.engine.declare.record import Record
from app.engine.read.grant_parser import DEFAULT_OPERATIONS, MAX_GRANTS
from app.engine.read.grants import OPERATIONS


def grant(models: Sequence[type[Record]]) -> dict[str, Any]:
    """The schema of a grant: what it names stands in the catalogue, whole domains with a star."""
    paths = sorted(model.qualified_name() for model in models)
    domains = sorted({f"{model.domain}/*" for model in models})
    return {
        "type": "object",
        "description": f"What a credential may do of what its owner may; a list holds at most {MAX_GRANTS}.",
        "properties": {
            "models": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "enum": [*paths, *domains, "*"]},
                "description": "Models, all of a domain, or all but those of `auth`.",
            },
            "operations": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "enum": list(OPERATIONS)},
                "default": list(DEFAULT_OPERATIONS),
            },
            "fields": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What is seen and may be sent; all when omitted. Ids are always seen.",
            },
            "where": {
                "type": "object",
                "additionalProperties": True,
                "description": "A condition, as in the body of QUERY; all rows when omitted.",
            },
        },
        "required": ["models"],
        "additionalProperties": False,
    }
