"""``shopmirror config show``: which settings count, and where each was said."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from pipelines.dashboard.access import DashboardSettings
from pipelines.destinations.load import refuse_unknown
from pipelines.language.display import DisplaySettings
from pipelines.monitor.notify import NotifySettings
from pipelines.monitor.sender import MailSettings
from pipelines.outbox.intake import OutboxSettings
from pipelines.report.post import PostSettings
from pipelines.settings import (
    SECTION,
    Section,
    SettingsError,
    ShopSettings,
    home_folder,
    load_settings,
    settings_layers,
)
from pipelines.warehouse_settings import WarehouseSettings
from schedules.settings import RetentionSettings, ScheduleSettings
from shopmirror.completion import JsonOption
from shopmirror.consoles import fault, out, print_json, table

_GIVEN, _DEFAULT = "***", "default"
_HEADS = ("section", "setting", "value", "from")
Layers = Sequence[tuple[str, Mapping[str, Any]]]
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
    entries = [entry for entry in _entries() if every or entry[-1] != _DEFAULT]
    if as_json:
        names = ("section", "name", "value", "source")
        settings = [dict(zip(names, entry, strict=True)) for entry in entries]
        print_json({"home": str(home_folder()), "settings": settings})
    else:
        rows = ((f"[{section}]", *others) for section, *others in entries)
        out().print(table("Settings", _HEADS, rows) if entries else "Nothing is set.")
        out().print(f"Files are written to {home_folder()} (SHOPMIRROR_HOME).", markup=False)
    wrong = list(dict.fromkeys(_faults()))
    for word in (*_strange_sections(), *wrong):
        fault(word)
    return SettingsError.exit_code if wrong else 0


def _faults() -> Iterator[str]:
    """What is wrong with the settings of the shops and of every other section."""
    checks: list[Callable[[], Any]] = [
        load_settings,
        lambda: refuse_unknown(home_folder(), WarehouseSettings.load().also),
        *(kind.load for kind in sections().values()),
    ]
    for check in checks:
        try:
            check()
        except SettingsError as error:
            yield str(error)


def _entries() -> Iterator[Entry]:
    layers = settings_layers(*SECTION)
    yield from _of_section(".".join(SECTION), ShopSettings, layers, skip=("name",))
    for shop in sorted({name for _, values in layers for name in _shops(values)}):
        own = [(place, _shops(values).get(shop, {})) for place, values in layers]
        title = ".".join((*SECTION, "shops", shop))
        # What it inherits stands above.
        yield from (e for e in _of_section(title, ShopSettings, own) if e[-1] != _DEFAULT)
    for name, kind in sections().items():
        yield from _of_section(name, kind, settings_layers(name))


def sections() -> dict[str, type[Section]]:
    """Every section but the shops', and what it may hold."""
    kinds: tuple[type[Section], ...] = (
        ScheduleSettings, RetentionSettings, WarehouseSettings, OutboxSettings, MailSettings,
        PostSettings, NotifySettings, DashboardSettings, DisplaySettings,
    )  # fmt: skip
    return {kind.section: kind for kind in kinds}


def _shops(values: Mapping[str, Any]) -> Mapping[str, Any]:
    shops = values.get("shops", {})
    return shops if isinstance(shops, Mapping) else {}


def _of_section(
    section: str, kind: type[Any], layers: Layers, skip: Sequence[str] = ()
) -> Iterator[Entry]:
    fields = {name: field for name, field in kind.model_fields.items() if name not in skip}
    given = {name for _, values in layers for name in values if name != "shops"}
    for name in [*fields, *sorted(given - set(fields))]:
        field = fields.get(name)
        default = None if field is None or field.is_required() else field.default
        said = [(place, values[name]) for place, values in layers if name in values]
        place, value = said[-1] if said else (_DEFAULT, "" if default is None else default)
        is_known = field is not None and "Secret" not in str(field.annotation)
        yield section, name, _shown(value, is_known), place


def _shown(value: Any, is_plain: bool) -> str:
    if not is_plain:
        text = value.get_secret_value() if hasattr(value, "get_secret_value") else value
        return _GIVEN if text else ""
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    # An address may hold a user and a password.
    return re.sub(r"//[^/@]*@", f"//{_GIVEN}@", text)


def _strange_sections() -> Iterator[str]:
    """Names of sections that are nearly one of ours, and so do nothing."""
    known = ["sources", "destination", *sections()]  # dlt's own: credentials of [warehouse] also
    for place, values in settings_layers()[:-1]:
        for name in values:
            near = get_close_matches(name, known, n=1)
            if near and name not in known:
                yield f"{place}: nothing reads [{name}]. Did you mean [{near[0]}]?"
