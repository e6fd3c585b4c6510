"""The service of the specification, on loopback, written from its tables alone."""
