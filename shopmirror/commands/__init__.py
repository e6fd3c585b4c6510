"""One module for each command; each exposes ``register(app)`` and imports the heavy things late."""
