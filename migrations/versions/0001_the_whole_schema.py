"""The whole schema"""

from __future__ import annotations

import pgvector.sqlalchemy
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute("CREATE SEQUENCE notification_sequence")
    op.create_table(
        "ai_provider",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=17), nullable=False),
        sa.Column("base_url", sa.String(length=2048), nullable=True),
        sa.Column("api_key", sa.Text(), nullable=True),
        sa.Column("default_model", sa.String(length=120), nullable=False),
        sa.Column("models", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("capabilities", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("timeout_ms", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("consecutive_failures", sa.Integer(), nullable=False),
        sa.Column("last_checked_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("last_error", sa.String(length=1000), nullable=True),
        sa.CheckConstraint(
            "kind IN ('builtin', 'openai_compatible', 'anthropic', 'google', 'azure_openai', 'ollama')",
            name=op.f("ck_ai_provider_kind"),
        ),
        sa.CheckConstraint("status IN ('active', 'degraded', 'disabled')", name=op.f("ck_ai_provider_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_provider")),
        sa.UniqueConstraint("slug", name=op.f("uq_ai_provider_slug")),
    )
    op.create_index(
        "ix_ai_provider_order",
        "ai_provider",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_provider_public_order",
        "ai_provider",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("status IN ('active', 'degraded')"),
    )
    op.create_table(
        "auth_organization",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("slug", sa.String(length=48), nullable=False),
        sa.Column("logo", sa.String(length=2048), nullable=True),
        sa.Column("is_personal", sa.Boolean(), nullable=False),
        sa.Column("metadata", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_organization")),
        sa.UniqueConstraint("slug", name=op.f("uq_auth_organization_slug")),
    )
    op.create_index(
        "ix_auth_organization_order",
        "auth_organization",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_user",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("email_verified", sa.Boolean(), nullable=False),
        sa.Column("image", sa.String(length=2048), nullable=True),
        sa.Column("role", sa.String(length=5), nullable=False),
        sa.Column("banned", sa.Boolean(), nullable=False),
        sa.Column("ban_reason", sa.String(length=500), nullable=True),
        sa.Column("ban_expires", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("two_factor_enabled", sa.Boolean(), nullable=False),
        sa.Column("last_login_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint("role IN ('user', 'admin')", name=op.f("ck_auth_user_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_user")),
        sa.UniqueConstraint("email", name=op.f("uq_auth_user_email")),
    )
    op.create_index(
        "ix_auth_user_order",
        "auth_user",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_verification",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("identifier", sa.String(length=64), nullable=False),
        sa.Column("value", sa.String(length=64), nullable=False),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.CheckConstraint(
            "purpose IN ('email_verification', 'password_reset', 'oauth_state', 'two_factor_challenge', 'passkey_challenge', 'stream_ticket')",
            name=op.f("ck_auth_verification_purpose"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_verification")),
    )
    op.create_index("ix_auth_verification_expires_at", "auth_verification", ["expires_at"], unique=False)
    op.create_index("ix_auth_verification_identifier", "auth_verification", ["identifier"], unique=False)
    op.create_index(
        "ix_auth_verification_order",
        "auth_verification",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "integration_graph_subscription",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("subscription_id", sa.String(length=64), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("resource", sa.String(length=1024), nullable=False),
        sa.Column("change_type", sa.String(length=64), nullable=False),
        sa.Column("client_state", sa.Text(), nullable=False),
        sa.Column("encryption_certificate_id", sa.String(length=128), nullable=True),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("last_event_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("status", sa.String(length=13), nullable=False),
        sa.CheckConstraint(
            "status IN ('active', 'reauthorizing', 'removed')", name=op.f("ck_integration_graph_subscription_status")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration_graph_subscription")),
        sa.UniqueConstraint("subscription_id", name=op.f("uq_integration_graph_subscription_subscription_id")),
    )
    op.create_index(
        "ix_integration_graph_subscription_expires_at", "integration_graph_subscription", ["expires_at"], unique=False
    )
    op.create_table(
        "integration_inbound_event",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("source", sa.String(length=5), nullable=False),
        sa.Column("dedupe_key", sa.String(length=600), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("payload", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("processed_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("error_message", sa.String(length=1000), nullable=True),
        sa.CheckConstraint(
            "kind IN ('bot_message', 'channel_event', 'meeting_notification', 'other')",
            name=op.f("ck_integration_inbound_event_kind"),
        ),
        sa.CheckConstraint("source IN ('bot', 'graph')", name=op.f("ck_integration_inbound_event_source")),
        sa.CheckConstraint(
            "status IN ('received', 'processing', 'processed', 'failed', 'ignored')",
            name=op.f("ck_integration_inbound_event_status"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration_inbound_event")),
        sa.UniqueConstraint("dedupe_key", name=op.f("uq_integration_inbound_event_dedupe_key")),
    )
    op.create_index(
        "ix_integration_inbound_event_status_created_at",
        "integration_inbound_event",
        ["status", "created_at"],
        unique=False,
    )
    op.create_table(
        "platform_feature_flag",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("rollout_percentage", sa.Integer(), nullable=False),
        sa.Column("conditions", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("payload", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("is_client_visible", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_feature_flag")),
        sa.UniqueConstraint("key", name=op.f("uq_platform_feature_flag_key")),
    )
    op.create_index(
        "ix_platform_feature_flag_order",
        "platform_feature_flag",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_platform_feature_flag_public_order",
        "platform_feature_flag",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("is_client_visible"),
    )
    op.create_table(
        "platform_idempotency_key",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("principal", sa.String(length=80), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("method", sa.String(length=10), nullable=False),
        sa.Column("path", sa.String(length=2048), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("response_status", sa.Integer(), nullable=True),
        sa.Column("response_body", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.CheckConstraint("status IN ('running', 'completed')", name=op.f("ck_platform_idempotency_key_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_idempotency_key")),
        sa.UniqueConstraint(
            "principal",
            "key",
            name=op.f("uq_platform_idempotency_key_principal_key"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_platform_idempotency_key_expires_at", "platform_idempotency_key", ["expires_at"], unique=False)
    op.create_table(
        "ai_chain",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("strategy", sa.String(length=8), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("timeout_ms", sa.Integer(), nullable=False),
        sa.Column("retry_on", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("parameters", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.CheckConstraint("status IN ('active', 'disabled')", name=op.f("ck_ai_chain_status")),
        sa.CheckConstraint("strategy IN ('ordered', 'weighted')", name=op.f("ck_ai_chain_strategy")),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_ai_chain_visibility")),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_ai_chain_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["auth_organization.id"], name=op.f("fk_ai_chain_organization_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_chain")),
        sa.UniqueConstraint(
            "organization_id", "name", name=op.f("uq_ai_chain_organization_id_name"), postgresql_nulls_not_distinct=True
        ),
    )
    op.create_index("ix_ai_chain_created_by_id", "ai_chain", ["created_by_id"], unique=False)
    op.create_index(
        "ix_ai_chain_order",
        "ai_chain",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_chain_organization_id_order",
        "ai_chain",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_chain_public_order",
        "ai_chain",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_index(
        "uq_ai_chain_organization_id",
        "ai_chain",
        ["organization_id"],
        unique=True,
        postgresql_where=sa.text("is_default"),
        postgresql_nulls_not_distinct=True,
    )
    op.create_table(
        "ai_rag_index",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.String(length=2000), nullable=True),
        sa.Column("provider_id", sa.Uuid(), nullable=True),
        sa.Column("embedding_model", sa.String(length=120), nullable=True),
        sa.Column("dimensions", sa.Integer(), nullable=True),
        sa.Column("metric", sa.String(length=13), nullable=False),
        sa.Column("kind", sa.String(length=7), nullable=False),
        sa.Column("parameters", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("chunk_size", sa.Integer(), nullable=False),
        sa.Column("chunk_overlap", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("document_count", sa.Integer(), nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("last_built_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.CheckConstraint("kind IN ('flat', 'hnsw', 'ivfflat')", name=op.f("ck_ai_rag_index_kind")),
        sa.CheckConstraint("metric IN ('cosine', 'l2', 'inner_product')", name=op.f("ck_ai_rag_index_metric")),
        sa.CheckConstraint("status IN ('empty', 'building', 'ready', 'failed')", name=op.f("ck_ai_rag_index_status")),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_ai_rag_index_visibility")),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_ai_rag_index_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_ai_rag_index_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["ai_provider.id"], name=op.f("fk_ai_rag_index_provider_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_rag_index")),
        sa.UniqueConstraint(
            "organization_id",
            "name",
            name=op.f("uq_ai_rag_index_organization_id_name"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_ai_rag_index_created_by_id", "ai_rag_index", ["created_by_id"], unique=False)
    op.create_index(
        "ix_ai_rag_index_order",
        "ai_rag_index",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_rag_index_organization_id_order",
        "ai_rag_index",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_rag_index_provider_id", "ai_rag_index", ["provider_id"], unique=False)
    op.create_index(
        "ix_ai_rag_index_public_order",
        "ai_rag_index",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_table(
        "analytics_activity",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("activity_type", sa.String(length=16), nullable=False),
        sa.Column("metadata", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("occurred_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.CheckConstraint(
            "activity_type IN ('BOT_MESSAGE', 'CANVAS_VIEW', 'SSO_LOGIN', 'APPROVAL_ACTION', 'REPORT_GENERATED')",
            name=op.f("ck_analytics_activity_activity_type"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_analytics_activity_organization_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_analytics_activity_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_analytics_activity")),
    )
    op.create_index(
        "ix_analytics_activity_activity_type_occurred_at",
        "analytics_activity",
        ["activity_type", sa.literal_column("occurred_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_analytics_activity_order",
        "analytics_activity",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_analytics_activity_organization_id", "analytics_activity", ["organization_id"], unique=False)
    op.create_index(
        "ix_analytics_activity_user_id_occurred_at",
        "analytics_activity",
        ["user_id", sa.literal_column("occurred_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_analytics_activity_user_id_order",
        "analytics_activity",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "analytics_event",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("anonymous_id", sa.String(length=100), nullable=True),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("properties", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("context", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("source", sa.String(length=6), nullable=False),
        sa.Column("client_session_id", sa.String(length=100), nullable=True),
        sa.Column("message_id", sa.String(length=100), nullable=True),
        sa.Column("occurred_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.CheckConstraint("source IN ('web', 'api', 'teams', 'server')", name=op.f("ck_analytics_event_source")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_analytics_event_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_analytics_event_user_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_analytics_event")),
        sa.UniqueConstraint(
            "organization_id",
            "message_id",
            name=op.f("uq_analytics_event_organization_id_message_id"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_analytics_event_order",
        "analytics_event",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_analytics_event_organization_id_name_occurred_at",
        "analytics_event",
        ["organization_id", "name", sa.literal_column("occurred_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_analytics_event_organization_id_order",
        "analytics_event",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_analytics_event_user_id", "analytics_event", ["user_id"], unique=False)
    op.create_table(
        "analytics_insight",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("summary", sa.String(length=4000), nullable=False),
        sa.Column("kind", sa.String(length=14), nullable=False),
        sa.Column("metric", sa.String(length=100), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("previous_value", sa.Double(), nullable=True),
        sa.Column("change_percent", sa.Double(), nullable=True),
        sa.Column("unit", sa.String(length=32), nullable=True),
        sa.Column("period_start", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("period_end", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("severity", sa.String(length=8), nullable=False),
        sa.Column("details", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("acknowledged_by_id", sa.Uuid(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('trend', 'anomaly', 'usage', 'forecast', 'recommendation')",
            name=op.f("ck_analytics_insight_kind"),
        ),
        sa.CheckConstraint("severity IN ('info', 'warning', 'critical')", name=op.f("ck_analytics_insight_severity")),
        sa.CheckConstraint("status IN ('new', 'acknowledged', 'dismissed')", name=op.f("ck_analytics_insight_status")),
        sa.ForeignKeyConstraint(
            ["acknowledged_by_id"],
            ["auth_user.id"],
            name=op.f("fk_analytics_insight_acknowledged_by_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_analytics_insight_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_analytics_insight_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_analytics_insight")),
    )
    op.create_index(
        "ix_analytics_insight_acknowledged_by_id", "analytics_insight", ["acknowledged_by_id"], unique=False
    )
    op.create_index("ix_analytics_insight_created_by_id", "analytics_insight", ["created_by_id"], unique=False)
    op.create_index(
        "ix_analytics_insight_order",
        "analytics_insight",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_analytics_insight_organization_id_order",
        "analytics_insight",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_account",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("provider_id", sa.String(length=10), nullable=False),
        sa.Column("issuer", sa.String(length=255), nullable=False),
        sa.Column("account_id", sa.String(length=255), nullable=False),
        sa.Column("access_token", sa.Text(), nullable=True),
        sa.Column("refresh_token", sa.Text(), nullable=True),
        sa.Column("id_token", sa.Text(), nullable=True),
        sa.Column("access_token_expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("refresh_token_expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("scope", sa.String(length=2000), nullable=True),
        sa.Column("password", sa.String(length=255), nullable=True),
        sa.CheckConstraint(
            "provider_id IN ('credential', 'github', 'google', 'microsoft')", name=op.f("ck_auth_account_provider_id")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_auth_account_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_account")),
        sa.UniqueConstraint(
            "issuer", "account_id", name=op.f("uq_auth_account_issuer_account_id"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index(
        "ix_auth_account_order",
        "auth_account",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_account_user_id_order",
        "auth_account",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_api_key",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("start", sa.String(length=24), nullable=False),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("anonymous", sa.Boolean(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("last_used_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("ip_allow_list", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("metadata", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("revoked_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("rotated_to_id", sa.Uuid(), nullable=True),
        sa.Column("grace_expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("rate_limit_enabled", sa.Boolean(), nullable=False),
        sa.Column("rate_limit_time_window", sa.Integer(), nullable=False),
        sa.Column("rate_limit_max", sa.Integer(), nullable=False),
        sa.Column("request_count", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_auth_api_key_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["rotated_to_id"], ["auth_api_key.id"], name=op.f("fk_auth_api_key_rotated_to_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_auth_api_key_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_api_key")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_auth_api_key_key_hash")),
    )
    op.create_index(
        "ix_auth_api_key_order",
        "auth_api_key",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_auth_api_key_organization_id", "auth_api_key", ["organization_id"], unique=False)
    op.create_index("ix_auth_api_key_rotated_to_id", "auth_api_key", ["rotated_to_id"], unique=False)
    op.create_index(
        "ix_auth_api_key_user_id_created_at",
        "auth_api_key",
        ["user_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_api_key_user_id_order",
        "auth_api_key",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_member",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(length=6), nullable=False),
        sa.CheckConstraint("role IN ('owner', 'admin', 'member')", name=op.f("ck_auth_member_role")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_auth_member_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["auth_user.id"], name=op.f("fk_auth_member_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_member")),
        sa.UniqueConstraint(
            "organization_id",
            "user_id",
            name=op.f("uq_auth_member_organization_id_user_id"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_auth_member_order",
        "auth_member",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_member_organization_id_order",
        "auth_member",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_auth_member_user_id", "auth_member", ["user_id"], unique=False)
    op.create_table(
        "auth_passkey",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("credential_id", sa.String(length=1400), nullable=False),
        sa.Column("counter", sa.BigInteger(), nullable=False),
        sa.Column("device_type", sa.String(length=13), nullable=False),
        sa.Column("backed_up", sa.Boolean(), nullable=False),
        sa.Column("transports", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("aaguid", sa.String(length=36), nullable=True),
        sa.Column("last_used_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "device_type IN ('single_device', 'multi_device')", name=op.f("ck_auth_passkey_device_type")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_auth_passkey_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_passkey")),
        sa.UniqueConstraint("credential_id", name=op.f("uq_auth_passkey_credential_id")),
    )
    op.create_index(
        "ix_auth_passkey_order",
        "auth_passkey",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_passkey_user_id_order",
        "auth_passkey",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_team",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["auth_organization.id"], name=op.f("fk_auth_team_organization_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_team")),
        sa.UniqueConstraint(
            "organization_id",
            "name",
            name=op.f("uq_auth_team_organization_id_name"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_auth_team_order",
        "auth_team",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_team_organization_id_order",
        "auth_team",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_two_factor",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("backup_codes", sa.Text(), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("last_used_step", sa.BigInteger(), nullable=True),
        sa.Column("failed_verification_count", sa.Integer(), nullable=False),
        sa.Column("locked_until", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_auth_two_factor_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_two_factor")),
        sa.UniqueConstraint("user_id", name=op.f("uq_auth_two_factor_user_id")),
    )
    op.create_index(
        "ix_auth_two_factor_order",
        "auth_two_factor",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_two_factor_user_id_order",
        "auth_two_factor",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "crm_company",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("industry", sa.String(length=100), nullable=True),
        sa.Column("website", sa.String(length=2048), nullable=True),
        sa.Column("revenue", sa.BigInteger(), nullable=True),
        sa.Column("employees", sa.Integer(), nullable=True),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_crm_company_visibility")),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_crm_company_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_crm_company_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crm_company")),
    )
    op.create_index("ix_crm_company_created_by_id", "crm_company", ["created_by_id"], unique=False)
    op.create_index(
        "ix_crm_company_order",
        "crm_company",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_crm_company_organization_id_industry", "crm_company", ["organization_id", "industry"], unique=False
    )
    op.create_index(
        "ix_crm_company_organization_id_order",
        "crm_company",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_crm_company_public_order",
        "crm_company",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_table(
        "integration_teams_conversation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("conversation_id", sa.String(length=255), nullable=False),
        sa.Column("conversation_type", sa.String(length=9), nullable=False),
        sa.Column("service_url", sa.String(length=2048), nullable=False),
        sa.Column("bot_id", sa.String(length=255), nullable=False),
        sa.Column("teams_user_id", sa.String(length=255), nullable=True),
        sa.Column("aad_object_id", sa.String(length=64), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("team_id", sa.String(length=255), nullable=True),
        sa.Column("teams_channel_id", sa.String(length=255), nullable=True),
        sa.Column("locale", sa.String(length=35), nullable=True),
        sa.Column("reference", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("removed_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("last_activity_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "conversation_type IN ('personal', 'groupChat', 'channel')",
            name=op.f("ck_integration_teams_conversation_conversation_type"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_integration_teams_conversation_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration_teams_conversation")),
        sa.UniqueConstraint(
            "tenant_id",
            "conversation_id",
            name=op.f("uq_integration_teams_conversation_tenant_id_conversation_id"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_integration_teams_conversation_teams_channel_id",
        "integration_teams_conversation",
        ["teams_channel_id"],
        unique=False,
    )
    op.create_index(
        "ix_integration_teams_conversation_user_id", "integration_teams_conversation", ["user_id"], unique=False
    )
    op.create_table(
        "integration_teams_meeting",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("tenant_id", sa.String(length=64), nullable=False),
        sa.Column("teams_meeting_id", sa.String(length=512), nullable=False),
        sa.Column("graph_id", sa.String(length=512), nullable=True),
        sa.Column("subject", sa.String(length=300), nullable=True),
        sa.Column("type", sa.String(length=64), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("start_date_time", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("end_date_time", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("actual_start_date_time", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("actual_end_date_time", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("join_web_url", sa.String(length=2048), nullable=True),
        sa.Column("chat_id", sa.String(length=255), nullable=True),
        sa.Column("organizer", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("organizer_id", sa.Uuid(), nullable=True),
        sa.Column("participant_ids", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("reminder_sent_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "status IN ('scheduled', 'inProgress', 'ended', 'cancelled')",
            name=op.f("ck_integration_teams_meeting_status"),
        ),
        sa.ForeignKeyConstraint(
            ["organizer_id"],
            ["auth_user.id"],
            name=op.f("fk_integration_teams_meeting_organizer_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration_teams_meeting")),
        sa.UniqueConstraint(
            "tenant_id",
            "teams_meeting_id",
            name=op.f("uq_integration_teams_meeting_tenant_id_teams_meeting_id"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_integration_teams_meeting_organizer_id", "integration_teams_meeting", ["organizer_id"], unique=False
    )
    op.create_index(
        "ix_integration_teams_meeting_start_date_time", "integration_teams_meeting", ["start_date_time"], unique=False
    )
    op.create_table(
        "integration_webhook_endpoint",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("description", sa.String(length=500), nullable=True),
        sa.Column("event_types", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("failure_count", sa.Integer(), nullable=False),
        sa.Column("disabled_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_integration_webhook_endpoint_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration_webhook_endpoint")),
    )
    op.create_index(
        "ix_integration_webhook_endpoint_user_id", "integration_webhook_endpoint", ["user_id"], unique=False
    )
    op.create_table(
        "notification_notification",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("body", sa.String(length=4000), nullable=False),
        sa.Column("data", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column(
            "sequence", sa.BigInteger(), server_default=sa.text("nextval('notification_sequence')"), nullable=False
        ),
        sa.Column("read_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("channels", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("delivery_status", sa.String(length=10), nullable=False),
        sa.Column("delivered_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "delivery_status IN ('pending', 'delivered', 'failed', 'suppressed')",
            name=op.f("ck_notification_notification_delivery_status"),
        ),
        sa.CheckConstraint(
            "type IN ('MESSAGE', 'APPROVAL_REQUEST', 'CANVAS_ACCESS', 'INSIGHT_READY', 'MEETING_STARTING', 'MENTION', 'CANVAS_MENTION')",
            name=op.f("ck_notification_notification_type"),
        ),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["auth_user.id"], name=op.f("fk_notification_notification_actor_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_notification_notification_organization_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_notification_notification_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_notification")),
        sa.UniqueConstraint("sequence", name=op.f("uq_notification_notification_sequence")),
    )
    op.create_index("ix_notification_notification_actor_id", "notification_notification", ["actor_id"], unique=False)
    op.create_index(
        "ix_notification_notification_order",
        "notification_notification",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_notification_notification_organization_id", "notification_notification", ["organization_id"], unique=False
    )
    op.create_index(
        "ix_notification_notification_user_id_order",
        "notification_notification",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_notification_notification_user_id_read_at",
        "notification_notification",
        ["user_id", "read_at"],
        unique=False,
    )
    op.create_index(
        "ix_notification_notification_user_id_sequence",
        "notification_notification",
        ["user_id", "sequence"],
        unique=False,
    )
    op.create_table(
        "notification_preference",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("channels", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("types", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("quiet_hours", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("meeting_lead_minutes", sa.Integer(), nullable=False),
        sa.Column("muted_channel_ids", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_notification_preference_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_preference")),
        sa.UniqueConstraint("user_id", name=op.f("uq_notification_preference_user_id")),
    )
    op.create_index(
        "ix_notification_preference_order",
        "notification_preference",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_notification_preference_user_id_order",
        "notification_preference",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "platform_audit_log",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("actor_type", sa.String(length=9), nullable=False),
        sa.Column("actor_id", sa.String(length=64), nullable=True),
        sa.Column("actor_name", sa.String(length=254), nullable=True),
        sa.Column("action", sa.String(length=100), nullable=False),
        sa.Column("target_type", sa.String(length=100), nullable=True),
        sa.Column("target_id", sa.String(length=64), nullable=True),
        sa.Column("outcome", sa.String(length=7), nullable=False),
        sa.Column("changes", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("ip_address", sa.String(length=45), nullable=True),
        sa.Column("user_agent", sa.String(length=512), nullable=True),
        sa.Column("request_id", sa.String(length=128), nullable=True),
        sa.CheckConstraint(
            "actor_type IN ('user', 'api_key', 'anonymous', 'system')", name=op.f("ck_platform_audit_log_actor_type")
        ),
        sa.CheckConstraint("outcome IN ('success', 'denied', 'failure')", name=op.f("ck_platform_audit_log_outcome")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_platform_audit_log_organization_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_audit_log")),
    )
    op.create_index(
        "ix_platform_audit_log_actor_id_created_at",
        "platform_audit_log",
        ["actor_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_platform_audit_log_order",
        "platform_audit_log",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_platform_audit_log_organization_id_created_at",
        "platform_audit_log",
        ["organization_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_platform_audit_log_organization_id_order",
        "platform_audit_log",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_platform_audit_log_target_type_target_id_created_at",
        "platform_audit_log",
        ["target_type", "target_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_table(
        "storage_bucket",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("max_file_size", sa.Integer(), nullable=False),
        sa.Column("allowed_content_types", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("quota_bytes", sa.BigInteger(), nullable=False),
        sa.Column("used_bytes", sa.BigInteger(), nullable=False),
        sa.Column("upload_count", sa.Integer(), nullable=False),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_storage_bucket_visibility")),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_storage_bucket_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_storage_bucket_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storage_bucket")),
        sa.UniqueConstraint(
            "organization_id",
            "name",
            name=op.f("uq_storage_bucket_organization_id_name"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_storage_bucket_created_by_id", "storage_bucket", ["created_by_id"], unique=False)
    op.create_index(
        "ix_storage_bucket_order",
        "storage_bucket",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_storage_bucket_organization_id_order",
        "storage_bucket",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_storage_bucket_public_order",
        "storage_bucket",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_table(
        "ai_agent_config",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.String(length=2000), nullable=True),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("chain_id", sa.Uuid(), nullable=True),
        sa.Column("index_id", sa.Uuid(), nullable=True),
        sa.Column("tools", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("parameters", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("output_schema", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("criteria", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("max_steps", sa.Integer(), nullable=False),
        sa.Column("requires_approval", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "status IN ('draft', 'active', 'paused', 'archived')", name=op.f("ck_ai_agent_config_status")
        ),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_ai_agent_config_visibility")),
        sa.ForeignKeyConstraint(
            ["chain_id"], ["ai_chain.id"], name=op.f("fk_ai_agent_config_chain_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_ai_agent_config_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["index_id"], ["ai_rag_index.id"], name=op.f("fk_ai_agent_config_index_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_ai_agent_config_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_agent_config")),
        sa.UniqueConstraint(
            "organization_id",
            "name",
            name=op.f("uq_ai_agent_config_organization_id_name"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_ai_agent_config_chain_id", "ai_agent_config", ["chain_id"], unique=False)
    op.create_index("ix_ai_agent_config_created_by_id", "ai_agent_config", ["created_by_id"], unique=False)
    op.create_index("ix_ai_agent_config_index_id", "ai_agent_config", ["index_id"], unique=False)
    op.create_index(
        "ix_ai_agent_config_order",
        "ai_agent_config",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_config_organization_id_order",
        "ai_agent_config",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_config_public_order",
        "ai_agent_config",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_table(
        "ai_chain_provider",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("chain_id", sa.Uuid(), nullable=False),
        sa.Column("provider_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=True),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("max_retries", sa.Integer(), nullable=False),
        sa.Column("timeout_ms", sa.Integer(), nullable=True),
        sa.Column("parameters", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chain_id"], ["ai_chain.id"], name=op.f("fk_ai_chain_provider_chain_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["provider_id"],
            ["ai_provider.id"],
            name=op.f("fk_ai_chain_provider_provider_id"),
            initially="IMMEDIATE",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_chain_provider")),
        sa.UniqueConstraint(
            "chain_id",
            "position",
            deferrable=True,
            initially="IMMEDIATE",
            name=op.f("uq_ai_chain_provider_chain_id_position"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_ai_chain_provider_chain_id_order",
        "ai_chain_provider",
        ["chain_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_chain_provider_order",
        "ai_chain_provider",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_chain_provider_provider_id", "ai_chain_provider", ["provider_id"], unique=False)
    op.create_table(
        "ai_chat",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("chain_id", sa.Uuid(), nullable=True),
        sa.Column("index_id", sa.Uuid(), nullable=True),
        sa.Column("system_prompt", sa.Text(), nullable=True),
        sa.Column("source", sa.String(length=5), nullable=False),
        sa.Column("last_message_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("metadata", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("source IN ('web', 'api', 'teams')", name=op.f("ck_ai_chat_source")),
        sa.CheckConstraint("status IN ('active', 'archived')", name=op.f("ck_ai_chat_status")),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_ai_chat_visibility")),
        sa.ForeignKeyConstraint(["chain_id"], ["ai_chain.id"], name=op.f("fk_ai_chat_chain_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["index_id"], ["ai_rag_index.id"], name=op.f("fk_ai_chat_index_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["auth_organization.id"], name=op.f("fk_ai_chat_organization_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["auth_user.id"], name=op.f("fk_ai_chat_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_chat")),
    )
    op.create_index("ix_ai_chat_chain_id", "ai_chat", ["chain_id"], unique=False)
    op.create_index("ix_ai_chat_index_id", "ai_chat", ["index_id"], unique=False)
    op.create_index(
        "ix_ai_chat_order",
        "ai_chat",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_chat_organization_id", "ai_chat", ["organization_id"], unique=False)
    op.create_index(
        "ix_ai_chat_public_order",
        "ai_chat",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_index(
        "ix_ai_chat_user_id_last_message_at",
        "ai_chat",
        ["user_id", sa.literal_column("last_message_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_chat_user_id_order",
        "ai_chat",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_api_key_analytics",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("request_id", sa.String(length=128), nullable=False),
        sa.Column("time", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("outcome", sa.String(length=24), nullable=False),
        sa.Column("method", sa.String(length=10), nullable=False),
        sa.Column("route", sa.String(length=255), nullable=True),
        sa.Column("status_code", sa.Integer(), nullable=False),
        sa.Column("required_scope", sa.String(length=5), nullable=True),
        sa.Column("credential_source", sa.String(length=6), nullable=False),
        sa.Column("spent_credits", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=False),
        sa.Column("ip_address", sa.String(length=45), nullable=True),
        sa.Column("user_agent", sa.String(length=512), nullable=True),
        sa.Column("tags", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.CheckConstraint(
            "credential_source IN ('header', 'query')", name=op.f("ck_auth_api_key_analytics_credential_source")
        ),
        sa.CheckConstraint(
            "outcome IN ('VALID', 'NOT_FOUND', 'DISABLED', 'EXPIRED', 'REVOKED', 'FORBIDDEN', 'INSUFFICIENT_PERMISSIONS', 'RATE_LIMITED', 'USAGE_EXCEEDED')",
            name=op.f("ck_auth_api_key_analytics_outcome"),
        ),
        sa.CheckConstraint(
            "required_scope IN ('read', 'write', 'admin')", name=op.f("ck_auth_api_key_analytics_required_scope")
        ),
        sa.ForeignKeyConstraint(
            ["key_id"], ["auth_api_key.id"], name=op.f("fk_auth_api_key_analytics_key_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_auth_api_key_analytics_organization_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_auth_api_key_analytics_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_api_key_analytics")),
    )
    op.create_index(
        "ix_auth_api_key_analytics_key_id_time",
        "auth_api_key_analytics",
        ["key_id", sa.literal_column("time DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_api_key_analytics_order",
        "auth_api_key_analytics",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_api_key_analytics_organization_id", "auth_api_key_analytics", ["organization_id"], unique=False
    )
    op.create_index(
        "ix_auth_api_key_analytics_user_id_order",
        "auth_api_key_analytics",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_api_key_analytics_user_id_time",
        "auth_api_key_analytics",
        ["user_id", sa.literal_column("time DESC")],
        unique=False,
    )
    op.create_table(
        "auth_api_key_usage",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=False),
        sa.Column("hour", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("request_count", sa.BigInteger(), nullable=False),
        sa.Column("outcomes", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("latency_total_ms", sa.BigInteger(), nullable=False),
        sa.Column("latency_max_ms", sa.Integer(), nullable=False),
        sa.Column("latency_histogram", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["key_id"], ["auth_api_key.id"], name=op.f("fk_auth_api_key_usage_key_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_api_key_usage")),
        sa.UniqueConstraint(
            "key_id", "hour", name=op.f("uq_auth_api_key_usage_key_id_hour"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_table(
        "auth_invitation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("role", sa.String(length=6), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=True),
        sa.Column("inviter_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=True),
        sa.Column("responded_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint("role IN ('owner', 'admin', 'member')", name=op.f("ck_auth_invitation_role")),
        sa.CheckConstraint(
            "status IN ('pending', 'accepted', 'rejected', 'canceled')", name=op.f("ck_auth_invitation_status")
        ),
        sa.ForeignKeyConstraint(
            ["inviter_id"], ["auth_user.id"], name=op.f("fk_auth_invitation_inviter_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_auth_invitation_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["auth_team.id"], name=op.f("fk_auth_invitation_team_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_invitation")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_auth_invitation_secret_hash")),
    )
    op.create_index("ix_auth_invitation_inviter_id", "auth_invitation", ["inviter_id"], unique=False)
    op.create_index(
        "ix_auth_invitation_order",
        "auth_invitation",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_invitation_organization_id_order",
        "auth_invitation",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_auth_invitation_team_id", "auth_invitation", ["team_id"], unique=False)
    op.create_index(
        "uq_auth_invitation_organization_id_email",
        "auth_invitation",
        ["organization_id", "email"],
        unique=True,
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_table(
        "auth_session",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("cookie_hash", sa.String(length=64), nullable=True),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("authenticated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("ip_address", sa.String(length=45), nullable=True),
        sa.Column("user_agent", sa.String(length=512), nullable=True),
        sa.Column("sign_in_method", sa.String(length=9), nullable=False),
        sa.Column("active_organization_id", sa.Uuid(), nullable=True),
        sa.Column("active_team_id", sa.Uuid(), nullable=True),
        sa.Column("impersonated_by", sa.Uuid(), nullable=True),
        sa.Column("last_seen_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "sign_in_method IN ('password', 'oauth', 'passkey', 'teams_sso')",
            name=op.f("ck_auth_session_sign_in_method"),
        ),
        sa.ForeignKeyConstraint(
            ["active_organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_auth_session_active_organization_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["active_team_id"], ["auth_team.id"], name=op.f("fk_auth_session_active_team_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["impersonated_by"], ["auth_user.id"], name=op.f("fk_auth_session_impersonated_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_auth_session_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_session")),
        sa.UniqueConstraint("cookie_hash", name=op.f("uq_auth_session_cookie_hash")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_auth_session_token_hash")),
    )
    op.create_index("ix_auth_session_active_organization_id", "auth_session", ["active_organization_id"], unique=False)
    op.create_index("ix_auth_session_active_team_id", "auth_session", ["active_team_id"], unique=False)
    op.create_index("ix_auth_session_expires_at", "auth_session", ["expires_at"], unique=False)
    op.create_index("ix_auth_session_impersonated_by", "auth_session", ["impersonated_by"], unique=False)
    op.create_index(
        "ix_auth_session_order",
        "auth_session",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_session_user_id_order",
        "auth_session",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "auth_team_member",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["auth_team.id"], name=op.f("fk_auth_team_member_team_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_auth_team_member_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_team_member")),
        sa.UniqueConstraint(
            "team_id", "user_id", name=op.f("uq_auth_team_member_team_id_user_id"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index(
        "ix_auth_team_member_order",
        "auth_team_member",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_auth_team_member_team_id_order",
        "auth_team_member",
        ["team_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_auth_team_member_user_id", "auth_team_member", ["user_id"], unique=False)
    op.create_table(
        "crm_contact",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("first_name", sa.String(length=100), nullable=False),
        sa.Column("last_name", sa.String(length=100), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("phone", sa.String(length=40), nullable=True),
        sa.Column("title", sa.String(length=120), nullable=True),
        sa.Column("company_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["crm_company.id"],
            name=op.f("fk_crm_contact_company_id"),
            initially="IMMEDIATE",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_crm_contact_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_crm_contact_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crm_contact")),
        sa.UniqueConstraint(
            "organization_id",
            "email",
            name=op.f("uq_crm_contact_organization_id_email"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_crm_contact_company_id", "crm_contact", ["company_id"], unique=False)
    op.create_index("ix_crm_contact_created_by_id", "crm_contact", ["created_by_id"], unique=False)
    op.create_index(
        "ix_crm_contact_order",
        "crm_contact",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_crm_contact_organization_id_order",
        "crm_contact",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "integration_webhook_delivery",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("endpoint_id", sa.Uuid(), nullable=False),
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("event_type", sa.String(length=100), nullable=False),
        sa.Column("payload", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("response_status", sa.Integer(), nullable=True),
        sa.Column("response_excerpt", sa.String(length=1000), nullable=True),
        sa.Column("delivered_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "status IN ('pending', 'delivering', 'delivered', 'failed', 'abandoned')",
            name=op.f("ck_integration_webhook_delivery_status"),
        ),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["integration_webhook_endpoint.id"],
            name=op.f("fk_integration_webhook_delivery_endpoint_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_integration_webhook_delivery")),
        sa.UniqueConstraint(
            "endpoint_id",
            "event_id",
            name=op.f("uq_integration_webhook_delivery_endpoint_id_event_id"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_integration_webhook_delivery_status_next_attempt_at",
        "integration_webhook_delivery",
        ["status", "next_attempt_at"],
        unique=False,
    )
    op.create_table(
        "storage_upload",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("bucket_id", sa.Uuid(), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("content_type", sa.String(length=127), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("storage_key", sa.String(length=512), nullable=False),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("metadata", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("status IN ('pending', 'stored', 'rejected')", name=op.f("ck_storage_upload_status")),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_storage_upload_visibility")),
        sa.ForeignKeyConstraint(
            ["bucket_id"],
            ["storage_bucket.id"],
            name=op.f("fk_storage_upload_bucket_id"),
            initially="IMMEDIATE",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_storage_upload_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_storage_upload_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storage_upload")),
        sa.UniqueConstraint("storage_key", name=op.f("uq_storage_upload_storage_key")),
    )
    op.create_index("ix_storage_upload_bucket_id", "storage_upload", ["bucket_id"], unique=False)
    op.create_index(
        "ix_storage_upload_order",
        "storage_upload",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_storage_upload_organization_id", "storage_upload", ["organization_id"], unique=False)
    op.create_index(
        "ix_storage_upload_public_order",
        "storage_upload",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_index(
        "ix_storage_upload_user_id_created_at",
        "storage_upload",
        ["user_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_storage_upload_user_id_order",
        "storage_upload",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_agent_optimization_result",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("config_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("method", sa.String(length=11), nullable=False),
        sa.Column("base_version", sa.Integer(), nullable=False),
        sa.Column("candidate_instructions", sa.Text(), nullable=False),
        sa.Column("candidate_parameters", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("rationale", sa.String(length=4000), nullable=True),
        sa.Column("sample_size", sa.Integer(), nullable=False),
        sa.Column("baseline_score", sa.Double(), nullable=True),
        sa.Column("candidate_score", sa.Double(), nullable=True),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("decided_by_id", sa.Uuid(), nullable=True),
        sa.Column("decided_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "method IN ('manual', 'llm_rewrite', 'few_shot')", name=op.f("ck_ai_agent_optimization_result_method")
        ),
        sa.CheckConstraint(
            "status IN ('proposed', 'applied', 'rejected')", name=op.f("ck_ai_agent_optimization_result_status")
        ),
        sa.ForeignKeyConstraint(
            ["config_id"],
            ["ai_agent_config.id"],
            name=op.f("fk_ai_agent_optimization_result_config_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["auth_user.id"],
            name=op.f("fk_ai_agent_optimization_result_created_by_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["decided_by_id"],
            ["auth_user.id"],
            name=op.f("fk_ai_agent_optimization_result_decided_by_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_agent_optimization_result")),
    )
    op.create_index(
        "ix_ai_agent_optimization_result_config_id_order",
        "ai_agent_optimization_result",
        ["config_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_optimization_result_created_by_id", "ai_agent_optimization_result", ["created_by_id"], unique=False
    )
    op.create_index(
        "ix_ai_agent_optimization_result_decided_by_id", "ai_agent_optimization_result", ["decided_by_id"], unique=False
    )
    op.create_index(
        "ix_ai_agent_optimization_result_order",
        "ai_agent_optimization_result",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_message",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("chat_id", sa.Uuid(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=9), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("parts", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("attachments", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=True),
        sa.Column("finish_reason", sa.String(length=14), nullable=True),
        sa.Column("edited_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "finish_reason IN ('stop', 'length', 'content_filter', 'tool_calls', 'error', 'other')",
            name=op.f("ck_ai_message_finish_reason"),
        ),
        sa.CheckConstraint("role IN ('system', 'user', 'assistant', 'tool')", name=op.f("ck_ai_message_role")),
        sa.CheckConstraint(
            "status IN ('complete', 'streaming', 'failed', 'aborted')", name=op.f("ck_ai_message_status")
        ),
        sa.ForeignKeyConstraint(["chat_id"], ["ai_chat.id"], name=op.f("fk_ai_message_chat_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_message")),
        sa.UniqueConstraint(
            "chat_id", "sequence", name=op.f("uq_ai_message_chat_id_sequence"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index(
        "ix_ai_message_chat_id_order",
        "ai_message",
        ["chat_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_message_order",
        "ai_message",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_rag_query",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("index_id", sa.Uuid(), nullable=False),
        sa.Column("chat_id", sa.Uuid(), nullable=True),
        sa.Column("text", sa.String(length=4000), nullable=False),
        sa.Column("mode", sa.String(length=7), nullable=False),
        sa.Column("top_k", sa.Integer(), nullable=False),
        sa.Column("min_score", sa.Double(), nullable=False),
        sa.Column("filter", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("result_count", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=True),
        sa.Column("error_message", sa.String(length=1000), nullable=True),
        sa.CheckConstraint("mode IN ('hybrid', 'vector', 'keyword')", name=op.f("ck_ai_rag_query_mode")),
        sa.CheckConstraint("status IN ('running', 'completed', 'failed')", name=op.f("ck_ai_rag_query_status")),
        sa.ForeignKeyConstraint(["chat_id"], ["ai_chat.id"], name=op.f("fk_ai_rag_query_chat_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["index_id"], ["ai_rag_index.id"], name=op.f("fk_ai_rag_query_index_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_ai_rag_query_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_rag_query")),
    )
    op.create_index("ix_ai_rag_query_chat_id", "ai_rag_query", ["chat_id"], unique=False)
    op.create_index("ix_ai_rag_query_index_id", "ai_rag_query", ["index_id"], unique=False)
    op.create_index(
        "ix_ai_rag_query_order",
        "ai_rag_query",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_rag_query_user_id_created_at",
        "ai_rag_query",
        ["user_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_rag_query_user_id_order",
        "ai_rag_query",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_research_project",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("objective", sa.Text(), nullable=False),
        sa.Column("config_id", sa.Uuid(), nullable=True),
        sa.Column("index_id", sa.Uuid(), nullable=True),
        sa.Column("company_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("due_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("completed_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.CheckConstraint(
            "status IN ('draft', 'active', 'completed', 'archived')", name=op.f("ck_ai_research_project_status")
        ),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_ai_research_project_visibility")),
        sa.ForeignKeyConstraint(
            ["company_id"], ["crm_company.id"], name=op.f("fk_ai_research_project_company_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["config_id"], ["ai_agent_config.id"], name=op.f("fk_ai_research_project_config_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_ai_research_project_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["index_id"], ["ai_rag_index.id"], name=op.f("fk_ai_research_project_index_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_ai_research_project_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_research_project")),
    )
    op.create_index("ix_ai_research_project_company_id", "ai_research_project", ["company_id"], unique=False)
    op.create_index("ix_ai_research_project_config_id", "ai_research_project", ["config_id"], unique=False)
    op.create_index("ix_ai_research_project_created_by_id", "ai_research_project", ["created_by_id"], unique=False)
    op.create_index("ix_ai_research_project_index_id", "ai_research_project", ["index_id"], unique=False)
    op.create_index(
        "ix_ai_research_project_order",
        "ai_research_project",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_project_organization_id_order",
        "ai_research_project",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_project_organization_id_status",
        "ai_research_project",
        ["organization_id", "status"],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_project_public_order",
        "ai_research_project",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_table(
        "analytics_report",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=14), nullable=False),
        sa.Column("parameters", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("period_start", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("period_end", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("format", sa.String(length=4), nullable=False),
        sa.Column("schedule", sa.String(length=7), nullable=False),
        sa.Column("next_run_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("status", sa.String(length=7), nullable=False),
        sa.Column("data", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("row_count", sa.Integer(), nullable=True),
        sa.Column("upload_id", sa.Uuid(), nullable=True),
        sa.Column("generated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("error_message", sa.String(length=1000), nullable=True),
        sa.CheckConstraint("format IN ('json', 'csv')", name=op.f("ck_analytics_report_format")),
        sa.CheckConstraint(
            "kind IN ('usage', 'chat_quality', 'provider_costs', 'crm_pipeline', 'api_keys')",
            name=op.f("ck_analytics_report_kind"),
        ),
        sa.CheckConstraint(
            "schedule IN ('none', 'daily', 'weekly', 'monthly')", name=op.f("ck_analytics_report_schedule")
        ),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'ready', 'failed')", name=op.f("ck_analytics_report_status")
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_analytics_report_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_analytics_report_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["storage_upload.id"], name=op.f("fk_analytics_report_upload_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_analytics_report")),
    )
    op.create_index("ix_analytics_report_created_by_id", "analytics_report", ["created_by_id"], unique=False)
    op.create_index(
        "ix_analytics_report_order",
        "analytics_report",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_analytics_report_organization_id_kind_created_at",
        "analytics_report",
        ["organization_id", "kind", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_analytics_report_organization_id_order",
        "analytics_report",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_analytics_report_upload_id", "analytics_report", ["upload_id"], unique=False)
    op.create_table(
        "crm_deal",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("company_id", sa.Uuid(), nullable=False),
        sa.Column("contact_id", sa.Uuid(), nullable=True),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("stage", sa.String(length=11), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("probability", sa.Integer(), nullable=False),
        sa.Column("priority", sa.String(length=6), nullable=False),
        sa.Column("source", sa.String(length=8), nullable=True),
        sa.Column("expected_close_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("closed_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("lost_reason", sa.String(length=500), nullable=True),
        sa.Column("next_step", sa.String(length=500), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("stage_changed_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.CheckConstraint("priority IN ('low', 'medium', 'high')", name=op.f("ck_crm_deal_priority")),
        sa.CheckConstraint(
            "source IN ('inbound', 'outbound', 'referral', 'partner', 'event', 'other')",
            name=op.f("ck_crm_deal_source"),
        ),
        sa.CheckConstraint(
            "stage IN ('lead', 'qualified', 'proposal', 'negotiation', 'won', 'lost')", name=op.f("ck_crm_deal_stage")
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["crm_company.id"],
            name=op.f("fk_crm_deal_company_id"),
            initially="IMMEDIATE",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["contact_id"], ["crm_contact.id"], name=op.f("fk_crm_deal_contact_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_crm_deal_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["auth_organization.id"], name=op.f("fk_crm_deal_organization_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["owner_id"], ["auth_user.id"], name=op.f("fk_crm_deal_owner_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crm_deal")),
    )
    op.create_index("ix_crm_deal_company_id", "crm_deal", ["company_id"], unique=False)
    op.create_index("ix_crm_deal_contact_id", "crm_deal", ["contact_id"], unique=False)
    op.create_index("ix_crm_deal_created_by_id", "crm_deal", ["created_by_id"], unique=False)
    op.create_index(
        "ix_crm_deal_order",
        "crm_deal",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_crm_deal_organization_id_order",
        "crm_deal",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_crm_deal_organization_id_stage_expected_close_at",
        "crm_deal",
        ["organization_id", "stage", "expected_close_at"],
        unique=False,
    )
    op.create_index("ix_crm_deal_owner_id", "crm_deal", ["owner_id"], unique=False)
    op.create_table(
        "storage_document",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=5), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("upload_id", sa.Uuid(), nullable=True),
        sa.Column("tags", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("published_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint("kind IN ('text', 'code', 'image', 'sheet')", name=op.f("ck_storage_document_kind")),
        sa.CheckConstraint("status IN ('draft', 'published', 'archived')", name=op.f("ck_storage_document_status")),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_storage_document_visibility")),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["storage_upload.id"], name=op.f("fk_storage_document_upload_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_storage_document_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storage_document")),
    )
    op.create_index(
        "ix_storage_document_order",
        "storage_document",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_storage_document_public_order",
        "storage_document",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_index("ix_storage_document_tags", "storage_document", ["tags"], unique=False, postgresql_using="gin")
    op.create_index("ix_storage_document_upload_id", "storage_document", ["upload_id"], unique=False)
    op.create_index(
        "ix_storage_document_user_id_order",
        "storage_document",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_storage_document_user_id_updated_at",
        "storage_document",
        ["user_id", sa.literal_column("updated_at DESC")],
        unique=False,
    )
    op.create_table(
        "ai_artifact",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("chat_id", sa.Uuid(), nullable=True),
        sa.Column("message_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=6), nullable=False),
        sa.Column("language", sa.String(length=40), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("upload_id", sa.Uuid(), nullable=True),
        sa.Column("visibility", sa.String(length=7), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind IN ('text', 'code', 'image', 'sheet', 'canvas')", name=op.f("ck_ai_artifact_kind")),
        sa.CheckConstraint("visibility IN ('private', 'public')", name=op.f("ck_ai_artifact_visibility")),
        sa.ForeignKeyConstraint(["chat_id"], ["ai_chat.id"], name=op.f("fk_ai_artifact_chat_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["ai_message.id"], name=op.f("fk_ai_artifact_message_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["storage_upload.id"], name=op.f("fk_ai_artifact_upload_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["auth_user.id"], name=op.f("fk_ai_artifact_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_artifact")),
    )
    op.create_index("ix_ai_artifact_chat_id", "ai_artifact", ["chat_id"], unique=False)
    op.create_index("ix_ai_artifact_message_id", "ai_artifact", ["message_id"], unique=False)
    op.create_index(
        "ix_ai_artifact_order",
        "ai_artifact",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_artifact_public_order",
        "ai_artifact",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.create_index("ix_ai_artifact_upload_id", "ai_artifact", ["upload_id"], unique=False)
    op.create_index(
        "ix_ai_artifact_user_id_order",
        "ai_artifact",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_artifact_user_id_updated_at",
        "ai_artifact",
        ["user_id", sa.literal_column("updated_at DESC")],
        unique=False,
    )
    op.create_table(
        "ai_rag_document",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("index_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("source_type", sa.String(length=8), nullable=False),
        sa.Column("upload_id", sa.Uuid(), nullable=True),
        sa.Column("storage_document_id", sa.Uuid(), nullable=True),
        sa.Column("source_url", sa.String(length=2048), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=True),
        sa.Column("language", sa.String(length=35), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("error_message", sa.String(length=1000), nullable=True),
        sa.Column("indexed_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "source_type IN ('text', 'upload', 'document', 'url')", name=op.f("ck_ai_rag_document_source_type")
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'processing', 'indexed', 'failed')", name=op.f("ck_ai_rag_document_status")
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_ai_rag_document_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["index_id"], ["ai_rag_index.id"], name=op.f("fk_ai_rag_document_index_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["storage_document_id"],
            ["storage_document.id"],
            name=op.f("fk_ai_rag_document_storage_document_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["storage_upload.id"], name=op.f("fk_ai_rag_document_upload_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_rag_document")),
        sa.UniqueConstraint(
            "index_id",
            "content_hash",
            name=op.f("uq_ai_rag_document_index_id_content_hash"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_ai_rag_document_created_by_id", "ai_rag_document", ["created_by_id"], unique=False)
    op.create_index(
        "ix_ai_rag_document_index_id_order",
        "ai_rag_document",
        ["index_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_rag_document_order",
        "ai_rag_document",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_rag_document_storage_document_id", "ai_rag_document", ["storage_document_id"], unique=False)
    op.create_index("ix_ai_rag_document_upload_id", "ai_rag_document", ["upload_id"], unique=False)
    op.create_table(
        "ai_research_question",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("parent_question_id", sa.Uuid(), nullable=True),
        sa.Column("text", sa.String(length=2000), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("priority", sa.String(length=6), nullable=False),
        sa.Column("status", sa.String(length=11), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("answered_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint("priority IN ('low', 'medium', 'high')", name=op.f("ck_ai_research_question_priority")),
        sa.CheckConstraint(
            "status IN ('open', 'in_progress', 'answered', 'dropped')", name=op.f("ck_ai_research_question_status")
        ),
        sa.ForeignKeyConstraint(
            ["parent_question_id"],
            ["ai_research_question.id"],
            name=op.f("fk_ai_research_question_parent_question_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["ai_research_project.id"],
            name=op.f("fk_ai_research_question_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_research_question")),
    )
    op.create_index(
        "ix_ai_research_question_order",
        "ai_research_question",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_question_parent_question_id", "ai_research_question", ["parent_question_id"], unique=False
    )
    op.create_index(
        "ix_ai_research_question_project_id_order",
        "ai_research_question",
        ["project_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_question_project_id_position", "ai_research_question", ["project_id", "position"], unique=False
    )
    op.create_table(
        "ai_research_report",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("summary", sa.String(length=4000), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("published_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint("status IN ('draft', 'in_review', 'published')", name=op.f("ck_ai_research_report_status")),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_ai_research_report_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["storage_document.id"],
            name=op.f("fk_ai_research_report_document_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["ai_research_project.id"],
            name=op.f("fk_ai_research_report_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_research_report")),
    )
    op.create_index("ix_ai_research_report_created_by_id", "ai_research_report", ["created_by_id"], unique=False)
    op.create_index("ix_ai_research_report_document_id", "ai_research_report", ["document_id"], unique=False)
    op.create_index(
        "ix_ai_research_report_order",
        "ai_research_report",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_report_project_id_order",
        "ai_research_report",
        ["project_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_stream",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("chat_id", sa.Uuid(), nullable=False),
        sa.Column("request_message_id", sa.Uuid(), nullable=True),
        sa.Column("message_id", sa.Uuid(), nullable=True),
        sa.Column("chain_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("finish_reason", sa.String(length=14), nullable=True),
        sa.Column("attempt_count", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("first_token_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("finished_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("error_code", sa.String(length=64), nullable=True),
        sa.Column("error_message", sa.String(length=1000), nullable=True),
        sa.CheckConstraint(
            "finish_reason IN ('stop', 'length', 'content_filter', 'tool_calls', 'error', 'other')",
            name=op.f("ck_ai_stream_finish_reason"),
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'streaming', 'completed', 'failed', 'aborted')", name=op.f("ck_ai_stream_status")
        ),
        sa.ForeignKeyConstraint(["chain_id"], ["ai_chain.id"], name=op.f("fk_ai_stream_chain_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["chat_id"], ["ai_chat.id"], name=op.f("fk_ai_stream_chat_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["ai_message.id"], name=op.f("fk_ai_stream_message_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["request_message_id"], ["ai_message.id"], name=op.f("fk_ai_stream_request_message_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_stream")),
    )
    op.create_index("ix_ai_stream_chain_id", "ai_stream", ["chain_id"], unique=False)
    op.create_index(
        "ix_ai_stream_chat_id_created_at", "ai_stream", ["chat_id", sa.literal_column("created_at DESC")], unique=False
    )
    op.create_index(
        "ix_ai_stream_chat_id_order",
        "ai_stream",
        ["chat_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_stream_message_id", "ai_stream", ["message_id"], unique=False)
    op.create_index(
        "ix_ai_stream_order",
        "ai_stream",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_stream_request_message_id", "ai_stream", ["request_message_id"], unique=False)
    op.create_table(
        "ai_vote",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("message_id", sa.Uuid(), nullable=False),
        sa.Column("chat_id", sa.Uuid(), nullable=False),
        sa.Column("is_upvoted", sa.Boolean(), nullable=False),
        sa.Column("comment", sa.String(length=1000), nullable=True),
        sa.ForeignKeyConstraint(["chat_id"], ["ai_chat.id"], name=op.f("fk_ai_vote_chat_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["ai_message.id"], name=op.f("fk_ai_vote_message_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["auth_user.id"], name=op.f("fk_ai_vote_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_vote")),
        sa.UniqueConstraint(
            "message_id", "user_id", name=op.f("uq_ai_vote_message_id_user_id"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index("ix_ai_vote_chat_id", "ai_vote", ["chat_id"], unique=False)
    op.create_index(
        "ix_ai_vote_order",
        "ai_vote",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_vote_user_id_order",
        "ai_vote",
        ["user_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_agent_deliverable",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("config_id", sa.Uuid(), nullable=False),
        sa.Column("requested_by_id", sa.Uuid(), nullable=True),
        sa.Column("approver_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("brief", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=6), nullable=False),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("data", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("artifact_id", sa.Uuid(), nullable=True),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("deal_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(length=17), nullable=False),
        sa.Column("config_version", sa.Integer(), nullable=False),
        sa.Column("due_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("submitted_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("decided_by_id", sa.Uuid(), nullable=True),
        sa.Column("decided_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("decision_note", sa.String(length=2000), nullable=True),
        sa.Column("error_message", sa.String(length=1000), nullable=True),
        sa.CheckConstraint(
            "kind IN ('text', 'report', 'code', 'sheet', 'data')", name=op.f("ck_ai_agent_deliverable_kind")
        ),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'awaiting_approval', 'approved', 'changes_requested', 'failed', 'cancelled')",
            name=op.f("ck_ai_agent_deliverable_status"),
        ),
        sa.ForeignKeyConstraint(
            ["approver_id"], ["auth_user.id"], name=op.f("fk_ai_agent_deliverable_approver_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["ai_artifact.id"], name=op.f("fk_ai_agent_deliverable_artifact_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["config_id"],
            ["ai_agent_config.id"],
            name=op.f("fk_ai_agent_deliverable_config_id"),
            initially="IMMEDIATE",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["deal_id"], ["crm_deal.id"], name=op.f("fk_ai_agent_deliverable_deal_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["decided_by_id"], ["auth_user.id"], name=op.f("fk_ai_agent_deliverable_decided_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["storage_document.id"],
            name=op.f("fk_ai_agent_deliverable_document_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["auth_organization.id"],
            name=op.f("fk_ai_agent_deliverable_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["requested_by_id"],
            ["auth_user.id"],
            name=op.f("fk_ai_agent_deliverable_requested_by_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_agent_deliverable")),
    )
    op.create_index("ix_ai_agent_deliverable_approver_id", "ai_agent_deliverable", ["approver_id"], unique=False)
    op.create_index("ix_ai_agent_deliverable_artifact_id", "ai_agent_deliverable", ["artifact_id"], unique=False)
    op.create_index("ix_ai_agent_deliverable_config_id", "ai_agent_deliverable", ["config_id"], unique=False)
    op.create_index("ix_ai_agent_deliverable_deal_id", "ai_agent_deliverable", ["deal_id"], unique=False)
    op.create_index("ix_ai_agent_deliverable_decided_by_id", "ai_agent_deliverable", ["decided_by_id"], unique=False)
    op.create_index("ix_ai_agent_deliverable_document_id", "ai_agent_deliverable", ["document_id"], unique=False)
    op.create_index(
        "ix_ai_agent_deliverable_order",
        "ai_agent_deliverable",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_deliverable_organization_id_order",
        "ai_agent_deliverable",
        ["organization_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_deliverable_organization_id_status_created_at",
        "ai_agent_deliverable",
        ["organization_id", "status", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_deliverable_requested_by_id", "ai_agent_deliverable", ["requested_by_id"], unique=False
    )
    op.create_table(
        "ai_attempt",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("stream_id", sa.Uuid(), nullable=False),
        sa.Column("chain_provider_id", sa.Uuid(), nullable=True),
        sa.Column("provider_id", sa.Uuid(), nullable=True),
        sa.Column("provider_slug", sa.String(length=60), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("attempt_number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("error_code", sa.String(length=16), nullable=True),
        sa.Column("error_message", sa.String(length=1000), nullable=True),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("retryable", sa.Boolean(), nullable=True),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("first_token_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("finished_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("latency_ms", sa.Integer(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("cost_micros", sa.BigInteger(), nullable=True),
        sa.Column("request_id", sa.String(length=200), nullable=True),
        sa.CheckConstraint(
            "error_code IN ('timeout', 'rate_limit', 'server_error', 'network', 'invalid_response', 'auth', 'bad_request', 'content_filter', 'circuit_open', 'aborted')",
            name=op.f("ck_ai_attempt_error_code"),
        ),
        sa.CheckConstraint(
            "status IN ('running', 'succeeded', 'failed', 'timed_out', 'aborted', 'skipped')",
            name=op.f("ck_ai_attempt_status"),
        ),
        sa.ForeignKeyConstraint(
            ["chain_provider_id"],
            ["ai_chain_provider.id"],
            name=op.f("fk_ai_attempt_chain_provider_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["ai_provider.id"], name=op.f("fk_ai_attempt_provider_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["stream_id"], ["ai_stream.id"], name=op.f("fk_ai_attempt_stream_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_attempt")),
        sa.UniqueConstraint(
            "stream_id",
            "attempt_number",
            name=op.f("uq_ai_attempt_stream_id_attempt_number"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_ai_attempt_chain_provider_id", "ai_attempt", ["chain_provider_id"], unique=False)
    op.create_index(
        "ix_ai_attempt_order",
        "ai_attempt",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_attempt_provider_id_started_at",
        "ai_attempt",
        ["provider_id", sa.literal_column("started_at DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_attempt_stream_id_order",
        "ai_attempt",
        ["stream_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_rag_chunk",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("heading", sa.String(length=300), nullable=True),
        sa.Column("start_offset", sa.Integer(), nullable=True),
        sa.Column("end_offset", sa.Integer(), nullable=True),
        sa.Column("token_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["ai_rag_document.id"], name=op.f("fk_ai_rag_chunk_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_rag_chunk")),
        sa.UniqueConstraint(
            "document_id",
            "position",
            deferrable=True,
            initially="IMMEDIATE",
            name=op.f("uq_ai_rag_chunk_document_id_position"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_ai_rag_chunk_document_id_order",
        "ai_rag_chunk",
        ["document_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_rag_chunk_order",
        "ai_rag_chunk",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_rag_metadata",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", sa.String(length=500), nullable=False),
        sa.Column("value_type", sa.String(length=9), nullable=False),
        sa.Column("number_value", sa.Double(), nullable=True),
        sa.Column("origin", sa.String(length=9), nullable=False),
        sa.CheckConstraint("origin IN ('manual', 'extracted')", name=op.f("ck_ai_rag_metadata_origin")),
        sa.CheckConstraint(
            "value_type IN ('string', 'number', 'boolean', 'timestamp')", name=op.f("ck_ai_rag_metadata_value_type")
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["ai_rag_document.id"], name=op.f("fk_ai_rag_metadata_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_rag_metadata")),
        sa.UniqueConstraint(
            "document_id", "key", name=op.f("uq_ai_rag_metadata_document_id_key"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index(
        "ix_ai_rag_metadata_document_id_order",
        "ai_rag_metadata",
        ["document_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_rag_metadata_key_value", "ai_rag_metadata", ["key", "value"], unique=False)
    op.create_index(
        "ix_ai_rag_metadata_order",
        "ai_rag_metadata",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_research_finding",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("question_id", sa.Uuid(), nullable=True),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("statement", sa.String(length=2000), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("confidence", sa.String(length=6), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("verified_by_id", sa.Uuid(), nullable=True),
        sa.Column("verified_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint("confidence IN ('low', 'medium', 'high')", name=op.f("ck_ai_research_finding_confidence")),
        sa.CheckConstraint(
            "status IN ('draft', 'verified', 'disputed', 'retracted')", name=op.f("ck_ai_research_finding_status")
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["auth_user.id"], name=op.f("fk_ai_research_finding_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["ai_research_project.id"],
            name=op.f("fk_ai_research_finding_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["ai_research_question.id"],
            name=op.f("fk_ai_research_finding_question_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["verified_by_id"],
            ["auth_user.id"],
            name=op.f("fk_ai_research_finding_verified_by_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_research_finding")),
    )
    op.create_index("ix_ai_research_finding_created_by_id", "ai_research_finding", ["created_by_id"], unique=False)
    op.create_index(
        "ix_ai_research_finding_order",
        "ai_research_finding",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_finding_project_id_order",
        "ai_research_finding",
        ["project_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_research_finding_question_id", "ai_research_finding", ["question_id"], unique=False)
    op.create_index("ix_ai_research_finding_verified_by_id", "ai_research_finding", ["verified_by_id"], unique=False)
    op.create_table(
        "ai_research_source",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=9), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=True),
        sa.Column("author", sa.String(length=300), nullable=True),
        sa.Column("publisher", sa.String(length=200), nullable=True),
        sa.Column("published_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("retrieved_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.Column("upload_id", sa.Uuid(), nullable=True),
        sa.Column("rag_document_id", sa.Uuid(), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("credibility", sa.Double(), nullable=True),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.CheckConstraint(
            "kind IN ('web', 'document', 'upload', 'dataset', 'book', 'interview')",
            name=op.f("ck_ai_research_source_kind"),
        ),
        sa.CheckConstraint(
            "status IN ('candidate', 'accepted', 'rejected')", name=op.f("ck_ai_research_source_status")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["ai_research_project.id"],
            name=op.f("fk_ai_research_source_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["rag_document_id"],
            ["ai_rag_document.id"],
            name=op.f("fk_ai_research_source_rag_document_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["storage_upload.id"], name=op.f("fk_ai_research_source_upload_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_research_source")),
        sa.UniqueConstraint(
            "project_id", "url", name=op.f("uq_ai_research_source_project_id_url"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index(
        "ix_ai_research_source_order",
        "ai_research_source",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_source_project_id_order",
        "ai_research_source",
        ["project_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_research_source_rag_document_id", "ai_research_source", ["rag_document_id"], unique=False)
    op.create_index("ix_ai_research_source_upload_id", "ai_research_source", ["upload_id"], unique=False)
    op.create_table(
        "ai_suggestion",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("artifact_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("artifact_version", sa.Integer(), nullable=False),
        sa.Column("original_text", sa.String(length=20000), nullable=False),
        sa.Column("suggested_text", sa.String(length=20000), nullable=False),
        sa.Column("description", sa.String(length=2000), nullable=True),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("resolved_by_id", sa.Uuid(), nullable=True),
        sa.Column("resolved_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint("status IN ('open', 'accepted', 'rejected')", name=op.f("ck_ai_suggestion_status")),
        sa.ForeignKeyConstraint(
            ["artifact_id"], ["ai_artifact.id"], name=op.f("fk_ai_suggestion_artifact_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["resolved_by_id"], ["auth_user.id"], name=op.f("fk_ai_suggestion_resolved_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_ai_suggestion_user_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_suggestion")),
    )
    op.create_index(
        "ix_ai_suggestion_artifact_id_order",
        "ai_suggestion",
        ["artifact_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_suggestion_order",
        "ai_suggestion",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_suggestion_resolved_by_id", "ai_suggestion", ["resolved_by_id"], unique=False)
    op.create_index("ix_ai_suggestion_user_id", "ai_suggestion", ["user_id"], unique=False)
    op.create_table(
        "ai_agent_evaluation_result",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("deliverable_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("evaluator", sa.String(length=9), nullable=False),
        sa.Column("criterion", sa.String(length=100), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("comment", sa.String(length=4000), nullable=True),
        sa.Column("config_version", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=True),
        sa.CheckConstraint(
            "evaluator IN ('human', 'llm_judge', 'rule')", name=op.f("ck_ai_agent_evaluation_result_evaluator")
        ),
        sa.ForeignKeyConstraint(
            ["deliverable_id"],
            ["ai_agent_deliverable.id"],
            name=op.f("fk_ai_agent_evaluation_result_deliverable_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_ai_agent_evaluation_result_user_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_agent_evaluation_result")),
    )
    op.create_index(
        "ix_ai_agent_evaluation_result_deliverable_id_criterion",
        "ai_agent_evaluation_result",
        ["deliverable_id", "criterion"],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_evaluation_result_deliverable_id_order",
        "ai_agent_evaluation_result",
        ["deliverable_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_evaluation_result_order",
        "ai_agent_evaluation_result",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_agent_evaluation_result_user_id", "ai_agent_evaluation_result", ["user_id"], unique=False)
    op.create_table(
        "ai_agent_message",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("deliverable_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=6), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("tool_name", sa.String(length=100), nullable=True),
        sa.Column("tool_input", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("tool_output", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.CheckConstraint("role IN ('user', 'agent', 'tool', 'system')", name=op.f("ck_ai_agent_message_role")),
        sa.ForeignKeyConstraint(
            ["deliverable_id"],
            ["ai_agent_deliverable.id"],
            name=op.f("fk_ai_agent_message_deliverable_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["auth_user.id"], name=op.f("fk_ai_agent_message_user_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_agent_message")),
        sa.UniqueConstraint(
            "deliverable_id",
            "sequence",
            name=op.f("uq_ai_agent_message_deliverable_id_sequence"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index(
        "ix_ai_agent_message_deliverable_id_order",
        "ai_agent_message",
        ["deliverable_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_agent_message_order",
        "ai_agent_message",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_agent_message_user_id", "ai_agent_message", ["user_id"], unique=False)
    op.create_table(
        "ai_generation_step",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("stream_id", sa.Uuid(), nullable=False),
        sa.Column("attempt_id", sa.Uuid(), nullable=True),
        sa.Column("step_number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=11), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("tool_name", sa.String(length=100), nullable=True),
        sa.Column("tool_call_id", sa.String(length=100), nullable=True),
        sa.Column("tool_input", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("tool_output", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("started_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("finished_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "kind IN ('text', 'reasoning', 'tool_call', 'tool_result')", name=op.f("ck_ai_generation_step_kind")
        ),
        sa.CheckConstraint("status IN ('running', 'completed', 'failed')", name=op.f("ck_ai_generation_step_status")),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["ai_attempt.id"], name=op.f("fk_ai_generation_step_attempt_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["stream_id"], ["ai_stream.id"], name=op.f("fk_ai_generation_step_stream_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_generation_step")),
        sa.UniqueConstraint(
            "stream_id",
            "step_number",
            name=op.f("uq_ai_generation_step_stream_id_step_number"),
            postgresql_nulls_not_distinct=None,
        ),
    )
    op.create_index("ix_ai_generation_step_attempt_id", "ai_generation_step", ["attempt_id"], unique=False)
    op.create_index(
        "ix_ai_generation_step_order",
        "ai_generation_step",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_generation_step_stream_id_order",
        "ai_generation_step",
        ["stream_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_rag_embedding",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("chunk_id", sa.Uuid(), nullable=False),
        sa.Column("index_id", sa.Uuid(), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("vector", pgvector.sqlalchemy.vector.VECTOR(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["ai_rag_chunk.id"], name=op.f("fk_ai_rag_embedding_chunk_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["index_id"], ["ai_rag_index.id"], name=op.f("fk_ai_rag_embedding_index_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_rag_embedding")),
        sa.UniqueConstraint(
            "chunk_id", "model", name=op.f("uq_ai_rag_embedding_chunk_id_model"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index(
        "ix_ai_rag_embedding_chunk_id_order",
        "ai_rag_embedding",
        ["chunk_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_rag_embedding_index_id", "ai_rag_embedding", ["index_id"], unique=False)
    op.create_index(
        "ix_ai_rag_embedding_order",
        "ai_rag_embedding",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_rag_result",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("query_id", sa.Uuid(), nullable=False),
        sa.Column("chunk_id", sa.Uuid(), nullable=True),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("excerpt", sa.Text(), nullable=False),
        sa.Column("feedback", sa.String(length=10), nullable=True),
        sa.CheckConstraint("feedback IN ('relevant', 'irrelevant')", name=op.f("ck_ai_rag_result_feedback")),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["ai_rag_chunk.id"], name=op.f("fk_ai_rag_result_chunk_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["ai_rag_document.id"], name=op.f("fk_ai_rag_result_document_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["ai_rag_query.id"], name=op.f("fk_ai_rag_result_query_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_rag_result")),
        sa.UniqueConstraint(
            "query_id", "rank", name=op.f("uq_ai_rag_result_query_id_rank"), postgresql_nulls_not_distinct=None
        ),
    )
    op.create_index("ix_ai_rag_result_chunk_id", "ai_rag_result", ["chunk_id"], unique=False)
    op.create_index("ix_ai_rag_result_document_id", "ai_rag_result", ["document_id"], unique=False)
    op.create_index(
        "ix_ai_rag_result_order",
        "ai_rag_result",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_rag_result_query_id_order",
        "ai_rag_result",
        ["query_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ai_research_citation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("updated_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("finding_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("chunk_id", sa.Uuid(), nullable=True),
        sa.Column("stance", sa.String(length=11), nullable=False),
        sa.Column("quote", sa.String(length=4000), nullable=True),
        sa.Column("locator", sa.String(length=200), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "stance IN ('supports', 'contradicts', 'context')", name=op.f("ck_ai_research_citation_stance")
        ),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["ai_rag_chunk.id"], name=op.f("fk_ai_research_citation_chunk_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["finding_id"],
            ["ai_research_finding.id"],
            name=op.f("fk_ai_research_citation_finding_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["ai_research_source.id"],
            name=op.f("fk_ai_research_citation_source_id"),
            initially="IMMEDIATE",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_research_citation")),
    )
    op.create_index("ix_ai_research_citation_chunk_id", "ai_research_citation", ["chunk_id"], unique=False)
    op.create_index(
        "ix_ai_research_citation_finding_id_order",
        "ai_research_citation",
        ["finding_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "ix_ai_research_citation_finding_id_position", "ai_research_citation", ["finding_id", "position"], unique=False
    )
    op.create_index(
        "ix_ai_research_citation_order",
        "ai_research_citation",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("ix_ai_research_citation_source_id", "ai_research_citation", ["source_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_ai_research_citation_source_id", table_name="ai_research_citation")
    op.drop_index("ix_ai_research_citation_order", table_name="ai_research_citation")
    op.drop_index("ix_ai_research_citation_finding_id_position", table_name="ai_research_citation")
    op.drop_index("ix_ai_research_citation_finding_id_order", table_name="ai_research_citation")
    op.drop_index("ix_ai_research_citation_chunk_id", table_name="ai_research_citation")
    op.drop_table("ai_research_citation")
    op.drop_index("ix_ai_rag_result_query_id_order", table_name="ai_rag_result")
    op.drop_index("ix_ai_rag_result_order", table_name="ai_rag_result")
    op.drop_index("ix_ai_rag_result_document_id", table_name="ai_rag_result")
    op.drop_index("ix_ai_rag_result_chunk_id", table_name="ai_rag_result")
    op.drop_table("ai_rag_result")
    op.drop_index("ix_ai_rag_embedding_order", table_name="ai_rag_embedding")
    op.drop_index("ix_ai_rag_embedding_index_id", table_name="ai_rag_embedding")
    op.drop_index("ix_ai_rag_embedding_chunk_id_order", table_name="ai_rag_embedding")
    op.drop_table("ai_rag_embedding")
    op.drop_index("ix_ai_generation_step_stream_id_order", table_name="ai_generation_step")
    op.drop_index("ix_ai_generation_step_order", table_name="ai_generation_step")
    op.drop_index("ix_ai_generation_step_attempt_id", table_name="ai_generation_step")
    op.drop_table("ai_generation_step")
    op.drop_index("ix_ai_agent_message_user_id", table_name="ai_agent_message")
    op.drop_index("ix_ai_agent_message_order", table_name="ai_agent_message")
    op.drop_index("ix_ai_agent_message_deliverable_id_order", table_name="ai_agent_message")
    op.drop_table("ai_agent_message")
    op.drop_index("ix_ai_agent_evaluation_result_user_id", table_name="ai_agent_evaluation_result")
    op.drop_index("ix_ai_agent_evaluation_result_order", table_name="ai_agent_evaluation_result")
    op.drop_index("ix_ai_agent_evaluation_result_deliverable_id_order", table_name="ai_agent_evaluation_result")
    op.drop_index("ix_ai_agent_evaluation_result_deliverable_id_criterion", table_name="ai_agent_evaluation_result")
    op.drop_table("ai_agent_evaluation_result")
    op.drop_index("ix_ai_suggestion_user_id", table_name="ai_suggestion")
    op.drop_index("ix_ai_suggestion_resolved_by_id", table_name="ai_suggestion")
    op.drop_index("ix_ai_suggestion_order", table_name="ai_suggestion")
    op.drop_index("ix_ai_suggestion_artifact_id_order", table_name="ai_suggestion")
    op.drop_table("ai_suggestion")
    op.drop_index("ix_ai_research_source_upload_id", table_name="ai_research_source")
    op.drop_index("ix_ai_research_source_rag_document_id", table_name="ai_research_source")
    op.drop_index("ix_ai_research_source_project_id_order", table_name="ai_research_source")
    op.drop_index("ix_ai_research_source_order", table_name="ai_research_source")
    op.drop_table("ai_research_source")
    op.drop_index("ix_ai_research_finding_verified_by_id", table_name="ai_research_finding")
    op.drop_index("ix_ai_research_finding_question_id", table_name="ai_research_finding")
    op.drop_index("ix_ai_research_finding_project_id_order", table_name="ai_research_finding")
    op.drop_index("ix_ai_research_finding_order", table_name="ai_research_finding")
    op.drop_index("ix_ai_research_finding_created_by_id", table_name="ai_research_finding")
    op.drop_table("ai_research_finding")
    op.drop_index("ix_ai_rag_metadata_order", table_name="ai_rag_metadata")
    op.drop_index("ix_ai_rag_metadata_key_value", table_name="ai_rag_metadata")
    op.drop_index("ix_ai_rag_metadata_document_id_order", table_name="ai_rag_metadata")
    op.drop_table("ai_rag_metadata")
    op.drop_index("ix_ai_rag_chunk_order", table_name="ai_rag_chunk")
    op.drop_index("ix_ai_rag_chunk_document_id_order", table_name="ai_rag_chunk")
    op.drop_table("ai_rag_chunk")
    op.drop_index("ix_ai_attempt_stream_id_order", table_name="ai_attempt")
    op.drop_index("ix_ai_attempt_provider_id_started_at", table_name="ai_attempt")
    op.drop_index("ix_ai_attempt_order", table_name="ai_attempt")
    op.drop_index("ix_ai_attempt_chain_provider_id", table_name="ai_attempt")
    op.drop_table("ai_attempt")
    op.drop_index("ix_ai_agent_deliverable_requested_by_id", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_organization_id_status_created_at", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_organization_id_order", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_order", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_document_id", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_decided_by_id", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_deal_id", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_config_id", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_artifact_id", table_name="ai_agent_deliverable")
    op.drop_index("ix_ai_agent_deliverable_approver_id", table_name="ai_agent_deliverable")
    op.drop_table("ai_agent_deliverable")
    op.drop_index("ix_ai_vote_user_id_order", table_name="ai_vote")
    op.drop_index("ix_ai_vote_order", table_name="ai_vote")
    op.drop_index("ix_ai_vote_chat_id", table_name="ai_vote")
    op.drop_table("ai_vote")
    op.drop_index("ix_ai_stream_request_message_id", table_name="ai_stream")
    op.drop_index("ix_ai_stream_order", table_name="ai_stream")
    op.drop_index("ix_ai_stream_message_id", table_name="ai_stream")
    op.drop_index("ix_ai_stream_chat_id_order", table_name="ai_stream")
    op.drop_index("ix_ai_stream_chat_id_created_at", table_name="ai_stream")
    op.drop_index("ix_ai_stream_chain_id", table_name="ai_stream")
    op.drop_table("ai_stream")
    op.drop_index("ix_ai_research_report_project_id_order", table_name="ai_research_report")
    op.drop_index("ix_ai_research_report_order", table_name="ai_research_report")
    op.drop_index("ix_ai_research_report_document_id", table_name="ai_research_report")
    op.drop_index("ix_ai_research_report_created_by_id", table_name="ai_research_report")
    op.drop_table("ai_research_report")
    op.drop_index("ix_ai_research_question_project_id_position", table_name="ai_research_question")
    op.drop_index("ix_ai_research_question_project_id_order", table_name="ai_research_question")
    op.drop_index("ix_ai_research_question_parent_question_id", table_name="ai_research_question")
    op.drop_index("ix_ai_research_question_order", table_name="ai_research_question")
    op.drop_table("ai_research_question")
    op.drop_index("ix_ai_rag_document_upload_id", table_name="ai_rag_document")
    op.drop_index("ix_ai_rag_document_storage_document_id", table_name="ai_rag_document")
    op.drop_index("ix_ai_rag_document_order", table_name="ai_rag_document")
    op.drop_index("ix_ai_rag_document_index_id_order", table_name="ai_rag_document")
    op.drop_index("ix_ai_rag_document_created_by_id", table_name="ai_rag_document")
    op.drop_table("ai_rag_document")
    op.drop_index("ix_ai_artifact_user_id_updated_at", table_name="ai_artifact")
    op.drop_index("ix_ai_artifact_user_id_order", table_name="ai_artifact")
    op.drop_index("ix_ai_artifact_upload_id", table_name="ai_artifact")
    op.drop_index(
        "ix_ai_artifact_public_order", table_name="ai_artifact", postgresql_where=sa.text("visibility IN ('public')")
    )
    op.drop_index("ix_ai_artifact_order", table_name="ai_artifact")
    op.drop_index("ix_ai_artifact_message_id", table_name="ai_artifact")
    op.drop_index("ix_ai_artifact_chat_id", table_name="ai_artifact")
    op.drop_table("ai_artifact")
    op.drop_index("ix_storage_document_user_id_updated_at", table_name="storage_document")
    op.drop_index("ix_storage_document_user_id_order", table_name="storage_document")
    op.drop_index("ix_storage_document_upload_id", table_name="storage_document")
    op.drop_index("ix_storage_document_tags", table_name="storage_document", postgresql_using="gin")
    op.drop_index(
        "ix_storage_document_public_order",
        table_name="storage_document",
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.drop_index("ix_storage_document_order", table_name="storage_document")
    op.drop_table("storage_document")
    op.drop_index("ix_crm_deal_owner_id", table_name="crm_deal")
    op.drop_index("ix_crm_deal_organization_id_stage_expected_close_at", table_name="crm_deal")
    op.drop_index("ix_crm_deal_organization_id_order", table_name="crm_deal")
    op.drop_index("ix_crm_deal_order", table_name="crm_deal")
    op.drop_index("ix_crm_deal_created_by_id", table_name="crm_deal")
    op.drop_index("ix_crm_deal_contact_id", table_name="crm_deal")
    op.drop_index("ix_crm_deal_company_id", table_name="crm_deal")
    op.drop_table("crm_deal")
    op.drop_index("ix_analytics_report_upload_id", table_name="analytics_report")
    op.drop_index("ix_analytics_report_organization_id_order", table_name="analytics_report")
    op.drop_index("ix_analytics_report_organization_id_kind_created_at", table_name="analytics_report")
    op.drop_index("ix_analytics_report_order", table_name="analytics_report")
    op.drop_index("ix_analytics_report_created_by_id", table_name="analytics_report")
    op.drop_table("analytics_report")
    op.drop_index(
        "ix_ai_research_project_public_order",
        table_name="ai_research_project",
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.drop_index("ix_ai_research_project_organization_id_status", table_name="ai_research_project")
    op.drop_index("ix_ai_research_project_organization_id_order", table_name="ai_research_project")
    op.drop_index("ix_ai_research_project_order", table_name="ai_research_project")
    op.drop_index("ix_ai_research_project_index_id", table_name="ai_research_project")
    op.drop_index("ix_ai_research_project_created_by_id", table_name="ai_research_project")
    op.drop_index("ix_ai_research_project_config_id", table_name="ai_research_project")
    op.drop_index("ix_ai_research_project_company_id", table_name="ai_research_project")
    op.drop_table("ai_research_project")
    op.drop_index("ix_ai_rag_query_user_id_order", table_name="ai_rag_query")
    op.drop_index("ix_ai_rag_query_user_id_created_at", table_name="ai_rag_query")
    op.drop_index("ix_ai_rag_query_order", table_name="ai_rag_query")
    op.drop_index("ix_ai_rag_query_index_id", table_name="ai_rag_query")
    op.drop_index("ix_ai_rag_query_chat_id", table_name="ai_rag_query")
    op.drop_table("ai_rag_query")
    op.drop_index("ix_ai_message_order", table_name="ai_message")
    op.drop_index("ix_ai_message_chat_id_order", table_name="ai_message")
    op.drop_table("ai_message")
    op.drop_index("ix_ai_agent_optimization_result_order", table_name="ai_agent_optimization_result")
    op.drop_index("ix_ai_agent_optimization_result_decided_by_id", table_name="ai_agent_optimization_result")
    op.drop_index("ix_ai_agent_optimization_result_created_by_id", table_name="ai_agent_optimization_result")
    op.drop_index("ix_ai_agent_optimization_result_config_id_order", table_name="ai_agent_optimization_result")
    op.drop_table("ai_agent_optimization_result")
    op.drop_index("ix_storage_upload_user_id_order", table_name="storage_upload")
    op.drop_index("ix_storage_upload_user_id_created_at", table_name="storage_upload")
    op.drop_index(
        "ix_storage_upload_public_order",
        table_name="storage_upload",
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.drop_index("ix_storage_upload_organization_id", table_name="storage_upload")
    op.drop_index("ix_storage_upload_order", table_name="storage_upload")
    op.drop_index("ix_storage_upload_bucket_id", table_name="storage_upload")
    op.drop_table("storage_upload")
    op.drop_index("ix_integration_webhook_delivery_status_next_attempt_at", table_name="integration_webhook_delivery")
    op.drop_table("integration_webhook_delivery")
    op.drop_index("ix_crm_contact_organization_id_order", table_name="crm_contact")
    op.drop_index("ix_crm_contact_order", table_name="crm_contact")
    op.drop_index("ix_crm_contact_created_by_id", table_name="crm_contact")
    op.drop_index("ix_crm_contact_company_id", table_name="crm_contact")
    op.drop_table("crm_contact")
    op.drop_index("ix_auth_team_member_user_id", table_name="auth_team_member")
    op.drop_index("ix_auth_team_member_team_id_order", table_name="auth_team_member")
    op.drop_index("ix_auth_team_member_order", table_name="auth_team_member")
    op.drop_table("auth_team_member")
    op.drop_index("ix_auth_session_user_id_order", table_name="auth_session")
    op.drop_index("ix_auth_session_order", table_name="auth_session")
    op.drop_index("ix_auth_session_impersonated_by", table_name="auth_session")
    op.drop_index("ix_auth_session_expires_at", table_name="auth_session")
    op.drop_index("ix_auth_session_active_team_id", table_name="auth_session")
    op.drop_index("ix_auth_session_active_organization_id", table_name="auth_session")
    op.drop_table("auth_session")
    op.drop_index(
        "uq_auth_invitation_organization_id_email",
        table_name="auth_invitation",
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.drop_index("ix_auth_invitation_team_id", table_name="auth_invitation")
    op.drop_index("ix_auth_invitation_organization_id_order", table_name="auth_invitation")
    op.drop_index("ix_auth_invitation_order", table_name="auth_invitation")
    op.drop_index("ix_auth_invitation_inviter_id", table_name="auth_invitation")
    op.drop_table("auth_invitation")
    op.drop_table("auth_api_key_usage")
    op.drop_index("ix_auth_api_key_analytics_user_id_time", table_name="auth_api_key_analytics")
    op.drop_index("ix_auth_api_key_analytics_user_id_order", table_name="auth_api_key_analytics")
    op.drop_index("ix_auth_api_key_analytics_organization_id", table_name="auth_api_key_analytics")
    op.drop_index("ix_auth_api_key_analytics_order", table_name="auth_api_key_analytics")
    op.drop_index("ix_auth_api_key_analytics_key_id_time", table_name="auth_api_key_analytics")
    op.drop_table("auth_api_key_analytics")
    op.drop_index("ix_ai_chat_user_id_order", table_name="ai_chat")
    op.drop_index("ix_ai_chat_user_id_last_message_at", table_name="ai_chat")
    op.drop_index("ix_ai_chat_public_order", table_name="ai_chat", postgresql_where=sa.text("visibility IN ('public')"))
    op.drop_index("ix_ai_chat_organization_id", table_name="ai_chat")
    op.drop_index("ix_ai_chat_order", table_name="ai_chat")
    op.drop_index("ix_ai_chat_index_id", table_name="ai_chat")
    op.drop_index("ix_ai_chat_chain_id", table_name="ai_chat")
    op.drop_table("ai_chat")
    op.drop_index("ix_ai_chain_provider_provider_id", table_name="ai_chain_provider")
    op.drop_index("ix_ai_chain_provider_order", table_name="ai_chain_provider")
    op.drop_index("ix_ai_chain_provider_chain_id_order", table_name="ai_chain_provider")
    op.drop_table("ai_chain_provider")
    op.drop_index(
        "ix_ai_agent_config_public_order",
        table_name="ai_agent_config",
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.drop_index("ix_ai_agent_config_organization_id_order", table_name="ai_agent_config")
    op.drop_index("ix_ai_agent_config_order", table_name="ai_agent_config")
    op.drop_index("ix_ai_agent_config_index_id", table_name="ai_agent_config")
    op.drop_index("ix_ai_agent_config_created_by_id", table_name="ai_agent_config")
    op.drop_index("ix_ai_agent_config_chain_id", table_name="ai_agent_config")
    op.drop_table("ai_agent_config")
    op.drop_index(
        "ix_storage_bucket_public_order",
        table_name="storage_bucket",
        postgresql_where=sa.text("visibility IN ('public')"),
    )
    op.drop_index("ix_storage_bucket_organization_id_order", table_name="storage_bucket")
    op.drop_index("ix_storage_bucket_order", table_name="storage_bucket")
    op.drop_index("ix_storage_bucket_created_by_id", table_name="storage_bucket")
    op.drop_table("storage_bucket")
    op.drop_index("ix_platform_audit_log_target_type_target_id_created_at", table_name="platform_audit_log")
    op.drop_index("ix_platform_audit_log_organization_id_order", table_name="platform_audit_log")
    op.drop_index("ix_platform_audit_log_organization_id_created_at", table_name="platform_audit_log")
    op.drop_index("ix_platform_audit_log_order", table_name="platform_audit_log")
    op.drop_index("ix_platform_audit_log_actor_id_created_at", table_name="platform_audit_log")
    op.drop_table("platform_audit_log")
    op.drop_index("ix_notification_preference_user_id_order", table_name="notification_preference")
    op.drop_index("ix_notification_preference_order", table_name="notification_preference")
    op.drop_table("notification_preference")
    op.drop_index("ix_notification_notification_user_id_sequence", table_name="notification_notification")
    op.drop_index("ix_notification_notification_user_id_read_at", table_name="notification_notification")
    op.drop_index("ix_notification_notification_user_id_order", table_name="notification_notification")
    op.drop_index("ix_notification_notification_organization_id", table_name="notification_notification")
    op.drop_index("ix_notification_notification_order", table_name="notification_notification")
    op.drop_index("ix_notification_notification_actor_id", table_name="notification_notification")
    op.drop_table("notification_notification")
    op.drop_index("ix_integration_webhook_endpoint_user_id", table_name="integration_webhook_endpoint")
    op.drop_table("integration_webhook_endpoint")
    op.drop_index("ix_integration_teams_meeting_start_date_time", table_name="integration_teams_meeting")
    op.drop_index("ix_integration_teams_meeting_organizer_id", table_name="integration_teams_meeting")
    op.drop_table("integration_teams_meeting")
    op.drop_index("ix_integration_teams_conversation_user_id", table_name="integration_teams_conversation")
    op.drop_index("ix_integration_teams_conversation_teams_channel_id", table_name="integration_teams_conversation")
    op.drop_table("integration_teams_conversation")
    op.drop_index(
        "ix_crm_company_public_order", table_name="crm_company", postgresql_where=sa.text("visibility IN ('public')")
    )
    op.drop_index("ix_crm_company_organization_id_order", table_name="crm_company")
    op.drop_index("ix_crm_company_organization_id_industry", table_name="crm_company")
    op.drop_index("ix_crm_company_order", table_name="crm_company")
    op.drop_index("ix_crm_company_created_by_id", table_name="crm_company")
    op.drop_table("crm_company")
    op.drop_index("ix_auth_two_factor_user_id_order", table_name="auth_two_factor")
    op.drop_index("ix_auth_two_factor_order", table_name="auth_two_factor")
    op.drop_table("auth_two_factor")
    op.drop_index("ix_auth_team_organization_id_order", table_name="auth_team")
    op.drop_index("ix_auth_team_order", table_name="auth_team")
    op.drop_table("auth_team")
    op.drop_index("ix_auth_passkey_user_id_order", table_name="auth_passkey")
    op.drop_index("ix_auth_passkey_order", table_name="auth_passkey")
    op.drop_table("auth_passkey")
    op.drop_index("ix_auth_member_user_id", table_name="auth_member")
    op.drop_index("ix_auth_member_organization_id_order", table_name="auth_member")
    op.drop_index("ix_auth_member_order", table_name="auth_member")
    op.drop_table("auth_member")
    op.drop_index("ix_auth_api_key_user_id_order", table_name="auth_api_key")
    op.drop_index("ix_auth_api_key_user_id_created_at", table_name="auth_api_key")
    op.drop_index("ix_auth_api_key_rotated_to_id", table_name="auth_api_key")
    op.drop_index("ix_auth_api_key_organization_id", table_name="auth_api_key")
    op.drop_index("ix_auth_api_key_order", table_name="auth_api_key")
    op.drop_table("auth_api_key")
    op.drop_index("ix_auth_account_user_id_order", table_name="auth_account")
    op.drop_index("ix_auth_account_order", table_name="auth_account")
    op.drop_table("auth_account")
    op.drop_index("ix_analytics_insight_organization_id_order", table_name="analytics_insight")
    op.drop_index("ix_analytics_insight_order", table_name="analytics_insight")
    op.drop_index("ix_analytics_insight_created_by_id", table_name="analytics_insight")
    op.drop_index("ix_analytics_insight_acknowledged_by_id", table_name="analytics_insight")
    op.drop_table("analytics_insight")
    op.drop_index("ix_analytics_event_user_id", table_name="analytics_event")
    op.drop_index("ix_analytics_event_organization_id_order", table_name="analytics_event")
    op.drop_index("ix_analytics_event_organization_id_name_occurred_at", table_name="analytics_event")
    op.drop_index("ix_analytics_event_order", table_name="analytics_event")
    op.drop_table("analytics_event")
    op.drop_index("ix_analytics_activity_user_id_order", table_name="analytics_activity")
    op.drop_index("ix_analytics_activity_user_id_occurred_at", table_name="analytics_activity")
    op.drop_index("ix_analytics_activity_organization_id", table_name="analytics_activity")
    op.drop_index("ix_analytics_activity_order", table_name="analytics_activity")
    op.drop_index("ix_analytics_activity_activity_type_occurred_at", table_name="analytics_activity")
    op.drop_table("analytics_activity")
    op.drop_index(
        "ix_ai_rag_index_public_order", table_name="ai_rag_index", postgresql_where=sa.text("visibility IN ('public')")
    )
    op.drop_index("ix_ai_rag_index_provider_id", table_name="ai_rag_index")
    op.drop_index("ix_ai_rag_index_organization_id_order", table_name="ai_rag_index")
    op.drop_index("ix_ai_rag_index_order", table_name="ai_rag_index")
    op.drop_index("ix_ai_rag_index_created_by_id", table_name="ai_rag_index")
    op.drop_table("ai_rag_index")
    op.drop_index(
        "uq_ai_chain_organization_id",
        table_name="ai_chain",
        postgresql_where=sa.text("is_default"),
        postgresql_nulls_not_distinct=True,
    )
    op.drop_index(
        "ix_ai_chain_public_order", table_name="ai_chain", postgresql_where=sa.text("visibility IN ('public')")
    )
    op.drop_index("ix_ai_chain_organization_id_order", table_name="ai_chain")
    op.drop_index("ix_ai_chain_order", table_name="ai_chain")
    op.drop_index("ix_ai_chain_created_by_id", table_name="ai_chain")
    op.drop_table("ai_chain")
    op.drop_index("ix_platform_idempotency_key_expires_at", table_name="platform_idempotency_key")
    op.drop_table("platform_idempotency_key")
    op.drop_index(
        "ix_platform_feature_flag_public_order",
        table_name="platform_feature_flag",
        postgresql_where=sa.text("is_client_visible"),
    )
    op.drop_index("ix_platform_feature_flag_order", table_name="platform_feature_flag")
    op.drop_table("platform_feature_flag")
    op.drop_index("ix_integration_inbound_event_status_created_at", table_name="integration_inbound_event")
    op.drop_table("integration_inbound_event")
    op.drop_index("ix_integration_graph_subscription_expires_at", table_name="integration_graph_subscription")
    op.drop_table("integration_graph_subscription")
    op.drop_index("ix_auth_verification_order", table_name="auth_verification")
    op.drop_index("ix_auth_verification_identifier", table_name="auth_verification")
    op.drop_index("ix_auth_verification_expires_at", table_name="auth_verification")
    op.drop_table("auth_verification")
    op.drop_index("ix_auth_user_order", table_name="auth_user")
    op.drop_table("auth_user")
    op.drop_index("ix_auth_organization_order", table_name="auth_organization")
    op.drop_table("auth_organization")
    op.drop_index(
        "ix_ai_provider_public_order",
        table_name="ai_provider",
        postgresql_where=sa.text("status IN ('active', 'degraded')"),
    )
    op.drop_index("ix_ai_provider_order", table_name="ai_provider")
    op.drop_table("ai_provider")
    op.execute("DROP SEQUENCE notification_sequence")
