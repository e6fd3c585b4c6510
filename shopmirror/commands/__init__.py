"""One module for each command, with a function of its name or an ``app`` of several commands."""
