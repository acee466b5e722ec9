# SPDX-License-Identifier: Apache-2.0
"""What every benchmark refuses, in one line and before it measures, and what the jobs of a
stopwatch refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ringlet
from bench_command import refused, run

from ringlet_lab import _lab

FIGURES = "ntt --figures"
NO_LIBRARY = "/nowhere/libringlet_peers.so"
REFUSED = [
    ("ntt", "--degrees 12", "12"),
    ("ntt", "--degrees abc", "integers"),
    ("ntt", "--degrees=", "integers"),
    ("ntt", "--bits 63", "63"),
    ("ntt", "--bits 1", "1"),
    ("ntt", "--rounds 0", "--rounds 0"),
    ("ntt", "--rounds -3", "--rounds -3"),
    ("ntt", "--quick", "add --figures"),
    ("ntt", "--gcc /nowhere", "add --figures"),
    (FIGURES, "--degrees 1000", "powers of two"),
    (FIGURES, "--degrees 131072", "65536"),
    (FIGURES, "--bits 49", "30 to 48"),
    (FIGURES, "--bits 30,48", "one width"),
    (FIGURES, "--rounds 0", "1 or more"),
    (FIGURES, "--clang /nowhere", "RINGLET_BUILD_BENCH=ON"),
    ("widths", "--bits 13", "--bits 13"),
    ("widths", "--bits 63", "--bits 63"),
    ("widths", "--bits many", "'many'"),
    ("widths", "--degrees 100", "--degrees 100"),
    ("widths", "--degrees 32", "--degrees 32"),
    ("widths", "--rounds 0", "--rounds 0"),
    ("widths", "--degrees 4096 --bits 14", "widths 14"),
    ("tables", "--rounds 0", "--rounds 0"),
    ("tables", "--nonsense", "No such option"),
    ("tables", "--rounds 1 --peers /nowhere.so", "--peers"),
    ("tables", f"--rounds 1 --peers {__file__}", "--peers"),
    # This library has no peers.
    ("tables", f"--rounds 1 --peers {_lab.__file__}", "--peers"),
    ("tables", f"--rounds 1 --json {__file__}/t.json", __file__),
    ("schemes", "--schemes ckks,bfw", "--schemes bfw"),
    ("schemes", "--degrees 2048", "--degrees 2048"),
    ("schemes", "--degrees many", "'many'"),
    ("schemes", "--threads 0", "--threads 0"),
    ("schemes", "--rounds 0", "--rounds 0"),
    ("schemes", "--seconds -1", "--seconds -1"),
    ("schemes", "--seconds nan", "--seconds nan"),
    ("schemes", f"--show {__file__}", "--show"),
    ("schemes", "--page not/there.md", "not/there.md"),
    ("fv", "--ring 4096", "2560, 2420, 5832, 8190"),
    ("fv", "--rounds 0", "1 or more"),
    ("fv", "--bits 136", "20 to 135"),
    ("fv", "--bits 19", "20 to 135"),
    ("fv", "--counts 5", "one of: 1, 2, 3, 4"),
    ("fv", "--counts one", "integers"),
    ("wide", "--degrees 1000", "powers of two"),
    ("wide", "--degrees 8", "16 to 1048576"),
    ("wide", "--degrees 2097152", "16 to 1048576"),
    ("wide", "--degrees many", "integers"),
    ("wide", "--bits 125", "106 to 124"),
    ("wide", "--bits 64", "106 to 124"),
    ("wide", "--length 0", "16 to 1048576"),
    ("wide", "--rounds 0", "1 or more"),
    ("wide", "--seconds 0", "more than 0"),
    ("wide", f"--peers {NO_LIBRARY}", "RINGLET_BUILD_BENCH=ON"),
    ("distributed", "--no-json --tasks 6", "a multiple of 4 tasks"),
]


@pytest.mark.parametrize(("command", "options", "word"), REFUSED)
def test_bad_options_are_refused(
    command: str,
    options: str,
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if command == "distributed":
        pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    text = refused(capfd, "bench", *command.split(), *options.split())
    assert word in "".join(text.split()) or word in " ".join(text.split())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "command",
    [
        "tables --rounds 1",
        "ntt --degrees 64 --bits 30 --rounds 1 --no-json --no-png",
        "widths --degrees 64 --bits 20 --rounds 1 --no-json --no-png",
        "fv --ring 2420 --rounds 1 --counts 1 --no-json --no-png",
    ],
)
def test_nothing_is_written_unasked(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("bench", *command.split())
    assert list(tmp_path.iterdir()) == []


WIDE = _lab.double_word_prime(124, 1024, False)
PRIME = ringlet.generate_ntt_primes(48, 64, 1)[0]
FV = _lab.wide_prime(125)
RADIX2 = "scalar64/radix2"
JOBS: list[tuple[str, Callable[[Any], Any]]] = [
    ("way 'magic'", lambda s: _lab.add_wide_product(s, 21, FV, "magic", "", 1, prepared=True)),
    ("count = 17", lambda s: _lab.add_wide_product(s, 21, FV, "ntt", "", 17, prepared=True)),
    ("degree = 1", lambda s: _lab.add_rns_product(s, 1, FV, "", 1)),
    ("method 'none'", lambda s: _lab.add_reduction(s, 21, "none", 3)),
    ("136", lambda s: _lab.wide_prime(136)),
    ("form 'sorted'", lambda s: _lab.add_ntt_variant(s, 64, PRIME, RADIX2, "sorted", True)),
    ("scalar64", lambda s: _lab.add_ntt_variant(s, 64, PRIME, "scalar64", "ordered", True)),
    ("powers of two", lambda s: _lab.add_ntt_variant(s, 63, PRIME, RADIX2, "ordered", True)),
    ("radix3", lambda s: _lab.add_ntt_variant(s, 64, PRIME, "scalar64/radix3", "ordered", True)),
    ("97", lambda s: _lab.add_ntt_variant(s, 64, 97, RADIX2, "ordered", True)),
    ("1 or more", lambda s: s.run_alone(0)),
    ("operation 'divide'", lambda s: _lab.add_double_eltwise(s, "divide", 64, WIDE, "")),
    ("count = 0", lambda s: _lab.add_double_eltwise(s, "add", 0, WIDE, "")),
    ("even", lambda s: _lab.add_double_eltwise(s, "add", 64, str(1 << 100), "")),
    ("modulus", lambda s: _lab.add_double_ntt(s, 64, str((1 << 124) - 59), "", True)),
    ("product 'none'", lambda s: _lab.add_projected_ntt(s, 64, WIDE, "none", True)),
    ("count = 17", lambda s: _lab.add_limit(s, "pass", 17)),
    ("limit 'none'", lambda s: _lab.add_limit(s, "none", 96)),
    ("operation 'divide'", lambda s: s.add_eltwise("divide", 100, PRIME, "")),
    ("input_mod_factor", lambda s: s.add_eltwise("multiply", 100, PRIME, "", 3)),
    ("modulus", lambda s: s.add_eltwise("multiply", 100, 1, "")),
    ("nonsense", lambda s: s.add_eltwise("multiply", 100, PRIME, "nonsense")),
    ("function = 0", lambda s: s.add_function(0, 0)),
    ("rounds >= 1", lambda s: s.run(0, 500.0)),
    ("block_us", lambda s: s.run(1, 1.0)),
]  # fmt: skip
for product in _lab.projected_products():
    JOBS += [
        ("66 to 124", lambda s, p=product: _lab.add_projected_eltwise(s, "add", 64, "97", p)),
        ("'divide'", lambda s, p=product: _lab.add_projected_eltwise(s, "divide", 64, WIDE, p)),
        ("63", lambda s, p=product: _lab.add_projected_ntt(s, 63, WIDE, p, True)),
    ]


@pytest.mark.parametrize(("word", "add"), JOBS)
def test_jobs_refuse_what_they_cannot_take(word: str, add: Callable[[Any], Any]) -> None:
    stopwatch = _lab.Stopwatch()
    with pytest.raises(ringlet.InvalidArgument) as caught:
        add(stopwatch)
    assert word in str(caught.value) and caught.value.remedy
    assert len(stopwatch) == 0
