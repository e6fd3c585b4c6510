"""What a change would send, made of what is in the queue alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipelines.outbox.merge import merged_body
from pipelines.outbox.order import filled
from pipelines.outbox.store import Change, Outbox


class Unsendable(Exception):
    """The change cannot be sent as it is; the message becomes its reason."""


def prepared(outbox: Outbox, group: Sequence[Change]) -> dict[str, Any]:
    """The body of one request for a change, or for several updates of a record.

    Raises :class:`Unsendable` when an id is missing, or the file of an upload.
    """
    if group[0].op == "upload":
        read_file(group[0])
    try:
        return merged_body([filled(outbox, member.body) for member in group])
    except LookupError as missing:
        raise Unsendable(str(missing)) from None


def read_file(change: Change) -> bytes:
    """The file of an upload; :class:`Unsendable` unless it is as it was queued."""
    file = change.file or {}
    try:
        content = Path(file["path"]).read_bytes()
    except OSError as error:
        raise Unsendable(f"{file['path']} cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != file["sha256"]:
        raise Unsendable(f"{file['path']} changed since it was queued; queue it again")
    return content
