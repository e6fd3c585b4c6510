"""Uploads in two steps: what the file will be, then the file, which must be just that."""

import json
import uuid
from email import message_from_string
from typing import Any

from sandbox.calls import Answer, Call, Refusal, found
from sandbox.writing import checked
from specification import LIMITS, List


def announce(row: List, table: str, call: Call) -> Answer:
    """POST .../upload: takes the metadata, answers where the file goes."""
    resource = row.name
    owner = found(call.store, resource, call.path[row.item])
    metadata = checked(call, table, "create")
    upload = str(uuid.uuid4())
    with call.store.database.writing() as connection:
        connection.execute(
            "INSERT INTO uploads VALUES (?, ?, ?, ?, ?, NULL)",
            (call.store.shop, upload, resource, str(owner["id"]), json.dumps(metadata)),
        )
    location = f"{LIMITS.prefix}/{resource}/{owner['id']}/upload/{upload}"
    return Answer({"id": upload}, 201, {"location": location})


def receive(row: List, call: Call) -> Answer:
    """POST .../upload/{uploadId}: takes the file in the form field ``file``."""
    resource, upload = row.name, call.path["uploadId"]
    with call.store.database.writing() as connection:
        owner = found(call.store, resource, call.path[row.item])
        announced = call.store.database.one(
            "SELECT metadata FROM uploads WHERE shop = ? AND id = ? AND resource = ? AND owner = ?",
            *(call.store.shop, upload, resource, str(owner["id"])),
        )
        if announced is None:
            raise Refusal("There is no such upload. Please send its metadata first.", 404)
        metadata = json.loads(announced[0])
        name, content = _file(call)
        if name != metadata["fileName"] or len(content) != metadata["fileSize"]:
            raise Refusal(
                f"The file ({name}, {len(content)} bytes) does not match its metadata "
                f"({metadata['fileName']}, {metadata['fileSize']} bytes). Please check it."
            )
        connection.execute(
            "UPDATE uploads SET content = ? WHERE shop = ? AND id = ?",
            (content, call.store.shop, upload),
        )
        call.store.update(resource, owner["id"], {"_files": [*(owner.get("_files") or []), upload]})
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
