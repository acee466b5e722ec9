# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench schemes`."""

from __future__ import annotations

import copy
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
import ringlet
from bench_command import check_layout, check_png, run, run_once
from ringlet_lab._lab import SchemeMeter, Stopwatch

from ringlet_lab.bench import schemes as bench_schemes
from ringlet_lab.bench.schemes import goals, picture
from ringlet_lab.bench.schemes import peer as bench_schemes_peer
from ringlet_lab.bench.schemes import tables as bench_schemes_tables
from ringlet_lab.bench.schemes.goals import DEGREES, GOAL_GHZ, GOALS, HEXL_PAPER

EVERY = ("encode", "decode", "encrypt", "decrypt", "add", "multiply", "square", "multiply_plain",
         "relinearize", "multiply_relinearize", "rotate")  # fmt: skip
CKKS = ("rescale", "relinearize_rescale", "multiply_relinearize_rescale",
        "square_relinearize_rescale", "multiply_relinearize_rescale_add")  # fmt: skip
HAS_PEER = bench_schemes_peer.find_peer()[0] is not None
needs_peer = pytest.mark.skipif(not HAS_PEER, reason="TenSEAL is not installed")
STEM = "ringlet-bench-schemes"


def operations(scheme: str) -> set[str]:
    return {*EVERY, *(CKKS if scheme == "ckks" else ("mod_switch",))}


output, report = run_once(STEM, "bench", "schemes", "--quick", "--svg")


@pytest.fixture(scope="module")
def wider(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """N = 8192, where hybrid chains, goals and the HEXL paper's setting are."""
    folder = tmp_path_factory.mktemp("wider")
    run("bench", "schemes", "--quick", "--degrees", "8192", "--schemes", "ckks,bfv",
        "--rounds", "1", "--threads", "1", "--no-png", "--no-markdown",
        "-o", str(folder))  # fmt: skip
    return json.loads((folder / f"{STEM}.json").read_text())


def test_every_operation_is_measured(report: dict[str, Any]) -> None:
    names = [e["name"] for e in report["benchmarks"] if e["library"] == "ringlet"]
    expected = {
        f"{scheme}/{operation}/{chain}/n=4096/threads={threads}"
        for scheme in bench_schemes.SCHEMES
        for operation in operations(scheme)
        for chain in ("own", "seal")
        for threads in (1, 2)
    }
    expected |= {f"ntt/{d}/own/n=4096/threads=1" for d in ("forward", "inverse")}
    if bench_schemes.has_table("avx2"):
        narrow = "{}/relinearize/own/avx2/n=4096/threads=1"
        expected |= {narrow.format(scheme) for scheme in ("ckks", "bfv")}
    assert len(names) == len(set(names)) and set(names) == expected


def test_times_and_chains(report: dict[str, Any]) -> None:
    hertz = report["context"]["clock_hz"]["median"]
    seal = [0xFFFFEE001, 0xFFFFC4001, 0x1FFFFE0001]
    check_layout(report)
    for entry in report["benchmarks"]:
        assert entry["cycles"] == pytest.approx(entry["min"] * 1e-6 * hertz)
        if entry["library"] != "ringlet" or entry["scheme"] == "ntt":
            continue
        data, special = entry["data_primes"], entry["special_primes"]
        assert all(ringlet.is_prime(q) and q % 8192 == 1 for q in (*data, *special))
        assert entry["digits"] == 2 and entry["total_bits"] == 109 and entry["data_bits"] == 72
        assert entry["key_bytes"] == 2 * 2 * 3 * 4096 * 8
        if entry["chain"] == "seal":
            assert [*data, *special] == seal
    times = [e["min"] for e in report["benchmarks"]]
    assert len(set(times)) > len(times) // 2


def test_chains_have_seals_security_and_data_modulus() -> None:
    limits = {4096: 109, 8192: 218, 16384: 438, 32768: 881}
    data = {4096: 72, 8192: 174, 16384: 386, 32768: 826}
    for degree, limit in limits.items():
        own = bench_schemes.OWN_CHAINS[degree]
        assert sum(own.data) == data[degree] and sum(own.data) + sum(own.special) <= limit
        for chain in bench_schemes.HYBRID_CHAINS[degree]:
            assert chain.name == f"{len(chain.data)}+{len(chain.special)}"
            assert sum(chain.data) + sum(chain.special) <= limit
            assert max(*chain.data, *chain.special) < 50


def test_hybrid_chains_and_the_setting_of_the_hexl_paper(wider: dict[str, Any]) -> None:
    digits = {e["chain"]: e["digits"] for e in wider["benchmarks"] if e.get("digits")}
    assert (digits["own"], digits["seal"], digits["3+2"], digits["hexl"]) == (4, 4, 2, 3)
    hybrid = {e["operation"] for e in wider["benchmarks"] if e["chain"] == "3+2"}
    assert hybrid == {"relinearize", "rotate", "multiply_relinearize", "relinearize_rescale"}
    lines = {(line["scheme"], line["operation"]): line for line in wider["hexl"]}
    assert set(lines) == set(HEXL_PAPER)
    for line in lines.values():
        assert line["times_as_fast"] == pytest.approx(line["scalar_us"] / line["us"])
    assert lines["ckks", "rescale"]["paper_seal"] == 3.26
    assert lines["bfv", "encode"]["paper_seal"] is None
    scalar = [e for e in wider["benchmarks"] if e["kernels"] == "scalar64"]
    assert {k for e in scalar for k in e["transform_kernels"]} == {"scalar64/radix2"}
    assert all(q.bit_length() == 50 for e in scalar for q in e["data_primes"])


def test_goals_are_judged_where_they_were_measured(wider: dict[str, Any]) -> None:
    assert {judged["degree"] for judged in wider["goals"]} == {8192}
    assert len(wider["goals"]) == len(GOALS)
    shown = bench_schemes_tables.goal_sheet(wider)
    assert len(shown.rows) == len(GOALS) and all(len(r) == len(shown.heads) for r, _ in shown.rows)


def test_profiles_are_shares_of_the_time(report: dict[str, Any]) -> None:
    found = {(p["scheme"], p["operation"]): p for p in report["profiles"]}
    assert set(found) == {(s, o) for s in bench_schemes.SCHEMES for o in operations(s)}
    for profile in found.values():
        assert profile["time"] > 0
        assert all(part > 0 for part in profile["primitives"].values())
        assert sum(profile["primitives"].values()) <= profile["time"]
    # Two digits of one prime each go to three primes; their own prime needs no transform.
    relinearize = found["ckks", "relinearize"]
    assert relinearize["inverse_transforms"] >= 2 and relinearize["forward_transforms"] >= 4
    assert found["ckks", "multiply"]["forward_transforms"] == 0
    assert found["bfv", "multiply"]["forward_transforms"] > 8
    shown = bench_schemes_tables.profile_sheet(report).rows
    assert {tuple(cells[:2]) for cells, _ in shown} <= set(found) and len(shown) >= 10


@needs_peer
def test_seal_is_measured_in_the_same_run(report: dict[str, Any]) -> None:
    assert "TenSEAL" in report["context"]["tenseal"]
    peers = [e for e in report["benchmarks"] if e["library"] == "tenseal"]
    for scheme in ("ckks", "bfv"):
        missing = {"relinearize_rescale", "multiply_relinearize_rescale_add"}
        names = {e["operation"] for e in peers if e["scheme"] == scheme}
        assert names == operations(scheme) - missing
    assert not [e for e in peers if e["scheme"] == "bgv"]
    assert any("BGV" in gap for gap in report["gaps"])
    least = {(e["scheme"], e["operation"]): e["min"] for e in peers}
    for entry in report["benchmarks"]:
        peer = least.get((entry["scheme"], entry["operation"]))
        if entry["library"] != "ringlet" or entry["scheme"] == "ntt":
            continue
        if peer is None or entry["operation"] in ("encode", "decode"):
            assert entry["times_as_fast_as_tenseal"] is None
        else:
            assert entry["times_as_fast_as_tenseal"] == pytest.approx(peer / entry["min"])
    assert any("AVX2" in r["what"] for r in report["relations"]) == bench_schemes.has_table("avx2")


@needs_peer
def test_wrong_slots_of_seal_are_found() -> None:
    peer, _ = bench_schemes_peer.find_peer()
    assert peer is not None
    meter = SchemeMeter.make("bfv", 4096, [], [])
    seal = peer.meter("bfv", 4096, [*meter.data_primes, *meter.special_primes])
    function, arguments, _ = seal._operations["add"]
    seal.check("add")
    seal._operations["add"] = (function, arguments, "product")
    with pytest.raises(ringlet.RuntimeFailure, match="add of bfv by SEAL leaves wrong slots"):
        seal.check("add")
    with pytest.raises(ringlet.RuntimeFailure, match="not those of Ringlet"):
        peer.meter("bfv", 4096, meter.data_primes)


def test_without_seal_the_column_and_a_line_say_so(
    report: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", absent)
    peer, reason = bench_schemes_peer.find_peer()
    assert peer is None and "tenseal" in reason
    assert "pip install -r python/requirements-peers.txt" in reason
    without = copy.deepcopy(report)
    without["benchmarks"] = [e for e in report["benchmarks"] if e["library"] == "ringlet"]
    without["context"] |= {"has_tenseal": False, "tenseal": reason}
    without["gaps"] = [reason]
    sheet = bench_schemes_tables.operation_sheet(without, "ckks", 4096)
    assert {cells[sheet.heads.index("SEAL")] for cells, _ in sheet.rows} == {"not installed"}
    assert f"not measured: {reason}" in bench_schemes_tables.notes(without)
    assert "not installed" in bench_schemes_tables.to_markdown(without)
    picture.draw(without)


def test_files(output: tuple[str, Path]) -> None:
    text, folder = output
    names = {path.name for path in folder.iterdir()}
    assert names == {f"{STEM}{suffix}" for suffix in (".json", ".md", ".png", ".svg")}
    assert all(name in "".join(text.split()) for name in names)
    check_png(folder / f"{STEM}.png")
    tables = (folder / f"{STEM}.md").read_text()
    for title in ("CKKS, N = 4096", "BFV, N = 4096", "BGV, N = 4096", "Where the time goes"):
        assert title in tables
    assert "multiply_relinearize_rescale_add (MulLinRSModSwAdd)" in tables
    for line in (line for line in tables.splitlines() if line.startswith("|")):
        assert line.endswith("|") and "None" not in line


def test_an_earlier_run_is_shown_again(output: tuple[str, Path], tmp_path: Path) -> None:
    _, folder = output
    run("bench", "schemes", "--show", str(folder / f"{STEM}.json"), "-o", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {f"{STEM}.md", f"{STEM}.png"}
    assert (tmp_path / f"{STEM}.md").read_text() == (folder / f"{STEM}.md").read_text()


def test_a_page_keeps_its_prose(output: tuple[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# T\n\n<!-- part: profile -->\nold\n<!-- end -->\n\nProse.\n")
    shown = ["bench", "schemes", "--show", str(output[1] / f"{STEM}.json"), "--no-png",
             "--no-markdown", "--page", str(page)]  # fmt: skip
    run(*shown)
    text = page.read_text()
    assert text.startswith("# T\n\n<!-- part: profile -->\n\nWhere the time goes")
    assert text.endswith("|\n\n<!-- end -->\n\nProse.\n") and "old" not in text
    run(*shown)
    assert page.read_text() == text


def test_parts_that_are_empty_keep_what_is_between_them(
    output: tuple[str, Path], tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    parts = [f"<!-- part: {name} -->\n<!-- end -->\n" for name in ("profile", "machine")]
    page.write_text(f"{parts[0]}\n## Between\n\n{parts[1]}")
    run("bench", "schemes", "--show", str(output[1] / f"{STEM}.json"), "--no-png", "--no-markdown",
        "--page", str(page))  # fmt: skip
    text = page.read_text()
    assert text.count("<!-- end -->") == 2 and "## Between" in text
    assert text.index("Where the time goes") < text.index("## Between") < text.index("median")


def entry(operation: str, us: float, **more: Any) -> dict[str, Any]:
    fields = {"scheme": "ckks", "chain": "own", "degree": 8192, "threads": 1, "kernels": "",
              "library": "ringlet", "in_python": False}  # fmt: skip
    return {**fields, "operation": operation, "min": us, **more}


def made(*entries: dict[str, Any], hertz: float = 4e9) -> dict[str, Any]:
    return {"context": {"clock_hz": {"median": hertz}}, "benchmarks": list(entries)}


def test_goals_in_microseconds_and_in_cycles() -> None:
    peer = entry("relinearize", 2940.0, library="tenseal", chain="seal")
    for us in (490.0 * GOAL_GHZ / 4, 490.0, 490.1):
        (judged,) = goals.judge_times(made(entry("relinearize", us), peer))
        # The goals belong to another machine: there is no verdict.
        assert "met" not in judged
        assert judged["goal_cycles"] == pytest.approx(490e3 * 2.48)
        assert judged["cycles"] == pytest.approx(us * 4e3)
        assert judged["times_as_fast_as_tenseal"] == pytest.approx(2940 / us)
    hybrid = made(entry("relinearize", 2500.0, degree=16384, chain="7+2"), peer)
    (judged,) = goals.judge_times(hybrid)
    assert judged["goal_us"] == 2500 and judged["times_as_fast_as_tenseal"] is None


def test_goals_of_the_issue_are_there() -> None:
    most = {(g.scheme, g.operation, g.chains[0]): g.most_us for g in GOALS}
    assert len(most) == len(GOALS)
    assert most["bfv", "multiply", "own"] == (1100, 6000, 31000)
    assert most["ckks", "relinearize", "3+2"] == (380, 2500, 15000)
    for goal in GOALS:
        assert len(goal.most_us) == len(goal.chains) == len(DEGREES)
        # SEAL's time with HEXL is above the goal, and the floor is below.
        for i in range(len(DEGREES)):
            assert goal.reference_us is None or goal.reference_us[i] > goal.most_us[i]
            assert goal.floor_us is None or goal.floor_us[i] < goal.most_us[i]


def test_goals_within_the_run() -> None:
    def judged(*entries: dict[str, Any]) -> list[tuple[str, float, bool]]:
        found = goals.judge_relations(made(*entries))
        return [(r["what"], pytest.approx(r["value"]), r["met"]) for r in found]

    bfv, bgv = {"scheme": "bfv"}, {"scheme": "bgv"}
    both = [entry("decrypt", 10.0, **bfv), entry("decrypt", 11.5, **bgv),
            entry("rotate", 20.0, **bfv), entry("rotate", 20.0, **bgv),
            entry("mod_switch", 1.0, **bfv), entry("mod_switch", 9.0, **bgv)]  # fmt: skip
    assert judged(*both) == [("BGV over BFV, N = 8192", 1.15, True)]
    both[3]["min"] = 23.1
    assert judged(*both) == [("BGV over BFV, N = 8192", 1.155, False)]
    narrow = entry("relinearize", 1000.0, kernels="avx2")
    for us, met in ((2500.0, True), (2499.0, False)):
        peer = entry("relinearize", us, library="tenseal", chain="seal")
        text = "AVX2 over SEAL in TenSEAL, ckks relinearize, N = 8192"
        assert judged(narrow, peer) == [(text, 1000 / us, met)]
    one = entry("relinearize", 17.0, degree=32768)
    for us, met in ((10.0, True), (10.1, False)):
        text = "two threads, ckks relinearize, N = 32768"
        assert judged(one, {**one, "threads": 2, "min": us}) == [(text, 17 / us, met)]


def test_meters_refuse_and_compute() -> None:
    meter = SchemeMeter.make("ckks", 4096, [36, 36], [37])
    for name in meter.operations():
        meter.check(name)
    with pytest.raises(ringlet.InvalidArgument, match="operation 'mod_switch'"):
        meter.check("mod_switch")
    with pytest.raises(ringlet.LogicError, match="profile"):
        meter.profile("add")
    with pytest.raises(ringlet.InvalidArgument, match="threads = 0"):
        meter.add_to(Stopwatch(), "add", 0)
    with pytest.raises(ringlet.InvalidArgument, match="scheme 'bfw'"):
        SchemeMeter.make("bfw", 4096, [], [])
    with pytest.raises(ringlet.InvalidArgument, match="bits"):
        SchemeMeter.make("bfv", 4096, [49, 49], [49])
    with pytest.raises(ringlet.InvalidArgument, match="nothing"):
        SchemeMeter.make("bfv", 4096, [], [], "nothing")


def test_functions_of_python_are_timed_beside_others() -> None:
    stopwatch, calls = Stopwatch(), []
    stopwatch.add_callable(calls.append)
    stopwatch.run(3, 200.0)
    assert len(calls) >= 8 and len(stopwatch.times_ns(0)) == 3

    def fail(repetitions: int) -> None:
        raise ValueError("from within")

    broken = Stopwatch()
    broken.add_callable(fail)
    with pytest.raises(ValueError, match="from within"):
        broken.run(1, 200.0)


def test_threads_are_as_before_a_run(output: tuple[str, Path]) -> None:
    assert output and ringlet.thread_count() == 1
