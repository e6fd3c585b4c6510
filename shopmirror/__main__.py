"""``python -m shopmirror``: the same as the command ``shopmirror``."""

from shopmirror.main import run

run()
