# SPDX-License-Identifier: Apache-2.0
"""README's comparison of libraries: each result is compared before it is timed."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "compare_libraries.py"


@pytest.mark.parametrize("library", ["Ringlet", "SEAL", "TenSEAL"])
def test_operations_run_and_are_right(library):
    if library != "Ringlet" and importlib.util.find_spec("tenseal") is None:
        pytest.skip("TenSEAL is not installed")
    operations = ["multiply", "dot product"]
    run = subprocess.run(
        [sys.executable, SCRIPT, "--work", library],
        input="\n".join(operations), capture_output=True, text=True, check=True,
    )  # fmt: skip
    first, *seconds = run.stdout.splitlines()
    assert set(operations) <= set(first.partition("|")[2].split(",")), run.stderr
    assert len(seconds) == 2 and all(float(text) > 0 for text in seconds)


def test_a_missing_library_is_named():
    run = subprocess.run(
        [sys.executable, SCRIPT, "--rounds", "1", "--openfhe", "/bin/false"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "missing: OpenFHE" in run.stderr
    assert re.search(r"^\| multiply \| \d+\.\d\d ", run.stdout, re.MULTILINE)


@pytest.mark.parametrize("column", ["ringlet.tenseal", "arrays", "compiled", "TenSEAL"])
def test_tasks_of_a_data_scientist_run(column):
    """The script itself compares Ringlet's results with NumPy's."""
    if column == "TenSEAL" and importlib.util.find_spec("tenseal") is None:
        pytest.skip("TenSEAL is not installed")
    script = SCRIPT.with_name("compare_arrays_tenseal.py")
    tasks = ["dot 128", "polynomial of degree 7", "convolution 28 x 28 with 5 x 5"]
    run = subprocess.run(
        [sys.executable, script, "--work", column],
        input="\n".join(tasks), capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = run.stdout.splitlines()[1:]
    assert len(lines) == 3 and all(float(line.split()[1]) < 1e-3 for line in lines), run.stderr
