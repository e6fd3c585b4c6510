"""The lists of the service, by the chapters of the specification: a new one is one row here.

A row declares a list whole (:class:`~repair_shop.schema.endpoint.Endpoint`): what can be asked of
it (the path, the parameters sent with every request, the sort orders and filters offered), and
what its rows hold: columns, the other names a service may use for them, what they mean.

The specification shows no response field but a customer's ``id``, ``name`` and ``email``
("Resources and their fields"); the rest are the fields seen in the wild. So nothing here is relied
on to be there. A declared column exists in the warehouse even when no row has it, and an undeclared
field becomes a text column of its own. :mod:`repair_shop.schema.clean` loses neither.
"""

from ...schema.endpoint import Endpoint
from ...schema.lists import goods, others, people, sales, tickets

ROWS: tuple[Endpoint, ...] = (*people.ROWS, *tickets.ROWS, *sales.ROWS, *goods.ROWS, *others.ROWS)
"""Every list, in the specification's order."""
