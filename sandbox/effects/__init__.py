"""What follows from a write beside keeping what was sent (specification, Resources).

Tickets with lines, discounts and invoices; payments; stock; prices; uploads; and small rules.
"""

from collections.abc import Mapping

from sandbox.effects.goods import GOODS
from sandbox.effects.people import PEOPLE
from sandbox.effects.tickets import TICKETS
from sandbox.writing import Effects

EFFECTS: Mapping[str, Effects] = {**PEOPLE, **TICKETS, **GOODS}
"""Resource -> its effects; one that is not here has none."""
