"""The supervisor of an embedded PostgreSQL."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

import psycopg
from psycopg import sql

from spades.errors import ConfigurationError, DatabaseUnavailable
from spades.store.embedded import install, launch, leftovers, place

DATABASE = "spades"
SUPERUSER = "postgres"
OWNER, SERVING, READER = "spades_owner", "spades_app", "spades_reader"

START_PATIENCE = 300.0  # recovery after a crash replays the log, which can take its time
STOP_MEASURES = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 15.0), (signal.SIGKILL, 15.0))
LONG_LOG = 4_000_000
INHERITED = ("PATH", "LD_LIBRARY_PATH", "TZ", "TMPDIR")

# Errors keep their statements and details to themselves: these may name hidden cards.
OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "logging_collector": "off",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "cluster_name": "spades",
}


class Embedded:
    """One PostgreSQL under one directory, for as long as it is started.

    Call `start` from a thread that lives as long as the server should: where the OS can do it,
    the server ends with the thread that started it.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory.absolute()
        self._lock: IO[str] | None = None
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Starts the server, on a new cluster if there is none, and waits until it answers."""
        try:
            place.make_directory(self.directory)
            self._take_lock()
            self._launch()
        except OSError as error:
            self.stop()
            raise ConfigurationError(
                f"The embedded database can't use {self.directory}: {error}"
            ) from error
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stops the server and lets go of the directory."""
        for number, patience in STOP_MEASURES:
            if not self.is_alive:
                break
            self._signal(number, patience)
        self._server = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def revive(self) -> bool:
        """Starts the server again if it has ended by itself; returns whether it had."""
        if self.is_alive:
            return False
        self._launch()
        return True

    def url(self, role: str = SERVING, database: str = DATABASE) -> str:
        """Returns the URL for one of the roles, whoever started the server."""
        run = (self.directory / "cluster" / "run").resolve()
        return f"postgresql://{role}@/{database}?host={quote(str(run))}&port=5432"

    @property
    def is_alive(self) -> bool:
        """Whether this supervisor's server process runs."""
        return self._server is not None and self._server.poll() is None

    @property
    def pid(self) -> int | None:
        """The process id of this supervisor's server."""
        return self._server.pid if self._server else None

    @property
    def in_use(self) -> bool:
        """Whether some supervisor holds the directory."""
        try:
            with (self.directory / "lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def wait_until_ready(self, patience: float = START_PATIENCE) -> None:
        """Waits until the server has answered a query."""
        end = time.monotonic() + patience
        while True:
            try:
                self._greet()
                return
            except psycopg.OperationalError as error:
                if time.monotonic() > end:
                    raise DatabaseUnavailable(f"The embedded database: {error}") from error
            if self._server and not self.is_alive:
                raise DatabaseUnavailable(f"PostgreSQL did not start: {self._last_words()}")
            time.sleep(0.05)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _take_lock(self) -> None:
        if self._lock is not None:
            raise ConfigurationError("This embedded database has been started already.")
        lock = os.fdopen(os.open(self.directory / "lock", os.O_RDWR | os.O_CREAT, 0o600), "r+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise ConfigurationError(
                f"{self.directory} is in use by another supervisor (process {holder})."
            ) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock

    def _launch(self) -> None:
        account = place.account_for(self.directory)
        cluster = place.make_cluster(self.directory, account)
        programs = install.programs(cluster, account)
        if not (cluster / "data").exists():
            self._initialise(cluster, programs, account)
        _check_version(cluster / "data", programs)
        leftovers.clear(cluster / "data")
        run = place.make_socket_directory(cluster, account)
        options = {**OPTIONS, **_access(cluster, account), "unix_socket_directories": f'"{run}"'}
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        command = [str(programs / "postgres"), "-D", str(cluster / "data"), *settings]
        self._server = self._run(command, cluster, account)
        self.wait_until_ready()
        self._furnish()

    def _initialise(self, cluster: Path, programs: Path, account: place.Account) -> None:
        """Makes the data directory beside its place, so that a broken try is never taken for it."""
        draft = cluster / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        options = ("-U", SUPERUSER, "-A", "peer", "-E", "UTF8", "--locale=C", "--no-instructions")
        collation = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        command = [str(programs / "initdb"), "-D", str(draft), *options, *collation]
        if self._run(command, cluster, account).wait() != 0:
            raise DatabaseUnavailable(f"initdb failed: {self._last_words()}")
        draft.rename(cluster / "data")

    def _run(
        self, command: list[str], cluster: Path, account: place.Account
    ) -> subprocess.Popen[bytes]:
        who = [str(account.uid), str(account.gid), str(os.getpid())]
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        with self._open_log() as log:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", launch.__file__, *who, *command],
                cwd=cluster,
                env={**inherited, "HOME": str(cluster), "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _open_log(self) -> IO[bytes]:
        path = self.directory / "postgres.log"
        if path.exists() and path.stat().st_size > LONG_LOG:
            path.replace(path.with_suffix(".log.1"))
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")

    def _last_words(self) -> str:
        """Returns the line of the server's log that most likely says why it ended."""
        path = self.directory / "postgres.log"
        lines = path.read_text(errors="replace").strip().splitlines()[-20:]
        telling = [line for line in lines if "FATAL" in line or "error:" in line]
        return f"{(telling or lines or ['no word'])[-1]} (see {path})"

    def _greet(self) -> None:
        with psycopg.connect(self.url(SUPERUSER, SUPERUSER), connect_timeout=5) as connection:
            connection.execute("select 1")

    def _furnish(self) -> None:
        """Makes the roles and the database that are not there yet."""
        with psycopg.connect(self.url(SUPERUSER, SUPERUSER), autocommit=True) as connection:
            roles = {name for (name,) in connection.execute("select rolname from pg_roles")}
            for role, rights in ((OWNER, "createrole createdb"), (SERVING, ""), (READER, "")):
                if role not in roles:
                    create = sql.SQL("create role {} login " + rights)
                    connection.execute(create.format(sql.Identifier(role)))
            members = sql.SQL("grant {}, {} to {} with admin option")
            names = (sql.Identifier(role) for role in (SERVING, READER, OWNER))
            connection.execute(members.format(*names))
            known = connection.execute(
                "select from pg_database where datname = %s", [DATABASE]
            ).fetchone()
            if known is None:
                create = sql.SQL("create database {} owner {}")
                connection.execute(create.format(*map(sql.Identifier, (DATABASE, OWNER))))

    def _signal(self, number: int, patience: float) -> None:
        if self._server is None:
            return
        self._server.send_signal(number)
        try:
            self._server.wait(patience)
        except subprocess.TimeoutExpired:
            return


def _access(cluster: Path, account: place.Account) -> dict[str, str]:
    """Writes who may log in: the supervisor's own user, as any role, and nobody else."""
    hba, ident = cluster / "pg_hba.conf", cluster / "pg_ident.conf"
    place.write(hba, "local all all peer map=spades\n", account)
    place.write(ident, f'spades "{place.supervisor_name()}" all\n', account)
    return {"hba_file": str(hba), "ident_file": str(ident)}


def _check_version(data: Path, programs: Path) -> None:
    stored = (data / "PG_VERSION").read_text().strip()
    packaged = install.major_version(programs)
    if stored != packaged:
        raise ConfigurationError(
            f"{data} was made by PostgreSQL {stored}, but the installed one is {packaged}:"
            " dump it with the old version and restore it, or use pg_upgrade."
        )


@contextmanager
def borrowed(directory: Path) -> Iterator[Embedded]:
    """Gives the directory's server: the running one, or one started for the moment."""
    server = Embedded(directory)
    if server.in_use:
        server.wait_until_ready(patience=30.0)
        yield server
    else:
        with server:
            yield server
