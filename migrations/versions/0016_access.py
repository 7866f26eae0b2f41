"""Keep the grants that narrow keys, members, teams and whoever accepts an invitation."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

COLUMNS = (
    ("auth_api_key", "access"),
    ("auth_invitation", "access"),
    ("auth_member", "access"),
    ("auth_member", "team_access"),
    ("auth_team", "access"),
)
# What readers of the rows do not see raises no version.
KEEP = "SELECT rowgate_keep_version('auth_member'{}), rowgate_keep_version('auth_team'{})"


def upgrade():
    for table, name in COLUMNS:
        op.add_column(table, sa.Column(name, postgresql.JSONB(none_as_null=True), nullable=True))
    op.execute(KEEP.format(", 'access', 'team_access'", ", 'access'"))


def downgrade():
    op.execute(KEEP.format("", ""))
    for table, name in COLUMNS:
        op.drop_column(table, name)
