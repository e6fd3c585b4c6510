"""``shopmirror init``: from an address and a key to settings that work, and the first sync."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from pipelines.doctor import doctor, exit_code, said_of_itself
from pipelines.settings import (
    SECTION,
    Settings,
    ShopSettings,
    faults,
    home_folder,
    is_in_the_clear,
    read_section,
)
from pipelines.sync.plan import plan
from shopmirror.commands.doctor import show
from shopmirror.consoles import CommandError, duration, fault, out, say, tell
from shopmirror.demo_shop import forget_settings
from shopmirror.runs import configured, make_room, working
from shopmirror.settings_files import SettingsFiles
from sources.repair_shop.errors import ShopError


def init(
    base_url: Annotated[
        str | None, typer.Option(help="Base address of the service, ending in /v1.")
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(help="File that holds the API key ('-': standard input); else asked for."),
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(help="The shop's time zone, such as America/Guatemala; else the service's."),
    ] = None,
    currency: Annotated[
        str | None, typer.Option(help="What amounts are in, such as GTQ; else the service's.")
    ] = None,
    shop: Annotated[
        str | None, typer.Option(help="Name of the shop, when there are several.")
    ] = None,
    allow_http: Annotated[
        bool,
        typer.Option(
            "--allow-http", help="Take an address with http:// that is not on this machine."
        ),
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace values that are set already.")
    ] = False,
    test: Annotated[
        bool, typer.Option("--test/--no-test", help="Try the settings out, some ten requests.")
    ] = True,
    sync: Annotated[
        bool | None, typer.Option("--sync/--no-sync", help="Make the first sync; else asked.")
    ] = None,
) -> int:
    """Ask for address, key and time zone, test them, write .dlt/ and offer the first sync."""
    files = SettingsFiles()
    was_demo = forget_settings(files)
    section = _section_of(files, shop)

    def known(name: str) -> str:
        return files.value(section, name) or files.value(None, name) or ""

    url = base_url or _ask("Base address of the service (ends in /v1)", known("base_url"))
    if not url:
        raise CommandError("The base address is missing: give --base-url https://.../v1.")
    values = {"base_url": url.strip()}
    if is_in_the_clear(values["base_url"]) and values["base_url"].startswith("http://"):
        _agree_to_http(allow_http or known("allow_http").lower() == "true")
        values["allow_http"] = "true"
    old_key = files.value(section, "api_key")
    values["api_key"] = _key(key_file, old_key or "").strip()
    if other := files.other_of(values["api_key"], section):
        raise CommandError(
            f"Shop '{other}' has this key already, and one key belongs to one shop. A shop keeps "
            f"its name: --shop {other} changes its settings."
        )
    # Another key than the one that is set: whoever gives it knows that the old one is done for, and
    # a block that the old one ran into says nothing about it.
    is_new_key = old_key not in (None, values["api_key"])
    # The limits that are configured hold for the test too: they are the service's.
    names = ("requests_per_minute", "reserve", "minute_seconds", "timeout_seconds")
    set_here = {} if was_demo or not test else read_section(*SECTION)
    limits = {name: set_here[name] for name in names if name in set_here}
    zone = timezone or known("timezone")
    said = ("", "")
    if test and (not zone or _asking()):
        said = _service_says(_validated(shop, values | limits), lift_block=is_new_key)
    values["timezone"] = (timezone or _zone(zone or said[1])).strip()
    money = currency or known("currency") or said[0]
    if test and not money:
        words = "Currency of the shop, such as GTQ (empty: none)"
        money = _ask(words, "", needed=False, show_default=False).strip()
    values |= {"currency": money} if money else {}
    candidate = _validated(shop, values | limits)
    values["base_url"], values["timezone"] = candidate.base_url, candidate.timezone
    values["api_key"] = candidate.api_key.get_secret_value()
    _agree_to_replace(files.changes(section, values), replace)
    code = _test(candidate, lift_block=is_new_key) if test else 0
    if code > 1:
        fault(_NOT_WRITTEN)
        return code
    if section is not None and files.name_the_unnamed():
        out().print("The shop that had no name is 'main' from now on, in a section of its own.")
    files.set(section, values)
    files.write()
    out().print(
        "Written: .dlt/config.toml, and the key to .dlt/secrets.toml (only you can read it)."
    )
    _warn_of_variables(section)
    if _wants_sync(sync):
        from shopmirror.commands.sync import sync as make

        code = max(code, make(shop=shop))
    say("Every night by itself: 'shopmirror schedule --install', or '--print crontab' for cron.")
    return code


_NOT_WRITTEN = "No settings were written. --no-test writes the settings without trying them out."


def _section_of(files: SettingsFiles, shop: str | None) -> str | None:
    """The shop's section: None is ``[sources.repair_shop]`` itself."""
    if shop is None:
        if files.named():
            raise CommandError(
                f"There are named shops already ({', '.join(files.shops())}): "
                "say which one is meant with --shop, or give a new name."
            )
        return None
    name = shop.lower()
    # A lone shop is called main wherever it stands.
    return None if name == "main" and not files.named() else name


def _asking() -> bool:
    return sys.stdin.isatty()


def _ask(words: str, default: str, *, needed: bool = True, **how: Any) -> str:
    """What a person says; where nobody can be asked, the default."""
    if not _asking():
        return default
    offered = default or (None if needed else "")
    return str(typer.prompt(words, default=offered, err=True, **how))


def _agree(question: str, otherwise: str) -> None:
    """:class:`CommandError` unless a person agrees; ``otherwise``: where nobody can be asked."""
    if not _asking():
        raise CommandError(otherwise)
    if not typer.confirm(question, default=False, err=True):
        raise CommandError("No settings were written.")


def _agree_to_http(is_meant: bool) -> None:
    danger = "http:// sends the key and the customers readable by everyone on the way."
    if not is_meant:
        otherwise = f"{danger} Give https://, or --allow-http if that is meant."
        _agree(f"{danger} Go on all the same?", otherwise)


def _agree_to_replace(changes: list[str], is_meant: bool) -> None:
    what = "; ".join(changes)
    if changes and not is_meant:
        otherwise = f"Values are set already ({what}). --replace replaces them."
        _agree(f"Replace what is set already ({what})?", otherwise)


def _key(file: Path | None, known: str) -> str:
    if file is None:
        hint = " (Enter keeps the one that is set)" if known else ""
        if key := _ask(f"API key{hint}", known, hide_input=True, show_default=False):
            return key
        raise CommandError(
            "The key is missing: give --key-file FILE, or --key-file - and the key on standard "
            "input. There is no option for the key itself: others could read it in the "
            "list of processes."
        )
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise CommandError(f"{file} cannot be read ({reason}).") from None


def _service_says(shop: ShopSettings, *, lift_block: bool) -> tuple[str, str]:
    """Currency and time zone as ``/info`` says them; empty where it does not."""
    try:
        currency, zone = said_of_itself(shop, home_folder(), lift_block=lift_block)
    except ShopError:
        fault(_NOT_WRITTEN)
        raise
    found = ", ".join(
        f"{what} {value}" for what, value in (("time zone", zone), ("currency", currency)) if value
    )
    if found:
        say(f"The service says of the shop: {found}.")
    return currency, zone


def _zone(known: str) -> str:
    """The zone that a person says; where nobody can be asked, the one that is known."""
    if _asking() and not known:
        known = _zone_of_this_machine()
    if zone := _ask("Time zone of the shop", known):
        return zone
    # A guess would put the evening's sales on the next day, and nobody would notice.
    raise CommandError("The time zone is missing: give --timezone America/Guatemala or such.")


def _zone_of_this_machine() -> str:
    """The machine's IANA zone as the system's link names it, else UTC."""
    link = Path("/etc/localtime")
    parts = link.resolve().parts if link.is_symlink() else ()
    if "zoneinfo" in parts:
        return "/".join(parts[parts.index("zoneinfo") + 1 :])
    return "UTC"


def _validated(shop: str | None, values: dict[str, Any]) -> ShopSettings:
    try:
        return ShopSettings.model_validate({"name": (shop or "main").lower(), **values})
    except ValidationError as error:
        raise CommandError(f"{faults(error, ShopSettings)}. No settings were written.") from None


def _test(shop: ShopSettings, *, lift_block: bool) -> int:
    """The doctor on settings that are in no file yet; its exit code."""
    settings = Settings(home=home_folder(), shops=(shop,))
    make_room(settings)
    tell(f"Trying it out at {shop.base_url} ...")
    with working(settings, "init") as (_observer, stop):
        found = doctor(settings, lift_block=lift_block, stop=stop)
    show(found, "What the service answered")
    return exit_code(found)


def _warn_of_variables(section: str | None) -> None:
    prefix = "SOURCES__REPAIR_SHOP__" + (f"SHOPS__{section.upper()}__" if section else "")
    names = (f"{prefix}{key}" for key in ("BASE_URL", "API_KEY", "TIMEZONE"))
    if stronger := ", ".join(filter(os.environ.get, names)):
        fault(f"{stronger} in the environment is stronger than what was written.")


def _wants_sync(given: bool | None) -> bool:
    if given is not None or not _asking():
        return bool(given)
    found = plan(configured())
    total, unknown = sum(found.requests.values()), sum(found.unknown.values())
    words = f"{total:,} requests, {duration(found.minutes * 60)}"
    if unknown:
        words = (
            f"at least {words}, and two minutes for each further 3,000 rows; the newest "
            "months come first and can be queried at once"
        )
    return typer.confirm(f"Make the first sync now ({words})?", default=True, err=True)
