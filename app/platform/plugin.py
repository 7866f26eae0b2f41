"""The plugin of flags, the audit log and jobs that are followed."""

from app.engine.changes import partitions, sequencer
from app.engine.write import idempotency
from app.jobs import models as jobs
from app.jobs import running
from app.jobs.queue import FILES
from app.jobs.registry import Job, Periodic, as_unit
from app.live import changes
from app.platform import audit_log, comments, kept, models, undo_jobs
from app.plugins import Plugin
from config import Setting

plugin = Plugin(
    "platform",
    "Switches and the record of who changed what.",
    models=(models, kept, comments, jobs),
    hooks=(audit_log,),
    jobs={undo_jobs.UNDO: Job(undo_jobs.run, queue=FILES)},
    periodic=(
        Periodic("remove_expired_answers", "23 * * * *", idempotency.remove_expired),
        Periodic("number_changes", "* * * * *", sequencer.number_all),
        Periodic("expire_jobs", "20 4 * * *", as_unit(running.expire)),
        Periodic("sweep_comments", "10 4 * * *", comments.sweep),
        Periodic("keep_partitions_of_changes", "41 * * * *", partitions.keep),
    ),
    blueprints=(
        "blueprints.records.batch:build",
        "blueprints.records.catalogue:build",
        "blueprints.records.changes:build",
        "blueprints.content.views:build",
        "blueprints.content.dashboards:build",
        "blueprints.content.comments:build",
        "blueprints.content.jobs:build",
        "blueprints.mcp.endpoint:build",
    ),
    commands=("app.commands.flags:group", "app.commands.changes:group"),
    settings=(
        Setting("streams_per_user", 20, "streams of a kind that a user may open in each worker", low=1, high=10_000),
    ),
    init_app=changes.init_app,
)
