"""Tell uploads that go with a record from those that stand by themselves."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

UPLOAD = "storage_upload"


def upgrade():
    op.add_column(UPLOAD, sa.Column("is_attached", sa.Boolean(), server_default="false", nullable=False))
    op.add_column(UPLOAD, sa.Column("sizes", postgresql.JSONB(), server_default="{}", nullable=False))
    op.execute(f"SELECT rowgate_keep_version('{UPLOAD}', 'storage_key', 'is_attached', 'sizes')")


def downgrade():
    op.execute(f"SELECT rowgate_keep_version('{UPLOAD}', 'storage_key')")
    op.drop_column(UPLOAD, "sizes")
    op.drop_column(UPLOAD, "is_attached")
