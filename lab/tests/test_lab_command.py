# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench` and `ringlet report` as a user meets them: help that fits, files, JSON, exit
codes, Ctrl-C and completion."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import ringlet
import typer
from bench_command import check_layout, check_png
from installed_command import completions, ends_at_ctrl_c, is_clean, run
from ringlet import cli
from typer.testing import CliRunner

from ringlet_lab import _lab, commands
from ringlet_lab.bench.kernels import measured_kernels

ROWS, COLUMNS = 24, 80
# This help has two panels of options.
LONG_HELP = {"bench ntt": 27}
SMALL = ["bench", "ntt", "--degrees", "64,1024", "--bits", "30,60", "--rounds", "2"]
SMALLEST = ["bench", "ntt", "--degrees", "64", "--bits", "30", "--rounds", "2", "--no-png"]


def leaves(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its path, groups too."""
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from leaves(command, (*path, name))


TREE = {
    path: command
    for name in ("bench", "report")
    for path, command in leaves(typer.main.get_command(getattr(commands, name)), (name,))
}


def help_of(*path: str) -> str:
    result = CliRunner().invoke(cli.app, [*path, "--help"], env={"COLUMNS": str(COLUMNS)})
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("path", TREE, ids=" ".join)
def test_help_fits_a_screen(path: tuple[str, ...]) -> None:
    lines = help_of(*path).splitlines()
    assert f"ringlet {' '.join(path)} " in " ".join(lines)
    assert max(map(len, lines)) <= COLUMNS
    # The next prompt takes the last row of the screen.
    assert len(lines) < LONG_HELP.get(" ".join(path), ROWS) + 1


def test_first_screen_names_the_commands() -> None:
    text = help_of()
    assert len(text.splitlines()) < ROWS
    for name in ("bench", "report", "rings", "tune"):
        [line] = re.findall(rf"^│ {name} +(.+?) +│$", text, re.MULTILINE)
        assert line.endswith("."), f"{name}: its line does not end here"


def test_help_is_quick_to_import() -> None:
    """Pictures and measurements are imported by the commands that need them."""
    script = "import sys, ringlet_lab.commands; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "ringlet_lab.commands.bench" in loaded
    assert not loaded & {"matplotlib", "dask", "ringlet_lab._lab", "ringlet_lab.bench.ntt"}


def test_every_command_has_json() -> None:
    found = {path for path, command in TREE.items() if not hasattr(command, "commands")}
    assert len(found) == 10
    for path in found:
        [option] = [p for p in TREE[path].params if "--json" in p.opts]
        assert option.metavar == "FILE" and not option.secondary_opts, path


def test_bench_writes_google_benchmark_json_and_a_picture(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    result = run(*SMALL, "--svg", "--output", str(folder))
    assert result.returncode == 0, result.stderr
    written = json.loads((folder / "ringlet-bench-ntt.json").read_text())
    check_layout(written)
    names = [entry["name"] for entry in written["benchmarks"]]
    assert "ntt_forward/scalar64/radix2/n=1024/q=60" in names
    assert "ntt_inverse/scalar64/radix2/n=64/q=30" in names
    for kernel in _lab.kernel_catalog():
        if kernel.operation == "ntt" and kernel.available and kernel.min_degree <= 1024:
            name = f"ntt_forward/{kernel.table}/{kernel.algorithm}/n=1024/q=30"
            assert (name in names) != kernel.named_only
    assert all(entry["clock_hz"] > 1e8 for entry in written["benchmarks"])
    check_png(folder / "ringlet-bench-ntt.png")
    assert ElementTree.parse(folder / "ringlet-bench-ntt.svg").getroot().tag.endswith("svg")
    assert "cycles/butterfly" in result.stdout and "GHz" in result.stdout


def test_candidates_follow_the_variable() -> None:
    q = ringlet.generate_ntt_primes(30, 1024, 1)[0]
    everything = measured_kernels("ntt", 1024, q)
    assert "scalar64/radix2" in everything
    assert measured_kernels("ntt", 1024, 1 << 62) == []
    only = run(*SMALL, "--no-json", "--no-png", RINGLET_FORCE_KERNELS="scalar64")
    assert only.returncode == 0
    rows = [line for line in only.stdout.splitlines() if "bits" in line and "/radix" in line]
    assert rows and all("scalar64/" in row for row in rows)


def test_json_on_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is all there, and what people read is on standard error; a file has the same."""
    monkeypatch.chdir(tmp_path)
    result = run(*SMALLEST, "--json", "-")
    assert result.returncode == 0, result.stderr
    assert "benchmarks" in json.loads(result.stdout) and result.stderr.strip()
    assert os.listdir(tmp_path) == []
    to_file = run(*SMALLEST, "--json", "folder/result.json")
    assert to_file.returncode == 0 and "wrote folder/result.json" in to_file.stdout
    written = json.loads((tmp_path / "folder" / "result.json").read_text())
    assert written.keys() == json.loads(result.stdout).keys()


def test_json_where_it_is_told(tmp_path: Path) -> None:
    named = tmp_path / "named.json"
    result = run(*SMALLEST, "--json", str(named), "--output", str(tmp_path))
    assert result.returncode == 0 and os.listdir(tmp_path) == ["named.json"]
    assert is_clean(run(*SMALLEST, "--json", str(named), "--no-json"))


@pytest.mark.parametrize(
    "arguments", [["bench", "nonsense"], ["bench", "ntt", "--nonsense"], ["report", "--nonsense"]]
)
def test_misuse_is_one_line_with_a_hint(arguments: list[str]) -> None:
    result = run(*arguments)
    assert is_clean(result), result.stderr
    assert "--help'." in result.stderr


def test_unusable_output_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (str(tmp_path / "file"), "/proc/no"):
        assert is_clean(run(*SMALLEST, "--output", folder))


def test_unknown_kernels_are_refused(tmp_path: Path) -> None:
    output = ["--output", str(tmp_path / "new")]
    result = run(*SMALL, *output, RINGLET_FORCE_KERNELS="nonsense")
    assert is_clean(result) and "nonsense" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "ntt", "--degrees", "4096", "--rounds", "1000000", "--output", "."],
        ["bench", "wide", "--degrees", "1024", "--rounds", "1000000", "--seconds", "600"],
        ["report", "--sections", "operations,roofline"],
    ],
    ids=lambda arguments: arguments[1],
)
def test_ctrl_c(arguments: list[str], tmp_path: Path) -> None:
    assert ends_at_ctrl_c(arguments, tmp_path)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("ringlet be", {"bench"}),
        ("ringlet bench wi", {"widths", "wide"}),
        ("ringlet bench ntt --pap", {"--paper-method", "--paper-degrees"}),
    ],
)
def test_bash_completes(words: str, wanted: set[str]) -> None:
    assert completions(words) == wanted


def test_measurements_release_the_lock() -> None:
    q = ringlet.generate_ntt_primes(49, 1024, 1)[0]
    stopwatch = _lab.Stopwatch()
    stopwatch.add_ntt(1024, q, "scalar64", True)
    measuring = threading.Thread(target=stopwatch.run, args=(200,))
    measuring.start()
    wakeups = 0
    while measuring.is_alive():
        time.sleep(0.001)
        wakeups += 1
    measuring.join()
    assert wakeups >= 10 and len(stopwatch.times_ns(0)) == 200
