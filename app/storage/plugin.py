"""The plugin of uploads and documents."""

from functools import partial

from app.jobs.queue import FILES
from app.jobs.registry import Job, Periodic
from app.plugins import Plugin
from app.storage import (
    documents,
    exports,
    hooks,
    import_jobs,
    import_models,
    imports,
    kept_files,
    mailed_files,
    models,
    pictures,
    record_files,
    settings,
    uploads,
)

plugin = Plugin(
    "storage",
    "Files and written documents.",
    models=(models, import_models),
    hooks=(hooks, mailed_files, record_files),
    jobs={
        documents.READ_DOCUMENT: Job(documents.read, queue=FILES),
        exports.EXPORT: Job(exports.make, exports.give_up, queue=FILES),
        pictures.SCALE: Job(pictures.scale, queue=FILES),
        imports.IMPORT: Job(import_jobs.run, import_jobs.give_up, queue=FILES),
    },
    periodic=(
        Periodic("sweep_record_files", "20 3 * * *", record_files.sweep),
        Periodic("sweep_uploads", "50 3 * * *", uploads.sweep),
        Periodic("expire_exports", "40 * * * *", partial(kept_files.expire, models.StorageExport)),
        Periodic("expire_imports", "45 * * * *", partial(kept_files.expire, import_models.StorageImport)),
    ),
    blueprints=(
        "blueprints.content.uploads:build",
        "blueprints.content.documents:build",
        "blueprints.content.exports:build",
        "blueprints.records.imports:build",
    ),
    notifications=(imports.IMPORT_FINISHED,),
    settings=settings.SETTINGS,
)
