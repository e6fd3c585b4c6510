"""The specification's paths by method, copied down by hand and not taken from the code."""

METHODS = {
    "GET": "users users/{} taxRates paymentMethods info timeClock timeClock/{} appointments "
    "appointments/updated appointments/{} customers customers/{} groups groups/{} tickets "
    "tickets/updated tickets/{} tickets/{}/itemLines ticketComments ticketTimers ticketTimers/{} "
    "statuses presets presets/{} presetCategories issueTypes ticketInvoices ticketInvoices/{} "
    "posOrders posOrders/{} payments posInvoices posInvoices/{} products products/updated "
    "products/{} warranties models models/{} modelGroups modelGroups/{} categories categories/{} "
    "brands brands/{} stockCount stock stock/{} serials serials/{} adjustments adjustments/{} "
    "suppliers suppliers/{} purchaseOrders purchaseOrders/{} expenses expenseCategories leads "
    "leads/{} customFields/tickets shipments shipments/deleted monthlySales monthlyPurchases "
    "dailySales dailyPurchases webhook/inbound-call/5",
    "POST": "timeClock appointments customers tickets tickets/{}/upload tickets/{}/upload/{} "
    "ticketComments ticketTimers payments products products/{}/upload products/{}/upload/{} models "
    "categories brands stock adjustments leads",
    "PUT": "timeClock/{} appointments/{} customers/{} tickets/{} ticketTimers/{} products/{} "
    "models/{} categories/{} brands/{} stock/{} serials/{} adjustments/{} leads/{}",
}
METHODS["DELETE"] = METHODS["PUT"]
_ONE = "info monthlySales monthlyPurchases dailySales dailyPurchases webhook/inbound-call/5".split()
DETAILS = [path[:-3] for path in METHODS["GET"].split() if path.endswith("/{}")]
LISTS = [path for path in METHODS["GET"].split() if path not in _ONE and "{}" not in path]
LISTS += [f"customFields/{kind}" for kind in ("leads", "customers", "products")]
