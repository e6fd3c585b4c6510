"""The field tables of the specification ("Resources and their fields"), copied down by hand.

One line a field: name, type, marks. Types: ``text``; ``id`` of a record, ``ids`` one or several;
``label`` an id or an exact label; ``number``; ``flag``; dates to the ``day``, ``minute`` or
``second``, ``due`` a day or second, ``moment`` any of them; ``priority``; ``country``; ``file`` a
name of an allowed type; ``[list]`` of objects with a table of their own.
Marks: ``!`` must be there on create, ``+`` on create only, ``-`` on update only, ``~`` not blank,
``<N`` at most N characters (of a number: less), ``>N`` more than N, ``>=N``, ``(a|b)`` one of,
``=x`` what is taken when it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

TABLES: Mapping[str, str] = {
    "customers": """
        name text ! ~ <250
        company text
        VATRegistration text
        email text
        invoiceemail text
        telephone text
        mobile text
        address text
        city text
        countryCode country
        dateOfBirth day
        group text
        latitude text
        longitude text
        gender text (Female|Male|Not_Specified)
        referredBy text
        accountManager text
        paymentTermDays number =0
        comments text
        gdprCompliant flag
        subSmsService flag
        subPrintMedia flag
        subEmailMarketing flag
        subEmailNotifications flag
        IntraCommunity flag
        vatExemption flag
        tax number
        creditlimit text
    """,
    "tickets": """
        customerId id !
        shortInfo text ! ~
        status label =New
        priority priority
        issueDescription text + =
        issueType label
        deviceModelId label
        createdDate day +
        dueDate due
        userId id
        workApproved flag + =false
        preDiagnosed flag + =false
        tax number >=0
        discount number >=0
        discountLevel text (gross|grand)
        customerGroupDiscount flag
        presetId id
        createInvoice flag =false
        invoiceDate second
        invoiceDueDate second
        printInvoice flag =false
        printReceipt flag =false
        printLabel flag =false
        lines [line]
    """,
    "line": """
        productCode text ! ~
        quantity number !
        unitPrice number
        itemDescription text
    """,
    "ticket_comments": """
        ticket id !
        status label ! =Update
        type text ! (Private|Public)
        comment text ! ~
    """,
    "ticket_timers": """
        ticket id ! +
        startDate second !
        endDate second !
        userId id !
        notes text
    """,
    "ticket_uploads": """
        fileName file !
        fileSize number ! >=0
        fileTitle text =
        displayType text =Public
    """,
    "product_uploads": """
        fileName text ! ~
        fileSize number ! >=0
    """,
    "payments": """
        invoiceId ids !
        paymentDate moment
        invoiceNote text
        lines [payment] ! ~
    """,
    "payment": """
        amount number !
        paymentMethod id !
        paymentNote text
        isAdvance flag
    """,
    "products": """
        type text ! (product|service) =product
        name text ! ~ <100
        condition text ! (New|Used) =New
        code text ! ~ <25
        boughtFrom id
        imei text <20
        category id
        model id
        additionalModels text
        status text ! (Active|In_active|Request)
        oneTimeUse flag
        inventoryControl flag
        TaxIncludedInCost flag
        cost number !
        TaxIncludedInPrice flag
        price number !
        enableOfferPrice flag =false
        offerStart minute
        offerEnd minute
        TaxIncludedInOfferPrice flag
        offerPrice number
        tax number !
        alertQuantity text
        discountable flag
        supplier id
        reorderQuantity number
        supplierItemCode text
        emailToSupplier flag
        physicalLocation text
        warranty id
        serialisedStock flag
        maintenancePlan flag
        planDuration number (3|6|9|12|15|18|21|24|27|30|33|36) =3
        serviceSchedule number (1|2|3|4|5|6|7|8|9|10|11|12) =1
        description text
        stockQuantity number >0
        stock_cog_per_item number
    """,
    "models": """
        brand id !
        model_group id
        name text ! ~ <100
        status text ! (Active|In_active)
    """,
    "categories": """
        name text ! ~ <100
        profit_margin number >0 <100
        parent_category id
    """,
    "brands": "name text ! ~ <100",
    "stock": """
        product id !
        quantity number !
        cog_per_item number
        expired_on minute
    """,
    "serials": """
        term_in_days text
        serial text
        other_serial_update flag
    """,
    "adjustments": """
        adjustment_date minute !
        reference_no text <50
        notes text
        products [adjusted] +
        add_products [added] -
        update_products [updated] -
        delete_products [deleted] -
    """,
    "adjusted": """
        product_id id !
        quantity number !
        type text ! (Subtraction|Addition)
        internal_use flag
        breakage flag
    """,
    "added": """
        ad_product_id id !
        ad_quantity number !
        ad_type text ! (Subtraction|Addition)
        ad_internal_use flag
        ad_breakage flag
    """,
    "updated": """
        up_stock_id id !
        up_quantity number
        up_type text (Subtraction|Addition)
        up_internal_use flag
        up_breakage flag
    """,
    "deleted": "stock_id id !",
    "leads": """
        name text ! ~
        businessName text
        telephone text
        mobile text ! ~
        countryCode country
        email text
        address text
        gdprCompliant flag
        subject text ! ~
        description text
        issueType label
        userId id
        referredBy text
    """,
    "appointments": """
        subject text ! ~ <100
        description text
        type text (InShop|OnSite|PhoneCall)
        color text
        location text
        latitude text
        longitude text
        ticket id
        createticket flag + =false
        presetId id +
        customer id
        leads id
        dateandtime minute !
        duration number ! =10
        attendees id
    """,
    "time_clock": """
        inDate second !
        inNotes text !
        OutDate second
        OutNotes text
        userId id !
    """,
}
