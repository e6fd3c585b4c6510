"""Warehouses of generated shops, made once for all tests."""

from tests.app.conftest import chain as chain
from tests.app.conftest import home as home
