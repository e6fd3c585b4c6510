"""Our reports against the service's own: compared, calibrated, explained."""
