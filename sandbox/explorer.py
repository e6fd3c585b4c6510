"""The explorer: the base address in a browser is a page that lists every endpoint.

It is one page without assets, made from the specification's rows; it needs no key.
"""

from functools import cache
from html import escape

from specification import BODIES, LIMITS, LISTS, METHOD_OF, OPERATIONS, Op, Operation

_HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Repair shop sandbox</title>'
    "<style>body{font:15px sans-serif;margin:2em auto;max-width:60em}code{font-size:14px}"
    "td{vertical-align:top;padding:.3em .8em .3em 0}</style><h1>Repair shop sandbox</h1>"
    "<p>A local stand-in for the service. Every request carries the key: <code>curl -H "
    "'Authorization: KEY' ADDRESS/tickets</code>. Shapes vary with the shop's quirks.</p>"
)


def page(method: str, path: str) -> bytes | None:
    """The page, where this is a request for it; None for everything else."""
    return _page() if method == "GET" and path.rstrip("/") in ("", LIMITS.prefix) else None


@cache
def _page() -> bytes:
    parts = [_HEAD]
    for section in dict.fromkeys(one.section for one in OPERATIONS):
        rows = "".join(_row(one) for one in OPERATIONS if one.section == section)
        parts.append(f"<h2>{escape(section)}</h2><table>{rows}</table>")
    return "".join(parts).encode()


def _row(one: Operation) -> str:
    said = list(one.parameters)
    if one.is_list:
        said = list(LISTS[one.list].parameters)
    elif one.body:
        op: Op = "update" if one.method == METHOD_OF["update"] else "create"
        for field in BODIES[one.body].taken(op).values():
            said.append(f"{field.name}*" if field.required and op == "create" else field.name)
    elif one.form:
        said = [f"form-data field {one.form}"]
    line = f"{one.method} {LIMITS.prefix}{one.path}"
    return f"<tr><td><code>{escape(line)}</code><td>{escape(', '.join(said))}"
