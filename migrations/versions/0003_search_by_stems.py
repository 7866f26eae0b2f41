"""Keep the stems of the words of each passage, so that a search for "authentication" finds "authenticated"; and index what
jobs look for by the clock."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

OPEN = "status IN ('pending', 'streaming')"


def upgrade():
    vector = sa.Computed("to_tsvector('english', content)", persisted=True)
    op.add_column("ai_rag_chunk", sa.Column("search", postgresql.TSVECTOR(), vector, nullable=True))
    op.create_index("ix_ai_rag_chunk_content", "ai_rag_chunk", ["search"], postgresql_using="gin")
    op.create_index("ix_ai_stream_created_at", "ai_stream", ["created_at"], postgresql_where=sa.text(OPEN))
    op.create_index("ix_analytics_report_next_run_at", "analytics_report", ["next_run_at"])


def downgrade():
    op.drop_index("ix_analytics_report_next_run_at", "analytics_report")
    op.drop_index("ix_ai_stream_created_at", "ai_stream")
    op.drop_index("ix_ai_rag_chunk_content", "ai_rag_chunk")
    op.drop_column("ai_rag_chunk", "search")
