"""Make sources wrong in one place after the other, and tell which tests notice.

python -m tests.mutations.run [--draw] [--at COMMIT] [--only TEXT] [--deep | --check] [--workers 1] [--seconds 240]
"""

from __future__ import annotations

import argparse
import fcntl
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from config import ROOT
from tests import checking
from tests.mutations import places
from tests.mutations.report import Result, read, table
from tests.mutations.trees import FOLDER, Tree, git
from tests.nearness import Change, Nearness, near_tests

DEFECTS = sorted((Path(__file__).parent / "defects").glob("*.patch"))
# What is shown on all models, and what only a quiet machine shows, is asked about what nothing else has caught.
DEEP = ("--all-models", "-m", "alone or not alone")
DEEP_SECONDS = 3600.0
# As make check runs tests.
CHECK = ("--fewest-models",)


@dataclass(frozen=True, slots=True)
class Work:
    """A change of a tree, and one that leaves all as it is but tells that the place is reached, where there is one."""

    name: str
    says: str
    change: Callable[[Path], None]
    probe: Callable[[Path, Path], None] | None = None


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends what is running
    if options.draw:
        places.keep(places.drawn(ROOT))
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = (FOLDER / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("rowgate: another run is at work in build/mutations")
    commit = git(ROOT, "rev-parse", f"{options.at}^{{commit}}").strip()
    file = FOLDER / f"{commit[:12]}{'-check' if options.check else ''}.jsonl"
    known = {each.name: each for each in read(file)}
    chosen = [each for each in _every() if options.only in f"{each.name} {each.says}"]
    # A run goes on where it was broken off, and may look deeper at what has survived.
    left = [each for each in chosen if each.name not in known or (options.deep and known[each.name].is_open)]
    _carry_out(left, file, commit, options)
    print(table(file.stem, read(file)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draw", action="store_true", help="draw the places anew, by the seed, and keep them")
    parser.add_argument("--at", default="HEAD", help="the commit whose sources and tests are asked")
    parser.add_argument("--only", default="", help="those that have this in their name")
    parser.add_argument("--deep", action="store_true", help="ask all tests on all models about what has survived")
    parser.add_argument("--check", action="store_true", help="ask those tests alone that make check would")
    parser.add_argument("--workers", type=int, default=1, help="how many are tried at a time")
    parser.add_argument("--seconds", type=float, default=240, help="how long tests are asked about one of them")
    return parser.parse_args()


def _every() -> list[Work]:
    drawn = [Work(each.name, each.after.strip(), each.change, each.reach) for each in places.kept()]
    return drawn + [
        Work(f"defect {patch.stem[:2]}", patch.read_text().partition("\n")[0], _applying(patch)) for patch in DEFECTS
    ]


def _applying(patch: Path) -> Callable[[Path], None]:
    def apply(tree: Path) -> None:
        try:
            git(tree, "apply", "--recount", str(patch))
        except subprocess.CalledProcessError as error:
            raise places.Gone(patch.name) from error

    return apply


def _carry_out(works: Sequence[Work], file: Path, commit: str, options: argparse.Namespace) -> None:
    """Try each change, and write down what came of it."""
    trees = [Tree(number, commit) for number in range(min(options.workers, len(works)))]
    free: SimpleQueue[tuple[Tree, Nearness]] = SimpleQueue()
    for tree in trees:
        free.put((tree, Nearness(tree.path)))

    def tried(work: Work) -> Result:
        tree, nearness = free.get()
        result = _tried(work, tree, nearness, options)
        free.put((tree, nearness))
        return result

    with ThreadPoolExecutor(options.workers) as pool, file.open("a") as output:
        try:
            for ended in as_completed([pool.submit(tried, work) for work in works]):
                result = ended.result()
                output.write(json.dumps(asdict(result)) + "\n")
                output.flush()
                print(f"rowgate: {result.name}: {result.told()} ({result.seconds:.0f} s)", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for tree in trees:
                tree.stop()
            raise


def _tried(work: Work, tree: Tree, nearness: Nearness, options: argparse.Namespace) -> Result:
    began = time.monotonic()
    seconds, asked = (DEEP_SECONDS, DEEP) if options.deep else (options.seconds, CHECK if options.check else ())
    try:
        is_sound = False
        while not is_sound:
            with tree.changed(work.change) as changed:
                files = _checked(changed) if options.check else list(nearness.ranks(changed))
                run = tree.run(files, seconds, *asked)
            is_sound = tree.is_sound(run.failed)
        is_reached = bool(run.failed) or work.probe is None or _is_reached(work, tree, files, seconds)
    except places.Gone:
        return Result(work.name, work.says, "gone")
    outcome = "caught" if run.failed else "survived" if is_reached else "not reached"
    taken = round(time.monotonic() - began, 1)
    return Result(work.name, work.says, outcome, run.failed, taken, run.tests, run.is_whole, options.deep)


def _checked(changed: Sequence[str]) -> list[str]:
    """The tests that make check would run of a change of these files."""
    change = Change(tuple(changed))
    budget = checking.BUDGET if change.is_wide else checking.SMALL_BUDGET
    return checking.within(budget, near_tests(change))[0]


def _is_reached(work: Work, tree: Tree, files: Sequence[str], seconds: float) -> bool:
    with tree.changed(lambda path: work.probe(path, tree.mark)):
        return tree.run(files, seconds).is_reached


if __name__ == "__main__":
    sys.exit(main())
