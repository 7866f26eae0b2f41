"""What the domain brings to the application."""

from __future__ import annotations

from app.ai_rag import hooks, indexing, models, searches, stored_documents
from app.jobs import queue
from app.jobs.registry import Job, as_unit, failing
from app.plugins import Plugin

plugin = Plugin(
    "ai-rag",
    "Knowledge bases: documents cut into chunks, embedded, searched and cited.",
    models=(models,),
    hooks=(hooks, stored_documents),
    jobs={
        queue.ENTER_DOCUMENT: Job(as_unit(stored_documents.enter)),
        queue.INDEX_DOCUMENT: Job(indexing.index_document, failing(models.AiRagDocument, "pending")),
        queue.RUN_QUERY: Job(as_unit(searches.run_query), failing(models.AiRagQuery, "running")),
    },
)
