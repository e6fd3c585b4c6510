"""The local page: the published warehouse in a browser, for the people of the shop.

::

    serve(home, DashboardSettings.load())     # until stopped; shopmirror dashboard

Streamlit runs ``app.py`` anew for every click; each run opens the warehouse, asks the marts and
closes it again. So a page never keeps a sync from publishing and always shows the newest file.
"""

from pipelines.dashboard.access import DashboardSettings
from pipelines.dashboard.serve import serve

__all__ = ["DashboardSettings", "serve"]
