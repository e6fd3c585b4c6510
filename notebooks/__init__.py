"""Notebooks for analysts over the published warehouse, and what builds and checks them."""
