"""Copies of the repository in which sources are made wrong and asked about."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from config import ROOT
from tests.mutations.places import FOLDERS

FOLDER = ROOT / "build" / "mutations"
# Whatever a broken program starts or signals, it is by itself and ends with its run.
APART = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
APART += ["--user", "--map-current-user"] if os.geteuid() else []
# The first process of such a space has to wait for those that nobody else waits for.
REAPER = ["sh", "-c", '"$@"; exit $?', "sh"]
# Seconds that a test may take, and the end of a run: what takes longer hangs.
PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run of tests: the one that failed, how many were asked, and whether that were all."""

    failed: str
    tests: int
    is_whole: bool
    is_reached: bool


class Tree:
    """A work tree of ``commit`` with the environment of this one."""

    def __init__(self, number: int, commit: str) -> None:
        self.path = FOLDER / f"tree{number}"
        self._unsound: list[str] = []
        self._sound: set[str] = set()
        self._process: subprocess.Popen[bytes] | None = None
        if not self.path.exists():
            git(ROOT, "worktree", "prune")
            git(ROOT, "worktree", "add", "--force", "--detach", str(self.path), commit)
        git(self.path, "checkout", "--quiet", "--force", "--detach", commit)
        # Trees of other commits have another program here, or none.
        shutil.copytree(Path(__file__).parent, self.path / "tests" / "mutations", dirs_exist_ok=True)
        self._link()

    def _link(self) -> None:
        """Have the environment at hand, with a command that loads this tree."""
        programs = self.path / ".venv" / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        for each in (*ROOT.glob(".venv/*"), *ROOT.glob(".venv/bin/*"), ROOT / "studio" / "node_modules"):
            link = self.path / each.relative_to(ROOT)
            if each.exists() and not link.exists():
                link.symlink_to(each)
        command = programs / "rowgate"
        command.unlink(missing_ok=True)
        command.write_text((ROOT / ".venv/bin/rowgate").read_text().replace(str(ROOT), str(self.path)))
        command.chmod(0o755)

    @contextmanager
    def changed(self, change: Callable[[Path], None]) -> Iterator[list[str]]:
        """Have the sources changed for the time of the context; gives the files that are."""
        try:
            change(self.path)
            yield git(self.path, "diff", "--name-only", "--", *FOLDERS).split()
        finally:
            git(self.path, "checkout", "--quiet", "--", *FOLDERS)

    def run(self, files: Sequence[str], seconds: float, *options: str) -> Run:
        """Ask tests one after the other, to the first that fails."""
        folder = Path(tempfile.mkdtemp(prefix="rgm-"))  # a short one, as sockets come to lie in it
        watched, reached = folder / "watched.json", self.mark
        reached.unlink(missing_ok=True)
        env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ} | {
            "TMPDIR": str(folder), "ROWGATE_WATCHED": str(watched), "ROWGATE_REACHED": str(reached),
            "ROWGATE_SECONDS": str(seconds),
        }  # fmt: skip
        python = [str(self.path / ".venv/bin/python"), "-m", "pytest", "-x", "-q", "--numprocesses=0"]
        plugins = ["-p", "tests.mutations.watching", "-p", "no:cacheprovider"]
        left_out = [f"--deselect={each}" for each in self._unsound]
        with self.path.with_suffix(".log").open("ab") as log:
            self._process = process = subprocess.Popen(
                [*_apart(), *python, *plugins, *left_out, *options, *files],
                cwd=self.path, env=env, stdout=log, stderr=log,
            )  # fmt: skip
            try:
                status: int | None = process.wait(seconds + PATIENCE)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                process.kill()
        told = json.loads(watched.read_text()) if watched.exists() else {}
        shutil.rmtree(folder, ignore_errors=True)
        failed = told.get("failed") or (told.get("at") if status is None else "")
        if not failed and status not in (0, 2, 5):
            failed = "the start of the tests"
        return Run(failed, told.get("tests", 0), told.get("is_whole", True), reached.exists())

    def stop(self) -> None:
        """End what is running."""
        if self._process is not None:
            self._process.kill()

    @property
    def mark(self) -> Path:
        """The file that is there once a place is reached."""
        return self.path.with_suffix(".reached")

    def is_sound(self, test: str) -> bool:
        """Whether a test that failed passes where nothing is changed. One that does not is asked no more."""
        if "::" in test and test not in self._sound:
            if self.run([test], PATIENCE).failed:
                self._unsound.append(test)
                return False
            self._sound.add(test)
        return True


@cache
def _apart() -> list[str]:
    able = shutil.which("unshare") and subprocess.run([*APART, "true"], check=False).returncode == 0
    return ["nice", "-n", "10", *(APART + REAPER if able else [])]


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
