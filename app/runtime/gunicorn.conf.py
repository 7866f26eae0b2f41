"""The configuration of gunicorn; every value has its reason."""

from gevent import monkey

# Before anything that the application imports: it is loaded here, and forked. But for what has to do with children,
# which gunicorn waits for by itself: of those of before a reload, gevent would take the end from it. Workers patch it.
monkey.patch_all(os=False, signal=False)

import gc  # noqa: E402
import os  # noqa: E402
import shutil  # noqa: E402
import tempfile  # noqa: E402
import threading  # noqa: E402
from logging.config import dictConfig  # noqa: E402
from pathlib import Path  # noqa: E402

from gunicorn.glogging import Logger  # noqa: E402

from app.runtime import logs, reloading  # noqa: E402
from config import Settings  # noqa: E402

# Until gunicorn listens to them: it would end at any, or leave a folder behind.
reloading.hold_signals()

_settings = Settings.from_environment()

bind = f"{_settings.host}:{_settings.port}"
# As many as processors: on 2 of them, shared with PostgreSQL and the load, one worker answered 660 reads a second, two
# 1,160, four 1,120.
workers = _settings.workers

# Requests wait for PostgreSQL, Redis and model providers most of the time: a green thread each costs kilobytes, and an
# open stream of notifications 27 of them.
worker_class = "app.runtime.reloading.Worker"
worker_connections = 10000

# The application is loaded once, and the workers share its memory. A reload is a new start of this process.
preload_app = True

# A worker that does not return to its loop for this long is stuck; long streams return all the time.
timeout = 60
# Requests in flight at a stop or reload may finish.
graceful_timeout = _settings.stop_grace
keepalive = 15


class _Lines(Logger):
    """gunicorn's own messages in the form of the others."""

    def setup(self, cfg):
        super().setup(cfg)
        dictConfig(logs.configuration(_settings))


logger_class = _Lines

# The folder through which the processes add up what they measure: one that was named, or one of this service alone,
# which outlives a reload and goes with it. A newer binary (USR2) inherits the name, and makes its own.
_OURS = f"rowgate-metrics-{os.getpid()}-"
_measured = os.path.basename(os.environ.get("PROMETHEUS_MULTIPROC_DIR", "rowgate-metrics-"))
if _measured.startswith("rowgate-metrics-") and not _measured.startswith(_OURS):
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix=_OURS)
os.makedirs(os.environ["PROMETHEUS_MULTIPROC_DIR"], exist_ok=True)

# For whoever switches the access log on: the default line holds the query string, and with it api_key; this one
# holds the path alone.
access_log_format = '%(h)s "%(m)s %(U)s" %(s)s %(B)s %(M)sms'

# The longest request line that gunicorn can be told to take; many filters at once need the room.
limit_request_line = 8190


def on_starting(server):
    """Begin to count from nothing, also in a folder that was named and used before; stop without delay when told to."""
    reloading.install_reload(server, {"PROMETHEUS_MULTIPROC_DIR": os.environ["PROMETHEUS_MULTIPROC_DIR"]})
    if not server.master_pid:
        for file in Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).glob("*.db"):
            file.unlink()


def when_ready(_server):
    """Hear what was said meanwhile, and let what the application has begun come to its end before it is forked."""
    reloading.release_signals()
    for thread in set(threading.enumerate()) - {threading.main_thread()}:
        thread.join(1)


def pre_fork(_server, worker):
    """A worker that is forked does not serve yet."""
    reloading.mark_forked(worker)


def post_worker_init(worker):
    """Let streams end by themselves once the worker is told to stop, at which no hook fires, and begin to serve."""
    import app.runtime.request_body  # noqa: F401 - refusals are JSON from the first request on

    worker.wsgi.extensions["is_stopping"] = lambda: not worker.alive
    # What is loaded stays, and so do open streams: to look through all of it for cycles stops the worker for a quarter
    # of a second, in which no notification arrives.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 100)
    reloading.mark_serving(worker)


def worker_exit(_server, worker):
    """Write what a worker still holds in memory before its process ends, and give back what it has of limits."""
    from app.auth.keys import key_usage  # the application is loaded after this file

    application = getattr(worker, "wsgi", None)
    if application is not None:  # it did start
        key_usage.close(application)
        application.extensions["announcements"].close()
        application.extensions["limit_counter"].close()


def child_exit(_server, worker):
    """Stop counting the open streams and connections of a process that has ended."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)


def on_exit(_server):
    """Remove the folder of measurements, if it was made here."""
    if os.path.basename(os.environ["PROMETHEUS_MULTIPROC_DIR"]).startswith(_OURS):
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)


# Several instances of one account would fight over the control socket in its home folder.
control_socket_disable = True
