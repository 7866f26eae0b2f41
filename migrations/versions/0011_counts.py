"""Index the owner of rows alone, which is what an exact count reads: the index of the order of lists is many times as
large. Writes to a table wait while its index is made.
"""

import sqlalchemy as sa
from alembic import op

OWNED = {
    "organization_id": (
        "ai_agent_config", "ai_agent_deliverable", "ai_rag_index", "ai_research_project", "analytics_event",
        "analytics_insight", "analytics_report", "auth_member", "auth_team", "crm_company", "crm_contact", "crm_deal",
        "platform_audit_log", "storage_bucket",
    ),
    "user_id": (
        "ai_artifact", "ai_chat", "ai_rag_query", "ai_vote", "analytics_activity", "auth_account",
        "auth_api_key_analytics", "auth_passkey", "auth_session", "auth_two_factor", "notification_notification",
        "notification_preference", "storage_document", "storage_upload",
    ),
}  # fmt: skip
# Counts alone ask for this, so that nothing else uses these indexes.
EVERY = "id >= '00000000-0000-0000-0000-000000000000'"

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade():
    for column, tables in OWNED.items():
        for table in tables:
            op.create_index(f"ix_{table}_{column}_count", table, [column], postgresql_where=sa.text(EVERY))


def downgrade():
    for column, tables in OWNED.items():
        for table in tables:
            op.drop_index(f"ix_{table}_{column}_count", table)
