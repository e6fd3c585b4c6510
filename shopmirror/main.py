"""The command ``shopmirror``: words on the command line -> pipelines -> an exit code.

Exit codes: 0 all done and everything agrees; 1 done, but something does not agree or was parked;
2 wrong configuration or input (nothing was sent); 3 the service refused us or could not be
reached; 4 stopped early on purpose. An exception with an ``exit_code`` ends in one or two red
lines; any other in one line that names the log file with the details.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pipelines.json_file import write_atomically
from pipelines.settings import home_folder
from shopmirror.consoles import fault
from shopmirror.lazy import Lazy
from shopmirror.signals import interruptible, outlive_readers
from sources.repair_shop.sections import make_home

WRONG_INPUT, STOPPED = 2, 4
_INTERRUPTED = 130
"""What typer makes of Ctrl-C."""

app = typer.Typer(
    name="shopmirror",
    cls=Lazy,
    help="Mirrors a repair shop's service into DuckDB, proves it complete, writes changes back.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_SECRETS = Path(".dlt") / "secrets.toml"


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        sys.stdout.write(f"shopmirror {version('shopmirror')}\n")
        raise typer.Exit()


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Mirrors a repair shop's service into DuckDB, proves it complete, writes changes back."""
    what = f"{_SECRETS} holds keys, and others on this machine can read it: chmod 600 {_SECRETS}"
    with suppress(OSError):
        if _SECRETS.stat().st_mode & 0o077:
            fault(what)
    from pipelines.masking import misplaced

    if names := misplaced():
        fault(f".dlt/config.toml holds {', '.join(names)}: move secrets to {_SECRETS}.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. Never raises."""
    try:
        result = app(args=arguments, standalone_mode=False, prog_name="shopmirror")
        sys.stdout.flush()  # a full disk is told here
        if result == _INTERRUPTED:
            raise KeyboardInterrupt
        return result if isinstance(result, int) else 0
    except BrokenPipeError:
        return STOPPED  # who read the result has enough
    except (typer.Abort, KeyboardInterrupt):
        fault("Stopped.")
        return STOPPED
    except Exception as error:  # noqa: BLE001 - the last place that can say it in plain words
        return _report(error)


def run() -> None:
    """Entry point of the console script."""
    # What libraries make of their own accord is nobody else's either.
    os.umask(0o077)
    outlive_readers()
    interruptible()
    sys.exit(main())


def _report(error: Exception) -> int:
    from pipelines.masking import mask, scrub

    if hasattr(error, "format_message"):  # the command line itself was wrong
        fault(mask(error.format_message()))
        return WRONG_INPUT
    code = getattr(error, "exit_code", None)
    if isinstance(code, int):
        fault(mask(str(error)))
        return code
    from pipelines.home import storage_trouble
    from pipelines.monitor.logs import UNEXPECTED

    if trouble := storage_trouble(error):
        said = f"{error}: {trouble}"
        if isinstance(error, OSError) and error.filename:
            said = f"{error.filename2 or error.filename} cannot be used: {error.strerror}"
        fault(mask(f"{said}."))
        return WRONG_INPUT
    # Where it happened is code of ours and of libraries; what was said there may name a customer.
    parts = traceback.TracebackException.from_exception(error).format()
    trace = "".join(mask(part) if part.startswith("  File ") else scrub(part) for part in parts)
    first = scrub(f"{type(error).__name__}: {error}").splitlines()[0][:200]
    where = _write_log(trace)
    rest = f"Details are in {where}." if where else "(No log could be written.)"
    fault(f"{UNEXPECTED}: {first}\n{rest}")
    return 1


def _write_log(trace: str) -> Path | None:
    now = datetime.now(UTC)
    folder = home_folder() / "logs"
    path = folder / f"error-{now:%Y%m%d-%H%M%S}-{os.getpid()}.log"
    try:
        make_home(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        write_atomically(path, f"{now.isoformat(timespec='seconds')} shopmirror\n{trace}\n")
    except OSError:
        return None
    return path
