"""python -m bench.search_quality: how well each mode of search finds the passage that answers a question.

The questions and their passages are in search_questions.json, written and frozen before anything was tuned; half of
them are held out, and looked at for the report alone. They are about the pages of this documentation, as of the commit
that is named there, and about RFCs as Debian's package doc-rfc-std has them. A chunk answers a question when it holds
the middle of its passage. Told are nDCG@10 (Jaervelin and Kekaelaeinen, 2002) and how often an answering chunk is among
the first five.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from app.ai_rag import embedding, indexing, local_embedder
from app.ai_rag.measuring import MODES, places, quality
from app.ai_rag.models import AiRagDocument, AiRagIndex
from app.auth.credentials import sessions
from app.auth.credentials.credentials import session_principal_by_id
from app.auth.models.identity import AuthUser
from app.auth.organizations import organizations
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.write.unit_of_work import Unit, run_unit
from app.factory import create_app
from app.schema.histories import upgrade
from bench.servers import private_parts
from config import ROOT, Settings

QUESTIONS = Path(__file__).with_name("search_questions.json")
RFCS = Path("/usr/share/doc/RFC")


def main() -> int:
    """Measure and print."""
    frozen = json.loads(QUESTIONS.read_text())
    with private_parts() as folder, embedder(folder):
        app = create_app(Settings(var_dir=folder, default_limit="1000000 per minute", query_seconds=3600.0))
        with app.app_context():
            upgrade()
            principal = session_principal_by_id(run_unit(SYSTEM, signed_up))
            for collection in ("docs", "rfc"):
                asked = [each for each in frozen["questions"] if each["collection"] == collection]
                index_id = _entered(principal, collection, asked, frozen["commit"])
                _report(
                    collection,
                    asked,
                    [places(principal, index_id, each["question"], each["passage"]) for each in asked],
                )
    return 0


@contextmanager
def embedder(folder: str) -> Iterator[None]:
    """An embedder for the processes with their parts in a folder."""
    at = local_embedder.path(folder)
    process, pipe = local_embedder.launch(at)
    while not at.exists():
        time.sleep(0.1)
    yield
    pipe.close()
    process.wait(local_embedder.GRACE)


def signed_up(unit: Unit) -> UUID:
    """Make a user with a session, and give the id of this."""
    user = AuthUser(email="asker@bench.example", name="Bench", email_verified=True)
    organizations.provision_user(unit, user)
    return sessions.open_session(unit, user).session.id


def _entered(principal: Principal, collection: str, asked: Sequence[dict[str, Any]], commit: str) -> UUID:
    """A knowledge base of all documents that are asked about; tells how long its chunks and vectors took."""
    index_id = UUID(str(run_unit(principal, Unit.create, AiRagIndex, {"name": collection})["id"]))
    spent: dict[str, float] = defaultdict(float)
    for name in sorted({each["document"] for each in asked}):
        given = {"index_id": index_id, "title": name, "content": _text(collection, name, commit)}
        identifier = UUID(str(run_unit(principal, Unit.create, AiRagDocument, given)["id"]))
        for step, work in (("cut", indexing.index_document), ("embedded", embedding.embed_document)):
            begun = time.monotonic()
            work(identifier)
            spent[step] += time.monotonic() - begun
    chunks = run_unit(principal, lambda unit: unit.get(AiRagIndex, index_id).embedded_count)
    print(f"{collection}: {chunks} chunks, cut in {spent['cut']:.1f} s, embedded in {spent['embedded']:.1f} s")
    return index_id


def _text(collection: str, name: str, commit: str) -> str:
    if collection == "docs":
        shown = subprocess.run(["git", "show", f"{commit}:docs/{name}"], cwd=ROOT, capture_output=True, check=True)
        return shown.stdout.decode()
    path = next(RFCS.rglob(f"{name}*"))
    return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode(errors="replace")


def _report(collection: str, asked: Sequence[dict[str, Any]], ranks: Sequence[dict[str, list[int]]]) -> None:
    for part, wanted in (("tuned on", False), ("held out", True)):
        for kind in ("same_words", "other_words"):
            own = [
                found
                for each, found in zip(asked, ranks, strict=True)
                if (each["held_out"], each["kind"]) == (wanted, kind)
            ]
            told = "; ".join(f"{mode} {quality([found[mode] for found in own])}" for mode in MODES)
            print(f"{collection}, {part}, {kind} ({len(own)}): {told}")


if __name__ == "__main__":
    sys.exit(main())
