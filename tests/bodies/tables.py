"""The field tables of the specification, copied down by hand, row by row, as tests read them.

One line a field: name, type, marks. Types: s text, id an id, n number, b boolean, d/m/t a date
(day, minute, second), dt day or second, when any of them, any id or label, list a list.
Marks: ``!`` required on create, ``+`` create only, ``<N`` at most N characters, ``>=0``,
``(a|b)`` one of.
"""

TABLES = {
    "customers": """
        name s ! <250
        company s
        VATRegistration s
        email s
        invoiceemail s
        telephone s
        mobile s
        address s
        city s
        countryCode s (GB)
        dateOfBirth d
        group s
        latitude s
        longitude s
        gender s (Female|Male|Not Specified)
        referredBy s
        accountManager s
        paymentTermDays n
        comments s
        gdprCompliant b
        subSmsService b
        subPrintMedia b
        subEmailMarketing b
        subEmailNotifications b
        IntraCommunity b
        vatExemption b
        tax n
        creditlimit s
    """,
    "tickets": """
        customerId id !
        shortInfo s !
        status any
        priority any (0|1|2|3|Urgent|High|Normal|Low)
        issueDescription s +
        issueType any
        deviceModelId any
        createdDate d +
        dueDate dt
        userId id
        workApproved b +
        preDiagnosed b +
        tax n >=0
        discount n >=0
        discountLevel s (gross|grand)
        customerGroupDiscount b
        presetId id
        createInvoice b
        invoiceDate t
        invoiceDueDate t
        printInvoice b
        printReceipt b
        printLabel b
        lines list
    """,
    "ticket_comments": """
        ticket id !
        status any !
        type s ! (Private|Public)
        comment s !
    """,
    "ticket_timers": """
        ticket id ! +
        startDate t !
        endDate t !
        userId id !
        notes s
    """,
    "payments": """
        invoiceId id !
        paymentDate when
        invoiceNote s
        lines list !
    """,
    "products": """
        type s ! (product|service)
        name s ! <100
        condition s ! (New|Used)
        code s ! <25
        boughtFrom id
        imei s <20
        category id
        model id
        additionalModels s
        status s ! (Active|In active|Request)
        oneTimeUse b
        inventoryControl b
        TaxIncludedInCost b
        cost n !
        TaxIncludedInPrice b
        price n !
        enableOfferPrice b
        offerStart m
        offerEnd m
        TaxIncludedInOfferPrice b
        offerPrice n
        tax n !
        alertQuantity s
        discountable b
        supplier id
        reorderQuantity n
        supplierItemCode s
        emailToSupplier b
        physicalLocation s
        warranty id
        serialisedStock b
        maintenancePlan b
        planDuration n (3|6|9|12|15|18|21|24|27|30|33|36)
        serviceSchedule n (1|2|3|4|5|6|7|8|9|10|11|12)
        description s
        stockQuantity n >0
        stock_cog_per_item n
    """,
    "models": """
        brand id !
        model_group id
        name s ! <100
        status s ! (Active|In active)
    """,
    "categories": """
        name s ! <100
        profit_margin n >0
        parent_category id
    """,
    "brands": "name s ! <100",
    "stock": """
        product id !
        quantity n !
        cog_per_item n
        expired_on m
    """,
    "adjustments": """
        adjustment_date m !
        reference_no s <50
        notes s
        products list +
    """,
    "leads": """
        name s !
        businessName s
        telephone s
        mobile s !
        countryCode s (GB)
        email s
        address s
        gdprCompliant b
        subject s !
        description s
        issueType any
        userId id
        referredBy s
    """,
    "appointments": """
        subject s ! <100
        description s
        type s (InShop|OnSite|PhoneCall)
        color s
        location s
        latitude s
        longitude s
        ticket id
        createticket b +
        presetId id +
        customer id
        leads id
        dateandtime m !
        duration n !
        attendees id
    """,
    "time_clock": """
        inDate t !
        inNotes s !
        OutDate t
        OutNotes s
        userId id !
    """,
}

LISTS = {
    "tickets": [{"productCode": "A", "quantity": 1}],
    "payments": [{"amount": 10, "paymentMethod": "3"}],
    "adjustments": [{"product_id": "9", "quantity": 1, "type": "Addition"}],
}
DATES = {
    "d": "05-Jan-2026",
    "m": "05-Jan-2026 14:05",
    "t": "05-Jan-2026 14:05:09",
    "dt": "05-Jan-2026",
    "when": "05-Jan-2026",
}


class Row:
    """One line of a table."""

    def __init__(self, resource, line):
        self.resource = resource
        self.field, self.type, *rest = (
            line.replace("Not Specified", "Not_Specified").replace("In active", "In_active").split()
        )
        self.required = "!" in rest
        self.create_only = "+" in rest
        self.most = next((int(mark[1:]) for mark in rest if mark.startswith("<")), None)
        self.least = next((mark for mark in rest if mark in (">=0", ">0")), None)
        choices = next((mark[1:-1].split("|") for mark in rest if mark.startswith("(")), [])
        self.choices = [choice.replace("_", " ") for choice in choices]

    def __repr__(self):
        return f"{self.resource}.{self.field}"

    def good(self):
        if self.choices:
            first = self.choices[0]
            return int(first) if self.type == "n" else first
        if self.type == "list":
            return LISTS[self.resource]
        return DATES.get(self.type) or {"n": 5, "b": True}.get(self.type, "text")

    def bad(self):
        """Values that break a rule of the row."""
        if self.type == "list":
            return ["x", {}, None, 1]
        found = [None, [], {}]
        if self.type == "n":
            found += ["x", True]
        if self.type == "b":
            found += ["perhaps", 2, "Y"]
        if self.type in DATES:
            found += ["2026-01-05T00:00:00+99:99", "31-Feb-2026", "5-Jan-2026", "05-Foo-2026", "x"]
        if self.most:
            found.append("x" * (self.most + 1))
        if self.least:
            found += [-1] if self.least == ">=0" else [0, -1]
        if self.choices and self.field != "countryCode":
            found.append("neither" if self.type != "n" else 4.5)
        if self.field == "countryCode":
            found += ["GBR", "1"]
        return found


ROWS = [
    Row(resource, line)
    for resource, text in TABLES.items()
    for line in map(str.strip, text.strip().splitlines())
    if line
]


def minimal(resource, op="create"):
    """A body with what is required and no more (an update: one field)."""
    rows = [row for row in ROWS if row.resource == resource]
    if op == "create":
        return {row.field: row.good() for row in rows if row.required}
    first = next(row for row in rows if not row.create_only and row.field != "mobile")
    return {first.field: first.good()}
