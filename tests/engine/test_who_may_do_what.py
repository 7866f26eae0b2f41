"""Who may do what with the models of the product: the permission matrix against the published dictionary, which lies
beside the tests as data."""

from __future__ import annotations

import pytest

from app.auth.models.identity import AuthAccount, AuthUser
from app.auth.models.organizations import AuthMember, AuthOrganization
from app.engine.declare.catalogue import every_model
from app.notification.models import NotificationPreference
from app.testing.permissions import *  # noqa: F403
from app.testing.reading import Reading
from tests.engine.test_dictionary import PUBLISHED

pytestmark = pytest.mark.every_model
MODELS = [model for model in every_model() if not model.has_custom_routes]
APART = {
    # Removing these goes by further rules, which have tests of their own.
    (AuthUser, "delete"), (AuthAccount, "delete"), (AuthMember, "delete"),
    # A user has one.
    (NotificationPreference, "create"),
}  # fmt: skip


class OfOurs(Reading):
    """Users, organizations and memberships are seen by rules of their own."""

    def sees(self, model, name):
        if model is AuthUser:
            return name == "admin"
        if model in (AuthOrganization, AuthMember):
            return name in ("owner", "admin")
        return super().sees(model, name)

    def member_create_status(self, model, rule):
        return 201 if model is AuthOrganization else super().member_create_status(model, rule)


@pytest.fixture(scope="module")
def reading():
    return OfOurs(PUBLISHED, APART)
