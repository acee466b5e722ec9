# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench seal` with the program of a build, and with one that invents its times."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from bench_command import check_layout, newest_build, refused, run

PROGRAM = "seal/ringlet_bench_seal"
# The median of the interface is the argument of `fake` times that of Ringlet's own.
FAKE = """#!{python}
import json, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
name = f"{{options['--scheme']}}/n={{options['--degree']}}/EvaluateAddCt/"
sides = {{"own": 1.0, "interface": {ratio}, "seal": 3.0}}
benchmarks = [{{"name": name + side, "min": 50 * time, "median": 60 * time, "iterations": 2,
                "calls": 4}} for side, time in sides.items()]
content = {{"context": {{"seal_version": "4.9"}}, "benchmarks": benchmarks}}
open(options["--json"], "w").write(json.dumps(content))
"""


def fake(folder: Path, ratio: float) -> str:
    program = folder / "program"
    program.write_text(FAKE.format(python=sys.executable, ratio=ratio))
    program.chmod(0o755)
    return str(program)


def bench(folder: Path, program: str, *options: str) -> tuple[str, dict]:
    file = folder / "found.json"
    given = ("bench", "seal", "--quick", "--program", program, "--json", str(file), *options)
    return " ".join(run(*given).split()), json.loads(file.read_text())


def test_the_program_of_a_build(tmp_path: Path) -> None:
    folder = newest_build("RINGLET_BENCH", PROGRAM)
    if folder is None:
        pytest.skip("no build with RINGLET_BUILD_BENCH=ON has made ringlet_bench_seal")
    shown, found = bench(tmp_path, str(folder / PROGRAM))
    check_layout(found)
    names = {entry["name"] for entry in found["benchmarks"]}
    assert len(names) > 300
    for scheme, row in (("bfv", "NTTForward"), ("bgv", "DecodeBatch"), ("ckks", "KeyGenGalois")):
        assert {f"{scheme}/n=4096/{row}/{side}" for side in ("own", "interface")} <= names
    assert "SEAL's interface costs at most 3%" in shown and "CKKS, N = 4096" in shown


@pytest.mark.parametrize(("ratio", "verdict"), [(1.02, "3 of 3 rows"), (1.5, "0 of 3 rows")])
def test_the_verdict(ratio: float, verdict: str, tmp_path: Path) -> None:
    shown, found = bench(tmp_path, fake(tmp_path, ratio))
    assert f"minimum or median: {verdict} with N >= 4096" in shown
    assert ("more: bgv 4096 EvaluateAddCt: 1.500" in shown) == (ratio > 1.03)
    assert "SEAL itself: version 4.9" in shown and f"{3 / ratio:.3f}" in shown
    page = (tmp_path / "found.md").read_text()
    assert "| EvaluateAddCt | 50.0 | 60.0 |" in page
    assert found["context"]["seal_version"] == "4.9" and len(found["benchmarks"]) == 3 * 2 * 3


def test_what_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = ("--program", fake(tmp_path, 1.0))
    broken = tmp_path / "broken"
    broken.write_text(f"#!{sys.executable}\nraise SystemExit('EvaluateAddCt gives a wrong result')")
    broken.chmod(0o755)
    for options, words in (
        ((), "make bench ARGS=seal"),
        (("--program", "/nowhere"), "/nowhere: no such file"),
        ((*program, "--schemes", "bfw"), "--schemes bfw"),
        ((*program, "--degrees", "512"), "--degrees 512"),
        ((*program, "--rounds", "0"), "1 or more"),
        (("--program", str(broken)), "EvaluateAddCt gives a wrong result"),
    ):
        text = refused(capfd, "bench", "seal", "--no-json", *options)
        assert words in " ".join(text.split()), text
