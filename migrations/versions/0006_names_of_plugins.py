"""Let plugins bring types of notifications and kinds of reports.

The service checks these names; a check constraint would refuse those of plugins.
"""

import sqlalchemy as sa
from alembic import op

REVISED = (("notification_notification", "type"), ("analytics_report", "kind"))

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade():
    for table, column in REVISED:
        op.drop_constraint(op.f(f"ck_{table}_{column}"), table, type_="check", if_exists=True)
        op.alter_column(table, column, type_=sa.String(64), existing_nullable=False)


def downgrade():
    """Nothing to do: earlier releases work with the wider columns, which may hold names of plugins."""
