"""The plugin of knowledge bases."""

from app.ai_rag import hooks, indexing, models, searches, sources, stored_documents
from app.jobs.queue import FILES
from app.jobs.registry import Job, as_unit, mark_failed
from app.plugins import Plugin
from config import Setting

plugin = Plugin(
    "ai-rag",
    "Knowledge bases: documents cut into chunks, embedded, searched and cited.",
    models=(models,),
    hooks=(hooks, stored_documents),
    jobs={
        stored_documents.ENTER_DOCUMENT: Job(as_unit(stored_documents.enter)),
        hooks.INDEX_DOCUMENT: Job(indexing.index_document, mark_failed(models.AiRagDocument, "pending")),
        hooks.READ_SOURCE: Job(sources.read_source, mark_failed(models.AiRagDocument, "pending"), FILES),
        hooks.RUN_QUERY: Job(as_unit(searches.run_query), mark_failed(models.AiRagQuery, "running")),
    },
    settings=(
        Setting("rag_max_chunks", 10_000, "most chunks of a knowledge-base document", low=1, high=1_000_000),
        Setting(
            "rag_max_bytes",
            1024**3,
            "most bytes of text and chunks in the knowledge bases of an organization",
            low=1024,
            high=2**53,
        ),
    ),
)
