"""Keep comments on records."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

TABLE = "platform_comment"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("text", sa.String(4000), nullable=False),
        sa.Column("edited_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_comment")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_platform_comment_user_id"), ondelete="SET NULL"
        ),
    )
    op.create_index(
        "ix_platform_comment_record_id_created_at", TABLE, ["record_id", sa.text("created_at DESC")]
    )
    op.create_index("ix_platform_comment_user_id", TABLE, ["user_id"])


def downgrade():
    op.drop_table(TABLE)
