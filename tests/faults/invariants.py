"""What holds in the database whatever has happened, as queries for the rows where it does not."""

from __future__ import annotations

from collections.abc import Iterable

from tests.faults.service import Service

# For each, what is wrong with the rows that the query finds.
INVARIANTS: dict[str, str] = {
    "an upload is there by half (id, status)": """
SELECT id::text, status FROM storage_upload WHERE status <> 'stored'
""",
    "a bucket counts other uploads than it has (id, counted, bytes, found, bytes)": """
SELECT b.id::text, b.upload_count, b.used_bytes, count(u.id), coalesce(sum(u.size), 0)::bigint
FROM storage_bucket b LEFT JOIN storage_upload u ON u.bucket_id = b.id GROUP BY b.id
HAVING (b.upload_count, b.used_bytes) <> (count(u.id), coalesce(sum(u.size), 0))
""",
    "a document is not in the knowledge base as it is (id, length, entry, status, length, error)": """
SELECT d.id::text, length(d.content), e.id::text, e.status, length(e.content), e.error_message
FROM storage_document d LEFT JOIN ai_rag_document e ON e.storage_document_id = d.id
WHERE d.content = '' OR e.status IS DISTINCT FROM 'indexed'
OR (e.title, e.content) IS DISTINCT FROM (d.title, d.content)
""",
    "a document is in the knowledge base twice (id, entries)": """
SELECT storage_document_id::text, count(*) FROM ai_rag_document
WHERE storage_document_id IS NOT NULL GROUP BY storage_document_id HAVING count(*) > 1
""",
    "a document that is gone is still in the knowledge base (entry, title)": """
SELECT id::text, title FROM ai_rag_document WHERE source_type = 'document' AND storage_document_id IS NULL
""",
    "an entry counts other chunks than it has (id, counted, found)": """
SELECT e.id::text, e.chunk_count, count(c.id) FROM ai_rag_document e LEFT JOIN ai_rag_chunk c ON c.document_id = e.id
GROUP BY e.id HAVING e.chunk_count <> count(c.id)
""",
    "a knowledge base counts other entries than it has (id, entries, chunks, found, found)": """
SELECT i.id::text, i.document_count, i.chunk_count, count(e.id), coalesce(sum(e.chunk_count), 0)::bigint
FROM ai_rag_index i LEFT JOIN ai_rag_document e ON e.index_id = i.id GROUP BY i.id
HAVING (i.document_count, i.chunk_count) <> (count(e.id), coalesce(sum(e.chunk_count), 0))
""",
    "an answer ended otherwise than its message (stream, status, message, status)": """
SELECT s.id::text, s.status, m.id::text, m.status FROM ai_stream s LEFT JOIN ai_message m ON m.id = s.message_id
WHERE s.status NOT IN ('pending', 'streaming')
AND m.status IS DISTINCT FROM (CASE s.status WHEN 'completed' THEN 'complete' ELSE s.status END)
""",
    "an answer is left open (stream, status, since)": """
SELECT id::text, status, updated_at::text FROM ai_stream
WHERE status IN ('pending', 'streaming') AND updated_at < now() - interval '1 minute'
""",
    "a message is left open (id, since)": """
SELECT id::text, updated_at::text FROM ai_message
WHERE status = 'streaming' AND updated_at < now() - interval '1 minute'
""",
    "a try at a provider is left open though its answer has ended (id)": """
SELECT a.id::text FROM ai_attempt a JOIN ai_stream s ON s.id = a.stream_id
WHERE a.status = 'running' AND s.status NOT IN ('pending', 'streaming')
""",
    "a job has failed (id, task, arguments, attempts)": """
SELECT id, task_name, args::text, attempts FROM procrastinate_jobs WHERE status = 'failed'
""",
}


def broken(service: Service, known: set[tuple[str, str]]) -> Iterable[str]:
    """Each row that breaks an invariant and is not ``known`` to do so, which it is from then on."""
    for text, query in INVARIANTS.items():
        for row in service.sql(query):
            if (text, str(row[0])) not in known:
                known.add((text, str(row[0])))
                yield f"{text}: {row}"
