# SPDX-License-Identifier: Apache-2.0
"""Profiles and search of cyclotomic rings, and `ringlet rings`."""

import json
import math

import pytest
from installed_command import is_clean, run, run_forked
from support import refused

import ringlet
from ringlet import _core


def order(base, modulus):
    power, count = base % modulus, 1
    while power != 1:
        power, count = power * base % modulus, count + 1
    return count


def fields(ring):
    return (
        ring.index, ring.degree, ring.slot_count, ring.slot_degree, ring.stride, ring.weight,
        ring.max_coefficient,
    )  # fmt: skip


def test_profile_of_the_papers_ring():
    ring = ringlet.profile_ring(2783)
    assert fields(ring) == (2783, 2420, 22, 110, 11, 41, 1)
    assert repr(ring) == "RingProfile(index=2783, degree=2420, slot_count=22)"
    assert ringlet.profile_ring(16, 17).slot_count == 8


@pytest.mark.parametrize("prime", [2, 3, 17])
def test_search_finds_every_ring(prime):
    found = ringlet.search_rings(prime=prime, min_degree=20, max_degree=96, min_slots=4)
    expected = []
    for m in range(3, 500):  # phi(m) <= 96 has m <= 420
        degree = sum(math.gcd(k, m) == 1 for k in range(m))
        if m % 4 == 2 or m % prime == 0 or not 20 <= degree <= 96:
            continue
        if degree // order(prime, m) >= 4:
            expected.append(m)
    assert sorted(ring.index for ring in found) == expected
    keys = [(ring.degree, ring.weight, ring.index) for ring in found]
    assert keys == sorted(keys)
    for ring in found:
        assert fields(ring) == fields(ringlet.profile_ring(ring.index, prime))


def test_facts_of_one_ring():
    assert ringlet.expansion_factor(16) == 8
    assert ringlet.expansion_factor(17) == 31
    assert _core.reduction_growth(17) == 3
    assert math.prod(_core.slot_dimensions(2783)) == 22
    counts = _core.reduction_operations(105)
    assert counts["block_system"] is None
    assert 0 < counts["sparse_divisors"] < counts["barrett"]


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: ringlet.profile_ring(5566), "2783"),
        (lambda: ringlet.profile_ring(2), "3 to 262144"),
        (lambda: ringlet.profile_ring(15, 5), "repeated factors"),
        (lambda: ringlet.profile_ring(15, 9), "prime = 9"),
        (lambda: ringlet.profile_ring(-3), "-3"),
        (lambda: ringlet.profile_ring("x"), "'x'"),
        (lambda: ringlet.search_rings(max_degree=0), "max_degree = 0"),
        (lambda: ringlet.search_rings(max_degree=1 << 70), "max_degree"),
        (lambda: ringlet.search_rings(prime=1), "prime = 1"),
        (lambda: ringlet.expansion_factor(0), "index = 0"),
        (lambda: _core.slot_dimensions(16), "index = 16"),
    ],
)
def test_refusals(call, part):
    refused(call, part)


def test_command_searches(tmp_path):
    path = tmp_path / "rings.json"
    result = run(
        "rings",
        *("--slots", "64", "--weight", "250", "--degree", "4096", "16384", "--bits", "125"),
        *("--json", str(path)),
    )
    assert result.returncode == 0 and result.stderr == ""
    assert "10773" in result.stdout and "log q" in result.stdout
    rings = json.loads(path.read_text())["rings"]
    assert {ring["index"] for ring in rings} >= {10773}
    for ring in rings:
        assert ring["slots"] >= 64 and ring["weight"] <= 250 and ring["modulus_bits_128"] >= 125
        assert ring["slots"] * ring["slot_degree"] == ring["degree"]
    assert f"{len(rings)} rings" in result.stdout


def test_command_limits_its_rows():
    few = run("rings", "--degree", "100", "400", "--rows", "5")
    assert few.returncode == 0 and "5 of them shown" in few.stdout
    every = run("rings", "--degree", "100", "400", "--rows", "0")
    assert len(every.stdout.splitlines()) > 100 and "shown" not in every.stdout


def test_command_shows_one_ring(tmp_path):
    path = tmp_path / "ring.json"
    result = run("rings", "--index", "2783", "--json", str(path))
    assert result.returncode == 0 and result.stderr == ""
    for part in ("22 of degree 110", "dimensions 22", "49447", "reproduction"):
        assert part in result.stdout
    detail = json.loads(path.read_text())
    assert detail["expansion_factor"] == 49447 and detail["stride"] == 11
    assert detail["reduction_operations"]["block_system"] == 96760
    other = run("rings", "--index", "16", "--prime", "17")
    assert other.returncode == 0 and "8 of degree 1 modulo 17" in other.stdout


def test_command_finds_nothing():
    result = run("rings", "--slots", "5000", "--degree", "4096", "4200")
    assert result.returncode == 0 and "No ring has all of this" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--index", "5566"], ["--index", "4096"], ["--index", "-1"], ["--prime", "6"],
        ["--slots", "-1"], ["--rows", "-1"], ["--degree", "8192", "4096"],
        ["--degree", "0", "100000"], ["--degree", "0", "0"],
        ["--index", "15", "--json", "/proc/nowhere/rings.json"],
    ],
)  # fmt: skip
def test_command_refuses(arguments):
    assert is_clean(run_forked("rings", *arguments))
