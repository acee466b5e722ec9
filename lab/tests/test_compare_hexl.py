# SPDX-License-Identifier: Apache-2.0
"""`make compare-hexl` without HEXL: a second build of Ringlet's drop-in, under HEXL's names, stands
in for it, and scripts stand in for the benchmark programs of other libraries."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "lab" / "scripts" / "compare_hexl.py"
DEV = ROOT / "build" / "dev"
ARCHIVES = [DEV / "compat" / "hexl" / "libhexl.a", DEV / "libringlet_kernels.a"]
# Writes what Google Benchmark would: TIME is replaced.
PROGRAM = f"""#!{sys.executable}
import json, os, sys
if CALLS_RINGLET and os.environ.get("RINGLET_FORCE_KERNELS") == "nothing":
    sys.exit("unknown table")
options = dict(option.split("=", 1) for option in sys.argv[1:])
entries = [
    ("n=8192 / log(q)=218 / BFV / EvaluateMulCt/iterations:10", TIME, "us"),
    ("n=8192 / log(q)=218 / BFV / EvaluateRelinInplace/iterations:10", TIME / 1e3, "ms"),
    ("n=8192 / log(q)=218 / UTIL / NTTForwardLowLevel/iterations:10", 1, "us"),
    ("n=4096 / log(q)=109 / BFV / EvaluateMulCt/iterations:10", 1, "us"),
]
benchmarks = [{{"name": n, "real_time": t, "time_unit": u}} for n, t, u in entries]
open(options["--benchmark_out"], "w").write(json.dumps({{"benchmarks": benchmarks}}))
"""


def drop_in(prefix, name, *first):
    """Ringlet's drop-in as a shared library of this name; `first` hides parts of it."""
    (prefix / "lib").mkdir(parents=True)
    shutil.copytree(ROOT / "compat" / "hexl" / "include", prefix / "include")
    command = ["clang++-19", "-shared", "-fPIC", "-O1", f"-I{prefix / 'include'}"]
    command += ["-o", prefix / "lib" / name, f"-Wl,-soname,{name},-z,muldefs", *first]
    subprocess.run([*command, "-Wl,--whole-archive", *ARCHIVES], check=True)
    (prefix / "lib" / "libhexl.so").symlink_to(name)
    return prefix


@pytest.fixture(scope="module")
def ringlet(tmp_path_factory):
    return drop_in(tmp_path_factory.mktemp("ringlet") / "prefix", "libhexl.so.ringlet.0")


def compare(ringlet, *options):
    command = [sys.executable, SCRIPT, "--ringlet", ringlet, "--rounds", "2", "--runs", "2"]
    return subprocess.run([*command, *options], capture_output=True, text=True)


def test_the_tables_of_a_stand_in(ringlet, tmp_path):
    run = compare(ringlet, "--hexl", drop_in(tmp_path / "hexl", "libhexl.so.1.2.6"))
    assert run.returncode == 0, run.stderr
    assert "HEXL= is Ringlet itself, so publish none of its figures" in run.stdout
    times = r"(\d+\.\d\d) \(\d+\.\d\d\)"
    rows = re.findall(rf"^\| (\d+) \| (\d+) \| {times} \| {times} \|", run.stdout, re.MULTILINE)
    wanted = [(bits, n) for bits in ("50", "60") for n in ("1024", "4096", "16384")]
    assert [row[:2] for row in rows] == 4 * wanted
    assert all(float(time) > 0 for row in rows for time in row[2:])
    for name in ("SEAL", "OPENFHE", "HELIB"):
        assert f"no {name}= is given" in run.stdout


def test_each_library_computes_for_itself(ringlet, tmp_path):
    wrong = tmp_path / "wrong.cpp"
    wrong.write_text("""
        #include "hexl/hexl.hpp"
        void intel::hexl::EltwiseMultMod(uint64_t* result, const uint64_t*, const uint64_t*,
                                         uint64_t, uint64_t, uint64_t) { result[0] = 0; }
    """)
    run = compare(ringlet, "--hexl", drop_in(tmp_path / "hexl", "libhexl.so.1.2.6", wrong))
    assert run.returncode != 0
    assert "the results of vector times vector differ" in run.stderr


def make_programs(folder, name, **times):
    for kind, time in times.items():
        program = folder / kind / "bin" / name
        program.parent.mkdir(parents=True)
        text = PROGRAM.replace("TIME", str(time))
        program.write_text(text.replace("CALLS_RINGLET", str(kind == "ringlet")))
        program.chmod(0o755)
    return folder


def test_programs_of_other_libraries(ringlet, tmp_path):
    seal = make_programs(tmp_path / "seal", "sealbench", none=10, hexl=5, ringlet=4)
    helib = make_programs(tmp_path / "helib", "ckks_basic", none=10, ringlet=4)
    run = compare(ringlet, "--seal", seal, "--helib", helib)
    assert run.returncode == 0, run.stderr
    rows = dict(re.findall(r"^\| (\w* ?\w*) \| [^|]* \| (.*) \|$", run.stdout, re.MULTILINE))
    assert rows["bfv multiply"].split(" | ") == [
        "10.00 (10.00)", "5.00 (5.00)", "4.00 (4.00)", "2.00", "2.50", "“1.43”",
    ]  # fmt: skip
    assert rows["bfv multiply_relinearize"].startswith("20.00 (20.00) | 10.00 (10.00) | 8.00")
    assert rows["ntt forward"] == "- | - | - | - | - | “4.70”"
    assert "left out: HELIB with hexl: no program ckks_basic" in run.stdout
    assert "left out: Tables 1 to 4: no HEXL= is given" in run.stdout
    assert "| n=4096 / log(q)=109 / BFV / EvaluateMulCt/iterations:10 | 1.00 (1.00) |" in run.stdout


def test_a_program_that_does_not_call_ringlet_is_refused(ringlet, tmp_path):
    folder = make_programs(tmp_path / "seal", "sealbench", none=10)
    (folder / "none").rename(folder / "ringlet")
    run = compare(ringlet, "--seal", folder)
    assert run.returncode != 0 and "does not call Ringlet" in run.stderr
