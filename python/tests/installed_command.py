# SPDX-License-Identifier: Apache-2.0
"""The installed `ringlet` command, as a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ringlet_command

COMMAND = Path(sys.executable).parent / "ringlet"

# Variables that the environment may set and a test must not inherit.
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
    return subprocess.run(
        [str(COMMAND), *arguments],
        capture_output=True,
        text=True,
        env={**surroundings(), **environment},
        timeout=300,
        check=False,
    )


def _run_here(arguments: tuple[str, ...], streams: tuple[int, int]) -> None:
    """Runs the command in this process, whose output and errors go to these files."""
    for name in VARIABLES:
        os.environ.pop(name, None)
    for file, stream in zip(streams, (1, 2), strict=True):
        os.dup2(file, stream)
    sys.stdout, sys.stderr = (open(stream, "w", closefd=False) for stream in (1, 2))
    sys.argv = ["ringlet", *arguments]
    ringlet_command.main()


def run_forked(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command as `run` does, in a fork of this process, which has the imports already."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        streams = output.fileno(), errors.fileno()
        child = multiprocessing.get_context("fork").Process(
            target=_run_here, args=(arguments, streams)
        )
        child.start()
        child.join(300)
        for file in (output, errors):
            file.seek(0)
        status = child.exitcode
        assert status is not None
        return subprocess.CompletedProcess(arguments, status, output.read(), errors.read())


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


def interrupted(
    arguments: list[str],
    is_time: Callable[[subprocess.Popen[str]], None],
    patience: float = 10,
    **options: Any,
) -> tuple[int, str, str]:
    """(status, output, errors) of the command, which Ctrl-C meets when is_time(process) returns."""
    process = subprocess.Popen(
        [COMMAND, *arguments], env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, preexec_fn=heed_interrupts, **options,
    )  # fmt: skip
    with process:
        try:
            is_time(process)
            process.send_signal(signal.SIGINT)
            output, complaint = process.communicate(timeout=patience)
        finally:
            process.kill()
    return process.returncode, output, complaint


def ends_at_ctrl_c(arguments: list[str], folder: Path, seconds: float = 0.8) -> bool:
    """Whether the command, at work in a folder for so long, ends with one line and code 130, and
    leaves no file."""
    status, _, complaint = interrupted(
        arguments, lambda process: wait_for_work(process, seconds), patience=60, cwd=folder
    )
    last = complaint.strip().splitlines()[-1]
    is_said = last == "ringlet: interrupted" and "Traceback" not in complaint
    return status == 130 and is_said and os.listdir(folder) == []


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of bash that finds the command."""
    path = {"PATH": f"{COMMAND.parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=120,
        env={**surroundings(), **path, **environment}, check=False,
    )  # fmt: skip


_COMPLETE = """
eval "$(ringlet completion bash)"
COMP_WORDS=(%s)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"$(complete -p ringlet | sed 's/.*-F \\([^ ]*\\).*/\\1/')" ringlet
printf '%%s\\n' "${COMPREPLY[@]}"
"""


def completions(words: str) -> set[str]:
    """What bash offers behind these words."""
    result = shell(_COMPLETE % words)
    assert result.returncode == 0 and result.stderr == ""
    return set(result.stdout.split())
