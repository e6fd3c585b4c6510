"""The wire: dates, answers, errors, the rate budget and the client."""
