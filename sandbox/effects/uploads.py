"""Uploads in two steps: what the file will be, then the file, which must be just that."""

import uuid
from email import message_from_string
from typing import Any

from sandbox.calls import Answer, Call, Refusal, found
from sandbox.writing import checked
from specification import LIMITS, List


def announce(row: List, table: str, call: Call) -> Answer:
    """POST .../upload: takes the metadata, answers where the file goes."""
    owner = found(call.store, row.name, call.path[row.item])
    metadata, upload = checked(call, table, "create"), str(uuid.uuid4())
    announced = {**(owner.get("_uploads") or {}), upload: metadata}
    call.store.update(row.name, owner["id"], {"_uploads": announced}, touch=False)
    location = f"{LIMITS.prefix}/{row.name}/{owner['id']}/upload/{upload}"
    return Answer({"id": upload}, 201, {"location": location})


def receive(row: List, call: Call) -> Answer:
    """POST .../upload/{uploadId}: takes the file in the form field ``file``."""
    owner, upload = found(call.store, row.name, call.path[row.item]), call.path["uploadId"]
    metadata = (owner.get("_uploads") or {}).get(upload)
    if metadata is None:
        raise Refusal("There is no such upload. Please send its metadata first.", 404)
    name, content = _file(call)
    if name != metadata["fileName"] or len(content) != metadata["fileSize"]:
        raise Refusal(
            f"The file ({name}, {len(content)} bytes) does not match its metadata "
            f"({metadata['fileName']}, {metadata['fileSize']} bytes). Please check it."
        )
    call.store.update(row.name, owner["id"], {"_files": [*(owner.get("_files") or []), upload]})
    return Answer({"id": upload})


def _file(call: Call) -> tuple[str, bytes]:
    """Name and bytes of the one file in the form; no other field may be there."""
    if call.content_type.split(";")[0].strip().lower() != "multipart/form-data":
        raise Refusal("Content-Type must be multipart/form-data.", 415)
    parts: Any
    # One byte, one character: names and content come out as they were sent.
    head = f"Content-Type: {call.content_type}\r\n\r\n"
    form = message_from_string(head + call.body.decode("latin-1"))
    parts = form.get_payload() if form.is_multipart() else []
    named = [part.get_param("name", header="content-disposition") for part in parts]
    if named != ["file"] or parts[0].get_filename() is None or parts[0].is_multipart():
        raise Refusal("The form must hold one field named file, with the file.")
    name, content = parts[0].get_filename(), parts[0].get_payload()
    return name.encode("latin-1").decode("utf-8", "replace"), content.encode("latin-1")
