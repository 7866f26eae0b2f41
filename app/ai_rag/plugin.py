"""The plugin of knowledge bases."""

from app.ai_rag import hooks, indexing, models, searches, settings, stored_documents
from app.jobs.registry import Job, as_unit, failing
from app.plugins import Plugin

plugin = Plugin(
    "ai-rag",
    "Knowledge bases: documents cut into chunks, embedded, searched and cited.",
    models=(models,),
    hooks=(hooks, stored_documents),
    jobs={
        stored_documents.ENTER_DOCUMENT: Job(as_unit(stored_documents.enter)),
        hooks.INDEX_DOCUMENT: Job(indexing.index_document, failing(models.AiRagDocument, "pending")),
        hooks.RUN_QUERY: Job(as_unit(searches.run_query), failing(models.AiRagQuery, "running")),
    },
    settings=settings.SETTINGS,
)
