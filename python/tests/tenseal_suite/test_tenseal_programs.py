# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/tenseal_programs, on Ringlet and, by another import line, on TenSEAL.

Each program compares its numbers with NumPy's.
"""

import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).resolve().parents[3] / "examples" / "tenseal_programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))
IMPORT = "import ringlet.tenseal as ts\n"


@pytest.mark.parametrize("name", NAMES)
def test_program(ts, name, monkeypatch, capsys):
    path = PROGRAMS / f"{name}.py"
    source = path.read_text()
    assert source.count(IMPORT) == 1 and source.replace(IMPORT, "").count("ringlet") == 0
    if ts.__name__ == "tenseal":
        source = source.replace(IMPORT, "import tenseal as ts\n")
    monkeypatch.setattr(sys, "argv", [path.name])
    exec(compile(source, str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})
    assert capsys.readouterr().out
