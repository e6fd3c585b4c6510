"""What people call things that the service and the warehouse call otherwise."""

from pipelines.language import Text, shown

LISTS = {
    "adjustments": Text("stock adjustments"),
    "appointments": Text("appointments"),
    "brands": Text("brands"),
    "categories": Text("product categories"),
    "custom_fields": Text("custom fields"),
    "customers": Text("customers"),
    "expense_categories": Text("expense categories"),
    "expenses": Text("expenses"),
    "groups": Text("customer groups"),
    "issue_types": Text("issue types"),
    "leads": Text("leads"),
    "model_groups": Text("model groups"),
    "models": Text("models"),
    "payment_methods": Text("payment methods"),
    "payments": Text("payments"),
    "pos_orders": Text("POS orders"),
    "preset_categories": Text("preset categories"),
    "presets": Text("presets"),
    "products": Text("products"),
    "purchase_orders": Text("purchase orders"),
    "serials": Text("serial numbers"),
    "shipments": Text("shipments"),
    "shipments_deleted": Text("deleted shipments"),
    "statuses": Text("ticket statuses"),
    "stock": Text("stock"),
    "stock_count": Text("stock counts"),
    "suppliers": Text("suppliers"),
    "tax_rates": Text("tax rates"),
    "ticket_comments": Text("ticket comments"),
    "ticket_invoices": Text("ticket invoices"),
    "ticket_timers": Text("ticket timers"),
    "tickets": Text("tickets"),
    "time_clock": Text("time clock"),
    "users": Text("staff"),
    "warranties": Text("warranties"),
}
REPORTS = {
    "daily_sales": Text("daily sales"),
    "monthly_sales": Text("monthly sales"),
    "daily_purchases": Text("daily purchases"),
    "monthly_purchases": Text("monthly purchases"),
}


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
"""Codes of the warehouse."""


def list_name(resource: str) -> str:
    """What a list holds, in words; its kind, if it has kinds, stays (``custom_fields:tickets``)."""
    table, _colon, kind = resource.partition(":")
    words = LISTS.get(table, table.replace("_", " "))
    return Text("{list}: {kind}", list=words, kind=list_name(kind)) if kind else words


def report_name(report: str) -> str:
    """A report of the service, in words."""
    return REPORTS.get(report, report.replace("_", " "))


def word(code: object) -> str:
    """A code of the warehouse in words; empty for none, and what has no word as it is."""
    if code is None:
        return ""
    if isinstance(code, bool):
        return shown(Text("yes") if code else Text("no"))
    return shown(_WORDS.get(str(code), str(code)))
