"""The `balance` command, also as `python -m balance`.

Imports nothing before `main` runs, so that Ctrl-C is answered from the first moment on. One process works,
another waits for it: a library written in C may crash, take all memory or not return for minutes, and then
only somebody else can say so and clear up.
"""

import os
import sys

TYPE_CHECKING = False  # from typing, whose import takes long
if TYPE_CHECKING:
    import signal

_POLL = 0.1
"""Seconds between two looks at the process that works."""
_PATIENCE = 1.0
"""Seconds in which it has to notice that it is told to end."""
_NEVER = float("inf")
_MOST_MEMORY = 0.85
"""Of the memory of this machine."""
_BY_TERMINAL = 0x80
"""Where a signal comes from: a terminal sends it to both processes."""
_END_WITH_PARENT = 1
"""The number of `prctl` for a signal at the end of the parent."""


def main() -> None:
    """Be the `balance` command."""
    # Numba starts colorama where that is installed, which ends every output on a terminal with a reset code.
    sys.modules.setdefault("colorama", None)  # type: ignore[arg-type]
    try:
        import signal

        if hasattr(signal, "sigtimedwait"):  # not on macOS
            _split()
        from balance.cli.app import end, run

        code = run(sys.argv[1:])
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the answer is out: there is nothing left to interrupt
    except KeyboardInterrupt:
        _say("interrupted")
        os._exit(130)
    end(code)


def _split() -> None:
    """Return in a child process, which works; this one waits for it and ends as it does."""
    import ctypes
    import signal
    import time

    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    wanted = {number for number in ends if signal.getsignal(number) is not signal.SIG_IGN}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {*wanted, signal.SIGCHLD})
    reading, writing = os.pipe()
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError:  # no more processes
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*wanted, signal.SIGCHLD})
        return
    if child:
        os.close(writing)
        os.set_blocking(reading, False)
        os._exit(_wait(child, wanted, reading))
    os.close(reading)
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    last, told = 0.0, 0

    def again(dropped: "sys.UnraisableHookArgs") -> None:
        """Send a signal again if Python has dropped its exception: it came while LLVM called a function."""
        if not issubclass(dropped.exc_type, (KeyboardInterrupt, SystemExit)):
            sys.__unraisablehook__(dropped)
            return
        import threading

        threading.Timer(2 * _POLL, os.kill, (os.getpid(), told)).start()

    def end(number: int, _: object) -> None:
        nonlocal last, told
        told = number
        os.write(writing, b".")
        before, last = last, time.monotonic()
        if last - before > _POLL:  # a signal to the group of processes comes twice
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    sys.unraisablehook = again
    for number in wanted:
        signal.signal(number, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {*wanted, signal.SIGCHLD})


def _wait(child: int, wanted: "set[signal.Signals]", reading: int) -> int:
    """Wait for the end of the process that works, or end it; return its exit code."""
    import signal
    import time

    why, first, told, deadline = "", 0, 0, _NEVER
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        found = signal.sigtimedwait({*wanted, signal.SIGCHLD}, _POLL)
        if found and found.si_signo in wanted:
            if found.si_code != _BY_TERMINAL:
                os.kill(child, found.si_signo)
            first = first or found.si_signo
            told, deadline = found.si_signo, min(deadline, time.monotonic() + _PATIENCE)
        try:
            if os.read(reading, 1024):  # it has noticed
                told, deadline = 0, _NEVER
        except BlockingIOError:
            why = why or _too_much_memory(child)
            # A signal that comes just before Python waits for a key is not noticed until the next one.
            if time.monotonic() > deadline - _PATIENCE / 2:
                os.kill(child, told)
        if why or time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(ended[1])
    if code >= 0:
        # DuckDB reports every signal as an interruption.
        return 128 + first if first and code == 128 + signal.SIGINT else code
    _clear_up()
    number = told or -code
    if number == signal.SIGINT:
        _say("interrupted")
    elif number not in wanted:
        _say(why or f"a library has crashed, or the process was killed (signal {number})")
        return 1
    return 128 + number


def _too_much_memory(process: int) -> str:
    """Return what is wrong if a process has nearly all memory of this machine."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:  # noqa: PTH123 - imports nothing
            used = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return ""
    if used < 2**30:
        return ""
    from balance.machine import memory

    there = memory().amount
    if not there or used < there * _MOST_MEMORY:
        return ""
    return f"out of memory: this takes more than {used / 1e9:.0f} of the {there / 1e9:.0f} GB of this machine"


def _clear_up() -> None:
    """Remove the temporary folders of a process that could not do it."""
    import shutil
    import tempfile
    from pathlib import Path

    for folder in Path(tempfile.gettempdir()).glob(f"balance-*-{os.getpid()}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def _say(what: str) -> None:
    try:
        os.write(2, f"error: {what}\n".encode())
    except OSError:
        return  # nobody listens


if __name__ == "__main__":
    main()
