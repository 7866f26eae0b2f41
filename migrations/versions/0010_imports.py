"""Keep the imports that jobs do."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
STATES = ("pending", "running", "completed", "cancelled", "failed")


def upgrade():
    op.create_table(
        "storage_import",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("model", sa.String(80), nullable=False),
        sa.Column("status", sa.String(9), nullable=False),
        sa.Column("options", postgresql.JSONB(), nullable=False),
        sa.Column("standing", postgresql.JSONB(), nullable=False),
        sa.Column("storage_key", sa.String(200)),
        sa.Column("total", sa.Integer()),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("rows", "created", "updated", "ignored", "failed")),
        sa.Column("faults", postgresql.JSONB(), nullable=False),
        sa.Column("error_message", sa.String(1000)),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.CheckConstraint(f"status IN ({', '.join(map(repr, STATES))})", name=op.f("ck_storage_import_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storage_import")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_storage_import_user_id"), ondelete="CASCADE"
        ),
    )
    for column in ("expires_at", "user_id"):
        op.create_index(f"ix_storage_import_{column}", "storage_import", [column])


def downgrade():
    op.drop_table("storage_import")
