"""One file that holds what nothing else does: ledger, queue, published history, settings.

::

    written = backup(home, Path("shop.backup"))      # also while a sync runs
    restore(home, Path("shop.backup"))               # into a home that holds no mirror

SQLite's own backup gives each database as it was at one moment, whatever writes to it. The
published warehouse is only ever replaced whole, so the file that is open stays as it was. Keys and
passwords are left out: they are set again by hand. The restored queue bears no watermark, so it
counts as an older copy: each change that waits is looked up at the service before it is sent.
"""

import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pipelines.home import LEDGER, Home
from pipelines.json_file import draft_of, sync_folder
from pipelines.masking import is_secret

_FORMAT = 1
_ABOUT = "backup.json"
_DATABASES = (LEDGER, "outbox.sqlite")
_FILES = ("warehouse.duckdb", "incidents.json", "schedule.json")
_SETTINGS = ("config.toml", "secrets.toml")
_ORDER = (*_FILES, *_DATABASES)
"""How a restore puts files in place: the queue is last, so none is pushed beside half a home."""
_BLOCK = 1 << 20
_NO_ARCHIVE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError,
)  # fmt: skip


class BackupError(Exception):
    """The backup cannot be made or put back; the message says why. Exit code 2."""

    exit_code = 2


def backup(home: Path, to: Path) -> list[str]:
    """Write everything that cannot be fetched again into one file, readable by its owner only.

    Names of what it holds. The file appears whole or not at all. :class:`BackupError` when there
    is nothing to keep.
    """
    if not any((home / name).exists() for name in (*_DATABASES, *_FILES[:1])):
        raise BackupError(f"There is nothing to back up in {home}.")
    place = Home(home)
    to = to.absolute()
    if to.is_file() and not _is_backup(to):
        raise BackupError(f"{to} is there already and is no backup: name another file.")
    if not to.parent.is_dir():
        raise BackupError(f"There is no folder {to.parent}.")
    with place.guard("The backup was not written", to=to):
        for killed in to.parent.glob(f".{escape(to.name)}.{'?' * 8}.tmp*"):  # as tempfile names
            killed.unlink()
        held: list[str] = []
        with (
            draft_of(to) as draft,
            zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        ):
            for name in _DATABASES:
                if (home / name).exists():
                    _add_database(file, home / name, to)
                    held.append(name)
            for name in _FILES:
                with suppress(FileNotFoundError), (home / name).open("rb") as source:
                    with file.open(name, "w", force_zip64=True) as target:
                        shutil.copyfileobj(source, target, _BLOCK)
                    held.append(name)
            for name in _SETTINGS:
                text = _without_secrets(Path(".dlt") / name)
                if text is not None:
                    file.writestr(f"settings/{name}", text)
                    held.append(f"settings/{name}")
            about = {
                "format": _FORMAT, "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "version": version("shopmirror"), "holds": held,
            }  # fmt: skip
            file.writestr(_ABOUT, json.dumps(about, indent=2))
    return held


def restore(home: Path, source: Path) -> list[str]:
    """Put a backup into a home that holds no mirror and no queue; names of what was put there.

    Settings that are there stay; those of the backup stand beside them as ``restored-*.toml``
    where both exist. Nothing is put in place before all of the backup was read and found whole.
    :class:`BackupError` says what is wrong.
    """
    with _opened(source) as file:
        about = _about(file, source)
        place = Home(home)
        if taken := [name for name in _ORDER if (home / name).exists()]:
            raise BackupError(
                f"{place.path} holds {', '.join(taken)} already. A restore replaces nothing: move "
                "them away, or set SHOPMIRROR_HOME to another folder."
            )
        with (
            place.sync_lock(),
            place.guard("The restore is not over: run it again"),
            tempfile.TemporaryDirectory(prefix="restore-", dir=home) as folder,
        ):
            _unpack(file, Path(folder), about)
            settings, put = _put_settings(Path(folder) / "settings"), []
            for name in _ORDER:
                for suffix in ("-journal", "-wal", "-shm", ".wal"):
                    (home / f"{name}{suffix}").unlink(missing_ok=True)
                if (Path(folder) / name).exists():
                    (Path(folder) / name).replace(home / name)
                    put.append(name)
            sync_folder(home)
    return put + settings


def _is_backup(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as file:  # which a workbook is, too
            return _ABOUT in file.namelist()
    except (OSError, *_NO_ARCHIVE):
        return False


def _add_database(file: zipfile.ZipFile, path: Path, to: Path) -> None:
    try:
        with tempfile.NamedTemporaryFile(
            dir=to.parent, prefix=f".{to.name}.", suffix=".tmp"
        ) as copy:
            # Not for reading alone: what a killed process began has to be undone first.
            source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=60)
            with closing(source), closing(sqlite3.connect(copy.name)) as target:
                target.execute("pragma journal_mode = memory")  # nothing is left beside the copy
                source.backup(target)
                # One file, without a journal beside it.
                target.execute("pragma journal_mode = delete")
            file.write(copy.name, path.name)
    except sqlite3.DatabaseError as error:
        if "full" in str(error):
            raise
        raise BackupError(f"{path} cannot be read ({error}); nothing was backed up.") from None


@contextmanager
def _opened(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(source) as file:
            yield file
    except FileNotFoundError:
        raise BackupError(f"There is no file {source}.") from None
    except IsADirectoryError:
        raise BackupError(f"{source} is a folder; name the file that 'backup' wrote.") from None
    except _NO_ARCHIVE as error:
        raise BackupError(
            f"{source} is no whole backup ({error}); nothing was put in place."
        ) from None


def _about(file: zipfile.ZipFile, source: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads(file.read(_ABOUT))
        made_by, holds = about["format"], list(about["holds"])
    except (KeyError, ValueError, TypeError):
        raise BackupError(f"{source} is no backup of shopmirror.") from None
    if made_by != _FORMAT:
        raise BackupError(f"{source} was made by a newer shopmirror; upgrade to read it.")
    allowed = {*_ORDER, *(f"settings/{name}" for name in _SETTINGS)}
    if not set(holds) <= allowed:
        raise BackupError(f"{source} holds what no backup of shopmirror does.")
    return about


def _unpack(file: zipfile.ZipFile, folder: Path, about: dict[str, Any]) -> None:
    """Write all parts into ``folder``, and look whether each can be read."""
    (folder / "settings").mkdir()
    for name in about["holds"]:
        target = folder / name
        with file.open(name) as packed, target.open("xb") as plain:
            target.chmod(0o600)
            shutil.copyfileobj(packed, plain, _BLOCK)
            plain.flush()
            os.fsync(plain.fileno())
        if name in _DATABASES:
            with closing(sqlite3.connect(target)) as database:
                if database.execute("pragma quick_check").fetchone() != ("ok",):
                    raise BackupError(f"{name} in the backup is damaged; nothing was put in place.")


def _put_settings(folder: Path) -> list[str]:
    put = []
    for path in sorted(folder.iterdir()):
        target = Path(".dlt") / path.name
        if target.exists():
            target = target.with_name(f"restored-{path.name}")
        target.parent.mkdir(mode=0o700, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o600)
        put.append(str(target))
    return put


def _without_secrets(path: Path) -> str | None:
    """A settings file without its secrets; None when there is none that can be read."""
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, TOMLKitError):
        return None
    _drop_secrets(document)
    # Comments may hold a key that was tried once.
    return tomlkit.dumps(document.unwrap())


def _drop_secrets(section: Any) -> None:
    for name, value in list(section.items()):
        if name == "credentials" or (is_secret(name) and not isinstance(value, dict)):
            del section[name]
        elif isinstance(value, dict):
            _drop_secrets(value)
