"""Settings are read once, refused clearly, and never print a secret."""

from pathlib import Path

import pytest

from spades.config import SETTINGS, Setting, Settings, kept_keys
from spades.errors import ConfigurationError

KEY = "k" * 32
URL = "postgresql://ada:hunter2@db.example:5432/spades"


def test_nothing_set_serves_an_embedded_database_openly_on_this_machine() -> None:
    settings = Settings.from_environment({})
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.is_embedded
    assert settings.open_create
    assert settings.data_dir == Path.cwd() / ".spades"
    assert settings.workers >= 1


def test_a_database_url_closes_creation() -> None:
    assert not Settings.from_environment({"DATABASE_URL": URL}).open_create
    assert Settings.from_environment({"DATABASE_URL": URL, "SPADES_OPEN_CREATE": "1"}).open_create


def test_a_database_url_without_a_key_refuses_to_serve() -> None:
    with pytest.raises(ConfigurationError, match="SPADES_SECRET_KEYS is needed"):
        Settings.from_environment({"DATABASE_URL": URL}).ready_to_serve()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_setting_is_refused_by_name(setting: Setting, empty: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{setting.name} is empty"):
        Settings.from_environment({setting.name: empty})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPADES_HOST", "http://localhost"),
        ("SPADES_HOST", "localhost:80"),
        ("SPADES_PORT", "eighty"),
        ("SPADES_PORT", "65536"),
        ("SPADES_PORT", "-1"),
        ("SPADES_PORT", "80.0"),
        ("SPADES_PORT", "\N{ARABIC-INDIC DIGIT EIGHT}"),
        ("SPADES_WORKERS", "0"),
        ("SPADES_WORKERS", "many"),
        ("DATABASE_URL", "mysql://db/spades"),
        ("DATABASE_URL", "db.example:5432"),
        ("DATABASE_URL", "postgresql://db.example:port/spades"),
        ("DATABASE_URL", "postgresql://db.example"),
        ("DATABASE_DIRECT_URL", URL),
        ("SPADES_SECRET_KEYS", "short"),
        ("SPADES_SECRET_KEYS", f"{KEY},short"),
        ("SPADES_SECRET_KEYS", f"{KEY},{KEY}"),
        ("SPADES_SECRET_KEYS", f"{KEY},"),
        ("SPADES_OPEN_CREATE", "perhaps"),
        ("SPADES_CORS_ORIGINS", "example.org"),
        ("SPADES_CORS_ORIGINS", "https://example.org/path"),
        ("SPADES_CORS_ORIGINS", "https://*.example.org"),
        ("SPADES_LOG_LEVEL", "loud"),
    ],
)
def test_nonsense_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        Settings.from_environment({name: value})


def test_a_refused_key_is_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as refused:
        Settings.from_environment({"SPADES_SECRET_KEYS": "hunter2"})
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("url", [URL, "postgres:///spades?host=/run/pg&password=hunter2"])
def test_printing_shows_no_secret(url: str) -> None:
    settings = Settings.from_environment({"DATABASE_URL": url, "SPADES_SECRET_KEYS": KEY})
    for text in (str(settings.describe()), repr(settings), str(settings)):
        assert "hunter2" not in text
        assert KEY not in text
    assert "1 set" in settings.describe()["SPADES_SECRET_KEYS"]


def test_another_process_reads_the_same_settings_from_their_environment() -> None:
    settings = Settings.from_environment(
        {
            "DATABASE_URL": URL,
            "DATABASE_DIRECT_URL": URL,
            "SPADES_SECRET_KEYS": f"{KEY}, {KEY}2",
            "SPADES_CORS_ORIGINS": "https://a.example, https://b.example:8443",
            "SPADES_PORT": "0",
            "SPADES_HOST": "::1",
            "SPADES_LOG_LEVEL": "DEBUG",
        }
    )
    assert Settings.from_environment(settings.to_environment()) == settings


def test_the_embedded_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings.from_environment({"SPADES_DATA_DIR": str(tmp_path / "data")})
    keys = settings.ready_to_serve().secret_keys
    assert settings.ready_to_serve().secret_keys == keys
    assert len(keys[0]) == 64
    assert (tmp_path / "data" / "secret.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret.key"]


def test_a_second_line_of_the_key_file_still_verifies(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text(f"{KEY}\n{KEY}2\n")
    assert kept_keys(tmp_path) == (KEY.encode(), f"{KEY}2".encode())


@pytest.mark.parametrize("content", ["", "\n", "short\n"])
def test_a_damaged_key_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret.key").write_text(content)
    with pytest.raises(ConfigurationError, match=r"secret\.key"):
        kept_keys(tmp_path)


def test_every_setting_is_documented() -> None:
    page = Path("docs/settings.md").read_text()
    for setting in SETTINGS:
        assert f"| `{setting.name}` | {setting.default} | {setting.meaning} |" in page
