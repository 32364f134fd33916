"""What a result file says about where it came from; nothing that names machine or owner."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from joinbench import HERE

GIVEN = "SCALEGATE_BENCH_COMMIT"


def first_value(path: str, field: str) -> str | None:
    """The first `field : value` of a /proc file, or None where there is no such file."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    values = (line.split(":", 1)[1].strip() for line in lines if line.startswith(field))
    return next(values, None)


def describe() -> dict[str, Any]:
    kib = first_value("/proc/meminfo", "MemTotal")
    release = first_value_of_release()
    return {
        "cpu": first_value("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(int(kib.split()[0]) / 2**20, 1) if kib else None,
        "os": f"{platform.system()} {platform.machine()}" + (f", {release}" if release else ""),
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def first_value_of_release() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit(root: Path) -> dict[str, Any]:
    """`dirty` leaves out what a benchmark itself writes: results and what is made from them. On a
    machine that has classes but no repository, the commit is the one in the environment.
    """
    if given := os.environ.get(GIVEN):
        return {"commit": given, "dirty": False}
    written = (f":!{HERE}/results", ":!docs/performance*", ":!docs/img/performance.png")
    changed = git(root, "status", "--porcelain", "--", ".", *written)
    return {"commit": git(root, "rev-parse", "HEAD") or None, "dirty": bool(changed)}
