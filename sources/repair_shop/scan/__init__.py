"""Scans that know whether they missed something: which are made, and how each reads its list."""
