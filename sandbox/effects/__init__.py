"""What follows from a write beside keeping what was sent (specification, Resources).

Tickets with lines, discounts and invoices; payments; stock; prices; uploads; and small rules.
"""
