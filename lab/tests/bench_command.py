# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench` and `ringlet report` in the process of the test, and what they write."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ringlet import cli
from typer.testing import CliRunner


def run(*arguments: str) -> str:
    """What the command prints; it has to succeed."""
    result = CliRunner().invoke(cli.app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What it says when it refuses the arguments."""
    result = CliRunner().invoke(cli.app, list(arguments))
    assert result.exit_code == 2 and "Traceback" not in result.output
    return result.stderr if result.stderr_bytes else capfd.readouterr().err


def run_once(stem: str, *arguments: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Fixtures of one run of a benchmark into a folder that is not there yet: what it prints with
    the folder, and its JSON."""

    @pytest.fixture(scope="module")
    def output(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
        folder = tmp_path_factory.mktemp("bench") / "not" / "there yet"
        return run(*arguments, "--output", str(folder)), folder

    @pytest.fixture(scope="module")
    def report(output: tuple[str, Path]) -> dict[str, Any]:
        return json.loads((output[1] / f"{stem}.json").read_text())

    return output, report


def check_layout(report: dict[str, Any]) -> None:
    """Google Benchmark's, with minimum and median in microseconds, of a machine and a run."""
    context = report["context"]
    expected = {"date", "executable", "num_cpus", "mhz_per_cpu", "cpu_model", "library_version",
                "library_compiler", "library_commit", "rounds", "clock_hz"}  # fmt: skip
    assert expected <= context.keys() and context["cpu_model"]
    assert 1e8 < context["clock_hz"]["median"] <= context["clock_hz"]["max"]
    names = [entry["name"] for entry in report["benchmarks"]]
    assert names and len(names) == len(set(names))
    for entry in report["benchmarks"]:
        assert entry["time_unit"] == "us" and entry["run_type"] == "iteration"
        assert 0 < entry["min"] <= entry["median"] == entry["real_time"] == entry["cpu_time"]
        assert entry["run_name"] == entry["name"] and " " not in entry["name"]
        assert 1 <= entry["iterations"] <= context["rounds"]


def check_png(path: Path, least: int = 600) -> None:
    """A whole picture of at least so many pixels each way, which is not empty."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND"
    assert min(struct.unpack(">II", data[16:24])) >= least and len(data) > 10_000


def newest_build(variable: str, *names: str) -> Path | None:
    """The folder lab/bench of a build of this tree that has these files, or what the variable
    names."""
    if named := os.environ.get(variable):
        return Path(named)
    folders = Path(__file__).parents[2].glob("build/*/lab/bench")
    whole = [path for path in folders if all((path / name).is_file() for name in names)]
    return max(whole, key=lambda path: (path / names[0]).stat().st_mtime, default=None)


def peers_library() -> Path:
    """RINGLET_PEERS, or the library of a build of this tree; skips the test without one."""
    name = "peers/libringlet_peers.so"
    found = newest_build("RINGLET_PEERS", name)
    if found is None:
        pytest.skip("no build with RINGLET_BUILD_BENCH=ON has made ringlet_peers (libntl-dev)")
    return found if found.is_file() else found / name
