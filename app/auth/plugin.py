"""The plugin of identity, credentials and organizations."""

from __future__ import annotations

from app.auth import errors, hooks, key_hooks, settings, sign_in
from app.auth.key_usage import models as key_usage
from app.auth.key_usage import sums
from app.auth.models import identity, keys, organizations
from app.jobs.registry import Periodic, as_unit
from app.plugins import Plugin

plugin = Plugin(
    "auth",
    "Identity, credentials, sessions, keys, organizations and teams.",
    models=(identity, keys, organizations, key_usage),
    hooks=(hooks, key_hooks),
    periodic=(
        Periodic("sum_key_use", "5 * * * *", as_unit(sums.roll_up)),
        Periodic("expire_key_use", "25 3 * * *", sums.expire),
        Periodic("forget_expired", "45 * * * *", as_unit(sign_in.forget_expired)),
    ),
    blueprints=(
        "blueprints.api_keys:build",
        "blueprints.consumer.sign_in:build",
        "blueprints.consumer.oauth:build",
    ),
    commands=("app.commands.users:group", "app.commands.keys:group", "app.commands.sessions:group"),
    errors=(
        errors.InvalidEmail,
        errors.PasswordTooShort,
        errors.PasswordTooLong,
        errors.PasswordTooCommon,
        errors.InvalidEmailOrPassword,
        errors.InsufficientScope,
        errors.ReauthenticationRequired,
        errors.ProviderNotFound,
        errors.UserAlreadyExists,
    ),
    settings=settings.SETTINGS,
)
