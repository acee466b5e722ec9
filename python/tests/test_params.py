# SPDX-License-Identifier: Apache-2.0
"""Suggested parameters carry what they were asked for, and `ringlet params` shows them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from installed_command import is_clean, run

import ringlet
from ringlet import bfv, bgv, ckks

MODULES = {"ckks": ckks, "bfv": bfv, "bgv": bgv}


def test_ckks_reaches_the_precision() -> None:
    found = ringlet.suggest_parameters(depth=2, precision=15, slots=4096)
    assert isinstance(found.parameters, ckks.Parameters)
    assert found.parameters.degree >= 8192 and found.parameters.scale == found.scale
    assert found.precision_bits >= 15 and found.budget_bits is None
    assert found.depth == 2 and len(found.parameters.data_primes) == 3
    secret = ckks.SecretContext(found.parameters)  # checks the security
    public = secret.public(rotations=[1])
    x = np.random.default_rng(7).uniform(-1, 1, secret.slot_count)
    y = (public.bind(secret.encrypt(x)) ** 2) ** 2
    error = np.abs(secret.decrypt(y.rotate(1)) - np.roll(x**4, -1)).max()
    assert 0 < error <= 2.0**-15


@pytest.mark.parametrize("name", ["bfv", "bgv"])
def test_exact_schemes_have_budget_left(name: str) -> None:
    found = ringlet.suggest_parameters(name, depth=1, plain_bits=18)
    assert isinstance(found.parameters, MODULES[name].Parameters)
    t = found.parameters.plain_modulus
    assert t.bit_length() == 18 and t % (2 * found.parameters.degree) == 1
    assert found.precision_bits is None and found.budget_bits > 0 and found.scale == 1
    secret = MODULES[name].SecretContext(found.parameters)
    public = secret.public(rotations=[1])
    x = np.random.default_rng(7).integers(0, t, secret.slot_count)
    y = (public.bind(secret.encrypt(x)) ** 2).rotate_rows(1)
    rows = np.roll((x.astype(object) ** 2 % t).reshape(2, -1), -1, axis=1)
    assert np.array_equal(secret.decrypt(y, signed=False), rows.ravel())


@pytest.mark.parametrize("name", ["ckks", "bfv", "bgv"])
def test_sizes_are_those_of_objects(name: str) -> None:
    found = ringlet.suggest_parameters(name, depth=1, security="tc128")
    secret = MODULES[name].SecretContext(found.parameters)
    public = secret.public(rotations=[1])
    sizes = found.sizes
    assert sizes["public_key"].memory == public.public_key_nbytes
    assert sizes["relin_keys"].memory == public.relin_keys_nbytes
    assert sizes["galois_keys"].memory == public.galois_keys_nbytes
    assert found.galois_key_count == 1
    fresh, by_public_key = secret.encrypt(1), public.encrypt(1)
    assert sizes["input"].memory == fresh.nbytes
    assert sizes["input"].saved == len(by_public_key.to_bytes())
    assert sizes["input"].saved_seeded == len(fresh.to_bytes())


def test_counts_and_modulus() -> None:
    found = ringlet.suggest_parameters(depth=3)
    primes = [*found.parameters.data_primes, *found.parameters.special_primes]
    assert found.modulus_bits == math.prod(primes).bit_length()
    assert found.modulus_bits_limit == ckks.max_modulus_bits(found.parameters.degree)
    counts = found.counts
    assert (counts.multiplications, counts.relinearizations, counts.automorphisms) == (3, 3, 1)
    assert counts.key_switches == 4 and counts.rescalings == 3
    assert (counts.known_multiplications, counts.hoisted) == (0, 0)


@pytest.mark.parametrize("name", ["ckks", "bfv", "bgv"])
def test_predicted_times(name: str) -> None:
    times = ringlet.suggest_parameters(name, depth=1).predict_times()
    assert set(times) == {"keys", "encrypt", "circuit", "decrypt"}
    assert all(0 < seconds < 60 for seconds in times.values())


def test_a_circuit_instead_of_a_depth() -> None:
    circuit = ringlet.Circuit(16)
    x = circuit.input()
    circuit.output((x**2).rotate(1) + 2.0 * x.rotate(3))
    found = ringlet.suggest_parameters(circuit=circuit, precision=10)
    assert found.depth == circuit.depth == 1
    assert found.galois_key_count == 2 and found.counts.known_multiplications == 1


def test_repr() -> None:
    text = repr(ringlet.suggest_parameters(depth=1))
    assert text.startswith("<ringlet.ParameterSuggestion <ringlet.ckks.Parameters degree=")
    assert "precision_bits=" in text and "budget_bits" not in text
    found = ringlet.suggest_parameters("bfv", depth=1)
    assert "budget_bits=" in repr(found) and "memory=" in repr(found.sizes["input"])
    assert "relinearizations=1" in repr(found.counts)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: ringlet.suggest_parameters(), "no depth"),
        (lambda: ringlet.suggest_parameters(depth=1, circuit=ringlet.Circuit(4)), "both"),
        (lambda: ringlet.suggest_parameters(circuit=3), "a ringlet.Circuit"),
        (lambda: ringlet.suggest_parameters(circuit=ringlet.Circuit(4)), "without a result"),
        (lambda: ringlet.suggest_parameters("seal", depth=1), "ckks, bfv, bgv"),
        (lambda: ringlet.suggest_parameters(depth=65), "at most 64"),
        (lambda: ringlet.suggest_parameters(depth=-1), "-1"),
        (lambda: ringlet.suggest_parameters(depth=60), "N = 131072"),
        (lambda: ringlet.suggest_parameters(depth=1, precision=0), "precision"),
        (lambda: ringlet.suggest_parameters(depth=1, precision=60), "precision"),
        (lambda: ringlet.suggest_parameters(depth=1, security=100), "tc128, tc192"),
        (lambda: ringlet.suggest_parameters(depth=1, table="x"), "classical_2024"),
        (lambda: ringlet.suggest_parameters(depth=1, degree=100), "degree"),
        (lambda: ringlet.suggest_parameters("bfv", depth=1, plain_bits=61), "plain"),
        (lambda: ringlet.suggest_parameters(depth=1, slots="x"), "'x'"),
    ],
)
def test_refusals(call: Callable[[], Any], part: str) -> None:
    with pytest.raises(ringlet.InvalidArgument) as caught:
        call()
    error = caught.value
    assert part in str(error) and error.remedy and error.limit


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    result = run("params", "bgv", "--depth", "1", "--security", "192", "--json", str(path))
    assert result.returncode == 0, result.stderr
    found = ringlet.suggest_parameters("bgv", depth=1, security=192)
    for text in (str(found.parameters.degree), str(found.parameters.plain_modulus), "tc192"):
        assert text in result.stdout
    written = json.loads(path.read_text())
    assert written["data_primes"] == found.parameters.data_primes
    assert written["modulus_bits"] == found.modulus_bits
    assert written["sizes"]["relin_keys"]["memory"] == found.sizes["relin_keys"].memory
    assert written["budget_bits"] == pytest.approx(found.budget_bits)
    assert set(written["seconds"]) == {"keys", "encrypt", "circuit", "decrypt"}
    alone = ringlet.suggest_parameters(depth=0, precision=10)
    shared = run(
        "params", "--depth", "0", "--precision", "10", "--share", "3", "--no-times",
        "--json", str(path),
    )  # fmt: skip
    assert shared.returncode == 0, shared.stderr
    written = json.loads(path.read_text())
    assert written["precision_bits"] >= 10 and written["noise_bits"] > 0
    assert written["modulus_bits"] > alone.modulus_bits + 32
    without = run("params", "--depth", "0", "--no-times").stdout
    assert "precision" in without and "Expected times" not in without


@pytest.mark.parametrize(
    "arguments",
    [
        ["seal"],
        ["--depth", "60"],
        ["--precision", "99"],
        ["--security", "1"],
        ["--degree", "7"],
        ["--share", "0"],
        ["bgv", "--share", "1"],
    ],
)
def test_command_refuses(arguments: list[str], tmp_path: Path) -> None:
    path = tmp_path / "params.json"
    assert is_clean(run("params", *arguments, "--json", str(path)))
    assert not path.exists()
