"""Keep links that show one record to whoever has them, and whether an organization allows them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TABLE = "auth_link"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    op.add_column("auth_organization", sa.Column("public_links", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid()),
        sa.Column("created_by_id", sa.Uuid(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("last_used_at", MOMENT),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{TABLE}")),
        sa.UniqueConstraint("token_hash", name=op.f(f"uq_{TABLE}_token_hash")),
        *(
            sa.ForeignKeyConstraint([name], [f"{target}.id"], name=op.f(f"fk_{TABLE}_{name}"), ondelete="CASCADE")
            for name, target in (("organization_id", "auth_organization"), ("created_by_id", "auth_user"))
        ),
    )
    for column in ("organization_id", "created_by_id", "expires_at", "record_id"):
        op.create_index(f"ix_{TABLE}_{column}", TABLE, [column])


def downgrade():
    op.drop_table(TABLE)
    op.drop_column("auth_organization", "public_links")
