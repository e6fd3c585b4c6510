"""The tables of the page: documents, breakdowns, open tickets, debts, the books.

Every question takes shops and, where it has them, days (the last one included) as
``names, first, last`` and gives plain rows.
"""

from datetime import date
from typing import Any

from pipelines.dashboard.asking import kept
from pipelines.publish.published import Published

MOST = 500
"""Rows of a table that are shown; how many there are is said beside it."""
Rows = list[dict[str, Any]]
Names = tuple[str, ...]


@kept
def days(warehouse: Published, names: Names, first: date, last: date) -> Rows:
    """Sales by day: ``day, repairs, counter``."""
    return warehouse.rows(
        """
        select day, sum(ticket_total) as repairs, sum(pos_total) as counter
        from marts.daily_sales
        where list_contains($shops, shop_id) and day between $first and $last
        group by 1 order by 1
        """,
        {"shops": list(names), "first": first, "last": last},
    )


@kept
def documents(warehouse: Published, names: Names, first: date, last: date) -> Rows:
    """The newest documents by which sales are counted; ``of`` says how many there are."""
    return warehouse.rows(
        _DOCUMENTS, {"shops": list(names), "first": first, "last": last, "most": MOST}
    )


_DOCUMENTS = """
with rules as (
    select
        shop_id,
        coalesce(sales_definition ->> '$.date_basis', 'document') as date_basis,
        coalesce(sales_definition ->> '$.amount_basis', 'gross') as amount_basis,
        coalesce(sales_definition ->> '$.returns', 'return_day') as returns_rule,
        coalesce(sales_definition ->> '$.documents', 'all') as documents_rule
    from ops.shops
),
effects as (
    select
        shop_id,
        case
            when effect = 'return' and returns_rule = 'return_day' then effect_day
            when date_basis = 'ticket' then ticket_day
            when date_basis = 'due' then due_day
            when date_basis = 'settled' then settled_day
            else document_day
        end as day,
        effect as kind, document_number as number, customer_name as customer,
        case when amount_basis = 'net' then coalesce(net, gross) else gross end as sold,
        gross, tax, status, document_type, document_id as id, effect_at as moment
    from marts.sales_documents join rules using (shop_id)
    where date_basis <> 'payment'
        and documents_rule in (
            'all', document_type, case when is_paid then 'paid' end,
            case when coalesce(lower(status), 'due') in ('paid', 'due') then 'paid_or_due' end
        )
        and not (effect = 'return' and returns_rule = 'ignored')
    union all
    select
        shop_id, day, kind, document_number, customer_name, amount, amount, null, null,
        document_type, document_id, paid_at
    from marts.payments join rules using (shop_id)
    where date_basis = 'payment' and not (kind = 'refund' and returns_rule = 'ignored')
),
counted as (
    from effects where list_contains($shops, shop_id) and day between $first and $last
)
select shop_id as shop, day, kind, number, customer, sold, gross, tax, status, document_type, id,
    count(*) over () as of
from counted
order by day desc, moment desc nulls last, number
limit $most
"""
"""The documents by which a shop's sales are counted (``ops.shops.sales_definition``), each with the
day on which and the amount with which it counts: they add up to ``marts.daily_sales``."""

_LINES = """
    select {name} as name, documents.effect_day as day, lines.total as amount, shop_id
    from marts.sales_lines as lines
    join marts.sales_documents as documents using (shop_id, effect_key)
    left join (select shop_id, id as product_id, name, category from marts.products) as products
        using (shop_id, product_id)
"""
COUNTER = "\n"
"""The name of what was sold without a ticket; no person has it."""
_BREAKDOWNS = {
    "shop": "select shop_id as name, day, total as amount, shop_id from marts.daily_sales",
    "product": _LINES.format(name="coalesce(products.name, lines.item_description)"),
    "category": _LINES.format(name="products.category"),
    "technician": f"""
        select
            case when effects.document_type = 'pos_order' then '{COUNTER}'
                else tickets.technician end as name,
            effect_day as day, gross as amount, effects.shop_id
        from marts.sales_documents as effects
        left join marts.tickets as tickets
            on tickets.shop_id = effects.shop_id and tickets.id = effects.ticket_id
    """,  # noqa: S608 - ours
}


@kept
def breakdown(
    warehouse: Published,
    names: Names,
    by: str,
    now: tuple[date, date],
    before: tuple[date, date] | None,
) -> Rows:
    """Sales by ``shop``, ``product``, ``category`` or ``technician``, the largest first.

    ``name`` (None: none is named), ``amount``, ``before`` (None: nothing to compare with).
    """
    then = before or now
    rows = warehouse.rows(
        f"""
        with parts as ({_BREAKDOWNS[by]})
        select
            nullif(trim(name, ' '), '') as name,
            coalesce(sum(amount) filter (where day between $first and $last), 0) as amount,
            coalesce(sum(amount) filter (where day between $since and $until), 0) as before,
            count(*) over () as of
        from parts
        where list_contains($shops, shop_id)
            and (day between $first and $last or day between $since and $until)
        group by 1 order by amount desc, before desc, name nulls last limit $most
        """,  # noqa: S608 - one of the above
        {
            "shops": list(names), "first": now[0], "last": now[1], "since": then[0],
            "until": then[1], "most": MOST,
        },
    )  # fmt: skip
    return [row | {"before": None} for row in rows] if before is None else rows


@kept
def open_tickets(warehouse: Published, names: Names) -> Rows:
    """Tickets that are not done, the oldest first."""
    return warehouse.rows(
        """
        select shop_id as shop, coalesce(ticket_ref, ticket_no::varchar) as number,
            opened_day as day, age_days as age, customer_name as customer,
            replace(device, '|', ' ') as device, status,
            case when not is_unassigned then technician end as technician, promised_day as promised,
            is_late, invoiced, due, id, count(*) over () as of
        from marts.tickets where list_contains($shops, shop_id) and not is_done
        order by opened_day, number limit $most
        """,
        {"shops": list(names), "most": MOST},
    )


@kept
def debtors(warehouse: Published, names: Names) -> Rows:
    """What is due now, the largest first."""
    return warehouse.rows(
        """
        select shop_id as shop, customer_name as customer, document_number as number,
            created_day as day, age_days as age, receivables.due as due, document_type,
            document_id as id, count(*) over () as of
        from marts.receivables where list_contains($shops, shop_id)
        order by receivables.due desc, number limit $most
        """,
        {"shops": list(names), "most": MOST},
    )


@kept
def reconciliation(warehouse: Published, names: Names) -> Rows:
    """Our reports and the service's own, those that differ first."""
    return warehouse.rows(
        """
        select shop_id as shop, report, period, ours, theirs, difference,
            coalesce(matches, false) as matches, count(*) over () as of
        from marts.reconciliation
        where list_contains($shops, shop_id)
            and (matches is not true or coalesce(ours, 0) <> 0 or coalesce(theirs, 0) <> 0)
        order by coalesce(matches, false), period desc, report, shop limit $most
        """,
        {"shops": list(names), "most": MOST},
    )
