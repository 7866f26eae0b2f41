"""Number changes in a time that follows what is new, whatever the planner knows.

It looked at the whole log each time, as nothing tells it how few rows are of the latest transactions; and where
statistics were old, it compared the rows of a large transaction with each other to find the parents of deleted ones.
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

# A parent that went in the same transaction is found in its image, its own parent first. It is looked up by its id, and
# what else holds of it is seen then: whatever the planner knows, no row is compared with every other.
ADOPT = """
CREATE OR REPLACE FUNCTION rowgate_adopt_orphans(restored bigint, numbered pg_snapshot) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        WITH orphan AS MATERIALIZED (
            SELECT c.xact, c.seq, c.at, c.parent_id FROM platform_change AS c
            WHERE c.parent_id IS NOT NULL AND c.seq > restored AND (numbered IS NULL
                OR c.xact >= pg_snapshot_xmax(numbered) OR c.xact = ANY (ARRAY(SELECT pg_snapshot_xip(numbered))))
        ), found AS MATERIALIZED (
            SELECT orphan.xact, orphan.seq, orphan.at, p.organization_id, p.owner_id, p.is_public
            FROM orphan CROSS JOIN LATERAL (
                SELECT * FROM platform_change AS any_of WHERE any_of.record_id = orphan.parent_id OFFSET 0
            ) AS p
            WHERE p.xact = orphan.xact AND p.operation = 'delete' AND p.parent_id IS NULL
        )
        UPDATE platform_change AS c SET organization_id = found.organization_id, owner_id = found.owner_id,
            is_public = found.is_public, parent_id = NULL
        FROM found WHERE c.xact = found.xact AND c.seq = found.seq AND c.at = found.at;
        EXIT WHEN NOT FOUND;
    END LOOP;
END $$
"""
BEFORE = """
CREATE OR REPLACE FUNCTION rowgate_adopt_orphans(restored bigint, numbered pg_snapshot) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        UPDATE platform_change AS c SET organization_id = p.organization_id, owner_id = p.owner_id,
            is_public = p.is_public, parent_id = NULL
        FROM platform_change AS p
        WHERE c.parent_id IS NOT NULL AND c.seq > restored AND (numbered IS NULL
                OR c.xact >= pg_snapshot_xmax(numbered) OR c.xact = ANY (ARRAY(SELECT pg_snapshot_xip(numbered))))
            AND p.record_id = c.parent_id AND p.xact = c.xact AND p.operation = 'delete' AND p.parent_id IS NULL;
        EXIT WHEN NOT FOUND;
    END LOOP;
END $$
"""


def upgrade():
    op.execute(ADOPT)
    op.execute("ALTER FUNCTION rowgate_number_changes() SET enable_seqscan TO off")


def downgrade():
    op.execute("ALTER FUNCTION rowgate_number_changes() RESET enable_seqscan")
    op.execute(BEFORE)
