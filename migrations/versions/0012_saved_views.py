"""Keep saved views."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    op.create_table(
        "platform_saved_view",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid()),
        sa.Column("model", sa.String(80), nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("is_shared", sa.Boolean(), nullable=False),
        sa.Column("definition", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_saved_view")),
        *(
            sa.ForeignKeyConstraint(
                [f"{name}_id"], [f"auth_{name}.id"], name=op.f(f"fk_platform_saved_view_{name}_id"), ondelete="CASCADE"
            )
            for name in ("user", "organization")
        ),
    )
    for column in ("user_id", "organization_id"):
        op.create_index(f"ix_platform_saved_view_{column}_model", "platform_saved_view", [column, "model"])


def downgrade():
    op.drop_table("platform_saved_view")
