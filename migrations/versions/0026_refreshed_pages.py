"""Let entries of knowledge bases ask for their page anew."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

TABLE = "ai_rag_document"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
COLUMNS = {
    "refresh_seconds": sa.Integer(),
    "fetched_at": MOMENT,
    "gone_at": MOMENT,
    "entity_tag": sa.String(500),
    "last_modified": sa.String(100),
    "next_fetch_at": MOMENT,
}
KEPT = ("embedded_count", "fetched_at", "entity_tag", "last_modified", "next_fetch_at", "missed")


def upgrade():
    for name, kind in COLUMNS.items():
        op.add_column(TABLE, sa.Column(name, kind))
    op.add_column(TABLE, sa.Column("missed", sa.Integer(), server_default="0", nullable=False))
    named = ", ".join(f"'{name}'" for name in (TABLE, *KEPT))
    op.execute(f"SELECT rowgate_keep_version({named})")
    due = sa.text("next_fetch_at IS NOT NULL")
    op.create_index(f"ix_{TABLE}_next_fetch_at", TABLE, ["next_fetch_at"], postgresql_where=due)


def downgrade():
    op.drop_index(f"ix_{TABLE}_next_fetch_at", TABLE)
    op.execute(f"SELECT rowgate_keep_version('{TABLE}', 'embedded_count')")
    for name in ("missed", *COLUMNS):
        op.drop_column(TABLE, name)
