"""Keep what accounts live on: mail, whose proof a secret is, trusted devices, exports, and who must have a second factor."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
PURPOSES = (
    "email_verification", "password_reset", "oauth_state", "two_factor_challenge", "passkey_challenge", "stream_ticket",
)  # fmt: skip
METHODS = ("password", "oauth", "passkey", "teams_sso")
ENUMS = (
    ("auth_verification", "purpose", PURPOSES, ("change_email", "change_email_revert"), 20),
    ("auth_session", "sign_in_method", METHODS, ("impersonation",), 13),
)


def upgrade():
    _create_mail()
    _create_trusted_devices()
    _create_exports()
    for table, column, before, added, width in ENUMS:
        op.alter_column(table, column, type_=sa.String(width), existing_nullable=False)
        _allow(table, column, before + added)
    # Earlier releases, which serve during a rollout, write neither of the two that cannot be empty.
    op.add_column("auth_organization", sa.Column("require_two_factor", sa.Boolean(), nullable=False, server_default="f"))
    op.add_column("auth_user", sa.Column("locale", sa.String(35)))
    op.add_column("auth_user", sa.Column("delete_after", MOMENT))
    op.add_column("auth_verification", sa.Column("user_id", sa.Uuid()))
    op.add_column("auth_verification", sa.Column("context", sa.Text()))
    op.add_column("auth_verification", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("ix_auth_verification_user_id", "auth_verification", ["user_id"])
    op.create_index("ix_auth_verification_value", "auth_verification", ["value"])
    _refer("auth_verification", "user_id", "auth_user")


def downgrade():
    op.execute("DELETE FROM auth_verification WHERE purpose IN ('change_email', 'change_email_revert')")
    op.execute("DELETE FROM auth_session WHERE sign_in_method = 'impersonation'")
    for column in ("attempts", "context", "user_id"):
        op.drop_column("auth_verification", column)
    op.drop_index("ix_auth_verification_value", "auth_verification")
    op.drop_column("auth_user", "delete_after")
    op.drop_column("auth_user", "locale")
    op.drop_column("auth_organization", "require_two_factor")
    for table, column, before, _, _ in ENUMS:
        _allow(table, column, before)
    op.drop_table("storage_export")
    op.drop_table("auth_trusted_device")
    op.drop_table("platform_mail")


def _create_mail():
    op.create_table(
        "platform_mail",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("to", sa.String(254), nullable=False),
        sa.Column("locale", sa.String(35), nullable=False),
        sa.Column("cause", sa.String(100), nullable=False),
        sa.Column("subject", sa.String(300), nullable=False),
        sa.Column("text", sa.Text()),
        sa.Column("html", sa.Text()),
        sa.Column("unsubscribe_url", sa.Text()),
        sa.Column("status", sa.String(7), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", MOMENT, nullable=False),
        sa.Column("message_id", sa.String(300), nullable=False),
        sa.Column("sent_at", MOMENT),
        sa.Column("error_message", sa.String(1000)),
        sa.CheckConstraint("status IN ('pending', 'sent', 'failed', 'shown')", name=op.f("ck_platform_mail_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_mail")),
        sa.UniqueConstraint("kind", "cause", "to", name=op.f("uq_platform_mail_kind_cause_to")),
    )
    op.create_index("ix_platform_mail_status_next_attempt_at", "platform_mail", ["status", "next_attempt_at"])
    newest = sa.literal_column("created_at DESC")
    op.create_index("ix_platform_mail_to_kind_created_at", "platform_mail", ["to", "kind", newest])


def _create_trusted_devices():
    op.create_table(
        "auth_trusted_device",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("two_factor_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("ip_address", sa.String(45)),
        sa.Column("user_agent", sa.String(512)),
        sa.Column("last_used_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_trusted_device")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_auth_trusted_device_token_hash")),
    )
    _refer("auth_trusted_device", "user_id", "auth_user")
    _refer("auth_trusted_device", "two_factor_id", "auth_two_factor")
    for column in ("expires_at", "two_factor_id", "user_id"):
        op.create_index(f"ix_auth_trusted_device_{column}", "auth_trusted_device", [column])


def _create_exports():
    op.create_table(
        "storage_export",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(7), nullable=False),
        sa.Column("storage_key", sa.String(200)),
        sa.Column("size", sa.BigInteger()),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("error_message", sa.String(1000)),
        sa.CheckConstraint("status IN ('pending', 'ready', 'failed')", name=op.f("ck_storage_export_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storage_export")),
    )
    _refer("storage_export", "user_id", "auth_user")
    for column in ("expires_at", "user_id"):
        op.create_index(f"ix_storage_export_{column}", "storage_export", [column])


def _refer(table, column, target):
    op.create_foreign_key(op.f(f"fk_{table}_{column}"), table, target, [column], ["id"], ondelete="CASCADE")


def _allow(table, column, values):
    name = op.f(f"ck_{table}_{column}")
    op.drop_constraint(name, table, type_="check")
    op.create_check_constraint(name, table, f"{column} IN ({', '.join(repr(each) for each in values)})")
