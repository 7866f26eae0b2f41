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
        ), parent AS MATERIALIZED (
            SELECT wanted.xact, wanted.parent_id, p.organization_id, p.owner_id, p.is_public
            FROM (SELECT DISTINCT xact, parent_id FROM orphan) AS wanted CROSS JOIN LATERAL (
                SELECT * FROM platform_change AS any_of WHERE any_of.record_id = wanted.parent_id OFFSET 0
            ) AS p
            WHERE p.xact = wanted.xact AND p.operation = 'delete' AND p.parent_id IS NULL
        ), found AS MATERIALIZED (
            SELECT orphan.seq, orphan.at, parent.* FROM orphan JOIN parent USING (xact, parent_id)
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
NUMBER = """
CREATE OR REPLACE FUNCTION rowgate_number_changes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    last platform_change_sequencer;
    given bigint;
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RAISE EXCEPTION 'Changes are numbered in a transaction that writes nothing else';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended('changes', 0)) THEN
        RETURN NULL;
    END IF;
    SELECT * INTO STRICT last FROM platform_change_sequencer;
    IF last.server <> rowgate_server() THEN
        -- Out of a backup: what has no position gets one, once those who write have ended.
        LOCK TABLE platform_change IN SHARE MODE;
        INSERT INTO platform_change_position (position, xact, seq, at)
        SELECT last.position + row_number() OVER (ORDER BY c.seq), c.xact, c.seq, c.at FROM platform_change AS c
        WHERE NOT EXISTS (SELECT FROM platform_change_position AS p WHERE p.xact = c.xact AND p.seq = c.seq);
        GET DIAGNOSTICS given = ROW_COUNT;
        PERFORM rowgate_adopt_orphans(last.restored, NULL);
        UPDATE platform_change_sequencer SET epoch = gen_random_uuid(), server = rowgate_server(),
            snapshot = pg_current_snapshot(), position = last.position + given,
            restored = greatest(last.restored, (SELECT coalesce(max(seq), 0) FROM platform_change));
        RETURN given;
    END IF;
    WITH seen AS MATERIALIZED (SELECT pg_current_snapshot() AS snapshot),
    put AS (
        INSERT INTO platform_change_position (position, xact, seq, at)
        SELECT last.position + row_number() OVER (ORDER BY c.seq), c.xact, c.seq, c.at FROM {unseen}
        RETURNING 1
    ),
    counted AS (SELECT count(*) AS number FROM put)
    UPDATE platform_change_sequencer SET snapshot = (SELECT snapshot FROM seen), position = last.position + number
    FROM counted WHERE number > 0;
    SELECT position - last.position INTO given FROM platform_change_sequencer;
    IF given > 0 THEN
        PERFORM rowgate_adopt_orphans(last.restored, last.snapshot);
    END IF;
    RETURN given;
END $$
"""
# By the one index that leads to them: rows of transactions that had not begun, and of those that were open.
UNSEEN = """(
            SELECT c.xact, c.seq, c.at FROM platform_change AS c
            WHERE c.xact >= pg_snapshot_xmax(last.snapshot) AND c.seq + 0 > last.restored
            UNION ALL
            SELECT c.xact, c.seq, c.at FROM pg_snapshot_xip(last.snapshot) AS open (xact) CROSS JOIN LATERAL (
                SELECT * FROM platform_change AS any_of WHERE any_of.xact = open.xact OFFSET 0
            ) AS c WHERE c.seq > last.restored
        ) AS c"""
UNSEEN_BEFORE = """platform_change AS c
        WHERE c.seq > last.restored AND (c.xact >= pg_snapshot_xmax(last.snapshot)
            OR c.xact = ANY (ARRAY(SELECT pg_snapshot_xip(last.snapshot))))"""


def upgrade():
    op.execute(ADOPT)
    op.execute(NUMBER.format(unseen=UNSEEN))
    op.execute("ALTER FUNCTION rowgate_number_changes() SET enable_seqscan TO off")


def downgrade():
    op.execute(NUMBER.format(unseen=UNSEEN_BEFORE))
    op.execute("ALTER FUNCTION rowgate_number_changes() RESET enable_seqscan")
    op.execute(BEFORE)
