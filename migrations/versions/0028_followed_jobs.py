"""Keep the jobs that somebody follows, and the steps that jobs have done."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

JOB, STEP = "platform_job", "platform_job_step"
MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
JSON = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())
STATUSES = "'waiting', 'running', 'succeeded', 'failed', 'cancelled'"


def upgrade():
    _create(
        JOB,
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("task", sa.String(100), nullable=False),
        sa.Column("record_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.String(9), nullable=False),
        sa.Column("progress", sa.Double(), nullable=False),
        sa.Column("message", sa.String(300)),
        sa.Column("result", JSON),
        sa.Column("error_message", sa.String(1000)),
        sa.Column("due_at", MOMENT),
        sa.Column("started_at", MOMENT),
        sa.Column("ended_at", MOMENT),
        sa.Column("queued_id", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(f"status IN ({STATUSES})", name=op.f("ck_platform_job_status")),
        sa.ForeignKeyConstraint(["user_id"], ["auth_user.id"], name=op.f("fk_platform_job_user_id"), ondelete="CASCADE"),
    )
    op.create_index("ix_platform_job_user_id_created_at", JOB, ["user_id", sa.literal_column("created_at DESC")])
    op.create_index("ix_platform_job_ended_at", JOB, ["ended_at"])
    _create(
        STEP,
        sa.Column("queued_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("result", JSON),
        sa.UniqueConstraint("queued_id", "name", name=op.f("uq_platform_job_step_queued_id_name")),
    )
    op.create_index("ix_platform_job_step_created_at", STEP, ["created_at"])


def downgrade():
    op.drop_table(STEP)
    op.drop_table(JOB)


def _create(table, *columns):
    op.create_table(
        table,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
    )
