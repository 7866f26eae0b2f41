"""The plugin of identity, credentials and organizations."""

from app.auth import application, errors, settings
from app.auth.accounts import deletion, hooks, recovery, verification
from app.auth.clients import connections
from app.auth.credentials import sessions
from app.auth.keys import key_hooks, key_mails
from app.auth.keys.key_usage import models as key_usage
from app.auth.keys.key_usage import sums
from app.auth.models import clients, identity, keys, organizations, sharing
from app.auth.organizations import invitation_hooks, member_access
from app.auth.sharing import shares
from app.jobs.registry import Job, Periodic, as_unit
from app.plugins import Plugin

plugin = Plugin(
    "auth",
    "Identity, credentials, sessions, keys, organizations and teams.",
    models=(identity, keys, organizations, key_usage, sharing, clients),
    hooks=(hooks, invitation_hooks, key_hooks, member_access),
    jobs={
        verification.SEND_VERIFICATION: Job(verification.send_verification_link),
        verification.SEND_CHANGE: Job(verification.send_change),
        recovery.SEND_RESET: Job(recovery.send_reset_link),
    },
    periodic=(
        Periodic("sum_key_use", "5 * * * *", as_unit(sums.roll_up)),
        Periodic("expire_key_use", "25 3 * * *", sums.expire),
        Periodic("forget_expired", "45 * * * *", as_unit(sessions.forget_expired)),
        Periodic("forget_client_requests", "40 * * * *", as_unit(connections.forget_expired)),
        Periodic("forget_shares", "35 3 * * *", shares.forget),
        Periodic("delete_accounts", "50 * * * *", deletion.carry_out),
        Periodic("tell_of_ending_keys", "20 * * * *", key_mails.tell_of_ends),
    ),
    blueprints=(
        "blueprints.people.api_keys:build",
        "blueprints.people.access:build",
        "blueprints.people.links:build",
        "blueprints.people.shares:build",
        "blueprints.people.sign_in:build",
        "blueprints.people.oauth:build",
        "blueprints.people.addresses:build",
        "blueprints.people.two_factor:build",
        "blueprints.people.passkeys:build",
        "blueprints.people.invitations:build",
        "blueprints.people.privacy:build",
        "blueprints.people.clients:build",
        "blueprints.pages.routes:build",
    ),
    init_app=application.init_app,
    notifications=(shares.RECORD_SHARED,),
    commands=(
        "app.commands.users:group",
        "app.commands.keys:group",
        "app.commands.sessions:group",
        "app.commands.clients:group",
    ),
    errors=(
        errors.InvalidEmail,
        errors.PasswordTooShort,
        errors.PasswordTooLong,
        errors.PasswordTooCommon,
        errors.PasswordBreached,
        errors.InvalidToken,
        errors.InvalidCode,
        errors.LastSignInMethod,
        errors.InvalidEmailOrPassword,
        errors.InsufficientScope,
        errors.ReauthenticationRequired,
        errors.ProviderNotFound,
        errors.UserAlreadyExists,
    ),
    settings=settings.SETTINGS,
)
