"""Count what vectors of knowledge bases cost, and keep those of passages that stay the same when a text changes."""

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

KEPT, INDEX = "ai_rag_kept_vector", "ai_rag_index"
COUNTED = ("embedded_tokens", "embedding_cost_micros")
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    for name in COUNTED:
        op.add_column(INDEX, sa.Column(name, sa.BigInteger(), server_default="0", nullable=False))
    named = ", ".join(f"'{name}'" for name in (INDEX, "embedded_count", *COUNTED))
    op.execute(f"SELECT rowgate_keep_version({named})")
    op.create_table(
        KEPT,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("model", sa.String(120), nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("vector", VECTOR(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{KEPT}")),
        sa.ForeignKeyConstraint(
            ["document_id"], ["ai_rag_document.id"], name=op.f(f"fk_{KEPT}_document_id"), ondelete="CASCADE"
        ),
    )
    op.create_index(f"ix_{KEPT}_document_id", KEPT, ["document_id"])


def downgrade():
    op.drop_table(KEPT)
    op.execute(f"SELECT rowgate_keep_version('{INDEX}', 'embedded_count')")
    for name in COUNTED:
        op.drop_column(INDEX, name)
