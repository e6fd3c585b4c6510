"""What the service's lists hold: endpoints, columns, dates, the bodies of writes."""
