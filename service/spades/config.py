"""Settings: read once from the environment, validated, printable without secrets."""

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spades.errors import ConfigurationError

LOG_LEVELS = ("debug", "info", "warning", "error")
SHORTEST_KEY = 32
NEW_KEY_COMMAND = "python3 -c 'import secrets; print(secrets.token_hex(32))'"
MOST_WORKERS = 256
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
OWNER_ALONE = 0o600
YES = {"1", "true", "yes", "on"}
NO = {"0", "false", "no", "off"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable of the environment: what it means, its default in words, how it is read."""

    name: str
    field: str
    default: str
    meaning: str
    parse: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator can set, after validation."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    data_dir: Path = Path(".spades")
    database_url: str | None = None
    database_direct_url: str | None = None
    secret_keys: tuple[bytes, ...] = ()
    signing_keys: tuple[bytes, ...] = ()
    open_create: bool = False
    cors_origins: tuple[str, ...] = ()
    log_level: str = "info"

    @classmethod
    def from_environment(cls, env: Mapping[str, str]) -> "Settings":
        """Reads and validates the settings; raises ConfigurationError for the first bad one."""
        given = {s.field: _parsed(s, env[s.name]) for s in SETTINGS if s.name in env}
        given.setdefault("workers", _processors())
        given.setdefault("data_dir", Path(".spades").absolute())
        given.setdefault("open_create", "database_url" not in given)
        if "database_direct_url" in given and "database_url" not in given:
            raise ConfigurationError("DATABASE_DIRECT_URL is set but DATABASE_URL is not.")
        return cls(**given)

    @property
    def is_embedded(self) -> bool:
        """Whether the service runs its own PostgreSQL."""
        return self.database_url is None

    @property
    def direct_url(self) -> str | None:
        """The URL for migrations, past any connection pooler."""
        return self.database_direct_url or self.database_url

    @property
    def secret_key_file(self) -> "KeyFile":
        """Where the data directory keeps the secret keys."""
        return KeyFile(self.data_dir / "secret.key", _keys)

    @property
    def signing_key_file(self) -> "KeyFile":
        """Where the data directory keeps the signing keys."""
        return KeyFile(self.data_dir / "signing.key", _signing_keys)

    def ready_to_serve(self) -> "Settings":
        """Returns the settings with all keys: those given, else those of the key files."""
        return replace(
            self,
            secret_keys=self.secret_keys or self._kept("SPADES_SECRET_KEYS", self.secret_key_file),
            signing_keys=self.signing_keys
            or self._kept("SPADES_SIGNING_KEYS", self.signing_key_file),
        )

    def _kept(self, name: str, file: "KeyFile") -> tuple[bytes, ...]:
        if not self.is_embedded:
            raise ConfigurationError(
                f"{name} is needed with DATABASE_URL: all replicas must share it."
                f" Make one with: {NEW_KEY_COMMAND}"
            )
        return file.keys()

    def to_environment(self) -> dict[str, str]:
        """Returns variables from which another process reads these same settings."""
        written = {
            "SPADES_HOST": self.host,
            "SPADES_PORT": str(self.port),
            "SPADES_WORKERS": str(self.workers),
            "SPADES_DATA_DIR": str(self.data_dir),
            "DATABASE_URL": self.database_url,
            "DATABASE_DIRECT_URL": self.database_direct_url,
            "SPADES_SECRET_KEYS": ",".join(key.decode() for key in self.secret_keys),
            "SPADES_SIGNING_KEYS": ",".join(key.hex() for key in self.signing_keys),
            "SPADES_OPEN_CREATE": "true" if self.open_create else "false",
            "SPADES_CORS_ORIGINS": ",".join(self.cors_origins),
            "SPADES_LOG_LEVEL": self.log_level,
        }
        return {name: value for name, value in written.items() if value}

    def describe(self) -> dict[str, str]:
        """Returns the settings by variable name, for printing: no key, no password."""
        return {
            **self.to_environment(),
            "DATABASE_URL": _without_password(self.database_url) or "embedded",
            "DATABASE_DIRECT_URL": _without_password(self.database_direct_url) or "none",
            "SPADES_SECRET_KEYS": _how_many(self.secret_keys),
            "SPADES_SIGNING_KEYS": _how_many(self.signing_keys),
            "SPADES_CORS_ORIGINS": ",".join(self.cors_origins) or "none",
        }

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{k}={v!r}' for k, v in self.describe().items())})"


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file of keys in the data directory, one a line: the first signs, all verify."""

    path: Path
    parse: Callable[[str], tuple[bytes, ...]]

    def keys(self) -> tuple[bytes, ...]:
        """Returns the keys in the file, which is made on first use."""
        with self._trouble_told():
            if not self.path.exists():
                self._make()
            return self._parsed()

    def rotate(self) -> tuple[bytes, ...]:
        """Puts a new key before those in the file and returns them all."""
        with self._trouble_told():
            self._parsed()
            kept = self.path.stat()
            with self._draft(_new_key() + self.path.read_text()) as draft:
                os.chown(draft, kept.st_uid, kept.st_gid)
                draft.chmod(stat.S_IMODE(kept.st_mode))
                draft.replace(self.path)
            return self._parsed()

    def _parsed(self) -> tuple[bytes, ...]:
        return self.parse(self.path.read_text().replace("\n", ",").strip(","))

    def _make(self) -> None:
        """Links a whole file into place: the first of several makers wins."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._draft(_new_key()) as draft, suppress(FileExistsError):
            os.link(draft, self.path)

    @contextmanager
    def _draft(self, text: str) -> Iterator[Path]:
        """Gives a whole file beside the place of this one, for its owner alone."""
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(draft, NEW_FILE, OWNER_ALONE), "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            yield draft
        finally:
            draft.unlink(missing_ok=True)

    @contextmanager
    def _trouble_told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"The key file {self.path} can't be used: {error}") from error


def _new_key() -> str:
    return secrets.token_hex(32) + "\n"


def _parsed(setting: Setting, text: str) -> Any:
    if not text.strip():
        raise ConfigurationError(f"{setting.name} is empty: unset it or give it a value.")
    try:
        return setting.parse(text.strip())
    except ValueError as error:
        raise ConfigurationError(f"{setting.name}: {error}", setting=setting.name) from error


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_WORKERS)
    return os.cpu_count() or 1


def _host(text: str) -> str:
    if re.search(r"[\s/@\[\]]", text) or re.search(r":\d+$", text.replace("::", "")):
        raise ValueError(f"{text!r} is not a host name or address (the port is SPADES_PORT).")
    return text


def _number(text: str, least: int, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ValueError(f"{text!r} is not a whole number from {least} to {most}.")
    return int(text)


def _port(text: str) -> int:
    return _number(text, 0, 65535)


def _workers(text: str) -> int:
    return _number(text, 1, MOST_WORKERS)


def _path(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValueError("it must look like postgresql://user:password@host:5432/database.")
    if parts.netloc.count(",") == 0 and parts.port == 0:
        raise ValueError("port 0 is not a port.")
    if not parts.path.strip("/"):
        raise ValueError("it names no database.")
    return text


def _keys(text: str) -> tuple[bytes, ...]:
    keys = tuple(part.strip().encode() for part in text.split(","))
    if any(len(key) < SHORTEST_KEY for key in keys):
        raise ValueError(f"each key needs at least {SHORTEST_KEY} characters.")
    if len(set(keys)) < len(keys):
        raise ValueError("a key is given twice.")
    return keys


def _signing_keys(text: str) -> tuple[bytes, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"[0-9A-Fa-f]{64}", part) for part in parts):
        raise ValueError("each key is an Ed25519 private key in 64 hexadecimal digits.")
    keys = tuple(bytes.fromhex(part) for part in parts)
    if len(set(keys)) < len(keys):
        raise ValueError("a key is given twice.")
    return keys


def _yes_or_no(text: str) -> bool:
    if text.lower() not in YES | NO:
        raise ValueError(f"{text!r} is neither true nor false.")
    return text.lower() in YES


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip() for part in text.split(","))
    for origin in origins:
        if origin != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s?#*@]+", origin):
            raise ValueError(f"{origin!r} is not an origin such as https://example.org.")
    return origins


def _log_level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise ValueError(f"{text!r} is none of {', '.join(LOG_LEVELS)}.")
    return text.lower()


def _how_many(keys: tuple[bytes, ...]) -> str:
    return f"{len(keys)} set" if keys else "none"


def _without_password(url: str | None) -> str | None:
    if url is None:
        return None
    hidden = re.sub(r"(?<=://)([^:@/]*):[^@/]*@", r"\1:***@", url)
    return re.sub(r"(?i)([?&](?:ssl)?password=)[^&]*", r"\1***", hidden)


SETTINGS = (
    Setting("SPADES_HOST", "host", "`127.0.0.1`", "Address to listen on.", _host),
    Setting("SPADES_PORT", "port", "`8000`", "Port to listen on; `0` takes a free one.", _port),
    Setting(
        "SPADES_WORKERS",
        "workers",
        "one per processor",
        f"Number of serving processes, at most {MOST_WORKERS}.",
        _workers,
    ),
    Setting(
        "SPADES_DATA_DIR",
        "data_dir",
        "`.spades` in the working directory",
        "Directory of the embedded database and the key files.",
        _path,
    ),
    Setting(
        "DATABASE_URL",
        "database_url",
        "the embedded database",
        "A PostgreSQL 14 or newer, `postgresql://...`; a transaction pooler may stand between.",
        _url,
    ),
    Setting(
        "DATABASE_DIRECT_URL",
        "database_direct_url",
        "`DATABASE_URL`",
        "The same database past any pooler, as its owner, for migrations.",
        _url,
    ),
    Setting(
        "SPADES_SECRET_KEYS",
        "secret_keys",
        "the data directory's `secret.key`; required with `DATABASE_URL`",
        "Keys that the tokens of seats and viewers and join codes derive from, separated by commas,"
        f" each at least {SHORTEST_KEY} characters. The first signs, all verify.",
        _keys,
    ),
    Setting(
        "SPADES_SIGNING_KEYS",
        "signing_keys",
        "the data directory's `signing.key`; required with `DATABASE_URL`",
        "Ed25519 private keys that results and checkpoints are signed with, separated by commas,"
        " each 64 hexadecimal digits. The first signs, all are published.",
        _signing_keys,
    ),
    Setting(
        "SPADES_OPEN_CREATE",
        "open_create",
        "`true` when embedded, `false` with `DATABASE_URL`",
        "Whether games may be created without a platform key.",
        _yes_or_no,
    ),
    Setting(
        "SPADES_CORS_ORIGINS",
        "cors_origins",
        "none",
        "Origins whose pages may call the API, separated by commas; `*` for any.",
        _origins,
    ),
    Setting(
        "SPADES_LOG_LEVEL", "log_level", "`info`", "One of `debug info warning error`.", _log_level
    ),
)
