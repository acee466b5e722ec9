# SPDX-License-Identifier: Apache-2.0
"""Facts of the machine and the build with which a report is made."""

from __future__ import annotations

import os
import platform
import statistics

from ringlet import __version__, cpu_info, devices

from .._lab import Stopwatch, add_limit, build_info, selected_kernels

_CLOCK_ROUNDS = 20
_GIB = float(1 << 30)


def available_threads() -> int:
    """Returns the number of processor threads on which this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / _GIB:.1f} GiB"
    except (ValueError, OSError):
        return "unknown"


def _system() -> str:
    """Returns the distribution, if the system names it, and the kernel."""
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    parts = [name, platform.system(), platform.release(), platform.machine()]
    return " ".join(part for part in parts if part)


# Below this load, times of interleaved rounds differ by less than the limit of a difference.
_QUIET_LOAD = 0.3


def load_text() -> str:
    """Returns the number of processes that ran or waited to run, on average over the last minute.
    """
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"


def load_warning(before: str) -> str:
    """Returns a warning for times that were measured at this load, or "" on a quiet machine."""
    if before == "unknown" or float(before) < _QUIET_LOAD:
        return ""
    return (
        f"Other programs were running when this report began (load {before}): times may be too "
        "long and ratios wrong. Measure again on a quiet machine."
    )


def _clock() -> str:
    stopwatch = Stopwatch()
    add_limit(stopwatch, "shoup/scalar64", 960)
    stopwatch.run(_CLOCK_ROUNDS)
    return f"{statistics.median(stopwatch.clock_hz) * 1e-9:.2f} GHz, measured"


def machine_facts() -> dict[str, str]:
    """Returns the facts of this machine that affect speed."""
    cpu = cpu_info()
    found = [f"{d.description} ({d.name}, {d.api})" for d in devices() if d.api != "host"]
    return {
        "processor": cpu.model,
        "instruction sets": ", ".join(cpu.features) or "none that kernels use",
        "clock": _clock(),
        "threads": str(available_threads()),
        "memory": _memory(),
        "system": _system(),
        "devices": ", ".join(found) or "none",
    }


def build_facts() -> dict[str, str]:
    """Returns the facts of the library: version, compiler and commit."""
    built = build_info()
    facts = {"version": __version__, "compiler": built["compiler"], "commit": built["commit"]}
    forced = selected_kernels()
    return {**facts, "kernels": f"RINGLET_FORCE_KERNELS={forced}"} if forced else facts
