"""`spades serve`: the parent of PostgreSQL and gunicorn."""

import errno
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType, TracebackType
from typing import Self

import click

from spades.cli import databases, workers
from spades.config import Settings
from spades.errors import ConfigurationError, DatabaseUnavailable, Unavailable
from spades.store.embedded import Embedded, launch

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PULSE = 0.1
BOOT_PATIENCE = 60.0
PORT_PATIENCE = 5.0
REVIVALS = 5
NOTICE = 1.0  # seconds for a load balancer to see that readiness says no
GRACE = workers.graceful_timeout + 5.0


class Stopped(BaseException):
    """Somebody asked the service to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def serve(settings: Settings) -> None:
    """Serves until told to stop."""
    settings = settings.ready_to_serve()
    with _stopping() as hurry, ExitStack() as stack:
        listener = stack.enter_context(listen(settings.host, settings.port))
        address = _address(listener)
        server = _database(settings, stack)
        ready = databases.on_server(settings, server) if server else settings
        databases.migrate_aside(ready)
        gunicorn = stack.enter_context(Gunicorn(ready, listener, hurry))
        gunicorn.wait_until_it_answers()
        _announce(settings, address)
        _watch(gunicorn, server)


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket bound to the address; gunicorn begins to listen on it.

    Waits a little for a port in use: a service killed just now may still be letting go of it.
    """
    end = time.monotonic() + PORT_PATIENCE
    while True:
        try:
            return _bound(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                raise ConfigurationError(
                    f"Can't listen on {host} port {port}: {error.strerror}."
                    " SPADES_HOST and SPADES_PORT set another address."
                ) from error
        time.sleep(PULSE)


def _bound(host: str, port: int) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


class Gunicorn:
    """The serving processes, started on a bound socket and ended gracefully."""

    def __init__(self, settings: Settings, listener: socket.socket, hurry: "Hurry") -> None:
        self._hurry = hurry
        self._address = listener.getsockname()
        self._told, self._tell = os.pipe()
        with listener:
            self._process = _start_gunicorn(settings, listener.fileno(), self._told)
        os.close(self._told)

    def wait_until_it_answers(self) -> None:
        """Waits for the first answer of any kind."""
        end = time.monotonic() + BOOT_PATIENCE
        while not self._answers():
            self.check()
            if time.monotonic() > end:
                raise Unavailable("gunicorn does not answer.")
            time.sleep(PULSE)

    def check(self) -> None:
        """Raises Unavailable if gunicorn has ended."""
        if (code := self._process.poll()) is not None:
            raise Unavailable(f"gunicorn ended (code {code}).")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._tell)
        if self._process.poll() is None and _wants_notice(error):
            self._hurry.wait(self._process, NOTICE)
        for number, patience in ((signal.SIGTERM, GRACE), (signal.SIGQUIT, 5.0)):
            if self._process.poll() is None:
                self._process.send_signal(number)
                self._hurry.wait(self._process, patience)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        host, port = self._address[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        connection = http.client.HTTPConnection(host, port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        return True


class Hurry:
    """Whether somebody asked twice."""

    def __init__(self) -> None:
        self.asked = 0

    def wait(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """Waits for the process to end, or the time, or the next impatient signal."""
        asked, end = self.asked, time.monotonic() + seconds
        while process.poll() is None and self.asked == asked and time.monotonic() < end:
            time.sleep(PULSE)


@contextmanager
def _stopping() -> Iterator[Hurry]:
    """Turns the first stop signal into a clean way out, and counts the others."""
    hurry = Hurry()

    def stop(number: int, frame: FrameType | None) -> None:
        hurry.asked += 1
        if hurry.asked == 1:
            raise Stopped(number)

    before = {number: signal.signal(number, stop) for number in STOPPING}
    try:
        yield hurry
    except Stopped:
        click.echo("Stopped.")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wants_notice(error: BaseException | None) -> bool:
    """Whether there may be a load balancer to warn: a person at the keyboard needs no pause."""
    return isinstance(error, Stopped) and error.number == signal.SIGTERM


def _database(settings: Settings, stack: ExitStack) -> Embedded | None:
    if not settings.is_embedded:
        return None
    return stack.enter_context(Embedded(databases.embedded_directory(settings)))


def _start_gunicorn(settings: Settings, listener: int, told: int) -> subprocess.Popen[bytes]:
    handles = {workers.LISTENER: str(listener), workers.DRAIN: str(told)}
    who = [str(os.getuid()), str(os.getgid()), str(os.getpid())]
    serving = ["-m", "gunicorn", "-c", f"python:{workers.__name__}"]
    application = f"{workers.__name__}:application()"
    return subprocess.Popen(
        [sys.executable, launch.__file__, *who, sys.executable, *serving, application],
        env={**databases.process_environment(settings), **handles},
        pass_fds=(listener, told),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )


def _watch(gunicorn: Gunicorn, server: Embedded | None) -> None:
    """Waits for ever, revives PostgreSQL when it ends, gives up when gunicorn does."""
    while True:
        gunicorn.check()
        if server is not None and not server.is_alive:
            click.echo("PostgreSQL ended by itself; starting it again.", err=True)
            _revive(server)
        time.sleep(PULSE)


def _revive(server: Embedded) -> None:
    for attempt in range(1, REVIVALS + 1):
        try:
            server.revive()
            return
        except DatabaseUnavailable as error:
            click.echo(f"spades: {error.detail}", err=True)
            if attempt == REVIVALS:
                raise
            time.sleep(attempt)


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _announce(settings: Settings, address: str) -> None:
    for name, value in settings.describe().items():
        click.echo(f"{name}={value}")
    click.echo(f"\nSpades is served on  {address}/v1")
    click.echo(f"Documentation        {address}/docs")
    if settings.is_embedded:
        click.echo(f"Data                 {settings.data_dir}")
    click.echo("Stop                 Ctrl-C")
