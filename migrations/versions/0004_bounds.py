"""Find the waiting jobs of one user fast, and keep the overlap of chunks to half of their size."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade():
    op.execute(
        "CREATE INDEX ix_procrastinate_jobs_waiting_lock ON procrastinate_jobs (lock) WHERE status IN ('todo', 'doing')"
    )
    op.execute("UPDATE ai_rag_index SET chunk_overlap = chunk_size / 2 WHERE chunk_overlap > chunk_size / 2")


def downgrade():
    op.execute("DROP INDEX ix_procrastinate_jobs_waiting_lock")
