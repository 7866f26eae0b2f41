"""Keep the page on which a chunk stands."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("ai_rag_chunk", sa.Column("page", sa.Integer(), nullable=True))


def downgrade():
    op.drop_column("ai_rag_chunk", "page")
