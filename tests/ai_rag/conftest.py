"""The local embedder, for the tests that need vectors."""

import pytest

from app.ai_rag import local_embedder
from app.testing.waiting import await_true


@pytest.fixture(scope="session")
def listening(tmp_path_factory):
    """Where an embedder listens, until the end of the run."""
    at = tmp_path_factory.mktemp("embedder") / "embedder.sock"
    process, pipe = local_embedder.launch(at)
    await_true(at.exists, 30)
    yield at
    pipe.close()
    assert process.wait(10)


@pytest.fixture
def embedder(listening, monkeypatch):
    """Vectors are made by the local embedder."""
    monkeypatch.setattr(local_embedder, "is_available", lambda settings: True)
    monkeypatch.setattr(local_embedder, "path", lambda var_dir: listening)
