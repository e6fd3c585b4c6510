"""Shop, appointments and customers."""

from ...schema.endpoint import Endpoint
from ...schema.lists.common import CUSTOMER, INACTIVE, TICKET, USER
from ...schema.shapes import Child, Reference, Table, named

ROWS: tuple[Endpoint, ...] = (
    Endpoint(
        "/users",
        "member of staff",
        Table(
            "first_name last_name name email mobile phone address website gender type "
            "status created_date:moment",
            means={"website": "Website."},
        ),
        detail=True,
        hidden=(INACTIVE,),
    ),
    Endpoint(
        "/taxRates",
        "tax rate",
        Table("name code type value:number", means={"value": "Rate in percent."}),
        sort=False,
        created_filter=False,
    ),
    Endpoint(
        "/paymentMethods",
        "payment method",
        Table("title|name|label created_date:moment", means={"title": "Title."}),
    ),
    Endpoint(
        "/timeClock",
        "time clock entry of a member of staff",
        Table(
            "in_date:moment|clock_in|indate out_date:moment|clock_out|outdate "
            "in_notes|notes_in out_notes|notes_out created_date:moment",
            (USER,),
            staged={"in_date": "clocked_in", "out_date": "clocked_out"},
            means={
                "in_notes": "Note left on clocking in.",
                "out_notes": "Note left on clocking out.",
                "clocked_in": "the member of staff clocked in",
                "clocked_out": "the member of staff clocked out",
            },
        ),
        detail=True,
    ),
    Endpoint(
        "/appointments",
        "appointment",
        Table(
            "subject description type color location latitude longitude status "
            "start_date:moment|dateandtime|date_and_time|start|start_time|starts_at|date "
            "end_date:moment|end|end_time|ends_at "
            "created_date:moment last_updated:moment duration:number",
            (TICKET, CUSTOMER, named("lead", "leads")),
            (
                Child(
                    "attendees",
                    "attendee of an appointment",
                    Table("id first_name last_name email"),
                ),
            ),
            means={
                "location": "location__place",
                "latitude": "Latitude, as text.",
                "longitude": "Longitude, as text.",
            },
        ),
        updated_path="/appointments/updated",
        detail=True,
        hidden=(("startDateFrom", "01-Jan-2000"),),
    ),
    Endpoint(
        "/customers",
        "customer",
        Table(
            "ref name email invoiceemail mobile phone company vat_registration_number "
            "gender type referred_by account_manager comments country_code "
            "created_date:moment last_updated:moment date_of_birth:moment "
            "payment_term_days:number credit_limit:amount|creditlimit "
            "gdpr_compliant:flag|gdpr sub_sms_service:flag|sms_service "
            "sub_print_media:flag sub_email_marketing:flag sub_email_notifications:flag "
            "intra_community:flag vat_exemption:flag",
            (
                Reference("name_parts", ("first_name", "middle_name", "last_name"), "first_name"),
                Reference("fulladdress", ("address", "city", "post_code", "country"), "address"),
                named("group", "customer_group", called="customer group"),
            ),
            staged={
                "date_of_birth": "birth",
                "sub_sms_service": "has_sms_consent",
                "sub_print_media": "has_print_consent",
                "sub_email_marketing": "has_email_marketing_consent",
                "sub_email_notifications": "has_email_notifications_consent",
                "vat_exemption": "is_vat_exempt",
                "name_parts__first_name": "first_name",
                "name_parts__middle_name": "middle_name",
                "name_parts__last_name": "last_name",
                "fulladdress__address": "address",
                "fulladdress__city": "city",
                "fulladdress__post_code": "post_code",
                "fulladdress__country": "country",
            },
            means={
                "invoiceemail": "E-mail address for invoices.",
                "vat_registration_number": "VAT registration number.",
                "account_manager": "Account manager.",
                "comments": "Text of the customer's profile.",
                "middle_name": "Middle name.",
                "payment_term_days": "Days the customer has to pay.",
                "credit_limit": "Credit limit in the shop's currency; empty means none.",
                "is_intra_community": "Whether VAT rules between EU countries apply.",
                "is_vat_exempt": "Whether the customer pays no VAT.",
                "birth": "the customer was born",
            },
        ),
        include=("includeCustomFields",),
        detail=True,
    ),
    Endpoint(
        "/groups",
        "customer group",
        Table(
            "name billing_name billing_mobile billing_email discount:number created_date:moment",
            means={
                "billing_name": "Billing name.",
                "billing_mobile": "Billing mobile number.",
                "billing_email": "Billing e-mail address.",
            },
        ),
        detail=True,
    ),
)
