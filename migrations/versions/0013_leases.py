"""Hold idempotency keys over several transactions, with what is done by then."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("platform_idempotency_key", sa.Column("leased_until", postgresql.TIMESTAMP(timezone=True, precision=3)))
    op.add_column("platform_idempotency_key", sa.Column("progress", postgresql.JSONB()))


def downgrade():
    # A key that is held belongs to work that the code before cannot go on with; it may be sent again.
    op.execute("DELETE FROM platform_idempotency_key WHERE status = 'running'")
    op.drop_column("platform_idempotency_key", "progress")
    op.drop_column("platform_idempotency_key", "leased_until")
