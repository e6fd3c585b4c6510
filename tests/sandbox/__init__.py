"""Tests of the sandbox, written from the specification's tables."""
