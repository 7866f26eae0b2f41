"""Count the chunks that have a vector of the embedding model."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

TABLES = {"ai_rag_index": "index_id", "ai_rag_document": "document_id"}
MADE = """
SELECT chunk.document_id, document.index_id FROM ai_rag_embedding AS embedding
JOIN ai_rag_chunk AS chunk ON chunk.id = embedding.chunk_id
JOIN ai_rag_document AS document ON document.id = chunk.document_id
JOIN ai_rag_index AS own ON own.id = document.index_id AND own.embedding_model = embedding.model
"""


def upgrade():
    for table, column in TABLES.items():
        op.add_column(table, sa.Column("embedded_count", sa.Integer(), server_default="0", nullable=False))
        op.execute(f"SELECT rowgate_keep_version('{table}', 'embedded_count')")
        counted = f"SELECT {column} AS id, count(*) AS number FROM ({MADE}) AS made GROUP BY {column}"
        op.execute(
            f"UPDATE {table} SET embedded_count = number FROM ({counted}) AS counted WHERE {table}.id = counted.id"
        )


def downgrade():
    for table in TABLES:
        op.execute(f"SELECT rowgate_keep_version('{table}')")
        op.drop_column(table, "embedded_count")
