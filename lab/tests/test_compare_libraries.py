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
