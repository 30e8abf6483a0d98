"""The `balance` command, also as `python -m balance`.

Imports nothing before `main` runs, so that Ctrl-C is answered from the first moment on.
"""

import os
import sys


def main() -> None:
    """Be the `balance` command."""
    # Numba starts colorama where that is installed, which ends every output on a terminal with a reset code.
    sys.modules.setdefault("colorama", None)  # type: ignore[arg-type]
    try:
        import signal

        from balance.cli.app import end, run

        code = run(sys.argv[1:])
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is out: there is nothing left to interrupt
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        sys.stderr.flush()
        os._exit(130)
    end(code)


if __name__ == "__main__":
    main()
