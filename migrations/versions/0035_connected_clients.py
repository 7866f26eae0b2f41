"""Keep clients that people connect, what they ask for, and their tokens."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
TEXTS = postgresql.ARRAY(sa.Text())
# The references of each table, and its further indexes; those in the first tuple are unique.
TABLES = {
    "auth_client": ((), (("client_id",), ())),
    "auth_connection": ((("client_id", "auth_client"), ("key_id", "auth_api_key")), (("key_id",), ("client_id",))),
    "auth_client_request": (
        (
            ("client_id", "auth_client"), ("user_id", "auth_user"), ("organization_id", "auth_organization"),
            ("key_id", "auth_api_key"),
        ),
        (("code_hash",), ("client_id", "user_id", "organization_id", "key_id", "expires_at")),
    ),
    "auth_client_token": ((("key_id", "auth_api_key"),), (("token_hash",), ("key_id", "expires_at"))),
}  # fmt: skip
COLUMNS = {
    "auth_client": lambda: [
        sa.Column("client_id", sa.String(500), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("redirect_uris", TEXTS, nullable=False),
        sa.Column("source", sa.String(10), nullable=False),
        sa.Column("fresh_until", MOMENT),
        sa.CheckConstraint("source IN ('document', 'registered', 'dynamic')", name=op.f("ck_auth_client_source")),
    ],
    "auth_connection": lambda: [
        sa.Column("client_id", sa.Uuid(), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=False),
    ],
    "auth_client_request": lambda: [
        sa.Column("client_id", sa.Uuid(), nullable=False),
        sa.Column("redirect_uri", sa.String(500), nullable=False),
        sa.Column("state", sa.String(2000)),
        sa.Column("scopes", TEXTS, nullable=False),
        sa.Column("code_challenge", sa.String(128), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("organization_id", sa.Uuid()),
        sa.Column("access", postgresql.JSONB()),
        sa.Column("code_hash", sa.String(64)),
        sa.Column("key_id", sa.Uuid()),
    ],
    "auth_client_token": lambda: [
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(7), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT),
        sa.CheckConstraint("kind IN ('access', 'refresh')", name=op.f("ck_auth_client_token_kind")),
    ],
}


def upgrade():
    for table, (references, (unique, indexed)) in TABLES.items():
        op.create_table(
            table,
            sa.Column("id", sa.Uuid(), nullable=False),
            sa.Column("created_at", MOMENT, nullable=False),
            sa.Column("updated_at", MOMENT, nullable=False),
            *COLUMNS[table](),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
            *(
                sa.ForeignKeyConstraint([column], [f"{target}.id"], name=op.f(f"fk_{table}_{column}"), ondelete="CASCADE")
                for column, target in references
            ),
        )
        for column in unique:
            op.create_index(op.f(f"uq_{table}_{column}"), table, [column], unique=True)
        for column in indexed:
            op.create_index(op.f(f"ix_{table}_{column}"), table, [column])


def downgrade():
    for table in reversed(TABLES):
        op.drop_table(table)
