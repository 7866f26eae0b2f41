"""flask rag: files of a folder into a knowledge base, vectors for those that have none, and how well they answer."""

from __future__ import annotations

import json
import mimetypes
from contextlib import suppress
from pathlib import Path
from typing import TextIO
from uuid import UUID

import click
from sqlalchemy import select

from app.ai_rag import embedders, languages, measuring
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.ai_rag.reembedding import reembed
from app.auth.accounts import users
from app.commands.groups import Group, as_json, show
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import reading
from app.engine.write.unit_of_work import Unit, run_unit
from app.foundation.errors import Conflict, Failure, NotFound, require_found
from app.foundation.settings import settings
from app.storage import office
from app.storage.extraction import Unreadable, extract, is_readable

group = Group("rag", help="Fill knowledge bases, have vectors made for them, and measure how well they answer.")
NOT_READABLE = "no text can be read from files of this type"


@group.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--index", "index_id", required=True, type=click.UUID, help="The knowledge base.")
@click.option("--user", "email", required=True, help="Address of the user who enters them.")
@as_json
def enter(folder: Path, index_id: UUID, email: str, as_json: bool) -> None:
    """Enter the files of FOLDER, and of those in it, as texts of a knowledge base."""
    principal = _principal(email)
    shown = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        given = {"index_id": index_id, "title": str(path.relative_to(folder))[:300]}
        try:
            entry = run_unit(principal, Unit.create, AiRagDocument, {**given, "content": _text(path)})
        except (Unreadable, Failure) as refusal:
            shown.append({"file": given["title"], "id": None, "error": str(refusal)})
        else:
            shown.append({"file": given["title"], "id": entry["id"], "error": None})
    show(shown, as_json, ("file", "id", "error"))


def _text(path: Path) -> str:
    kind = office.type_of_name(path.name) or mimetypes.guess_type(path.name)[0] or ""
    if not is_readable(kind):
        raise Unreadable(NOT_READABLE)
    with path.open("rb") as source:
        return extract(source, kind, settings)


@group.command()
@as_json
def embed(as_json: bool) -> None:
    """Have vectors made, by jobs, for all knowledge bases without a model."""
    require_found(embedders.default_model(), Conflict("Nothing makes vectors here: install local-embeddings"))
    with reading() as session:
        without = session.execute(
            select(AiRagIndex.id, AiRagIndex.name)
            .where(AiRagIndex.embedding_model.is_(None), AiRagIndex.provider_id.is_(None))
            .where(AiRagIndex.status != "building")
            .order_by(AiRagIndex.id)
        ).all()
    for identifier, _ in without:
        with suppress(Conflict, NotFound):  # somebody else is quicker
            run_unit(SYSTEM, reembed, identifier, None, None)
    show([{"id": identifier, "name": name} for identifier, name in without], as_json, ("id", "name"))


@group.command("languages")
@as_json
def apply_languages(as_json: bool) -> None:
    """Have the words of all documents found, by jobs, in the forms of their languages, as those that come now are."""
    show([{"documents": run_unit(SYSTEM, languages.apply_to_all)}], as_json, ("documents",))


@group.command()
@click.argument("file", type=click.File(encoding="utf-8"))
@click.option("--index", "index_id", required=True, type=click.UUID, help="The knowledge base.")
@click.option("--user", "email", required=True, help="Address of the user who asks.")
@as_json
def measure(file: TextIO, index_id: UUID, email: str, as_json: bool) -> None:
    """Tell how well a knowledge base answers the questions of FILE: lines of JSON with a question and its passage."""
    principal = _principal(email)
    try:
        asked = [json.loads(line) for line in file if line.strip()]
        given = [(str(each["question"]), str(each["passage"])) for each in asked]
    except (ValueError, TypeError, LookupError) as error:
        raise click.BadParameter("Each line must be JSON with question and passage") from error
    if not given:
        raise click.BadParameter("It holds no question")
    found = [measuring.places(principal, index_id, *each) for each in given]
    measured = {mode: measuring.quality([each[mode] for each in found]) for mode in found[0]}
    rows = [
        {"mode": mode, "questions": len(found), "nDCG@10": round(each.gain, 3), "recall@5": round(each.recall, 3)}
        for mode, each in measured.items()
    ]
    show(rows, as_json, ("mode", "questions", "nDCG@10", "recall@5"))


def _principal(email: str) -> Principal:
    """The user with an address; raises NotFound."""
    with reading() as session:
        found = users.user_principal(session, users.by_email(session, email).id)
    return require_found(found, NotFound(f"The user {email} may not act"))
