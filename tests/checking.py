"""make check: what can be known of a change before it is committed, in a minute.

It lints, and runs the tests that are closest to what has changed since the last commit that passed ``make test``, those
that need no servers, and the mechanisms on the fewest models, as far as the time goes. It says what it left out.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from config import ROOT
from tests.durations import Durations
from tests.nearness import Change, near_tests

BIN = Path(sys.executable).parent
PASSED = ROOT / ".venv" / "passed"
# Seconds of tests, of both processes together: where more has changed than one domain, and where not.
BUDGET, SMALL_BUDGET = 70.0, 15.0
LINTS = {
    "ruff": [BIN / "ruff", "check", "--quiet", "."],
    "format": [BIN / "ruff", "format", "--check", "--quiet", "."],
    "imports": [BIN / "lint-imports"],
    "mypy": [BIN / "mypy"],
}
TYPED = {"studio": ROOT / "studio", "clients/typescript": ROOT / "clients" / "typescript"}


def main() -> int:
    """Check, print what was run and what was not, and return 1 where something is wrong."""
    began, change = time.monotonic(), Change.since(last_passed())
    chosen, left = within(BUDGET if change.is_wide else SMALL_BUDGET, near_tests(change))
    print(f"check: {len(change.files)} files have changed; {len(chosen)} files of tests are near")
    with ThreadPoolExecutor(1) as pool:
        linted = pool.submit(lint, change.files)
        failed = [] if test(chosen) else ["tests"]
        if change.is_hot and not gate():
            failed.append("gate")
    failed += linted.result()
    print(f"check: left to `make test`: {len(left)} near files of tests{said(left)}, and all that are not near")
    verdict = f"wrong: {', '.join(failed)}" if failed else "all is well"
    print(f"check: {verdict}, after {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


def last_passed() -> str:
    """Return the last commit that passed ``make test`` here and is still there, or else the first one of all."""
    if PASSED.exists() and (known := git("rev-list", "--ignore-missing", "-1", PASSED.read_text().strip()).strip()):
        return known
    return git("rev-list", "--max-parents=0", "HEAD").splitlines()[-1]


def within(seconds: float, tests: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the tests that go into ``seconds`` together, the first ones first, and the others."""
    durations, chosen, left = Durations.read(), [], []
    for file in tests:
        if (taken := durations.of(file)) > seconds:
            left.append(file)
        else:
            chosen.append(file)
            seconds -= taken
    return chosen, left


def lint(changed: Iterable[str]) -> list[str]:
    """Return the names of the lints that found something, having printed what."""
    lints = dict(LINTS)
    for name, folder in TYPED.items():
        if any(file.startswith(f"{name}/") for file in changed) and (folder / "node_modules").exists():
            compiler = folder / "node_modules" / "typescript" / "bin" / "tsc"
            lints[f"tsc of {name}"] = [BIN / "node", compiler, "--noEmit", "--project", folder]
    return [name for name, command in lints.items() if not passes(command)]


def test(files: list[str]) -> bool:
    """Run the tests of ``files``, mechanisms on the fewest models that show every feature."""
    command = [BIN / "python", "-m", "tests.run", BIN / "pytest", "-q", "--fewest-models"]
    return not files or subprocess.run([*command, *files], cwd=ROOT, check=False).returncode in (0, 5)


def gate() -> bool:
    """Count what operations cost."""
    return passes([BIN / "python", "-m", "bench.gate"])


def passes(command: list[str | Path]) -> bool:
    """Run a command, print what it says where it fails, and tell whether it passed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr)
    return done.returncode == 0


def said(left: list[str]) -> str:
    """Name the first of the tests that were left out."""
    return f", {', '.join(left[:3])}{' …' if len(left) > 3 else ''}" if left else ""


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
