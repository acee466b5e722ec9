# SPDX-License-Identifier: Apache-2.0
"""The command: output, files, exit codes, and errors as one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from installed_command import is_clean, run
from typer.testing import CliRunner

import ringlet
from ringlet import cli


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


@pytest.mark.parametrize("arguments", [["info"], ["demo"]], ids=["info", "demo"])
def test_unknown_kernels_are_refused(arguments: list[str], tmp_path: Path) -> None:
    output = [] if arguments == ["info"] else ["--output", str(tmp_path / "new")]
    result = run(*arguments, *output, RINGLET_FORCE_KERNELS="nonsense")
    assert is_clean(result) and "nonsense" in result.stderr


def test_unusable_output_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert is_clean(run("demo", "--output", str(tmp_path / "file")))


def test_usage_errors_and_help() -> None:
    assert CliRunner().invoke(cli.app, ["nonsense"]).exit_code == 2
    assert CliRunner().invoke(cli.app, ["info", "--nonsense"]).exit_code == 2
    helped = CliRunner().invoke(cli.app, ["--help"])
    assert helped.exit_code == 0
    for command in ("info", "rings", "demo"):
        assert command in helped.output
    version = CliRunner().invoke(cli.app, ["--version"])
    assert version.exit_code == 0 and ringlet.__version__ in version.output


def test_a_closed_pipe_is_no_traceback() -> None:
    command = Path(sys.executable).parent / "ringlet"
    result = subprocess.run(
        f"'{command}' info | head -n 1", shell=True, capture_output=True, text=True, timeout=120
    )
    assert result.stdout.startswith("ringlet") and "Traceback" not in result.stderr
