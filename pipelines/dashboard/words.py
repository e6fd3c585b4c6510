"""What the page calls what the warehouse calls otherwise."""

from pipelines.language import Text, shown

_WORDS = {
    "ticket_invoice": Text("invoice"),
    "pos_order": Text("POS order"),
    "ticket": Text("ticket"),
    "customer": Text("customer"),
    "return": Text("return"),
    "sale": Text("same-day sale"),
    "receivable": Text("receivable"),
    "advance": Text("advance"),
    "refund": Text("refund"),
    "complete": Text("complete"),
    "incomplete": Text("incomplete"),
    "failed": Text("failed"),
    "differs": Text("differs"),
    "stopped": Text("stopped"),
    "killed": Text("cut off"),
    "running": Text("running"),
    "kept": Text("kept"),
    "no_show": Text("did not come"),
    "cancelled": Text("cancelled"),
    "upcoming": Text("still to come"),
    "unknown": Text("not known"),
    "Paid": Text("paid"),
    "Due": Text("due"),
}


def word(code: object) -> str:
    """A code of the warehouse in words; empty for none, and what has no word as it is."""
    if code is None:
        return ""
    if isinstance(code, bool):
        return shown(Text("yes") if code else Text("no"))
    return shown(_WORDS.get(str(code), str(code)))
