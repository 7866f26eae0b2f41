"""What follows writes of articles, in their transaction."""

from __future__ import annotations

import secrets

from conduit.models import ConduitArticle
from rowgate import Write, on_create, on_update, slug_of


@on_create(ConduitArticle)
@on_update(ConduitArticle, changing=["title"])
def name_article(article: ConduitArticle, write: Write) -> None:
    """An article has an address that reads as its title does."""
    article.slug = f"{slug_of(article.title) or 'article'}-{secrets.token_hex(4)}"
