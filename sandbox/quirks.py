"""How one sandbox shop answers: every deviation of the field notes as a switch.

The default is the plain service: bare arrays, snake_case, numbers, ISO dates, paging by ``page``.
"""

from typing import Literal

from pydantic import BaseModel, Field


class Definition(BaseModel, frozen=True, extra="forbid"):
    """What the four reports count (specification, "reports"; the words are ours).

    Attributes:
        date: ``created`` counts a document on its created day, ``payment`` the whole document on
            the day of its last payment (never while unpaid), ``cash`` each payment on its own day.
        tax: ``gross`` (tax included) or ``net``.
        returns: subtracted on the ``return_day``, on the ``sale_day``, or ``ignored``.
        documents: ``all`` or only ``paid`` ones.
        purchase_date: purchases count by ``received`` or by ``created`` day.
        shipping: purchases include the shipping cost.
        expenses: purchases include expenses, by their created day.
    """

    date: Literal["created", "payment", "cash"] = "created"
    tax: Literal["gross", "net"] = "gross"
    returns: Literal["return_day", "sale_day", "ignored"] = "return_day"
    documents: Literal["all", "paid"] = "all"
    purchase_date: Literal["received", "created"] = "received"
    shipping: bool = True
    expenses: bool = False


class Quirks(BaseModel, frozen=True, extra="forbid"):
    """Every observed way of answering, for one shop (field notes, "Shapes" and "Behaviour")."""

    rate_error_status: Literal[429, 401, 403, 503, 200] = Field(
        401, description="status of a rate error, as seen; 200 carries the error body all the same"
    )
    block_scope: Literal["key_and_address", "key"] = Field(
        "key_and_address", description="what a block shuts; key: other keys are answered"
    )
    block_text: str = Field(
        "The API key is blocked. Please contact support.", description="the error text of a block"
    )
    paging: Literal["page", "offset_only", "offset_repeats", "none"] = Field(
        "page",
        description="offset_only: page=2 and later answer empty, offset/limit work; "
        "offset_repeats: page=2 answers page 1 again; none: whatever is asked does",
    )
    page_rows: int = Field(50, ge=1, description="rows of a page")
    sort: Literal["known", "ignored"] = Field(
        "known", description="ignored: every list comes newest first, whatever is asked"
    )
    status_filter: Literal["all", "pipeline"] = Field(
        "all", description="pipeline: a filter by status shows tickets in the pipeline only"
    )
    shows_after: float = Field(
        0.0, ge=0, description="seconds of the shop's clock until lists show a new record"
    )
    keeps: Literal["as_sent", "upper", "escaped", "one_line", "cut"] = Field(
        "as_sent", description="how texts of writes are kept; cut: their first 20 characters"
    )
    past_the_end: Literal["empty", "error", "last_page"] = Field(
        "empty", description="what a page after the last one answers"
    )
    envelope: Literal["bare", "data", "resource", "type"] = Field(
        "bare", description="type: as resource, custom fields under the name of their type"
    )
    amounts: Literal["number", "text", "currency"] = Field(
        "number", description="currency: with sign and thousands commas, Q1,234.50"
    )
    empty_reference: Literal["null", "object", "text", "missing"] = Field(
        "null", description='null, {}, "" or the key left out'
    )
    order: Literal["strict", "loose", "unstable"] = Field(
        "strict",
        description="loose: neighbours within hours swapped, always the same way; unstable: rows "
        "of one day come in another order each time",
    )
    written: Literal["id", "text", "data", "message"] = Field(
        "id", description="a write answers {id}, its id as text, in data, or beside a message"
    )
    detail: Literal["object", "list"] = Field("object", description="list: array of one object")
    naming: Literal["snake_case", "camelCase"] = "snake_case"
    dates: Literal["iso", "iso_colon", "dd-mmm-yyyy"] = Field(
        "iso", description="2026-07-16T18:22:05-0600, -06:00, or 16-Jul-2026 18:22:05"
    )
    daily_report: Literal["list", "object", "parts"] = Field(
        "list",
        description="list of {date,total}, an object keyed by day, or a list of "
        "{year,month,day,amount,tax,count}",
    )
    monthly_report: Literal["list", "object", "parts"] = Field(
        "list", description="as daily_report, by month and without days"
    )
    month_name: Literal["Jan", "January", "number", "yyyy-mm"] = "Jan"
    zero_periods: bool = Field(True, description="reports list the periods without any sale")
    report_amounts: Literal["number", "text", "currency"] = "number"
    status_labels: Literal["english", "spanish"] = Field(
        "english", description="the language a new shop's ticket statuses are named in"
    )
    pipeline_flag: bool = Field(
        False, description="/statuses says in_pipeline of each; not seen at a real service"
    )
    finished_shown: bool = Field(
        False, description="the bare list of tickets shows most finished ones of two months too"
    )
    second_look: bool = Field(
        True,
        description="as the second look of the field notes: a product's brand and model are texts, "
        "services of type services; a customer's internal_id is its ref, payment_ids have ten "
        "digits; ids of a new shop's brands, models and issue types are plain numbers",
    )
    ticket_invoice: Literal["full", "no_amount", "empty"] = Field(
        "no_amount",
        description="a ticket's invoice: whole, without its amount, or {} though there is one",
    )
    hides: bool = Field(
        False,
        description="lists leave out inactive staff, products and suppliers, and closed leads, "
        "unless they are asked for",
    )
    custom_fields: Literal["own", "with_default", "strict", "cut_first"] = Field(
        "own",
        description="of a category: its own, the default ones too, refused where it has none; "
        "cut_first: pages are cut from those of all types and categories",
    )
    latency_seconds: float = Field(0.0, ge=0, description="real seconds before each answer")
    definition: Definition = Definition()
