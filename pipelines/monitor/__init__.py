"""What a person is told: status, doctor, metrics, logs, notices."""
