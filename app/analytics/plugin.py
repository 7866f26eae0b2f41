"""The plugin of events, insights and reports."""

from app.analytics import hooks, models, reports, retention
from app.jobs.registry import Job, Periodic, mark_failed
from app.plugins import Plugin
from config import Setting

plugin = Plugin(
    "analytics",
    "What happened in the product, what it adds up to, and reports on it.",
    models=(models,),
    hooks=(hooks,),
    jobs={hooks.COMPUTE_REPORT: Job(reports.compute, mark_failed(models.AnalyticsReport, *reports.UNFINISHED))},
    periodic=(
        Periodic("expire_analytics", "30 3 * * *", retention.expire_analytics),
        Periodic("queue_due_reports", "15 * * * *", reports.queue_due),
    ),
    notifications=("INSIGHT_READY",),
    reports={"usage": reports.usage, "crm_pipeline": reports.crm_pipeline, "api_keys": reports.api_key_use},
    settings=(
        Setting(
            "analytics_days",
            0,
            "days that analytics events and activities are kept; 0 keeps them for good",
            low=0,
            high=36500,
        ),
    ),
)
