"""Keep dashboards."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

TABLE = "platform_dashboard"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("organization_id", sa.Uuid()),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("is_shared", sa.Boolean(), nullable=False),
        sa.Column("definition", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{TABLE}")),
        sa.CheckConstraint("user_id IS NOT NULL OR organization_id IS NOT NULL", name=op.f(f"ck_{TABLE}_owner")),
        *(
            sa.ForeignKeyConstraint(
                [f"{name}_id"], [f"auth_{name}.id"], name=op.f(f"fk_{TABLE}_{name}_id"), ondelete="CASCADE"
            )
            for name in ("user", "organization")
        ),
    )
    for column in ("user_id", "organization_id"):
        op.create_index(f"ix_{TABLE}_{column}", TABLE, [column])


def downgrade():
    op.drop_table(TABLE)
