# SPDX-License-Identifier: Apache-2.0
"""The installed `ringlet` command, as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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
