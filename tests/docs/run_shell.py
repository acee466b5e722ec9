# SPDX-License-Identifier: Apache-2.0
"""Runs shell blocks in a scratch copy of the sources, with `ringlet` and `python` on the path."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "structure"))
from report import repository_files  # noqa: E402

LIMIT_SECONDS = 600


def make_checkout(folder):
    """Copies what belongs to the repository, for all pages; nothing is built there."""
    if not folder.is_dir():
        for name in repository_files():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def make_tools(folder):
    """A folder with `ringlet`, `python` and `python3`: those of this process."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = {"ringlet": "-m ringlet ", "python": "", "python3": ""}
    for name, module in lines.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module}"$@"\n')
        script.chmod(0o755)
    return folder


def run_shell(text, folder, tools):
    """Runs a block; what it printed, and what went wrong."""
    places = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    environment = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in places if place),
        "PIP_NO_INDEX": "1",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    return run_limited(["bash", "-euo", "pipefail", "-c", text], folder, environment)


def run_limited(command, folder, environment=None):
    """Runs a command for ten minutes at most; what it printed, and what went wrong."""
    try:
        run = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True,
            timeout=LIMIT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "", f"still running after {LIMIT_SECONDS} s"
    if run.returncode:
        said = run.stderr.strip() or run.stdout.strip() or "nothing was said"
        return run.stdout, f"exit status {run.returncode}: {said.splitlines()[-1]}"
    return run.stdout, ""
