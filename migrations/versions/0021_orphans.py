"""Find the parents of deleted rows one by one: joined as a whole, a transaction of many deletions took hours to number
where statistics were old."""

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


def downgrade():
    op.execute(BEFORE)
