"""python -m bench.gate.subject: the counted process, one application as a worker of gunicorn has it.

The servers are on the other side of taps that another process runs. It writes to standard output, as JSON, what the
cheapest run of each operation took. With ``--step-by-step`` it runs each operation when it is told to by a line on
standard input, for whoever counts from outside.
"""

from gevent import monkey

monkey.patch_all()

import gc  # noqa: E402
import sys  # noqa: E402
from collections import Counter  # noqa: E402
from collections.abc import Callable  # noqa: E402
from types import CodeType, FrameType  # noqa: E402
from typing import Any  # noqa: E402

import orjson  # noqa: E402

from app.factory import create_app  # noqa: E402
from bench.gate.comparison import OURS  # noqa: E402
from bench.gate.operations import Work, operations  # noqa: E402
from bench.gate.parts import STEPS, taps  # noqa: E402
from bench.tap import Reading  # noqa: E402

# Statements are prepared, caches are filled and the minute's use of a credential is noted before anything is counted.
WARM, RUNS = 12, 9
# How often a process waits for an answer depends on whether that is there already.
NOT_COUNTED = ("bench", "gevent")


def main() -> int:
    """Run every operation, warm."""
    made = operations(create_app())
    gc.disable()
    if "--step-by-step" in sys.argv:
        for name, prepare in made.items():
            _step(name, _warm(prepare))
    else:
        servers = taps()
        counted = {}
        for name, prepare in made.items():
            _warm(prepare)
            counted[name] = least([_run(prepare(), servers) for _ in range(RUNS)])
        sys.stdout.buffer.write(orjson.dumps(counted))
    return 0


def _warm(prepare: Callable[[], Work]) -> Callable[[], Work]:
    for _ in range(WARM):
        prepare()()
    return prepare


def _step(name: str, prepare: Callable[[], Work]) -> None:
    """Run an operation some times between two lines that are waited for."""
    runs = [prepare() for _ in range(STEPS)]
    print(name, flush=True)
    sys.stdin.readline()
    for run in runs:
        run()
    print(flush=True)
    sys.stdin.readline()


def least(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """What the cheapest run took: what happens beside it, as the noting of key use once a second, only adds."""
    fewest = {name: min(run[name] for run in runs) for name in runs[0] if name != "functions"}
    return fewest | {"functions": min(runs, key=lambda run: int(run["calls"]))["functions"]}


def _run(work: Work, servers: tuple[Reading, Reading]) -> dict[str, Any]:
    before = [server.now() for server in servers]
    calls, answer = calls_of(work)
    postgres, redis = (server.now().since(then) for server, then in zip(servers, before, strict=True))
    return {
        "calls": calls.total(),
        "statements": postgres.statements,
        "round trips to PostgreSQL": postgres.round_trips,
        "bytes to PostgreSQL": postgres.bytes_sent,
        "round trips to Redis": redis.round_trips,
        "bytes to Redis": redis.bytes_sent,
        "bytes of the answer": len(answer),
        "functions": dict(sorted(calls.items())),
    }


def calls_of(work: Work) -> tuple[Counter[str], bytes]:
    """The calls of Python functions that ``work`` makes: of ours by module and name, of others by their library; to
    resume a generator is one, too."""
    called: Counter[tuple[CodeType, str]] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            called[frame.f_code, frame.f_globals.get("__name__", "generated")] += 1

    sys.setprofile(note)
    try:
        answer = work()
    finally:
        sys.setprofile(None)
    named: Counter[str] = Counter()
    for (code, module), number in called.items():
        library = module.partition(".")[0]
        if library not in NOT_COUNTED:
            named[f"{module}:{code.co_qualname}" if module.startswith(OURS) else library] += number
    return named, answer


if __name__ == "__main__":
    sys.exit(main())
