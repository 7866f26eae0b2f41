"""Let mail have attachments, and addresses leave subscriptions."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

MAIL, OPT_OUT = "platform_mail", "platform_mail_opt_out"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade():
    op.add_column(MAIL, sa.Column("subscription", sa.String(64)))
    op.add_column(MAIL, sa.Column("attachments", postgresql.ARRAY(sa.Text()), server_default="{}", nullable=False))
    op.create_table(
        OPT_OUT,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("subscription", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_mail_opt_out")),
        sa.UniqueConstraint("address", "subscription", name=op.f("uq_platform_mail_opt_out_address_subscription")),
    )


def downgrade():
    op.drop_table(OPT_OUT)
    op.drop_column(MAIL, "attachments")
    op.drop_column(MAIL, "subscription")
