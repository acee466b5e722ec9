# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench tables`: what is measured, what is quoted, and how the two are kept apart."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import ringlet
from bench_command import check_layout, check_png, peers_library, run
from installed_command import run as run_command

from ringlet_lab import _lab
from ringlet_lab.bench import ntt
from ringlet_lab.bench import tables as bench_tables
from ringlet_lab.bench.tables import quoted as tables_quoted
from ringlet_lab.bench.peers import Peers, checked_job

TINY = ["bench", "tables", "--rounds", "1"]


@pytest.fixture(scope="module")
def peers() -> Peers:
    return Peers(peers_library())


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict, Path]:
    """One run without peers: its output, its JSON and its folder."""
    folder = tmp_path_factory.mktemp("tables") / "not" / "there yet"
    output = run(
        *TINY, "--json", str(folder / "t.json"), "--png", str(folder / "t.png"),
        "--svg", str(folder / "t.svg"),
    )  # fmt: skip
    return output, json.loads((folder / "t.json").read_text()), folder


def test_json_has_google_benchmark_s_layout(alone: tuple[str, dict, Path]) -> None:
    _, written, _ = alone
    check_layout(written)
    names = [entry["name"] for entry in written["benchmarks"]]
    assert all(ringlet.is_prime(entry["modulus"]) for entry in written["benchmarks"])
    for degree in (1024, 4096, 16384):
        for operation in ("ntt_forward", "ntt_inverse", "product"):
            assert f"{operation}/scalar64/radix2/n={degree}/q=50" in names
        for operation in ("multiply", "multiply_scalar_add"):
            for kernel in _lab.kernel_catalog():
                if kernel.operation == operation and kernel.available:
                    name = f"{operation}/{kernel.table}/{kernel.algorithm}/n={degree}/q=50"
                    assert (name in names) == (kernel.modulus_minimum < 1 << 49)


def test_products_are_measured_in_one_call_and_in_four(alone: tuple[str, dict, Path]) -> None:
    _, written, _ = alone
    rows = [e["implementation"] for e in written["benchmarks"] if e["table"] == 5]
    separate = {name for name in rows if name.endswith("/separate")}
    assert separate and {name.removesuffix("/separate") for name in separate} <= set(rows)


def test_every_table_has_one_choice_per_degree(alone: tuple[str, dict, Path]) -> None:
    _, written, _ = alone
    for table in range(1, 6):
        chosen = [e for e in written["benchmarks"] if e["table"] == table and e["chosen"]]
        assert {entry["degree"] for entry in chosen} == {1024, 4096, 16384}


def test_quoted_figures_are_the_paper_s_and_apart(alone: tuple[str, dict, Path]) -> None:
    output, written, _ = alone
    paper = [q for q in written["quoted"] if q["table"] != "goals"]
    found = {(q["table"], q["implementation"], q["degree"]): q["time"] for q in paper}
    expected = {
        (table, name, degree): time
        for table, rows in tables_quoted.PAPER_TABLES.items()
        for name, times in rows.items()
        for degree, time in zip(tables_quoted.DEGREES, times, strict=True)
    }
    assert found == expected and len(found) == 48
    assert found[1, "AVX512-IFMA52", 4096] == 5.81
    assert all(q["source"] and q["machine"] for q in written["quoted"])
    assert not any("hexl" in e["name"].lower() for e in written["benchmarks"])
    for time in ("9.08", "177", "5.81"):
        assert f"“{time}”" in output
    assert "quoted" in output and "8360Y" in output


def test_what_is_not_measured_is_marked(alone: tuple[str, dict, Path]) -> None:
    output, written, _ = alone
    missing = {(m["table"], m["implementation"]): m["reason"] for m in written["not_measured"]}
    for table in (1, 2, 3, 4, 5):
        assert missing[table, "NTL"].startswith("not measured: no library of peers")
    for table in (3, 4, 5):
        assert "FLINT" in {name for number, name in missing if number == table}
    assert "not measured" in missing[1, "NFLlib, 32-bit AVX2"]
    assert not any(e.get("implementation") == "NTL" for e in written["benchmarks"])
    assert output.count("NTL: not measured") == 5 and output.count("FLINT: not measured") == 3


def test_goals_of_another_machine_have_no_verdict(alone: tuple[str, dict, Path]) -> None:
    output, written, _ = alone
    goals = [e for e in written["benchmarks"] if e["table"] == "goals"]
    assert len(goals) == len(tables_quoted.GOALS) * 2
    assert not any("met" in goal for goal in goals)
    assert not re.search(r" (met|missed) *$", output, re.MULTILINE)


def test_goals_at_other_degrees_keep_the_ratio() -> None:
    goal = tables_quoted.GOALS[0]
    assert goal.goal(4096) == 1.2 and goal.hexl(4096) == (1.48,)
    assert goal.goal(16384) == pytest.approx(6.20 * 1.2 / 1.48)
    without = tables_quoted.Goal("x", "add", 50, 1, (1.0,), 1.0, None)
    assert without.goal(16384) is None and without.hexl(16384) is None


def test_pictures(alone: tuple[str, dict, Path]) -> None:
    _, _, folder = alone
    check_png(folder / "t.png", 1000)
    text = (folder / "t.svg").read_text()
    assert text.lstrip().startswith("<?xml") and "</svg>" in text


@pytest.mark.parametrize(
    "forced", ["scalar64", "scalar64/shoup", "avx2/float-word", "avx512dq/float"]
)
def test_selections_are_honoured(forced: str, tmp_path: Path) -> None:
    names = [f"{k.table}/{k.algorithm}" for k in _lab.kernel_catalog() if k.available]
    if not any(name.startswith(forced) for name in names):
        pytest.skip(f"this processor or build has no {forced}")
    result = run_command(
        *TINY, "--json", str(tmp_path / "t.json"), "--svg", str(tmp_path / "t.svg"),
        RINGLET_FORCE_KERNELS=forced,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    written = json.loads((tmp_path / "t.json").read_text())
    # The panel of a table without kernels names the reason.
    empty = not any(entry["table"] == 5 for entry in written["benchmarks"])
    picture = (tmp_path / "t.svg").read_text()
    assert ("the selection in force has no such kernel" in picture) == empty
    assert written["context"]["kernels"] == forced
    for entry in written["benchmarks"]:
        if entry["table"] != "goals":
            assert entry["implementation"].startswith(forced)
    assert "no such kernel" in result.stdout


def test_peers_give_the_same_results(peers: Peers) -> None:
    measured = 0
    for name, description in peers.descriptions.items():
        assert re.search(r"\d+\.\d+", description), "its version"
        for degree in (1024, 4096):
            q = ringlet.generate_ntt_primes(50, degree, 1)[0]
            # Raises if the result differs from Ringlet's.
            measured += checked_job(peers, name, degree, q) is not None
        assert peers.create(name, 12, 97) is None and peers.create(name, 1024, 2) is None
    assert measured >= 2
    with pytest.raises(KeyError):
        peers.create("nonsense/multiply", 1024, 97)


def test_ntl_transforms_are_inverse_to_each_other(peers: Peers, rng: np.random.Generator) -> None:
    if "ntl/ntt_forward" not in peers.descriptions:
        pytest.skip("the library of peers was built without NTL")
    n = 1024
    q = ringlet.generate_ntt_primes(50, n, 1)[0]
    forward = peers.create("ntl/ntt_forward", n, q)
    inverse = peers.create("ntl/ntt_inverse", n, q)
    assert forward is not None and inverse is not None
    a = rng.integers(0, q, n, dtype=np.uint64)
    values = forward.compute(a, a)
    assert (values != a).any() and (inverse.compute(values, values) == a).all()
    # A transform of length N of a constant polynomial is constant.
    constant = np.zeros(n, dtype=np.uint64)
    constant[0] = 7
    assert (forward.compute(constant, constant) == 7).all()
    assert peers.create("ntl/ntt_forward", n, 97) is None


def test_run_with_peers(peers: Peers, tmp_path: Path) -> None:
    output = run(*TINY, "--peers", str(peers_library()), "--json", str(tmp_path / "t.json"))
    written = json.loads((tmp_path / "t.json").read_text())
    for name, description in peers.descriptions.items():
        library, operation = name.split("/")
        entry = next(
            e for e in written["benchmarks"] if e["name"] == f"{operation}/{library}/n=4096/q=50"
        )
        assert entry["label"] == description and entry["min"] > 0
    if "ntl/ntt_forward" in peers.descriptions:
        assert "cyclic of length N" in output and "NTL: not measured" not in output


def test_paper_names() -> None:
    assert bench_tables.paper_name("scalar64/radix2") == "Native C++"
    assert bench_tables.paper_name("avx512dq/float") == "AVX512-DQ float"
    assert bench_tables.paper_name("avx512dq/barrett") == "AVX512-DQ"
    assert bench_tables.paper_name("ifma52/radix2") == "AVX512-IFMA52"
    assert bench_tables.paper_name("avx2/radix2") == ""


def test_stopwatch() -> None:
    watch = _lab.Stopwatch()
    q = ringlet.generate_ntt_primes(30, 64, 1)[0]
    other_kinds = {"ntt", "karatsuba", "residues", "wide", "conversion", "embedding", "sampling"}
    operations = {k.operation for k in _lab.kernel_catalog()} - other_kinds
    for operation in sorted(operations):
        input_factor = 2 if operation == "reduce_range" else 1
        kernel = watch.add_eltwise(operation, 100, q, "scalar64", input_factor)
        assert kernel.startswith("scalar64/")
    assert watch.add_ntt(64, q, "scalar64", True) == "scalar64/radix2"
    assert watch.add_ntt(64, q, "scalar64", False, half_words=True) == "scalar64/radix2"
    assert watch.add_product(64, q, "scalar64", True) == "scalar64/radix2"
    assert watch.add_product(64, q, "scalar64", False) == "scalar64/radix2"
    watch.run(2, 200.0)
    watch.run(1, 200.0)
    assert len(watch) == len(operations) + 4 and len(watch.clock_hz) == 3
    for job in range(len(watch)):
        times = watch.times_ns(job)
        assert len(times) == 3 and min(times) > 0
    with pytest.raises(ringlet.OutOfRange):
        watch.times_ns(len(watch))


def test_transforms_stand_beside_another_library(tmp_path: Path) -> None:
    file = tmp_path / "ntt.json"
    output = run("bench", "ntt", "--degrees", "1024", "--bits", "30", "--rounds", "1", "--no-png",
                 "--json", str(file), "--peers", str(peers_library()))  # fmt: skip
    names = {entry["name"] for entry in json.loads(file.read_text())["benchmarks"]}
    assert {f"ntt_{direction}/ntl/n=1024/q=30" for direction in ("forward", "inverse")} <= names
    assert "library : kernel" in output


@pytest.mark.parametrize(("peer", "mark"), [(0.9, "behind"), (1.05, "close"), (1.2, "")])
def test_rows_where_another_library_is_ahead_are_marked(peer: float, mark: str) -> None:
    def result(name: str, ns: float, **about: bool) -> ntt.NttResult:
        return ntt.NttResult(name, 1024, 30, 12289, [ns], [ns], 1e9, 32, **about)

    results = [result("a/slow", 2e3), result("b/own", 1e3, is_chosen=True),
               result("first", peer * 1e3, is_peer=True), result("second", 3e3, is_peer=True)]
    cells = [[str(cell) for cell in row] for row, _ in ntt.peer_sheet(results).rows]
    assert len(cells) == 2
    for row in cells:
        assert row[1] == "32 bits" and row[4] == "b/own" and row[6] == "first" and row[-1] == mark
