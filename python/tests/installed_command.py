# SPDX-License-Identifier: Apache-2.0
"""The installed `ringlet` command, as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

# What the surroundings may choose and a test must not inherit.
VARIABLES = {
    "RINGLET_DEVICE", "RINGLET_FORCE_KERNELS", "RINGLET_PLAN_EFFORT", "RINGLET_WISDOM"
}  # fmt: skip


def surroundings() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k not in VARIABLES}


def heed_interrupts() -> None:
    """For `preexec_fn`: who starts the tests in the background has SIGINT ignored, and a child
    inherits that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with these arguments, in the surroundings and `environment`."""
    command = Path(sys.executable).parent / "ringlet"
    return subprocess.run(
        [str(command), *arguments],
        capture_output=True,
        text=True,
        env={**surroundings(), **environment},
        timeout=300,
        check=False,
    )


def is_clean(result: subprocess.CompletedProcess[str]) -> bool:
    """Whether it ended as a refusal does: status 2, one line, no traceback."""
    lines = result.stderr.strip().splitlines()
    return (
        result.returncode == 2
        and len(lines) == 1
        and lines[0].startswith("ringlet: error: ")
        and "Traceback" not in result.stdout + result.stderr
    )


def wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Returns once a command has used as many seconds of a processor: on a busy machine, where the
    clock says little, it is as far as on a quiet one."""
    deadline = time.monotonic() + 60
    used = 0.0
    while used < seconds:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        used = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
