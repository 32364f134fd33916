"""How long tests wait for what other processes do."""

import time
from collections.abc import Callable
from subprocess import Popen
from typing import Any

# Seconds that only a fault takes: what takes ten on a free machine takes minutes on a busy one.
BOUND = 600


def wait_until(
    condition: Callable[[], bool], what: str, process: "Popen[Any] | None" = None
) -> None:
    """Waits for a condition that must come to hold while the process, if any, runs."""
    end = time.monotonic() + BOUND
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        assert process is None or process.poll() is None, f"the process ended before {what}"
        time.sleep(0.02)
