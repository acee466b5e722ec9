#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs all applications, in both languages and on every device, and prints the table of
examples/applications/README.md.

    python lab/scripts/measure_applications.py --programs build/dev/examples/applications

Bytes are sums over all messages to the server, or back, seconds those of one run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import ringlet

APPLICATIONS = Path(__file__).resolve().parents[2] / "examples" / "applications"
NAMES = sorted(path.stem for path in APPLICATIONS.glob("*.cpp"))
HEAD = "| application | language | device | server, s | others, s | to the server, MB | back, MB |"
RULE = "|---|---|---|--:|--:|--:|--:|"


def row(name: str, language: str, command: list[str], device: str) -> str:
    """Returns one line of the table. An application that fails ends the script."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        subprocess.run(
            [*command, "--device", device, "--json", str(path)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        report: dict[str, Any] = json.loads(path.read_text())
    seconds = report["seconds"].items()
    sizes = report["bytes"].items()
    server = sum(value for what, value in seconds if "server:" in what)
    others = sum(value for _, value in seconds) - server
    to_server = sum(value for what, value in sizes if "to the server" in what) / 1e6
    # Public keys that go to the parties count in neither direction.
    back = sum(v for w, v in sizes if "to the server" not in w and "to each" not in w) / 1e6
    figures = f"{server:.3f} | {others:.3f} | {to_server:.2f} | {back:.2f}"
    return f"| `{name}` | {language} | {device} | {figures} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=Path, help="folder of the C++ programs, app_*")
    chosen = parser.parse_args()
    if chosen.programs is not None and not chosen.programs.is_dir():
        parser.error(f"there is no folder {chosen.programs}: build the applications first")
    infos = ringlet.devices()
    print(f"Measured on {datetime.date.today()}: {', '.join(map(repr, infos))}.\n\n{HEAD}\n{RULE}")
    for name in NAMES:
        commands = {"Python": [sys.executable, str(APPLICATIONS / f"{name}.py")]}
        if chosen.programs is not None:
            commands["C++"] = [str(chosen.programs / f"app_{name}")]
        for info in infos:
            for language, command in commands.items():
                print(row(name, language, command, info.name), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
