"""What all models share, shown on each of those of the product."""

from __future__ import annotations

from app.auth.models.identity import AuthUser
from app.auth.models.organizations import AuthInvitation, AuthMember
from app.engine.declare.catalogue import every_model
from app.testing.every_model import *  # noqa: F403

MODELS = [model for model in every_model() if not model.has_custom_routes]
EXCEPT = {
    ("test_a_read_only_or_immutable_field_cannot_get_another_value", AuthUser): "an admin may change them",
    ("test_every_plain_field_can_be_changed_alone", AuthInvitation): "has no field to change freely",
    ("test_a_deleted_record_is_gone_and_a_second_delete_finds_nothing", AuthMember): "rules of its own",
}
