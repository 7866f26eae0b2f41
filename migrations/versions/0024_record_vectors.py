"""Keep vectors of records, by which lists rank them."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

VECTORS, PROGRESS = "platform_record_vector", "platform_vector_progress"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    _create(
        VECTORS,
        sa.Column("model", sa.String(80), nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("embedder", sa.String(120), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("vector", VECTOR()),
        sa.UniqueConstraint("model", "record_id", name=op.f(f"uq_{VECTORS}_model_record_id")),
    )
    _create(
        PROGRESS,
        sa.Column("model", sa.String(80), nullable=False),
        sa.Column("embedder", sa.String(120), nullable=False),
        sa.Column("epoch", sa.Uuid(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("walked_to", sa.Uuid()),
    )
    op.create_index(f"uq_{PROGRESS}_model", PROGRESS, ["model"], unique=True)


def _create(table, *columns):
    op.create_table(
        table,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
    )


def downgrade():
    op.drop_table(PROGRESS)
    op.drop_table(VECTORS)
