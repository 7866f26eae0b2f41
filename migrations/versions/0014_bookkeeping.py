"""Raise no version for what the service writes and readers do not see: bans, the language of sign-ins, failures of
providers, secrets and counters. Count the bytes of the answers that each user keeps.

Where nothing but bookkeeping changes, updatedAt stays as well, unless it is named as bookkeeping itself: it tells of a
change as much as the version does. Each table is locked for a moment, in the order of their names.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
BEFORE = {
    "ai_provider": (),
    "auth_account": (),
    "auth_api_key": ("last_used_at", "request_count"),
    "auth_invitation": (),
    "auth_passkey": ("counter", "last_used_at"),
    "auth_session": ("last_seen_at", "expires_at"),
    "auth_two_factor": ("last_used_step", "failed_verification_count"),
    "auth_user": ("last_login_at",),
    "auth_verification": (),
    "platform_audit_log": (),
    "storage_upload": (),
}
AFTER = {
    "ai_provider": ("consecutive_failures", "last_checked_at", "last_error"),
    "auth_account": (
        "issuer", "access_token", "refresh_token", "id_token", "access_token_expires_at", "refresh_token_expires_at",
        "password",
    ),
    "auth_api_key": (
        "key_hash", "last_used_at", "rate_limit_enabled", "rate_limit_time_window", "rate_limit_max", "request_count",
    ),
    "auth_invitation": ("secret_hash",),
    "auth_passkey": ("public_key", "credential_id", "counter", "last_used_at"),
    "auth_session": ("token_hash", "cookie_hash", "last_seen_at", "expires_at"),
    "auth_two_factor": ("secret", "backup_codes", "last_used_step", "failed_verification_count", "locked_until"),
    "auth_user": (
        "email", "email_verified", "role", "banned", "ban_reason", "ban_expires", "two_factor_enabled", "last_login_at",
        "locale", "delete_after", "updated_at",
    ),
    "auth_verification": ("identifier", "value", "context", "attempts"),
    "platform_audit_log": ("ip_address", "user_agent"),
    "storage_upload": ("storage_key",),
}  # fmt: skip

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

RAISE_UNLESS = """
CREATE OR REPLACE FUNCTION rowgate_raise_version_unless() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    uncounted text[] := TG_ARGV::text[] || '{updated_at,row_version,search,search_text}'::text[];
BEGIN
    NEW.row_version := OLD.row_version
        + ((to_jsonb(NEW) - uncounted) IS DISTINCT FROM (to_jsonb(OLD) - uncounted))::int;
    IF NEW.row_version = OLD.row_version AND NOT 'updated_at' = ANY (TG_ARGV) THEN
        NEW.updated_at := OLD.updated_at;
    END IF;
    RETURN NEW;
END $$
"""
RAISE_UNLESS_BEFORE = """
CREATE OR REPLACE FUNCTION rowgate_raise_version_unless() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    uncounted text[] := TG_ARGV::text[] || '{updated_at,row_version,search,search_text}'::text[];
BEGIN
    NEW.row_version := OLD.row_version
        + ((to_jsonb(NEW) - uncounted) IS DISTINCT FROM (to_jsonb(OLD) - uncounted))::int;
    RETURN NEW;
END $$
"""
COUNT = """
INSERT INTO platform_kept_bytes (id, created_at, updated_at, principal, bytes, counted_at)
SELECT gen_random_uuid(), now(), now(), principal, sum(response_bytes), now() FROM platform_idempotency_key
WHERE NOT truncated GROUP BY principal
"""


def upgrade():
    op.execute(RAISE_UNLESS)
    _keep(AFTER)
    op.create_table(
        "platform_kept_bytes",
        sa.Column("id", sa.Uuid(), nullable=False),
        *(sa.Column(name, MOMENT, nullable=False) for name in ("created_at", "updated_at")),
        sa.Column("principal", sa.String(80), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("counted_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_kept_bytes")),
    )
    op.create_index("uq_platform_kept_bytes_principal", "platform_kept_bytes", ["principal"], unique=True)
    op.execute(COUNT)


def downgrade():
    op.drop_table("platform_kept_bytes")
    op.execute(RAISE_UNLESS_BEFORE)
    _keep(BEFORE)


def _keep(bookkeeping):
    for table, columns in sorted(bookkeeping.items()):
        arguments = ", ".join(f"'{name}'" for name in (table, *columns))
        op.execute(f"SELECT rowgate_keep_version({arguments})")
