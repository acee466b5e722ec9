# SPDX-License-Identifier: Apache-2.0
"""The command: output, files, exit codes, and errors as one line."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from installed_command import is_clean, run
from typer.testing import CliRunner

import ringlet
from ringlet import cli
from ringlet.bench.kernels import measured_kernels

SMALL = ["bench", "ntt", "--degrees", "64,1024", "--bits", "30,60", "--rounds", "2"]


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND"
    return struct.unpack(">II", data[16:24])


def test_info() -> None:
    result = run("info")
    assert result.returncode == 0 and result.stderr == ""
    assert ringlet.__version__ in result.stdout and ringlet.cpu_info().model in result.stdout
    for table in ringlet.kernel_tables():
        assert table in result.stdout
    assert all(device.name in result.stdout for device in ringlet.devices())
    assert "ntt" in result.stdout and "multiply_add" in result.stdout and "q < 2^" in result.stdout


def test_info_honours_the_variable() -> None:
    result = run("info", RINGLET_FORCE_KERNELS="scalar64")
    assert result.returncode == 0
    choices = result.stdout.split("Kernel of each operation")[1].split("All kernels")[0]
    others = set(ringlet.kernel_tables()) - {"scalar64"}
    assert "scalar64/" in choices and not any(f"{other}/" in choices for other in others)


@pytest.mark.parametrize("arguments", [["info"], SMALL, ["demo"]], ids=["info", "bench", "demo"])
def test_unknown_kernels_are_refused(arguments: list[str], tmp_path: Path) -> None:
    output = [] if arguments == ["info"] else ["--output", str(tmp_path / "new")]
    result = run(*arguments, *output, RINGLET_FORCE_KERNELS="nonsense")
    assert is_clean(result) and "nonsense" in result.stderr


def test_bench_writes_google_benchmark_json_and_a_picture(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    result = run(*SMALL, "--svg", "--output", str(folder))
    assert result.returncode == 0, result.stderr
    written = json.loads((folder / "ringlet-bench-ntt.json").read_text())
    assert {"date", "num_cpus", "mhz_per_cpu"} <= written["context"].keys()
    names = [entry["name"] for entry in written["benchmarks"]]
    assert len(names) == len(set(names))
    assert "ntt_forward/scalar64/radix2/n=1024/q=60" in names
    assert "ntt_inverse/scalar64/radix2/n=64/q=30" in names
    for kernel in ringlet.kernel_catalog():
        if kernel.operation == "ntt" and kernel.available and kernel.min_degree <= 1024:
            name = f"ntt_forward/{kernel.table}/{kernel.algorithm}/n=1024/q=30"
            assert (name in names) != kernel.named_only
    for entry in written["benchmarks"]:
        assert entry["time_unit"] == "us" and entry["run_type"] == "iteration"
        assert 0 < entry["min"] <= entry["median"]
        assert entry["real_time"] == entry["median"]
        assert entry["clock_hz"] > 1e8
    assert min(png_size(folder / "ringlet-bench-ntt.png")) > 500
    assert ElementTree.parse(folder / "ringlet-bench-ntt.svg").getroot().tag.endswith("svg")
    assert "cycles/butterfly" in result.stdout and "GHz" in result.stdout


def test_bench_without_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli.app, [*SMALL, "--no-json", "--no-png"])
    assert result.exit_code == 0 and "scalar64/radix2" in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--degrees", "12"],
        ["--degrees", "abc"],
        ["--degrees", ""],
        ["--bits", "63"],
        ["--bits", "1"],
        ["--rounds", "0"],
        ["--rounds", "-3"],
    ],
)
def test_bench_refuses(arguments: list[str], tmp_path: Path) -> None:
    assert is_clean(run("bench", "ntt", *arguments, "--output", str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_unusable_output_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for arguments in (SMALL, ["demo"]):
        assert is_clean(run(*arguments, "--output", str(tmp_path / "file")))


def test_usage_errors_and_help() -> None:
    assert CliRunner().invoke(cli.app, ["nonsense"]).exit_code == 2
    assert CliRunner().invoke(cli.app, ["info", "--nonsense"]).exit_code == 2
    helped = CliRunner().invoke(cli.app, ["--help"])
    assert helped.exit_code == 0
    for command in ("info", "bench", "demo"):
        assert command in helped.output
    version = CliRunner().invoke(cli.app, ["--version"])
    assert version.exit_code == 0 and ringlet.__version__ in version.output


def test_a_closed_pipe_is_no_traceback() -> None:
    command = Path(sys.executable).parent / "ringlet"
    result = subprocess.run(
        f"'{command}' info | head -n 1", shell=True, capture_output=True, text=True, timeout=120
    )
    assert result.stdout.startswith("ringlet") and "Traceback" not in result.stderr


def test_candidates_follow_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    q = ringlet.generate_ntt_primes(30, 1024, 1)[0]
    everything = measured_kernels("ntt", 1024, q)
    assert "scalar64/radix2" in everything
    assert measured_kernels("ntt", 1024, 1 << 62) == []
    only = run(*SMALL, "--no-json", "--no-png", RINGLET_FORCE_KERNELS="scalar64")
    assert only.returncode == 0
    rows = [line for line in only.stdout.splitlines() if "bits" in line and "/radix" in line]
    assert rows and all("scalar64/" in row for row in rows)
