"""The embedded server starts, keeps its data, survives violence and admits nobody else."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from spades.errors import ConfigurationError, DatabaseUnavailable
from spades.store.embedded import OWNER, READER, SERVING, Embedded, borrowed, leftovers, place
from tests.embedded.conftest import Holder

pytestmark = pytest.mark.slow
SITE = os.pathsep.join(path for path in sys.path if path)


def ask(server: Embedded, query: str, role: str = OWNER) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url(role), autocommit=True) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else []


def test_data_survive_a_restart(directory: Path) -> None:
    with Embedded(directory) as server:
        ask(server, "create table kept as select 7 as number")
    with Embedded(directory) as server:
        assert ask(server, "select number from kept") == [(7,)]


def test_every_role_logs_in_and_only_the_owner_makes_things(directory: Path) -> None:
    with Embedded(directory) as server:
        for role in (OWNER, SERVING, READER):
            assert ask(server, "select current_user", role) == [(role,)]
        assert ask(server, "select rolsuper from pg_roles where rolname = current_user") == [
            (False,)
        ]
        for role in (SERVING, READER):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ask(server, "create table mine (number int)", role)


def test_every_acknowledged_commit_is_on_the_disk(directory: Path) -> None:
    with Embedded(directory) as server:
        assert ask(server, "show fsync") == [("on",)]
        assert ask(server, "show synchronous_commit") == [("on",)]


def test_the_log_keeps_statements_and_values_to_itself(directory: Path) -> None:
    with Embedded(directory) as server:
        ask(server, "create table hidden (card text check (card <> 'QS'))")
        with pytest.raises(psycopg.errors.CheckViolation):
            ask(server, "insert into hidden values ('QS')")
    log = (directory / "postgres.log").read_text()
    assert "violates check constraint" in log
    assert "QS" not in log
    assert (directory / "postgres.log").stat().st_mode & 0o077 == 0


def test_a_second_supervisor_is_refused(directory: Path) -> None:
    with Embedded(directory) as server:
        with pytest.raises(ConfigurationError, match=f"in use.*process {os.getpid()}"):
            Embedded(directory).start()
        assert ask(server, "select 1") == [(1,)]
        assert Embedded(directory).in_use
    assert not Embedded(directory).in_use


def test_a_running_server_is_borrowed_and_left_running(directory: Path) -> None:
    with Embedded(directory) as server:
        with borrowed(directory) as found:
            assert ask(found, "select 1") == [(1,)]
        assert server.is_alive


def test_a_sleeping_server_is_started_for_the_moment(directory: Path) -> None:
    with borrowed(directory) as server:
        assert ask(server, "select 1") == [(1,)]
    assert not Embedded(directory).in_use


def test_a_killed_server_is_revived_with_its_data(directory: Path) -> None:
    with Embedded(directory) as server:
        ask(server, "create table kept as select 7 as number")
        assert not server.revive()
        old = server.pid
        assert old is not None
        busy = psycopg.connect(server.url(OWNER), autocommit=True)
        os.kill(old, signal.SIGKILL)
        wait_for(lambda: not server.is_alive)
        assert server.revive()
        assert server.pid != old
        assert ask(server, "select number from kept") == [(7,)]
        busy.close()


def test_a_killed_supervisor_takes_its_server_along(
    directory: Path, hold: Callable[[], Holder]
) -> None:
    holder = hold()
    assert holder.stdout is not None
    pid = int(holder.stdout.readline().split()[0])
    holder.kill()
    holder.wait()
    if sys.platform == "linux":
        wait_for(lambda: not Path("/proc", str(pid)).exists())
    with Embedded(directory) as server:
        assert ask(server, "select 1") == [(1,)]


def test_a_server_that_outlived_its_supervisor_is_ended_first(directory: Path) -> None:
    with Embedded(directory) as server:
        ask(server, "create table kept as select 7 as number")
        assert server.pid is not None
        orphan = server._server
        assert orphan is not None
        server._server = None  # as if the supervisor had died and nobody had told the server
        server.stop()
        with Embedded(directory) as second:
            assert orphan.wait(1) == 0
            assert ask(second, "select number from kept") == [(7,)]


def test_backends_of_a_killed_server_are_awaited(directory: Path) -> None:
    with Embedded(directory) as server:
        connection = psycopg.connect(server.url(OWNER), autocommit=True)
        pid = connection.info.backend_pid
        os.kill(pid, signal.SIGSTOP)  # a backend that can't notice the death of its server
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        wait_for(lambda: not server.is_alive)
        assert leftovers.server_processes((directory / "cluster" / "data").resolve())
        os.kill(pid, signal.SIGCONT)
        server.revive()
        assert ask(server, "select 1") == [(1,)]
        connection.close()


def test_a_pid_file_that_names_a_living_stranger_is_no_hindrance(directory: Path) -> None:
    with Embedded(directory):
        pass
    stale = directory / "cluster" / "data" / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{stale.parent}\n1\n5432\n\n\n\n")
    with Embedded(directory) as server:
        assert ask(server, "select 1") == [(1,)]


def test_a_broken_initdb_leaves_nothing_that_looks_like_data(directory: Path) -> None:
    with Embedded(directory):
        pass
    cluster = directory / "cluster"
    (cluster / "data").rename(cluster / "data.new")
    (cluster / "data.new" / "global" / "pg_control").unlink()
    with Embedded(directory) as server:
        assert ask(server, "select 1") == [(1,)]
    assert not (cluster / "data.new").exists()


def test_another_major_version_is_refused_in_words(directory: Path) -> None:
    with Embedded(directory):
        pass
    (directory / "cluster" / "data" / "PG_VERSION").write_text("12\n")
    with pytest.raises(ConfigurationError, match=r"made by PostgreSQL 12.*pg_upgrade"):
        Embedded(directory).start()
    assert not Embedded(directory).in_use


def test_a_damaged_cluster_is_reported_with_the_servers_own_words(directory: Path) -> None:
    with Embedded(directory):
        pass
    (directory / "cluster" / "data" / "global" / "pg_control").unlink()
    with pytest.raises(DatabaseUnavailable, match="pg_control"):
        Embedded(directory).start()


def test_a_failing_initdb_is_reported(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spades.store.embedded.server.SUPERUSER", "pg_reserved")
    with pytest.raises(DatabaseUnavailable, match=r'initdb failed.*"pg_"'):
        Embedded(directory).start()
    assert not (directory / "cluster" / "data").exists()


def test_a_file_in_the_way_is_reported(directory: Path) -> None:
    directory.write_text("not a directory")
    with pytest.raises(ConfigurationError, match="can't use"):
        Embedded(directory).start()


def test_a_long_path_moves_the_socket_to_a_short_one(directory: Path) -> None:
    long = directory / ("deep" * 25)
    for _ in range(2):
        with Embedded(long) as server:
            assert ask(server, "select 1") == [(1,)]
    run = (long / "cluster" / "run").readlink()
    assert run.stat().st_mode & 0o777 == 0o700
    run.rmdir()
    with Embedded(long) as server:
        assert ask(server, "select 1") == [(1,)]
    (long / "cluster" / "run").resolve().rmdir()


def test_odd_characters_in_the_path_do_no_harm(directory: Path) -> None:
    with Embedded(directory / "a b, c'd%41") as server:
        assert ask(server, "select 1") == [(1,)]


@pytest.mark.usefixtures("as_root")
def test_no_other_local_user_gets_in(directory: Path, everybodys_python: str) -> None:
    with Embedded(directory) as server:
        # The directory is closed; even with the way opened, peer authentication refuses.
        run = Path(server.url().split("host=")[1].split("&")[0])
        for opened in (False, True):
            if opened:
                (directory / "cluster").chmod(0o711)
                run.chmod(0o711)
                (run / place.SOCKET_NAME).chmod(0o777)
            for role in (SERVING, OWNER, "postgres"):
                said = _connect_as_nobody(everybodys_python, server.url(role))
                assert ("Peer authentication failed" if opened else "Permission denied") in said


def _connect_as_nobody(python: str, url: str) -> str:
    address = url.split("host=")[1].split("&")[0] + "/" + place.SOCKET_NAME
    role = url.split("//")[1].split("@")[0]
    return subprocess.run(
        [python, "-c", LOGIN, address, role],
        user=65534,
        group=65534,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    ).stdout


# The first message of PostgreSQL's protocol, by hand: this user can't read any driver.
LOGIN = """
import socket, struct, sys
address, role = sys.argv[1:]
body = struct.pack('!i', 196608) + f'user\\0{role}\\0database\\0spades\\0\\0'.encode()
with socket.socket(socket.AF_UNIX) as channel:
    try:
        channel.connect(address)
    except OSError as error:
        sys.exit(print(error))
    channel.sendall(struct.pack('!i', len(body) + 4) + body)
    print(channel.recv(4096))
"""


@pytest.mark.usefixtures("as_root")
def test_as_root_the_server_runs_as_another_user(directory: Path) -> None:
    with Embedded(directory) as server:
        status = Path("/proc", str(server.pid), "status").read_text()
        uid = status.split("Uid:")[1].split()[0]
        assert int(uid) == place.account_for(directory).uid != 0


@pytest.mark.usefixtures("as_root")
def test_programs_that_the_other_user_cannot_read_are_copied(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_enter = place.Account.may_enter
    monkeypatch.setattr(
        place.Account,
        "may_enter",
        lambda account, path: "site-packages" not in str(path) and may_enter(account, path),
    )
    for _ in range(2):
        with Embedded(directory) as server:
            program = Path("/proc", str(server.pid), "exe").readlink()
            assert program.is_relative_to(directory / "cluster")


@pytest.mark.usefixtures("as_root")
def test_a_directory_that_the_other_user_cannot_reach_holds_a_link(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = directory.parent / "elsewhere"
    monkeypatch.setattr(place, "ELSEWHERE", elsewhere)
    home = directory / "home"
    home.mkdir(parents=True)
    directory.chmod(0o711)
    home.chmod(0o700)
    with Embedded(home / "postgres") as server:
        ask(server, "create table kept as select 7 as number")
    assert (home / "postgres" / "cluster").readlink().parent == elsewhere
    with Embedded(home / "postgres") as server:
        assert ask(server, "select number from kept") == [(7,)]
    (home / "postgres" / "cluster").readlink().rename(directory / "gone")
    with pytest.raises(ConfigurationError, match="which is gone"):
        Embedded(home / "postgres").start()


@pytest.mark.usefixtures("as_root")
def test_a_plain_user_needs_no_other(directory: Path, everybodys_python: str) -> None:
    directory.parent.chmod(0o777)
    with subprocess.Popen(
        [everybodys_python, "-c", HOLDING, directory],
        user=65534,
        group=65534,
        extra_groups=[],
        env={"PYTHONPATH": SITE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as holder:
        said, complaint = holder.communicate()
    if "No module named" in complaint:
        pytest.skip("other users can't read this environment")
    assert "spades_app" in said, complaint
    assert (directory / "cluster" / "data").stat().st_uid == 65534
    # Started by root, the same data still belong to the same user.
    with Embedded(directory) as server:
        assert ask(server, "select 1") == [(1,)]


HOLDING = Path(__file__).with_name("hold.py").read_text()


@pytest.mark.usefixtures("as_root")
def test_a_disk_that_cannot_be_written_is_reported(directory: Path, everybodys_python: str) -> None:
    said = subprocess.run(
        [everybodys_python, "-c", HOLDING, directory],
        user=65534,
        group=65534,
        extra_groups=[],
        env={"PYTHONPATH": SITE},
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    if "No module named" in said:
        pytest.skip("other users can't read this environment")
    assert "ConfigurationError: The embedded database can't use" in said
    assert "Permission denied" in said


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
