"""The settings of knowledge bases."""

from config import Setting

SETTINGS = (
    Setting("rag_max_chunks", 10_000, "most chunks of a knowledge-base document", low=1, high=1_000_000),
    Setting(
        "rag_max_bytes",
        1024**3,
        "most bytes of text and chunks in the knowledge bases of an organization",
        low=1024,
        high=2**53,
    ),
)
