"""What the domain brings to the application."""

from __future__ import annotations

from app.jobs import queue
from app.jobs.registry import Job, Periodic
from app.plugins import Plugin
from app.storage import documents, hooks, models, uploads

plugin = Plugin(
    "storage",
    "Files and written documents.",
    models=(models,),
    hooks=(hooks,),
    jobs={queue.READ_DOCUMENT: Job(documents.read)},
    periodic=(Periodic("sweep_uploads", "50 3 * * *", uploads.sweep),),
)
