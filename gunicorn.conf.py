"""How gunicorn runs the service; every value has its reason."""

from config import Settings

_settings = Settings.from_environment()

bind = f"{_settings.host}:{_settings.port}"
workers = _settings.workers

# Requests wait for PostgreSQL, Redis and model providers most of the time: a green thread each costs kilobytes, and an
# open stream of notifications 27 of them.
worker_class = "gevent"
worker_connections = 10000

# A worker that does not return to its loop for this long is stuck; long streams return all the time.
timeout = 60
# Requests in flight at a stop or reload may finish.
graceful_timeout = 30
keepalive = 15

# For whoever switches the access log on: the default line holds the query string, and with it api_key; this one
# holds the path alone.
access_log_format = '%(h)s "%(m)s %(U)s" %(s)s %(B)s %(M)sms'

# The longest request line that gunicorn can be told to take; many filters at once need the room.
limit_request_line = 8190


def post_worker_init(worker):
    """Let streams end by themselves once the worker is told to stop; no hook fires at that moment."""
    worker.wsgi.extensions["is_stopping"] = lambda: not worker.alive


def worker_exit(_server, worker):
    """Write what a worker still holds in memory before its process ends."""
    from app import usage  # the application may be imported in workers only, after gevent

    application = getattr(worker, "wsgi", None)
    if application is not None:  # it did start
        usage.close(application)


# Several instances of one account would fight over the control socket in its home folder.
control_socket_disable = True
