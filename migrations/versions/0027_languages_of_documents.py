"""Find the words of each document by the rules of its language."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

DOCUMENT, CHUNK = "ai_rag_document", "ai_rag_chunk"
KEPT = ("embedded_count", "fetched_at", "entity_tag", "last_modified", "next_fetch_at", "missed")
# A column that PostgreSQL works out by itself knows its own row alone.
FILL = """
CREATE FUNCTION rowgate_fill_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.search := to_tsvector(CAST((
        SELECT configuration FROM ai_rag_document WHERE id = NEW.document_id
    ) AS regconfig), NEW.content);
    RETURN NEW;
END $$
"""
TRIGGER = """
CREATE TRIGGER rowgate_words BEFORE INSERT OR UPDATE OF content, search ON ai_rag_chunk
FOR EACH ROW EXECUTE FUNCTION rowgate_fill_search()
"""


def upgrade():
    op.add_column(DOCUMENT, sa.Column("configuration", sa.String(20), server_default="english", nullable=False))
    _keep_version(*KEPT, "configuration")
    op.execute(FILL)
    op.execute("ALTER TABLE ai_rag_chunk ALTER COLUMN search DROP EXPRESSION")
    op.execute(TRIGGER)


def downgrade():
    op.execute("DROP TRIGGER rowgate_words ON ai_rag_chunk")
    op.execute("DROP FUNCTION rowgate_fill_search()")
    op.drop_index("ix_ai_rag_chunk_content", CHUNK)
    op.drop_column(CHUNK, "search")
    vector = sa.Computed("to_tsvector('english', content)", persisted=True)
    op.add_column(CHUNK, sa.Column("search", postgresql.TSVECTOR(), vector, nullable=True))
    op.create_index("ix_ai_rag_chunk_content", CHUNK, ["search"], postgresql_using="gin")
    _keep_version(*KEPT)
    op.drop_column(DOCUMENT, "configuration")


def _keep_version(*kept):
    named = ", ".join(f"'{name}'" for name in (DOCUMENT, *kept))
    op.execute(f"SELECT rowgate_keep_version({named})")
