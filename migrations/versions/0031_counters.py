"""Count the numbers of records that have no gaps."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

COUNTER = "platform_counter"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    op.create_table(
        COUNTER,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("scope", sa.Uuid()),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_counter")),
        sa.UniqueConstraint(
            "name", "scope", name=op.f("uq_platform_counter_name_scope"), postgresql_nulls_not_distinct=True
        ),
    )


def downgrade():
    op.drop_table(COUNTER)
