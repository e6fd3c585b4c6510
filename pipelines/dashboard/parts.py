"""The parts of the page below the figures; each gets what is looked at."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

import streamlit as st

from pipelines.dashboard import charts
from pipelines.dashboard.mirror import mirror
from pipelines.dashboard.search import opens
from pipelines.dashboard.table import Listing, draw, window
from pipelines.dashboard.view import Selection, methods
from pipelines.language import Text, _, shown
from pipelines.language.words import report_name
from pipelines.report import formats
from pipelines.report.closing import week_before
from pipelines.report.figures import BY_NOW, RUNS
from pipelines.report.layout import ages, report_period, taken_as
from pipelines.report.trust import LOOKS

BY = {
    "product": Text("Product"),
    "category": Text("Category"),
    "technician": Text("Technician"),
    "shop": Text("Shop"),
}
_MOST_DAYS = 92
"""Days of which each gets a place in a chart."""
PART_KEY = "part:"
"""How the drawer names a row of a breakdown: ``part:by:name``."""

# -- tables ---------------------------------------------------------------------------------------

DOCUMENTS = Listing(
    "documents", "shop day kind number customer sold gross tax status", Text("Documents"),
    opens=opens(column="document_type"), sql="""
    select shop_id as shop, counted_day as day, effect as kind, document_number as number,
        customer_name as customer, counted_amount as sold, gross, tax, status, document_type,
        document_id as id
    from marts.counted_sales
    where list_contains($shops, shop_id) and counted_day between $first and $last
    order by counted_day desc, happened_at desc nulls last, document_number
    """,
)  # fmt: skip
_EXPENSES = Listing(
    "expenses", "shop day category number amount", note=Text("Expenses"), sql="""
    select shop_id as shop, created_day as day, category, document_number as number, cost as amount
    from marts.purchase_documents
    where list_contains($shops, shop_id) and effect = 'expense'
        and created_day between $first and $last
    order by created_day desc, number
    """,
)  # fmt: skip
_TECHNICIANS = Listing(
    "technicians", "name opened closed median_hours open_at_end",
    headings={"name": Text("Technician")}, blanks={"name": Text("no technician")},
)  # fmt: skip
_OPEN_TICKETS = Listing(
    "open-tickets",
    "shop number day age customer device status technician promised is_late due",
    Text("Open tickets"),
    Text("Those that are open now, the oldest first. Choose a row to see all of it."),
    opens=opens("ticket"), headings={"day": Text("Opened on")}, sql="""
    select shop_id as shop, coalesce(ticket_ref, ticket_no::varchar) as number, opened_day as day,
        age_days as age, customer_name as customer, replace(device, '|', ' ') as device, status,
        case when not is_unassigned then technician end as technician, promised_day as promised,
        is_late, due, id
    from marts.tickets where list_contains($shops, shop_id) and not is_done
    order by opened_day, number
    """,
)  # fmt: skip
_DEBTORS = Listing(
    "debtors", "shop customer number day age due",
    note=Text("At the end of the period. Below: what is due now, the largest first."),
    opens=opens(column="document_type"), blanks={"customer": Text("no customer")}, sql="""
    select shop_id as shop, customer_name as customer, document_number as number,
        created_day as day, age_days as age, receivables.due as due, document_type,
        document_id as id
    from marts.receivables where list_contains($shops, shop_id)
    order by receivables.due desc, number
    """,
)  # fmt: skip
_STOCK = (
    Listing(
        "to-order", "shop code name supplier quantity alert on_order reorder sold_90 cover",
        Text("To order"),
        Text("At or below the level at which the shop wants to be warned, as it is now."), """
    select shop_id as shop, code, name, supplier, stock_quantity as quantity,
        alert_quantity as alert, on_order_quantity as on_order,
        if(stock_quantity + on_order_quantity <= alert_quantity, reorder_quantity, null) as reorder,
        sold_quantity_90_days as sold_90, days_of_cover as cover
    from marts.products
    where list_contains($shops, shop_id) and is_below_reorder_level and is_active
    order by reorder is null, days_of_cover nulls last, code
    """,
    ),
    Listing(
        "dead-stock", "shop code name category quantity value last_sold",
        Text("Not moved for 180 days"), sql="""
    select shop_id as shop, code, name, category, stock_quantity as quantity, stock_value as value,
        last_sold_day as last_sold
    from marts.products where list_contains($shops, shop_id) and is_dead_stock
    order by stock_value desc nulls last, code
    """,
    ),
)  # fmt: skip
_SEEN = Text("Last seen")
_PEOPLE = (
    Listing(
        "customers", "shop number customer amount documents visits lifetime due day",
        Text("Who bought most"), opens=opens("customer"),
        headings={"day": _SEEN, "amount": Text("Bought")}, sql="""
    with sold as (
        select shop_id, customer_id, sum(counted_amount) as amount,
            count_if(effect <> 'return') as documents
        from marts.counted_sales
        where counted_day between $first and $last and customer_id is not null
        group by 1, 2
    )
    select shop_id as shop, ref as number, coalesce(name, company) as customer, sold.amount,
        sold.documents, visits, lifetime_value as lifetime, customers.due as due,
        last_visit_day as day, id
    from sold join marts.customers as customers using (shop_id)
    where customers.id = sold.customer_id and list_contains($shops, shop_id)
    order by sold.amount desc, number
    """,
    ),
    Listing("months", "month new returning", Text("New and returning customers"), sql="""
    select month, sum(new_customers) as new, sum(returning_customers) as returning
    from marts.customer_months
    where list_contains($shops, shop_id)
        and month between date_trunc('month', cast($last as date)) - interval 12 month and $last
    group by 1 order by 1 desc
    """),
    Listing(
        "lost", "shop number customer lifetime visits day", Text("Not seen for 180 days"),
        opens=opens("customer"), headings={"day": _SEEN}, sql="""
    select shop_id as shop, ref as number, coalesce(name, company) as customer, visits,
        lifetime_value as lifetime, last_visit_day as day, id
    from marts.customers
    where list_contains($shops, shop_id) and visits > 1
        and last_visit_day < cast($last as date) - interval 180 day
    order by lifetime_value desc, number
    """,
    ),
    Listing("appointments", "outcome count", Text("Appointments"), sql="""
    select coalesce(outcome, 'unknown') as outcome, count(*) as count
    from marts.appointments
    where list_contains($shops, shop_id) and start_day between $first and $last
    group by 1 order by 2 desc, 1
    """),
    Listing(
        "leads", "source count won lost amount", Text("Leads"),
        headings={"amount": Text("Sold")}, blanks={"source": Text("not named")}, sql="""
    select referred_by as source, count(*) as count, count_if(is_won) as won,
        count_if(is_lost) as lost, sum(revenue) as amount
    from marts.leads where list_contains($shops, shop_id) and created_day between $first and $last
    group by 1 order by 2 desc, 1
    """,
    ),
)  # fmt: skip
_BOOKS = Listing(
    "books", "shop report period ours theirs difference matches", sql="""
    select shop_id as shop, report, period, ours, theirs, difference,
        coalesce(matches, false) as matches
    from marts.reconciliation
    where list_contains($shops, shop_id) and ($costs or report not like '%purchases')
        and (matches is not true or coalesce(ours, 0) <> 0 or coalesce(theirs, 0) <> 0)
    order by coalesce(matches, false), period desc, report, shop
    """,
)  # fmt: skip

COUNTER = "\n"
"""The name of what was sold without a ticket; no person has it."""
_PARTS = {
    "product": "product as part, * from marts.counted_lines",
    "category": "category as part, * from marts.counted_lines",
    "technician": f"if(document_type = 'pos_order', '{COUNTER}', technician) as part, * "
    "from marts.counted_sales",
    "shop": "shop_id as part, * from marts.counted_sales",
}
"""What sales are broken down by, by the shop's own definition."""


def _parts_of(by: str) -> str:
    """What was sold as a relation with a ``name`` for each product, category, technician, shop."""
    return f"(select nullif(trim(part, ' '), '') as name, * from (select {_PARTS[by]}))"  # noqa: S608 - ours


def _sold_by(by: str) -> str:
    """The amounts of the parts, the largest first; ``name`` is null where none is named.

    ``whole`` is the sum of all, ``before`` is of the days ``$since`` to ``$to``, the last of them
    up to the time of day of the build where ``$until`` still runs.
    """
    return f"""
    with {RUNS}
    select name,
        coalesce(sum(counted_amount) filter (counted_day between $first and $last), 0) as amount,
        sum(margin) filter (counted_day between $first and $last) as margin,
        coalesce(sum(counted_amount) filter (
            counted_day between $since and $to and {BY_NOW.format("happened_at")}
        ), 0) as before,
        sum(coalesce(sum(counted_amount) filter (counted_day between $first and $last), 0)) over ()
            as whole
    from {_parts_of(by)} as parts
    left join runs on runs.shop_id = parts.shop_id
    where list_contains($shops, parts.shop_id)
        and (counted_day between $first and $last or counted_day between $since and $to)
    group by 1 order by amount desc, before desc, name nulls last
    """  # noqa: S608 - ours


# -- parts ----------------------------------------------------------------------------------------


def sales(selection: Selection) -> None:
    """By month, by day beside the period before, and the documents."""
    st.subheader(_("Sales by month"))
    charts.months(selection)
    if timedelta(0) < selection.period.last - selection.period.first < timedelta(days=_MOST_DAYS):
        st.subheader(_("Sales by day"))
        charts.days(selection)
    draw(selection, DOCUMENTS)


def breakdown(selection: Selection) -> None:
    """Sales by product, category, technician or shop, beside those of the period before."""
    ways = [code for code in BY if code != "shop" or len(selection.names) > 1]
    chosen = st.segmented_control(
        _("By"), ways, format_func=lambda code: shown(BY[code]), key="by", required=True
    )
    by = chosen or "product"
    before, is_compared = selection.view.before, selection.view.before is not None
    beside = before.period if before else selection.period
    listing = Listing(
        f"by-{by}", "name amount share before change margin",
        opens=lambda row: f"{PART_KEY}{by}:{row['what']}",
        headings={"name": BY[by], "amount": Text("Sold")}, sql=_sold_by(by),
    )  # fmt: skip
    rows = listing.ask(selection, since=beside.first, to=beside.last, until=selection.view.running)
    told = [
        row
        | {
            "what": row["name"] or "",
            "name": part_name(by, row["name"]),
            "change": formats.change(row["amount"], row["before"]) if is_compared else None,
            "before": row["before"] if is_compared else None,
            "share": row["amount"] / row["whole"] if row["whole"] > 0 else None,
        }
        for row in rows
    ]
    charts.parts(told, selection.unit, has_before=is_compared)
    draw(selection, listing, told)
    of_tickets = _("By the technician of the ticket that a document belongs to.")
    of_lines = _(
        "By the lines of the documents, on the day on which each document counts. What no line "
        "says, such as a discount on the whole, has no name."
    )
    st.caption({"technician": of_tickets, "shop": ""}.get(by, of_lines))


def part_name(by: str, name: str | None) -> str:
    """What a row of a breakdown is called."""
    if name == COUNTER:
        return _("at the counter")
    nobody = {"technician": _("no technician"), "category": _("no category")}
    return name or nobody.get(by, _("not named"))


def part_drawer(selection: Selection, text: str) -> None:
    """The documents behind a row of a breakdown, in a window of their own."""
    by, _colon, said = text.removeprefix(PART_KEY).partition(":")
    if by not in BY:
        return
    listing = Listing(
        f"of-{text}", "shop day kind number customer sold", opens=opens(column="document_type"),
        sql=f"""
    select shop_id as shop, counted_day as day, effect as kind, document_number as number,
        customer_name as customer, sum(counted_amount) as sold, document_type, document_id as id
    from {_parts_of(by)}
    where list_contains($shops, shop_id) and counted_day between $first and $last
        and name is not distinct from $name
    group by all order by day desc, number, shop
    """,  # noqa: S608 - one of its relations
    )  # fmt: skip
    rows = listing.ask(selection, name=said or None)
    window(part_name(by, said or None), lambda: draw(selection, listing, rows))


def cash(selection: Selection) -> None:
    """Cash-up: what was taken by which way of paying, and what is left of what was sold."""
    view, before = selection.view, selection.view.before
    now = view.now.figures
    beside, so_far = (before.period, before.so_far) if before else (None, "")
    if selection.period.kind == "day":
        beside = week_before(selection.period, selection.days)
    lines = [
        line
        | {
            "method": shown(line["name"]),
            "change": formats.change(line["amount"], line["before"]),
        }
        for line in methods(selection.home, selection.names, selection.period, beside, view.running)
    ]
    heading = f"{beside.said} {so_far}".strip() if beside else Text("Before")
    listing = Listing(
        "methods", "method payments amount before change", Text("Paid with"),
        headings={"amount": Text("Taken"), "before": heading},
    )  # fmt: skip
    draw(selection, listing, lines)
    st.metric(_("Money taken"), formats.money(now.taken, selection.unit), width=220)
    _amounts(selection, dict(taken_as(now, selection.period.kind)))
    st.subheader(_("What is left"))
    sold = {_("Sold"): now.sold, _("of which tax"): now.tax}
    if not selection.sees_margins:
        _amounts(selection, sold)
        return
    left = {_("cost of goods"): now.cost, _("Margin"): now.margin}
    left |= {_("sold at a cost not known"): now.uncosted} if now.uncosted else {}
    _amounts(selection, sold | left | {_("Expenses"): now.expenses})
    if rows := _EXPENSES.ask(selection):
        draw(selection, _EXPENSES, rows)


def _amounts(selection: Selection, amounts: Mapping[str, Decimal]) -> None:
    with st.container(horizontal=True, gap="small"):
        for label, amount in amounts.items():
            st.metric(label, formats.money(amount, selection.unit), width=170)


def tickets(selection: Selection) -> None:
    """How the workshop did, and what is open now."""
    work = selection.view.now.figures
    with st.container(horizontal=True):
        st.metric(_("Median time, opening hours"), formats.hours(work.median_hours), width=220)
        without = formats.whole(work.tickets_without_technician)
        st.metric(_("With no technician"), without, width=220)
    draw(selection, _TECHNICIANS, selection.view.technicians)
    draw(selection, _OPEN_TICKETS)


def due(selection: Selection) -> None:
    """What customers owe, by age, and who."""
    *within, over = ages(selection.view.now.figures)
    amounts = {_("{ages} days", ages=age): amount for age, amount in within}
    _amounts(selection, amounts | dict([over]))
    draw(selection, _DEBTORS)


def books(selection: Selection) -> None:
    """Our reports beside the service's own."""
    if not selection.trust.seal.compared:
        st.info(_("Nothing was compared with the service's own reports yet."))
        return
    state = LOOKS[selection.trust.seal.state].word
    st.write(_("Our reports and the service's own: {state}.", state=state))
    rows = [
        row
        | {
            "report": shown(report_name(row["report"])),
            "period": report_period(row["report"], row["period"]),
        }
        for row in _BOOKS.ask(selection, costs=selection.sees_margins)
    ]
    draw(selection, _BOOKS, rows)


def _tables(*listings: Listing) -> Callable[[Selection], None]:
    def part(selection: Selection) -> None:
        for listing in listings:
            draw(selection, listing)

    return part


class Part(NamedTuple):
    """A part of the page; a technical one is for whoever looks after the mirror."""

    label: str
    draw: Callable[[Selection], None]
    is_technical: bool = False


PARTS: Mapping[str, Part] = {
    "sales": Part(Text("Sales"), sales),
    "breakdown": Part(Text("Breakdown"), breakdown),
    "cash": Part(Text("Cash-up"), cash),
    "tickets": Part(Text("Tickets"), tickets),
    "due": Part(Text("Still due"), due),
    "stock": Part(Text("Stock"), _tables(*_STOCK)),
    "people": Part(Text("Customers"), _tables(*_PEOPLE)),
    "books": Part(Text("Books"), books, is_technical=True),
    "mirror": Part(Text("Mirror"), mirror, is_technical=True),
}
