"""Keep what lists are searched and sorted by: text-search vectors, and indexes in the order of lists.

The vectors are columns that the database keeps. To add one rewrites its table, which is locked for that long.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

SEARCHED = {
    "ai_agent_config": ("name", "description"),
    "ai_agent_deliverable": ("title", "brief"),
    "ai_agent_message": ("content",),
    "ai_artifact": ("title", "content"),
    "ai_chain": ("name", "description"),
    "ai_chat": ("title",),
    "ai_message": ("content",),
    "ai_provider": ("slug", "name"),
    "ai_rag_chunk": ("heading", "content"),
    "ai_rag_document": ("title",),
    "ai_rag_index": ("name", "description"),
    "ai_research_finding": ("statement", "detail"),
    "ai_research_project": ("title", "objective"),
    "ai_research_question": ("text", "answer"),
    "ai_research_report": ("title", "summary", "content"),
    "ai_research_source": ("title", "author", "publisher"),
    "analytics_insight": ("title", "summary"),
    "analytics_report": ("name",),
    "auth_invitation": ("email",),
    "auth_organization": ("name", "slug"),
    "auth_team": ("name", "description"),
    "auth_user": ("name",),
    "crm_company": ("name", "industry"),
    "crm_contact": ("first_name", "last_name", "email", "title"),
    "crm_deal": ("name", "description", "next_step"),
    "notification_notification": ("title", "body"),
    "platform_feature_flag": ("key", "name", "description"),
    "storage_bucket": ("name", "description"),
    "storage_document": ("title", "content"),
    "storage_upload": ("filename",),
}
SORTED = (
    ("ai_artifact", ("user_id", "title")),
    ("crm_company", ("organization_id", "name")),
    ("crm_contact", ("organization_id", "last_name")),
    ("crm_deal", ("organization_id", "name")),
    ("crm_deal", ("organization_id", "amount")),
    ("crm_deal", ("organization_id", "expected_close_at")),
    ("crm_deal", ("organization_id", "stage", "amount")),
    ("notification_notification", ("user_id", "read_at")),
    ("storage_document", ("user_id", "title")),
    ("storage_upload", ("user_id", "filename")),
)
TEXT = {"filename", "last_name", "name", "title"}
MARKS = (
    r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
    r"\ufe20-\ufe2f"
)
PUNCTUATION = "!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~"

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade():
    for table, columns in SEARCHED.items():
        kept = sa.Computed(_vector(columns), persisted=True)
        op.add_column(table, sa.Column("search_text", postgresql.TSVECTOR(), kept))
        op.create_index(f"ix_{table}_search_text", table, ["search_text"], postgresql_using="gin")
    for table, columns in SORTED:
        *equal, last = columns
        order = [sa.text(f'lower({last}) COLLATE "C"'), sa.text(f'{last} COLLATE "C"')] if last in TEXT else [last]
        op.create_index(_name(table, columns), table, [*equal, *order, "id"])


def downgrade():
    for table, columns in SORTED:
        op.drop_index(_name(table, columns), table)
    for table in SEARCHED:
        op.drop_column(table, "search_text")


def _name(table, columns):
    return "_".join(["ix", table, *columns, "sorted"])


def _vector(columns):
    text = " || ' ' || ".join(f"coalesce({column}, '')" for column in columns)
    bare = f"regexp_replace(normalize({text}, NFKD), '[{MARKS}]', '', 'g')"
    words = f"translate({bare}, '{PUNCTUATION}', '{' ' * 32}')"
    return f"to_tsvector('simple', left({words}, 100000))"
