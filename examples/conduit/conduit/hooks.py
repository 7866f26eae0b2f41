"""What follows writes of articles, in their transaction."""

from __future__ import annotations

import re
import secrets
import unicodedata

from conduit.models import ConduitArticle
from rowgate import Write, on_create, on_update


@on_create(ConduitArticle)
@on_update(ConduitArticle, changing=["title"])
def name_article(article: ConduitArticle, write: Write) -> None:
    """An article has an address that reads as its title does."""
    plain = unicodedata.normalize("NFKD", article.title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    article.slug = f"{words[:200] or 'article'}-{secrets.token_hex(4)}"
