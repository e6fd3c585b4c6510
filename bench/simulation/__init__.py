"""Months of a shop in minutes: the parts of ``bench/soak.py``.

``world`` the service, its clock and ours, processes that can be killed; ``staff`` what the shop's
people do behind our back; ``user`` the changes that are queued; ``trouble`` what goes wrong;
``truth`` the mirror held against the service's own records, and how long each difference may last.
"""
