"""``python -m shopmirror``: the same as the command ``shopmirror``."""

import os
import signal


def run() -> None:
    """Entry point of the console script."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            # While modules load nothing was begun, and a traceback would tell of them.
            signal.signal(number, lambda *_: os._exit(4))
    from shopmirror import main

    main.run()


if __name__ == "__main__":
    run()
