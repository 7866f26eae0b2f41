"""Index passages by the stems of their words, so that a search for "authentication" finds "authenticated"."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NAME, TABLE = "ix_ai_rag_chunk_content", "ai_rag_chunk"


def upgrade():
    op.create_index(NAME, TABLE, [sa.text("to_tsvector('english', content)")], postgresql_using="gin")


def downgrade():
    op.drop_index(NAME, TABLE)
