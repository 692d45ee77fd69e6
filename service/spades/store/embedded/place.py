"""Where an embedded server lives and which user it runs as.

directory/            lock, postgres.log: the supervisor's
directory/cluster     everything PostgreSQL's user touches; a link if that user can't get here
directory/cluster/run the socket's directory; a link to a short path if this one won't do
"""

import os
import pwd
import tempfile
from dataclasses import dataclass
from pathlib import Path

from spades.errors import ConfigurationError

SYSTEM_USERS = ("postgres", "nobody")
ELSEWHERE = Path("/var/lib/spades")
SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET = 103  # what the strictest of the supported systems takes, with its final zero


@dataclass(frozen=True, slots=True)
class Account:
    """The user that PostgreSQL runs as."""

    name: str
    uid: int
    gid: int

    def may_enter(self, path: Path) -> bool:
        """Whether the mode of this one directory or program lets the user in."""
        found = path.stat()
        if found.st_uid == self.uid:
            return bool(found.st_mode & 0o100)
        return bool(found.st_mode & (0o010 if found.st_gid == self.gid else 0o001))

    def can_reach(self, path: Path) -> bool:
        """Whether the user may pass through every directory above this path."""
        return all(self.may_enter(parent) for parent in path.absolute().resolve().parents)

    def owns(self, path: Path) -> None:
        """Hands a file or directory to the user."""
        if os.geteuid() == 0:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def supervisor_name() -> str:
    """Returns the name of the user that this process runs as."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise ConfigurationError(
            f"User {os.geteuid()} has no entry in the system's user database, which the embedded"
            " PostgreSQL needs: add one, or set DATABASE_URL."
        ) from error


def account_for(directory: Path) -> Account:
    """Returns who runs the server: this user, or for root the owner of the data, or a stand-in."""
    if os.geteuid() != 0:
        return _account(pwd.getpwnam(supervisor_name()))
    data = directory / "cluster" / "data"
    if data.exists():
        return _account(pwd.getpwuid(data.stat().st_uid))
    users = {user.pw_name: user for user in pwd.getpwall()}
    for name in SYSTEM_USERS:
        if name in users:
            return _account(users[name])
    raise ConfigurationError(
        f"PostgreSQL refuses to run as root, and there is no user {' or '.join(SYSTEM_USERS)}"
        " to run it as: start as another user, or set DATABASE_URL."
    )


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def make_directory(directory: Path) -> None:
    """Makes a directory of the supervisor; as root, others may pass through it but not look."""
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o711 if os.geteuid() == 0 else 0o700)


def make_cluster(directory: Path, account: Account) -> Path:
    """Returns the real path of the cluster's directory, made if it is not there."""
    cluster = directory / "cluster"
    if cluster.is_symlink() and not cluster.exists():
        raise ConfigurationError(f"{cluster} points to {cluster.readlink()}, which is gone.")
    if not cluster.exists():
        _found(cluster, account)
    real = cluster.resolve()
    if not account.can_reach(real / "data"):
        raise ConfigurationError(
            f"PostgreSQL runs as user {account.name}, who can't enter {real}:"
            " give it a directory that all may pass through (SPADES_DATA_DIR)."
        )
    return real


def _found(cluster: Path, account: Account) -> None:
    if os.geteuid() != 0 or account.can_reach(cluster):
        cluster.mkdir(mode=0o700)
        account.owns(cluster)
        return
    make_directory(ELSEWHERE)
    real = Path(tempfile.mkdtemp(prefix="postgres-", dir=ELSEWHERE))
    account.owns(real)
    cluster.symlink_to(real)


def make_socket_directory(cluster: Path, account: Account) -> Path:
    """Returns the private directory of the server's socket, one whose path libpq can take."""
    run = cluster / "run"
    if len(os.fsencode(run / SOCKET_NAME)) <= LONGEST_SOCKET and "," not in str(run):
        run.mkdir(mode=0o700, exist_ok=True)
        account.owns(run)
    elif not _is_private(run, account):
        run.unlink(missing_ok=True)
        short = Path(tempfile.mkdtemp(prefix="spades-", dir="/tmp"))
        account.owns(short)
        run.symlink_to(short)
    return run.resolve()


def _is_private(run: Path, account: Account) -> bool:
    if not run.is_dir():
        return False
    found = run.stat()
    return found.st_uid == account.uid and found.st_mode & 0o777 == 0o700


def write(path: Path, text: str, account: Account) -> None:
    """Puts a whole file for the server's user in its place, never through a link found there."""
    handle, draft = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    account.owns(Path(draft))
    Path(draft).replace(path)
