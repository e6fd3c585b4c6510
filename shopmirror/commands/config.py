"""``shopmirror config show``: which settings count, and where each was said."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from pipelines.dashboard.access import DashboardSettings
from pipelines.destinations.load import refuse_unknown
from pipelines.language.display import DisplaySettings
from pipelines.masking import is_secret
from pipelines.monitor.notify import NotifySettings
from pipelines.monitor.sender import MailSettings
from pipelines.outbox.intake import OutboxSettings
from pipelines.report.post import PostSettings
from pipelines.settings import (
    SECTION,
    Section,
    SettingsError,
    ShopSettings,
    WarehouseSettings,
    home_folder,
    load_settings,
    settings_layers,
)
from schedules.settings import RetentionSettings, ScheduleSettings
from shopmirror.completion import JsonOption
from shopmirror.consoles import fault, out, print_json, table

_GIVEN, _DEFAULT = "***", "default"
_HEADS = ("section", "setting", "value", "from")
Entry = tuple[str, str, str, str]
"""Section, name, value and place of a setting; the value of a secret is masked, never shown."""

app = typer.Typer(help="Look at the settings.", no_args_is_help=True)


@app.command("show")
def show(
    every: Annotated[bool, typer.Option("--all", help="Those nobody set too.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Show each setting that counts and where it comes from; no key, no password.

    Exit code 2 when a setting is wrong; it is shown all the same.
    """
    entries = list(_entries(every=every))
    if as_json:
        names = ("section", "name", "value", "source")
        settings = [dict(zip(names, entry, strict=True)) for entry in entries]
        print_json({"home": str(home_folder()), "settings": settings})
    else:
        rows = ((f"[{section}]", *others) for section, *others in entries)
        out().print(table("Settings", _HEADS, rows) if entries else "Nothing is set.")
        out().print(f"Files are written to {home_folder()} (SHOPMIRROR_HOME).", markup=False)
    wrong = list(dict.fromkeys(_faults()))
    for word in wrong:
        fault(word)
    return SettingsError.exit_code if wrong else 0


def _faults() -> Iterator[str]:
    """What is wrong with the settings of the shops and of every other section."""
    checks: list[Callable[[], Any]] = [
        load_settings,
        lambda: refuse_unknown(home_folder(), WarehouseSettings.load().also),
        lambda: DisplaySettings.load().to_language(),
        lambda: DisplaySettings.load().picture,
        *(kind.load for kind in sections().values()),
    ]
    for check in checks:
        try:
            check()
        except SettingsError as error:
            yield str(error)


def _entries(*, every: bool) -> Iterator[Entry]:
    """Each setting as the strongest place has it; ``every``: those that nobody set, too."""
    kinds: dict[tuple[str, ...], type[BaseModel]] = {SECTION: ShopSettings}
    kinds |= {(name,): kind for name, kind in sections().items()}
    for path, kind in kinds.items():
        title, fields = ".".join(path), kind.model_fields
        found: dict[tuple[str, str], tuple[Any, str]] = {}
        for name, field in fields.items() if every else ():
            found[title, name] = "" if field.is_required() else field.default, _DEFAULT
        for place, values in settings_layers(*path):
            found |= {(at, name): (value, place) for at, name, value in _flat(title, values)}
        for (section, name), (value, place) in found.items():
            # What nobody knows may be a key that was misspelt.
            is_plain = name in fields and not is_secret(name)
            if (section, name) != (".".join(SECTION), "name"):
                yield section, name, _shown(value, is_plain=is_plain), place


def _flat(section: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Section, name and value of all that stands in a section and those below."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{section}.{name}", value)
        else:
            yield section, name, value


def sections() -> dict[str, type[Section]]:
    """Every section but the shops', and what it may hold."""
    kinds: tuple[type[Section], ...] = (
        ScheduleSettings, RetentionSettings, WarehouseSettings, OutboxSettings, MailSettings,
        PostSettings, NotifySettings, DashboardSettings, DisplaySettings,
    )  # fmt: skip
    return {kind.section: kind for kind in kinds}


def _shown(value: Any, *, is_plain: bool) -> str:
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if not is_plain:
        return _GIVEN if value else ""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    # An address may hold a user and a password.
    return re.sub(r"//[^/@]*@", f"//{_GIVEN}@", text)
