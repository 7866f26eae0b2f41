"""Let webhooks be of an organization, keep what an endpoint hears from where, and what came of each delivery."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

ENDPOINT, DELIVERY, PROGRESS = (
    "integration_webhook_endpoint",
    "integration_webhook_delivery",
    "integration_webhook_progress",
)
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
OF_ENDPOINT = {
    "where": postgresql.JSONB(),
    "previous_secret": sa.Text(),
    "previous_secret_until": MOMENT,
    "failing_since": MOMENT,
    "paused_until": MOMENT,
    "disabled_reason": sa.String(20),
}
OF_DELIVERY = {
    "position": sa.BigInteger(),
    "record_id": sa.Uuid(),
    "error_message": sa.String(500),
    "duration_ms": sa.Integer(),
}
OPEN = sa.text("status IN ('pending', 'delivering', 'failed')")
OLD_INDEX = "ix_integration_webhook_delivery_status_next_attempt_at"


def upgrade():
    # No route has ever made one.
    op.execute(f"DELETE FROM {ENDPOINT}")
    op.add_column(ENDPOINT, sa.Column("organization_id", sa.Uuid(), nullable=False))
    op.add_column(ENDPOINT, sa.Column("begins_at", sa.BigInteger(), nullable=False))
    op.create_foreign_key(
        op.f(f"fk_{ENDPOINT}_organization_id"),
        ENDPOINT,
        "auth_organization",
        ["organization_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index(f"ix_{ENDPOINT}_organization_id", ENDPOINT, ["organization_id"])
    for table, columns in ((ENDPOINT, OF_ENDPOINT), (DELIVERY, OF_DELIVERY)):
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind))
    op.alter_column(DELIVERY, "event_type", type_=sa.String(200), existing_type=sa.String(100))
    # A member who leaves need not wait for all that was ever delivered.
    op.drop_constraint(op.f(f"fk_{DELIVERY}_endpoint_id"), DELIVERY, type_="foreignkey")
    op.drop_index(OLD_INDEX, table_name=DELIVERY)
    op.create_index(
        f"ix_{DELIVERY}_endpoint_id_next_attempt_at",
        DELIVERY,
        ["endpoint_id", "next_attempt_at"],
        postgresql_where=OPEN,
    )
    op.create_index(f"ix_{DELIVERY}_endpoint_id_created_at", DELIVERY, ["endpoint_id", sa.text("created_at DESC")])
    op.create_index(
        f"ix_{DELIVERY}_record_id_endpoint_id_position", DELIVERY, ["record_id", "endpoint_id", "position"]
    )
    op.create_table(
        PROGRESS,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.Uuid()),
        sa.Column("held_until", MOMENT),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{PROGRESS}")),
    )
    op.execute(
        f"INSERT INTO {PROGRESS} SELECT gen_random_uuid(), now(), now(), position FROM platform_change_sequencer"
    )


def downgrade():
    op.drop_table(PROGRESS)
    for columns in ("endpoint_id_next_attempt_at", "endpoint_id_created_at", "record_id_endpoint_id_position"):
        op.drop_index(f"ix_{DELIVERY}_{columns}", table_name=DELIVERY)
    op.create_index(OLD_INDEX, DELIVERY, ["status", "next_attempt_at"])
    op.execute(
        f"DELETE FROM {DELIVERY} WHERE length(event_type) > 100 OR endpoint_id NOT IN (SELECT id FROM {ENDPOINT})"
    )
    op.create_foreign_key(
        op.f(f"fk_{DELIVERY}_endpoint_id"), DELIVERY, ENDPOINT, ["endpoint_id"], ["id"], ondelete="CASCADE"
    )
    op.alter_column(DELIVERY, "event_type", type_=sa.String(100), existing_type=sa.String(200))
    for table, columns in ((DELIVERY, OF_DELIVERY), (ENDPOINT, OF_ENDPOINT)):
        for name in reversed(columns):
            op.drop_column(table, name)
    op.drop_column(ENDPOINT, "begins_at")
    op.drop_column(ENDPOINT, "organization_id")
