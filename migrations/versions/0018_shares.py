"""Keep with whom records are shared, and whether an organization lets them out."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

TABLE = "auth_share"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
REFERENCES = {
    "user_id": ("auth_user", "CASCADE"),
    "team_id": ("auth_team", "CASCADE"),
    "organization_id": ("auth_organization", "CASCADE"),
    "created_by_id": ("auth_user", "SET NULL"),
}


def upgrade():
    op.add_column(
        "auth_organization", sa.Column("outside_shares", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("record_created_at", MOMENT, nullable=False),
        sa.Column("recipient", sa.String(254), nullable=False),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("team_id", sa.Uuid()),
        sa.Column("email", sa.String(254)),
        sa.Column("may", sa.String(5), nullable=False),
        sa.Column("until", MOMENT),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("outside", sa.Boolean(), nullable=False),
        sa.Column("created_by_id", sa.Uuid()),
        sa.CheckConstraint("may IN ('read', 'write')", name=op.f(f"ck_{TABLE}_may")),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{TABLE}")),
        *(
            sa.ForeignKeyConstraint([name], [f"{target}.id"], name=op.f(f"fk_{TABLE}_{name}"), ondelete=removal)
            for name, (target, removal) in REFERENCES.items()
        ),
    )
    for column in ("record_id", *REFERENCES):
        op.create_index(f"ix_{TABLE}_{column}", TABLE, [column])
    for column in ("email", "until"):
        op.create_index(f"ix_{TABLE}_{column}", TABLE, [column], postgresql_where=sa.text(f"{column} IS NOT NULL"))
    newest_first = (sa.text("record_created_at DESC"), sa.text("record_id DESC"))
    op.create_index(
        f"ix_{TABLE}_recipient_model_record_created_at_record_id", TABLE, ["recipient", "model", *newest_first]
    )


def downgrade():
    op.drop_table(TABLE)
    op.drop_column("auth_organization", "outside_shares")
