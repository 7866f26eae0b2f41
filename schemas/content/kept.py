"""What saved views and dashboards share on the wire."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate

from app.engine.declare.principal import Principal
from app.engine.read.encoding import dumps
from app.platform.kept import Kept, is_own, may_change
from schemas.fields import Flag, Identifier, Moment, Text, WireSchema

ABOUT_DEFINITION = "What is shown and how: up to the program that shows it, which the service does not read."


class KeptUpdate(WireSchema):
    """What changes of what somebody keeps."""

    name = Text(validate=validate.Length(1, 120))
    is_shared = Flag(data_key="shared", metadata={"description": "With all members of the organization."})


class KeptState(WireSchema):
    """What everything that somebody keeps has."""

    id = Identifier(required=True, metadata={"format": "uuid"})
    is_own = Flag(required=True, data_key="own", metadata={"description": "Whether the caller made it."})
    is_writable = Flag(
        required=True, data_key="writable", metadata={"description": "Whether it is the caller's to change."}
    )
    created_at = Moment(required=True, data_key="createdAt")
    updated_at = Moment(required=True, data_key="updatedAt")


class Definition(fields.Dict):
    """A definition of at most ``most`` bytes."""

    def __init__(self, most: int) -> None:
        def bounded(value: Any) -> None:
            if len(dumps(value)) > most:
                raise ValidationError(f"Is larger than {most} bytes.")

        super().__init__(validate=bounded, metadata={"description": ABOUT_DEFINITION})


def kept_of(kept: Kept, principal: Principal) -> dict[str, Any]:
    """What everything that is kept tells ``principal``."""
    return {
        "id": kept.id, "name": kept.name, "shared": kept.is_shared, "own": is_own(kept, principal),
        "writable": may_change(kept, principal), "createdAt": kept.created_at, "updatedAt": kept.updated_at,
    }  # fmt: skip
