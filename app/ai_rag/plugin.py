"""The plugin of knowledge bases."""

from app.ai_rag import (
    embedding,
    hooks,
    indexing,
    kept_vectors,
    languages,
    local_embedder,
    models,
    record_vectors,
    reembedding,
    refreshing,
    searches,
    sources,
    stored_documents,
    vector_indexes,
    vectors,
)
from app.jobs.queue import FILES, VECTORS
from app.jobs.registry import Continuous, Job, Periodic, as_unit, mark_failed
from app.plugins import Plugin
from config import Setting

plugin = Plugin(
    "ai-rag",
    "Knowledge bases: documents cut into chunks, embedded, searched and cited.",
    models=(models, kept_vectors),
    hooks=(hooks, vectors, stored_documents, record_vectors),
    jobs={
        stored_documents.ENTER_DOCUMENT: Job(as_unit(stored_documents.enter)),
        hooks.INDEX_DOCUMENT: Job(indexing.index_document, mark_failed(models.AiRagDocument, "pending")),
        languages.APPLY_LANGUAGE: Job(languages.apply_language),
        hooks.READ_SOURCE: Job(sources.read_source, mark_failed(models.AiRagDocument, "pending"), FILES),
        refreshing.REFRESH_PAGE: Job(refreshing.refresh_page, queue=FILES),
        vectors.EMBED_DOCUMENT: Job(embedding.embed_document, queue=VECTORS),
        reembedding.REEMBED_INDEX: Job(reembedding.reembed_index, reembedding.give_up, VECTORS),
        hooks.RUN_QUERY: Job(searches.run_query, mark_failed(models.AiRagQuery, "running")),
    },
    periodic=(
        Periodic("embed_left_over", "17 * * * *", embedding.embed_left_over),
        Periodic("remove_entries_left", "47 * * * *", as_unit(stored_documents.remove_left)),
        Periodic("refresh_pages", "* * * * *", as_unit(refreshing.ask_for_due)),
        Periodic("embed_records", "* * * * * */10", record_vectors.keep_true),
        Periodic("index_vectors", "*/10 * * * *", vector_indexes.keep_true),
    ),
    continuous=(Continuous("local-embedder", local_embedder.keep_running),),
    settings=(
        Setting(
            "embeddings",
            "local",
            "local makes vectors here, where the extra local-embeddings is installed; off leaves that out",
            pattern="local|off",
        ),
        Setting(
            "embeddings_url",
            "",
            "OpenAI-compatible endpoint that makes vectors in place of the local embedder",
            pattern="https?://.+",
        ),
        Setting("embeddings_model", "text-embedding-3-small", "its model", pattern=".{1,120}"),
        Setting("embeddings_key", "", "its credential"),
        Setting("rag_max_chunks", 10_000, "most chunks of a knowledge-base document", low=1, high=1_000_000),
        Setting(
            "rag_index_memory",
            2048,
            "most megabytes that PostgreSQL takes to make an index of vectors, 1.7 for a thousand of 256 numbers",
            low=64,
            high=1_000_000,
        ),
        Setting(
            "rag_max_bytes",
            1024**3,
            "most bytes of text and chunks in the knowledge bases of an organization",
            low=1024,
            high=2**53,
        ),
    ),
    commands=("app.commands.rag:group",),
    blueprints=("blueprints.content.knowledge:build",),
)
