"""Let a shared view outlast its maker's membership: it belongs to the organization then. Those of people who have left
already are handed over, and a view that is not shared is in no organization.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TABLE = "platform_saved_view"
HAND_OVER = """
UPDATE platform_saved_view AS view SET user_id = NULL
WHERE view.is_shared AND view.organization_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM auth_member AS member
    WHERE member.user_id = view.user_id AND member.organization_id = view.organization_id
)
"""


def upgrade():
    op.alter_column(TABLE, "user_id", existing_type=sa.Uuid(), nullable=True)
    op.execute("UPDATE platform_saved_view SET organization_id = NULL WHERE NOT is_shared")
    op.execute(HAND_OVER)
    op.create_check_constraint(op.f(f"ck_{TABLE}_owner"), TABLE, "user_id IS NOT NULL OR organization_id IS NOT NULL")


def downgrade():
    op.drop_constraint(op.f(f"ck_{TABLE}_owner"), TABLE)
    op.execute("DELETE FROM platform_saved_view WHERE user_id IS NULL")
    op.alter_column(TABLE, "user_id", existing_type=sa.Uuid(), nullable=False)
