"""Keep every change: a log in partitions by day, the positions of its rows in the order of commits, and who numbers them.

The triggers that fill it follow the models (``app.schema.change_log``), so that tables of plugins have them as well.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

LOG = """
CREATE TABLE platform_change (
    seq bigint NOT NULL DEFAULT nextval('platform_change_seq'),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    transaction uuid NOT NULL,
    model varchar(100) NOT NULL,
    record_id uuid NOT NULL,
    operation varchar(6) NOT NULL,
    version bigint NOT NULL,
    actor_type varchar(6) NOT NULL,
    actor_id uuid,
    request_id varchar(128),
    changed text[] NOT NULL,
    image jsonb NOT NULL,
    old jsonb NOT NULL,
    organization_id uuid,
    owner_id uuid,
    is_public boolean NOT NULL,
    parent_id uuid
) PARTITION BY RANGE (at)
"""
INDEXES = (
    "CREATE INDEX ix_platform_change_record_id_seq ON platform_change (record_id, seq)",
    "CREATE INDEX ix_platform_change_xact_seq ON platform_change (xact, seq)",
    "CREATE INDEX ix_platform_change_transaction ON platform_change (transaction)",
    "CREATE INDEX ix_platform_change_deleted ON platform_change (model, seq) WHERE operation = 'delete'",
    "CREATE INDEX ix_platform_change_deleted_in ON platform_change (organization_id, model) WHERE operation = 'delete'",
    "CREATE INDEX ix_platform_change_deleted_of ON platform_change (owner_id, model) WHERE operation = 'delete'",
    "CREATE INDEX ix_platform_change_orphaned ON platform_change (xact) WHERE parent_id IS NOT NULL",
    "CREATE INDEX ix_platform_change_bucket ON platform_change ((image ->> 'bucket_id'), seq)"
    " WHERE model = 'storage/upload' AND operation = 'delete'",
)
POSITIONS = """
CREATE TABLE platform_change_position (
    position bigint PRIMARY KEY, xact xid8 NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL
)
"""
# One row: what was numbered last, in which epoch, and of which server; up to which number rows came out of a backup, as
# their transactions are those of another server; and since when all changes are written down.
SEQUENCER = """
CREATE TABLE platform_change_sequencer (
    epoch uuid NOT NULL, server text NOT NULL, snapshot pg_snapshot NOT NULL, position bigint NOT NULL,
    restored bigint NOT NULL, since timestamptz NOT NULL
)
"""
# A dump goes back into another database, and a backup into another timeline: positions given there are not these.
SERVER = """
CREATE FUNCTION rowgate_server() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat_ws('/', (pg_control_system()).system_identifier, (pg_control_checkpoint()).timeline_id,
        (SELECT oid FROM pg_database WHERE datname = current_database()))
$$
"""
FIRST = """
INSERT INTO platform_change_sequencer
SELECT gen_random_uuid(), rowgate_server(), pg_current_snapshot(), 0, 0, clock_timestamp()
"""
# Who writes, for what request, in which transaction; what says nothing of itself is the system.
CONTEXT = """
CREATE FUNCTION rowgate_change_context() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    told text := current_setting('rowgate.context', true);
BEGIN
    IF told IS NULL OR told = '' THEN
        told := set_config('rowgate.context', 'system|||' || gen_random_uuid(), true);
    END IF;
    RETURN string_to_array(told, '|');
END $$
"""
REFUSE = """
CREATE FUNCTION rowgate_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'Rows of % are logged: DELETE removes them', TG_TABLE_NAME USING ERRCODE = 'feature_not_supported';
END $$
"""
# A parent that went in the same transaction is found in its image, its own parent first.
ADOPT = """
CREATE FUNCTION rowgate_adopt_orphans(restored bigint, numbered pg_snapshot) RETURNS void LANGUAGE plpgsql AS $$
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
# All in one statement, and so of one snapshot: rows that it sees and the last one did not.
NUMBER = """
CREATE FUNCTION rowgate_number_changes() RETURNS bigint LANGUAGE plpgsql AS $$
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
        SELECT last.position + row_number() OVER (ORDER BY c.seq), c.xact, c.seq, c.at FROM platform_change AS c
        WHERE c.seq > last.restored AND (c.xact >= pg_snapshot_xmax(last.snapshot)
            OR c.xact = ANY (ARRAY(SELECT pg_snapshot_xip(last.snapshot))))
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
# Made apart and attached, which keeps nobody from writing.
PARTITIONS = """
CREATE FUNCTION rowgate_make_change_partitions(days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    day date;
    name text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('partitions of changes', 0));
    FOR day IN SELECT (now() AT TIME ZONE 'UTC')::date + ahead FROM generate_series(-1, days) AS ahead LOOP
        name := 'platform_change_' || to_char(day, 'YYYYMMDD');
        IF to_regclass(name) IS NULL THEN
            EXECUTE format('CREATE TABLE %I (LIKE platform_change INCLUDING ALL)', name);
            EXECUTE format('ALTER TABLE platform_change ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
                day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
        END IF;
    END LOOP;
END $$
"""
FUNCTIONS = (
    "rowgate_server()", "rowgate_change_context()", "rowgate_adopt_orphans(bigint, pg_snapshot)", "rowgate_refuse_truncate()", "rowgate_number_changes()",
    "rowgate_make_change_partitions(integer)",
)  # fmt: skip


def upgrade():
    op.execute("CREATE SEQUENCE platform_change_seq AS bigint")
    for statement in (LOG, *INDEXES, POSITIONS, SEQUENCER, SERVER, CONTEXT, REFUSE, ADOPT, NUMBER, PARTITIONS, FIRST):
        op.execute(statement)
    op.execute("CREATE INDEX ix_platform_change_position_at ON platform_change_position (at)")
    op.execute("SELECT rowgate_make_change_partitions(7)")
    op.add_column("platform_idempotency_key", sa.Column("transaction_id", sa.Uuid(), nullable=True))
    op.add_column("storage_bucket", sa.Column("deleted_bytes", sa.BigInteger(), server_default="0", nullable=False))
    op.execute("SELECT rowgate_keep_version('storage_bucket', 'deleted_bytes')")


def downgrade():
    op.execute("SELECT rowgate_keep_version('storage_bucket')")
    op.drop_column("storage_bucket", "deleted_bytes")
    op.drop_column("platform_idempotency_key", "transaction_id")
    op.execute(
        """DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT proname FROM pg_proc WHERE proname LIKE 'rowgate\\_log\\_%' LOOP
            EXECUTE format('DROP FUNCTION %I() CASCADE', name);
        END LOOP; END $$"""
    )
    op.execute("DROP TABLE platform_change, platform_change_position, platform_change_sequencer")
    op.execute("DROP SEQUENCE platform_change_seq CASCADE")
    for function in FUNCTIONS:
        op.execute(f"DROP FUNCTION {function} CASCADE")
