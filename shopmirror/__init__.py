"""shopmirror: the command line."""
