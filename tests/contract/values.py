"""Values that the specification's fields take, and values that break a rule of theirs."""

from specification import BODIES, LISTS, Field

_LISTS = {
    "ticket_line": [{"productCode": "A", "quantity": 1}],
    "payment_line": [{"amount": 10, "paymentMethod": "3"}],
    "adjusted": [{"product_id": "9", "quantity": 1, "type": "Addition"}],
}
_DATES = {
    "dd-mmm-yyyy": "05-Jan-2026",
    "dd-mmm-yyyy HH:mm": "05-Jan-2026 14:05",
    "dd-mmm-yyyy HH:mm:ss": "05-Jan-2026 14:05:09",
}
WRITTEN = {name: body for name, body in BODIES.items() if name in LISTS}
"""Bodies of lists: those of elements and uploads stand inside others."""


def good(field: Field):
    """A value that the field takes, whatever records there are."""
    if field.values:
        return field.values[0]
    if field.of:
        return _LISTS.get(field.of, [])
    if field.format or field.name == "paymentDate":
        return _DATES[field.format[0] if field.format else "dd-mmm-yyyy"]
    if field.name == "countryCode":
        return "GB"
    return {"numeric": 5, "boolean": True}.get(field.type, "text")


def bad(field: Field):
    """Values that break a rule of the field."""
    if field.of:
        return ["x", {}, None, 1]
    found = [None, [], {}]
    found += ["x", True] if field.type == "numeric" and field.names != "models" else []
    found += ["perhaps", 2, "Y"] if field.type == "boolean" else []
    if field.format:
        found += ["2026-01-05T00:00:00+99:99", "31-Feb-2026", "5-Jan-2026", "05-Foo-2026", "x"]
    found += ["x" * (field.most + 1)] if field.most else []
    found += [-1] if field.at_least is not None else []
    found += [field.above, -1] if field.above is not None else []
    found += [field.below] if field.below is not None else []
    found += [4.5 if field.type == "numeric" else "neither"] if field.values else []
    return found + (["GBR", "1"] if field.name == "countryCode" else [])


def minimal(resource, op="create"):
    """A body with what is required and no more (an update: one field)."""
    fields = BODIES[resource].taken(op).values()
    if op == "create":
        return {field.name: good(field) for field in fields if field.required}
    first = next(field for field in fields if field.name != "mobile")
    return {first.name: good(first)}
