"""What a person is told: status, doctor, logs, notices."""
