"""Give every record a version, and keep answers under idempotency keys.

A trigger raises the version, so that nothing can change a row and forget it. To add the column rewrites no table.
"""

import sqlalchemy as sa
from alembic import op

# Columns that no caller writes, and whose change raises no version.
BOOKKEEPING = {
    "ai_stream": ("updated_at",),
    "auth_api_key": ("last_used_at", "request_count"),
    "auth_passkey": ("counter", "last_used_at"),
    "auth_session": ("last_seen_at", "expires_at"),
    "auth_two_factor": ("last_used_step", "failed_verification_count"),
    "auth_user": ("last_login_at",),
}
VERSIONED = (
    "ai_agent_config", "ai_agent_deliverable", "ai_agent_evaluation_result", "ai_agent_message",
    "ai_agent_optimization_result", "ai_artifact", "ai_attempt", "ai_chain", "ai_chain_provider", "ai_chat",
    "ai_generation_step", "ai_message", "ai_provider", "ai_rag_chunk", "ai_rag_document", "ai_rag_embedding",
    "ai_rag_index", "ai_rag_metadata", "ai_rag_query", "ai_rag_result", "ai_research_citation",
    "ai_research_finding", "ai_research_project", "ai_research_question", "ai_research_report",
    "ai_research_source", "ai_stream", "ai_suggestion", "ai_vote", "analytics_activity", "analytics_event",
    "analytics_insight", "analytics_report", "auth_account", "auth_api_key", "auth_api_key_analytics",
    "auth_invitation", "auth_member", "auth_organization", "auth_passkey", "auth_session", "auth_team",
    "auth_team_member", "auth_two_factor", "auth_user", "auth_verification", "crm_company", "crm_contact",
    "crm_deal", "notification_notification", "notification_preference", "platform_audit_log",
    "platform_feature_flag", "storage_bucket", "storage_document", "storage_upload",
)  # fmt: skip

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

RAISE = """
CREATE FUNCTION rowgate_raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.row_version := OLD.row_version + 1;
    RETURN NEW;
END $$
"""
# Generated columns have no value yet in front of the update.
RAISE_UNLESS = """
CREATE FUNCTION rowgate_raise_version_unless() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    uncounted text[] := TG_ARGV::text[] || '{updated_at,row_version,search,search_text}'::text[];
BEGIN
    NEW.row_version := OLD.row_version
        + ((to_jsonb(NEW) - uncounted) IS DISTINCT FROM (to_jsonb(OLD) - uncounted))::int;
    RETURN NEW;
END $$
"""
KEEP = """
CREATE FUNCTION rowgate_keep_version(kept text, VARIADIC bookkeeping text[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS rowgate_version ON %I', kept);
    EXECUTE format(
        'CREATE TRIGGER rowgate_version BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION %s(%s)', kept,
        CASE WHEN cardinality(bookkeeping) = 0 THEN 'rowgate_raise_version' ELSE 'rowgate_raise_version_unless' END,
        (SELECT coalesce(string_agg(quote_literal(each), ', '), '') FROM unnest(bookkeeping) AS each));
END $$
"""
REMEMBERED = (
    sa.Column("response_etag", sa.String(120), nullable=True),
    sa.Column("response_bytes", sa.Integer(), nullable=False, server_default="0"),
    sa.Column("truncated", sa.Boolean(), nullable=False, server_default="false"),
    sa.Column("standing", sa.dialects.postgresql.JSONB(), nullable=False, server_default="{}"),
)


def upgrade():
    for function in (RAISE, RAISE_UNLESS, KEEP):
        op.execute(function)
    for table in VERSIONED:
        op.add_column(table, sa.Column("row_version", sa.BigInteger(), nullable=False, server_default="1"))
        arguments = ", ".join(f"'{name}'" for name in (table, *BOOKKEEPING.get(table, ())))
        op.execute(f"SELECT rowgate_keep_version({arguments})")
    for column in REMEMBERED:
        op.add_column("platform_idempotency_key", column)


def downgrade():
    for column in REMEMBERED:
        op.drop_column("platform_idempotency_key", column.name)
    for table in VERSIONED:
        op.execute(f"DROP TRIGGER rowgate_version ON {table}")
        op.drop_column(table, "row_version")
    op.execute("DROP FUNCTION rowgate_keep_version(text, text[])")
    op.execute("DROP FUNCTION rowgate_raise_version_unless()")
    op.execute("DROP FUNCTION rowgate_raise_version()")
