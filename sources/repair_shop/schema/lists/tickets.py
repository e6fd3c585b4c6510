"""Tickets, and what belongs to them."""

from ...schema.endpoint import Endpoint
from ...schema.lists.common import (
    CUSTOMER,
    PHOTO,
    PHOTO_NAME,
    STAFF_FIELDS,
    TICKET,
    USER,
    lines,
    payments,
)
from ...schema.shapes import Reference, Table, labelled, named

ROWS: tuple[Endpoint, ...] = (
    Endpoint(
        "/tickets",
        "repair ticket, in or out of the pipeline",
        Table(
            "ticket_ref ticket_no|number short_info|issue|subject|title description "
            "device|device_name|device_model|model created_from work_approved "
            "amount_total:amount discount:amount tax:amount "
            "created_date:moment|+opened_at|opened_date|opened last_updated:moment "
            "due_date:moment|+promised_date",
            (
                labelled("status", "ticket_status", "repair_status", "state", is_word=True),
                labelled("issue_type", "issuetype"),
                labelled("priority", is_word=True),
                CUSTOMER,
                Reference(
                    "technician",
                    STAFF_FIELDS,
                    "first_name",
                    ("assigned_to", "user", "assignee", "staff"),
                    "technician it is assigned to",
                ),
                Reference("invoice", ("id", "number", "amount", "last_payment_date"), "number"),
            ),
            (lines("item line of a ticket"), payments("payment embedded in a ticket")),
            means={
                "ticket_ref": "Reference of the ticket that people see.",
                "ticket_no": "ticket_no__number_ticket",
                "short_info": "What the ticket is about, in short.",
                "created_from": "Where the ticket was made.",
                "work_approved": "Whether the customer approved the work, as the service says it.",
                "invoice_amount": "Amount of the invoice as text, as the service wrote it; "
                "figures come from the invoice itself.",
                "invoice_last_payment_date": "Date of the last payment as text, as the service "
                "wrote it; days come from the payments themselves.",
            },
        ),
        include=("includeLines", "includePayments", "includeCustomFields"),
        recently_updated=True,
        updated_path="/tickets/updated",
        detail=True,
        partition=True,
    ),
    Endpoint(
        "/ticketComments",
        "comment on a ticket",
        Table(
            "comment type created_date:moment last_updated:moment",
            (TICKET, labelled("status"), USER),
            means={"comment": "Text of the comment."},
        ),
        recently_updated=True,
        created_filter=False,
        hidden=(("type", "private"),),
    ),
    Endpoint(
        "/ticketTimers",
        "timer run on a ticket",
        Table("notes start_date:moment end_date:moment created_date:moment", (TICKET, USER)),
        created_filter=False,
        detail=True,
        hidden=(("running", "True"),),
    ),
    Endpoint(
        "/statuses",
        "status that tickets or ticket comments can have",
        Table(
            "label|status|name type color in_pipeline:flag created_date:moment",
            means={"is_in_pipeline": "Whether tickets in this status count as in the pipeline."},
        ),
        hidden=(("type", "repair_notes"),),
    ),
    Endpoint(
        "/presets",
        "ticket preset",
        Table(
            "name legal_document_id created_date:moment",
            (named("category"), named("brand"), named("model"), labelled("issue_type")),
            (lines("item line of a preset"),),
            means={"legal_document_id": "Legal document attached to the preset."},
        ),
        detail=True,
    ),
    Endpoint(
        "/presetCategories",
        "category of presets",
        Table("name created_date:moment"),
        created_filter=False,
    ),
    Endpoint(
        "/issueTypes",
        "issue type of tickets",
        Table("label|issue|name created_date:moment", (PHOTO,), staged=PHOTO_NAME),
    ),
)
