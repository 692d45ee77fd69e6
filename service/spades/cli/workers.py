"""gunicorn's configuration and the application its workers load.

Imported by gunicorn's head process: nothing here may import psycopg or Flask before a worker
has patched its sockets for gevent.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

LISTENER = "SPADES_LISTENER_FD"
DRAIN = "SPADES_DRAIN_FD"

bind = f"fd://{os.environ.get(LISTENER, '')}"
workers = int(os.environ.get("SPADES_WORKERS", "1"))
worker_class = "gevent"
control_socket_disable = True
forwarder_headers = ""  # no header of a request may move the routes
accesslog = None
loglevel = os.environ.get("SPADES_LOG_LEVEL", "info")
graceful_timeout = 30
keepalive = 5
proc_name = "spades"
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None


def application() -> "Flask":
    """Makes the application in a worker."""
    from spades.api import create_app
    from spades.config import Settings

    return create_app(Settings.from_environment(os.environ))


def post_worker_init(worker: Any) -> None:
    """Watches, in each worker, for the word that the service is about to stop."""
    import gevent

    gevent.spawn(_drain_when_told, worker.wsgi)


def worker_exit(server: Any, worker: Any) -> None:
    """Closes the worker's connections, which would otherwise end in the middle of a word."""
    if app := getattr(worker, "wsgi", None):
        app.extensions["spades"].store.close()


def _drain_when_told(app: "Flask") -> None:
    """Waits for the supervisor to close its end of the pipe, then has readiness say no."""
    from gevent.socket import wait_read

    wait_read(int(os.environ[DRAIN]))
    app.extensions["readiness"].drain()
