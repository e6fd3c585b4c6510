"""One sync: extract, load, transform, reconcile, repair, publish."""
