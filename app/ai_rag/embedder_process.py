"""The process of the local embedder: ``python -m app.ai_rag.embedder_process PATH DIMENSIONS``.

It imports nothing of the service, so that it holds little more than its model.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from gevent import monkey, spawn
from gevent.os import tp_read
from gevent.pywsgi import WSGIServer

# Of a longer text, its beginning is embedded. One at a time: a batch takes as much memory for each as for its longest.
MAX_TOKENS = 4096
MAX_BODY = 8 * 1024 * 1024

Embed = Callable[[list[str]], list[list[float]]]


def main() -> None:
    """Listen at the path that is given, for vectors of so many dimensions, until standard input ends."""
    monkey.patch_socket()
    at = Path(sys.argv[1])
    with _listening(at) as listener:
        server = WSGIServer(listener, partial(answer, _model(int(sys.argv[2]))), log=None)

        def await_end() -> None:
            tp_read(0, 1)
            server.stop(0)

        spawn(await_end)
        server.serve_forever()


def _listening(at: Path) -> socket.socket:
    """A socket at a path, in place of one that an earlier process has left."""
    new = at.with_suffix(f".{os.getpid()}")
    new.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o077)
    try:
        listener.bind(str(new))
    finally:
        os.umask(before)
    listener.listen(128)
    listener.setblocking(False)
    new.rename(at)
    return listener


def _model(dimensions: int) -> Embed:
    import wordllama  # type: ignore[import-untyped]

    folder = Path(wordllama.__file__).parent  # where the wheel has both parts of the model
    found = wordllama.WordLlama.load(cache_dir=folder, dim=dimensions, disable_download=True)
    found.tokenizer.enable_truncation(max_length=MAX_TOKENS)
    return lambda texts: found.embed(texts, norm=True, batch_size=1).tolist()


def answer(embed: Embed, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request for vectors, as the OpenAI-compatible protocol has it."""
    try:
        texts = _texts(environ)
    except (ValueError, KeyError, TypeError) as error:
        start_response("400 Bad Request", [("Content-Type", "application/json")])
        return [json.dumps({"error": {"message": str(error)}}).encode()]
    data = [{"object": "embedding", "index": place, "embedding": each} for place, each in enumerate(embed(texts))]
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"object": "list", "data": data}).encode()]


def _texts(environ: dict[str, Any]) -> list[str]:
    """The texts that are sent; raises ValueError, KeyError and TypeError."""
    size = int(environ.get("CONTENT_LENGTH") or 0)
    texts = json.loads(environ["wsgi.input"].read(size))["input"] if size <= MAX_BODY else None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("input must be a list of texts")
    return texts


if __name__ == "__main__":
    main()
