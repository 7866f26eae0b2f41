"""The queue of background jobs, and indexes for the hourly sums of key use.

The tables of the queue belong to Procrastinate. This revision takes them as the library has them at
``PROCRASTINATE_SCHEMA``; a release with later migrations of its own needs a revision here that applies those.
"""

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# The newest of procrastinate/sql/migrations that the schema includes.
PROCRASTINATE_SCHEMA = "03.04.00_50_post_add_retry_failed_job_procedure.sql"

DROP = """
DO $$
DECLARE found record;
BEGIN
    FOR found IN SELECT tablename FROM pg_tables
        WHERE schemaname = current_schema() AND tablename LIKE 'procrastinate\\_%' LOOP
        EXECUTE format('DROP TABLE %I CASCADE', found.tablename);
    END LOOP;
    FOR found IN SELECT oid::regprocedure AS signature FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'procrastinate\\_%' LOOP
        EXECUTE format('DROP FUNCTION %s CASCADE', found.signature);
    END LOOP;
    FOR found IN SELECT typname FROM pg_type WHERE typnamespace = current_schema()::regnamespace
        AND typname LIKE 'procrastinate\\_%' AND typtype IN ('e', 'c') LOOP
        EXECUTE format('DROP TYPE %I CASCADE', found.typname);
    END LOOP;
END $$
"""


def upgrade():
    _run(SchemaManager.get_schema())
    op.create_index("ix_auth_api_key_analytics_time", "auth_api_key_analytics", ["time"])
    op.create_index("ix_auth_api_key_usage_hour", "auth_api_key_usage", ["hour"])


def downgrade():
    op.drop_index("ix_auth_api_key_usage_hour", "auth_api_key_usage")
    op.drop_index("ix_auth_api_key_analytics_time", "auth_api_key_analytics")
    _run(DROP)


def _run(sql):
    """Run several statements as they stand: per cent signs and colons in them mean nothing."""
    op.get_bind().connection.driver_connection.execute(sql)
