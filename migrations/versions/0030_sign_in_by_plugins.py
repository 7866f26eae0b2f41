"""Let accounts be proved by those that plugins bring."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

TABLE, COLUMN, RULE = "auth_account", "provider_id", "ck_auth_account_provider_id"
OURS = "'credential', 'github', 'google', 'microsoft'"


def upgrade():
    op.drop_constraint(op.f(RULE), TABLE, type_="check")
    op.alter_column(TABLE, COLUMN, type_=sa.String(64), existing_nullable=False)


def downgrade():
    op.execute(f"DELETE FROM {TABLE} WHERE {COLUMN} NOT IN ({OURS})")
    op.alter_column(TABLE, COLUMN, type_=sa.String(10), existing_nullable=False)
    op.create_check_constraint(op.f(RULE), TABLE, f"{COLUMN} IN ({OURS})")
