"""``shopmirror queue``: validate and queue changes; look at them, send again, discard."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from pipelines.outbox.errors import InputRefused
from pipelines.settings import home_folder, load_settings
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
        bool,
        typer.Option(
            "--marker",
            help="Allow a short token in a free-text field, to find the record again for sure.",
        ),
    ] = False,
    shop: Annotated[str | None, typer.Option(help="The shop, when there are several.")] = None,
    no_check: Annotated[
        bool,
        typer.Option("--no-check", help="Do not look in the mirror whether ids and labels exist."),
    ] = False,
) -> int:
    """Validate and queue a change, or a file of them: all or nothing, and nothing is sent yet."""
    from pipelines.outbox.files import read_object
    from pipelines.outbox.intake import enqueue, resource_and_op
    from pipelines.outbox.store import Outbox

    settings = load_settings()
    if op is None and upload is None:
        raise InputRefused(["--op is missing: create, update or delete"])
    if op is None or (op == "create" and upload and record_id):
        op = "upload"
    name, op = resource_and_op(resource, op)
    if upload is not None and op != "upload":
        raise InputRefused([f"--upload goes with --id of a ticket or product, not with {op}"])
    rows, where = _fields(name, op, body, file)
    numbers = enqueue(
        name,
        op,
        rows,
        record_id=record_id,
        shop=shop,
        based_on=read_object(based_on) if based_on else None,
        marker=marker,
        file=upload,
        settings=settings,
        where=where,
        check=not no_check,
    )
    if len(numbers) <= _MANY:
        for number in numbers:
            out().print(f"Queued as {number}.")
    else:
        out().print(f"Queued {len(numbers)} changes, {numbers[0]} to {numbers[-1]}.")
    with Outbox(settings.home) as outbox:
        earlier = outbox.said_before(numbers)
    if earlier:
        many = f"changes {earlier[0]} to {earlier[-1]} say" if earlier[1:] else f"{earlier[0]} says"
        tell(f"The same was queued before: {many} so. 'queue discard' takes out what is too much.")
    return 0


def _fields(name: str, op: str, body: str | None, file: Path | None) -> tuple[Any, Any]:
    """The rows of a change as given, and what names each of them in messages."""
    from pipelines.outbox.files import read_object, read_rows

    if body is not None and file is not None:
        raise InputRefused(["--json and --file exclude each other"])
    if file is not None:
        return read_rows(file, name, op)
    if body is None and op in ("create", "update"):
        raise InputRefused(["give the fields with --json or --file"])
    return None if body is None else read_object(body), None


@app.command("list")
def list_changes(
    state: Annotated[
        str | None, typer.Option(help="queued, sending, done, in_doubt, rejected or conflict.")
    ] = None,
    shop: ShopOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the changes, newest last."""
    from pipelines.outbox.mirrored import brief
    from pipelines.outbox.store import STATES, Outbox

    if state is not None and state not in STATES:
        raise InputRefused([f"there is no state '{state}'; there are {', '.join(STATES)}"])
    of_shop: dict[str, Any] = {"shop": shop.lower()} if shop else {}
    with Outbox(home_folder()) as outbox:
        found = outbox.changes(states=[state] if state else (), **of_shop)
    changes = [brief(change) for change in found]
    columns = ("#number", "shop", "resource", "op", "state", "id", "reason")
    shown = changes[-_MANY:]
    if as_json:
        print_json(changes)
    elif not changes:
        out().print("The queue is empty.")
    else:
        out().print(table("", columns, ([row[c.strip("#")] for c in columns] for row in shown)))
    if len(shown) < len(changes) and not as_json:
        out().print(f"... the last {len(shown)} of {len(changes)}; --json lists all.")
    return 0


@app.command("show")
def show(number: Number, as_json: JsonOption = False) -> int:
    """Show one change: what is sent, what it is based on, and every attempt."""
    from pipelines.outbox.mirrored import brief
    from pipelines.outbox.store import Outbox

    with Outbox(home_folder()) as outbox:
        change = outbox.get(number)
        history = [
            {**entry, "at": datetime.fromtimestamp(entry["at"], UTC).isoformat(timespec="seconds")}
            for entry in outbox.history(change.number)
        ]
    document = {
        **brief(change),
        "sent_body": change.sent_body,
        "based_on": {**change.base.get("seen", {}), **change.base.get("values", {})},
        "file": change.file["path"] if change.file else None,
        **{name: getattr(change, name) for name in ("marker", "merged_into", "answer")},
        "history": history,
    }
    if as_json:
        print_json(document)
        return 0
    rows = [
        (name, value)
        for name, value in document.items()
        if name != "history" and value not in (None, "", {}, [])
    ]
    out().print(table(f"Change {number}", ("", ""), rows))
    events = ((moment(entry["at"]), entry["event"], entry["detail"]) for entry in history)
    out().print(table("History", ("at", "event", "detail"), events))
    return 0


@app.command("retry")
def retry(number: Number) -> int:
    """Send a change again: one rejected, in conflict (ours goes over theirs) or in doubt."""
    from pipelines.outbox.intake import current_user
    from pipelines.outbox.review import retry as again

    say(again(home_folder(), number, by=current_user()))
    return 0


@app.command("discard")
def discard(number: Number) -> int:
    """Take a change out of the queue; its history stays."""
    from pipelines.outbox.intake import current_user
    from pipelines.outbox.review import discard as forget

    say(forget(home_folder(), number, by=current_user()))
    return 0


@app.command("adopt")
def adopt(
    shop: Annotated[str | None, typer.Option(help="Only this shop's changes.")] = None,
) -> int:
    """Take a copied queue over, and changes queued under another key or address of the same shop.

    Sends nothing. What a copy may have sent is looked up by the next push before it is sent.
    """
    from pipelines.outbox.identity import adopt as take
    from pipelines.outbox.intake import current_user

    for line in take(load_settings(), shop, by=current_user()):
        say(line)
    return 0
