# SPDX-License-Identifier: Apache-2.0
"""Runs of `ringlet bench gpu` on a runtime on the host's processor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import ringlet
from bench_command import run as run_command
from ringlet import cli
from typer.testing import CliRunner

STEM = "ringlet-bench-gpu"
PICTURES = ("roofline", "ntt", "shares", "routines", "products")


@pytest.fixture(scope="module")
def name() -> str:
    """An OpenCL runtime on the host's processor, such as PoCL."""
    for device in ringlet.devices()[1:]:
        if device.is_host_processor:
            return device.name
    pytest.skip("no OpenCL runtime on this processor (pocl-opencl-icd)")


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, ["bench", "gpu", *arguments])
    assert "Traceback" not in result.output
    if result.exception is not None:
        assert isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


class Run:
    """One run: its output, its JSON and its folder."""

    def __init__(self, output: str, folder: Path) -> None:
        self.output = output
        self.folder = folder
        self.written: dict[str, Any] = json.loads((folder / f"{STEM}.json").read_text())
        self.context = self.written["context"]
        self.entries = self.written["benchmarks"]

    def of(self, kind: str) -> list[dict]:
        return [entry for entry in self.entries if entry["kind"] == kind]

    def one(self, kind: str, **members: object) -> dict:
        found = [e for e in self.of(kind) if all(e[k] == v for k, v in members.items())]
        assert len(found) == 1, (kind, members)
        return found[0]

    def rate(self, product: str) -> float:
        return next(e["rate"] for e in self.of("roof") if e["name"] == f"gpu_roof/{product}")

    def refused(self, part: str) -> set[str]:
        return {r["row"] for r in self.written["refused"] if r["part"] == part}


@pytest.fixture(scope="module")
def run(name: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("gpu") / "not" / "there yet"
    sizes = ("--rounds", "2", "--degrees", "1024", "--batches", "1,2", "--svg")
    command = ("bench", "gpu", "--device", name, *sizes, "--output", str(folder))
    return Run(run_command(*command), folder)
