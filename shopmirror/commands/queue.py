"""``shopmirror queue``: validate and queue changes; look at them, send again, discard."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from pipelines.outbox import STATES, Outbox, brief, current_user, held_back, next_step, not_shown
from pipelines.outbox import adopt as take
from pipelines.outbox import discard as forget
from pipelines.outbox import retry as again
from pipelines.outbox.change import Change, State
from pipelines.outbox.errors import InputRefused
from pipelines.settings import SettingsError, ShopSettings, home_folder, load_settings
from shopmirror.completion import JsonOption, ShopOption
from shopmirror.consoles import moment, out, print_json, say, table, tell

Number = Annotated[int, typer.Argument(min=1, help="The change's number.")]
_MANY = 40


app = typer.Typer(
    help="Changes to be written back: add, list, show, retry, discard, adopt.", no_args_is_help=True
)


@app.command("add")
def add(
    resource: Annotated[str, typer.Argument(help="e.g. customers, ticketComments")],
    op: Annotated[
        str | None, typer.Option(help="create, update, delete; upload is implied by --upload.")
    ] = None,
    record_id: Annotated[
        str | None,
        typer.Option("--id", help="The record; '@12' is the one that change 12 will create."),
    ] = None,
    body: Annotated[
        str | None, typer.Option("--json", help='Fields and values, \'{"name": "Ann"}\'.')
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Changes, one a line: .jsonl or .csv.")
    ] = None,
    upload: Annotated[
        Path | None, typer.Option("--upload", help="A file for a ticket or product (--id).")
    ] = None,
    based_on: Annotated[
        str | None,
        typer.Option(
            "--based-on",
            help="Values the change is based on, as JSON; by default those of the warehouse.",
        ),
    ] = None,
    marker: Annotated[
        bool | None,
        typer.Option(
            "--marker/--no-marker",
            help="A short token in a free-text field, to find the record again for sure; by "
            "default in payments.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", help="The column that makes a row unique: queued once for ever."),
    ] = None,
    shop: Annotated[str | None, typer.Option(help="The shop, when there are several.")] = None,
    no_check: Annotated[
        bool,
        typer.Option("--no-check", help="Do not look in the mirror whether ids and labels exist."),
    ] = False,
) -> None:
    """Validate and queue a change, or a file of them: all or nothing, and nothing is sent yet."""
    # They load pandas, which the other verbs need not.
    from pipelines.outbox import enqueue, read_object, read_rows, resource_and_op

    settings = load_settings()
    if op is None and upload is None:
        raise InputRefused(["--op is missing: create, update or delete"])
    if op is None or (op == "create" and upload and record_id):
        op = "upload"
    name, op = resource_and_op(resource, op)
    if upload is not None and op != "upload":
        raise InputRefused([f"--upload goes with --id of a ticket or product, not with {op}"])
    if body is not None and file is not None:
        raise InputRefused(["--json and --file exclude each other"])
    if body is None and file is None and op in ("create", "update"):
        raise InputRefused(["give the fields with --json or --file"])
    lone = read_object(body) if body is not None else {}
    with Outbox(settings.home) as outbox:
        [last] = outbox.ask("last_number")
    numbers = enqueue(
        name,
        op,
        read_rows(file, name, op, key) if file is not None else lone,
        record_id=record_id,
        shop=shop,
        based_on=read_object(based_on, "--based-on") if based_on else None,
        marker=marker,
        key=key,
        file=upload,
        settings=settings,
        check=not no_check,
        warn=tell,
    )
    new = [number for number in numbers if number > last[0]]
    if file is not None:
        out().print(f"{len(new)} {op}{'' if len(new) == 1 else 's'} of {name}.")
    if len(new) > _MANY:
        out().print(f"Queued {len(new)} changes, {new[0]} to {new[-1]}.")
    for number in new if len(new) <= _MANY else ():
        out().print(f"Queued as {number}.")
    if known := sorted(set(numbers) - set(new)):
        _tell_known(settings.home, known)


def _tell_known(home: Path, known: Sequence[int]) -> None:
    """Say what was queued before, and what of it did not go through."""
    shown = ", ".join(map(str, known[:_MANY])) + (" ..." if len(known) > _MANY else "")
    out().print(f"Queued before, by its key, and not again: {shown}.")
    with Outbox(home) as outbox:
        parked = outbox.changes(states=(State.REJECTED, State.CONFLICT, State.IN_DOUBT))
        found = {one.number: str(one.state) for one in parked}
        found |= {row["number"]: "done, but not as it was sent" for row in outbox.ask("not_shown")}
    if told := [f"{number} ({found[number]})" for number in known if number in found]:
        out().print(f"Look at {', '.join(told)}: 'shopmirror queue list' says what to do.")


@app.command("list")
def list_changes(
    state: Annotated[
        str | None, typer.Option(help="queued, sending, done, in_doubt, rejected or conflict.")
    ] = None,
    shop: ShopOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the changes, newest last, and what to do next for each."""
    if state is not None and state not in STATES:
        raise InputRefused([f"there is no state '{state}'; there are {', '.join(STATES)}"])
    of_shop: dict[str, Any] = {"shop": shop.lower()} if shop else {}
    with Outbox(home_folder()) as outbox:
        found = outbox.changes(states=[state] if state else (), **of_shop)
        most = found if as_json else sorted(found, key=_urgency)[-_MANY:]
        told = sorted(most, key=lambda one: one.number)
        held = held_back(outbox, _shops())
        changes = [brief(one) | {"next": next_step(outbox, one, held)} for one in told]
    columns = ("#number", "shop", "resource", "op", "state", "id", "next")
    if as_json:
        print_json(changes)
    elif not changes:
        out().print("No change is like that." if state or shop else "The queue is empty.")
    else:
        out().print(table("", columns, ([row[c.strip("#")] for c in columns] for row in changes)))
    if len(changes) < len(found):
        out().print(f"... {len(changes)} of {len(found)}; --json lists all.")
    for name, line in not_shown(home_folder()):
        if not shop or name == shop.lower():
            tell(f"{name}: {line}.")


def _urgency(change: Change) -> int:
    """What may need a person is listed before what waits, and that before what is settled."""
    if change.state in (State.QUEUED, State.SENDING):
        return 1
    return 0 if change.state is State.DONE or change.reason.startswith("discarded") else 2


def _shops() -> Sequence[ShopSettings]:
    """The shops of the settings; none where these cannot be read, which keeps nobody from looking
    at the queue."""
    try:
        return load_settings().shops
    except SettingsError:
        return ()


@app.command("show")
def show(number: Number, as_json: JsonOption = False) -> None:
    """Show one change: what is sent, what it is based on, and its story in order."""
    with Outbox(home_folder()) as outbox:
        change = outbox.get(number)
        history = [
            {**entry, "at": datetime.fromtimestamp(entry["at"], UTC).isoformat(timespec="seconds")}
            for entry in outbox.history(change.number)
        ]
        following = next_step(outbox, change, held_back(outbox, _shops()))
    document = {
        **brief(change),
        "next": following,
        "sent_body": change.sent_body,
        "based_on": {**change.basis.get("seen", {}), **change.basis.get("values", {})},
        "file": change.file["path"] if change.file else None,
        **{name: getattr(change, name) for name in ("marker", "key", "approved_by", "answer")},
        "history": history,
    }
    if as_json:
        print_json(document)
        return
    known = {"history", "queued_at", "pushed_at"}
    known |= {"reason"} if change.reason in following else set()
    known |= {"sent_body"} if change.sent_body == change.body else set()
    rows = [
        (name, json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value)
        for name, value in document.items()
        if name not in known and value not in (None, "", {}, [])
    ]
    out().print(table(f"Change {number}", ("", ""), rows))
    events = ((moment(entry["at"]), entry["event"], entry["detail"]) for entry in history)
    out().print(table("History", ("at", "event", "detail"), events))


@app.command("retry")
def retry(number: Number) -> None:
    """Approve that a change is sent again: one rejected, in conflict (ours goes over theirs) or in
    doubt, which the next push looks for once more before it sends it."""
    say(again(home_folder(), number, by=current_user()))


@app.command("discard")
def discard(number: Number) -> None:
    """Take a change out of the queue; its history stays."""
    say(forget(home_folder(), number, by=current_user()))


@app.command("adopt")
def adopt(
    shop: Annotated[str | None, typer.Option(help="Only this shop's changes.")] = None,
    from_address: Annotated[
        str | None,
        typer.Option("--from", help="The address that changes were queued for, if it moved."),
    ] = None,
) -> None:
    """Take a copied queue over, and changes queued under another key or address of the same shop.

    Sends nothing. What a copy may have sent is looked up by the next push before it is sent.
    """
    for line in take(load_settings(), shop, by=current_user(), from_address=from_address):
        say(line)
