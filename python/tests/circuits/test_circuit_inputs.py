# SPDX-License-Identifier: Apache-2.0
"""Inputs of circuits and how runners treat them: layouts, magnitudes, results as inputs, zeros."""

import ctypes
import gc
import re

import numpy as np
import pytest
from support import ALL, EXACT, refused, toy

import ringlet
from ringlet import Circuit, bfv, ckks

ROW = 8


def toy_of(scheme):
    return toy(scheme, [55, 40, 40, 40] if scheme is ckks else [50, 45, 45, 45])


def test_what_encodes_to_zero_adds_nothing():
    secret = toy_of(ckks)
    v = np.random.default_rng(5).uniform(-1, 1, ROW)
    nearly = np.eye(ROW) + 1e-20 * np.eye(ROW, k=1)
    exp = ringlet.chebyshev_approximation(np.exp, (-1, 1), degree=15).polynomial
    for f, wanted in (
        (lambda x: x * 0.0 + x, v),
        (lambda x: x.rotate(3) * np.full(ROW, 1e-20) - x, -v),
        (lambda x: nearly @ x, v),
        (lambda x: (x * 0 + 3) * x, 3 * v),
        (lambda x: x * 1e-13 + 1, 1 + 0 * v),
        (lambda x: x.polynomial([1.0, 0.5, 0.0, 1e-25, 1e-26]), 1 + v / 2),
    ):
        circuit = Circuit(ROW)
        circuit.output(f(circuit.input()))
        public = secret.public(circuit=circuit)
        runner = public.runner(circuit)
        assert public.galois_keys_nbytes == runner.counts.multiplications == 0
        result = secret.decrypt(runner(secret.encrypt(v, circuit=circuit)))[:ROW]
        assert np.abs(result - wanted).max() < 2.0 ** -runner.estimate[0].precision_bits < 1e-6
    operand = secret.public(rotations=[]).bind(secret.encrypt(v))
    assert np.abs(secret.decrypt(nearly @ operand)[:ROW] - v).max() < 1e-6
    short = toy(ckks, [35, *[25] * 4], [35], scale_bits=25)
    circuit = Circuit(ROW)
    circuit.output(circuit.input().polynomial(exp))
    runner = short.public(circuit=circuit).runner(circuit)
    result = short.decrypt(runner(short.encrypt(v, circuit=circuit)))[:ROW]
    assert np.abs(result - np.exp(v)).max() < 2.0 ** -runner.estimate[0].precision_bits < 1e-2


@EXACT
def test_without_slots_a_ciphertext_holds_one_number(scheme):
    secret = toy(scheme, [50, 45, 45], plain_modulus=523)
    for declare, word in (
        (lambda x: x * x, "products slot by slot"),
        (lambda x: x + 1, "known numbers in slots"),
        (lambda x: x * [1, 2], "known numbers in slots"),
        (lambda x: x.rotate(1), "rotations"),
    ):
        slots = Circuit(ROW)
        slots.output(declare(slots.input()))
        refused(lambda: secret.public(circuit=slots), word, "523")
    circuit = Circuit(1)
    x = circuit.input()
    circuit.output(x * x + 3)
    runner = secret.public(circuit=circuit).runner(circuit)
    assert secret.decrypt(runner(secret.encrypt(5)))[0] == 28
    refused(lambda: runner(secret.encrypt([5, 1])), "input 0")


@ALL
def test_inputs_are_laid_out_as_the_circuit_takes_them(scheme):
    secret = toy_of(scheme)
    circuit = Circuit(ROW)
    x, y = circuit.input(), circuit.input(magnitude=3)
    circuit.output(x.rotate(3) + y)
    public = secret.public(circuit=circuit)
    runner = public.runner(circuit)
    a, b = [1, 0, -1, 0, 1], np.arange(ROW) % 4
    wanted = np.roll(np.pad(a, (0, 3)), -3) + b
    for side in (secret, public):
        one, other = side.encrypt(a, circuit=circuit), side.encrypt(b, circuit=circuit)
        result = runner(one, other)
        assert np.abs(secret.decrypt(result)[:ROW] - wanted).max() < 1e-6
        # The result has rows too, so it can be an input.
        again = secret.decrypt(runner(one, result))[:ROW]
        assert np.abs(again - 2 * wanted + b).max() < 1e-6
        assert np.abs(secret.decrypt(runner(side.encrypt(1), other))[:ROW] - 1 - b).max() < 1e-6
        refused(lambda: runner(side.encrypt(a), other), "input 0", "circuit=circuit")
        refused(lambda: runner(one, side.encrypt(np.arange(16) % 3)), "input 1")
    plain = secret.encode(1)
    refused(lambda: secret.encrypt(plain, circuit=circuit), "plaintext")
    refused(lambda: secret.encrypt(a, circuit=3), "circuit = 3")
    refused(lambda: secret.encrypt(np.ones(9, dtype=int), circuit=circuit), "(9,)")
    if scheme is ckks:
        error = refused(lambda: secret.encrypt([3.25], circuit=circuit), "magnitude = 3")
        assert "3.25" not in str(error)
        refused(lambda: runner(secret.encrypt(b, circuit=circuit), other), "input 0", "above")
        refused(lambda: runner(secret.encrypt(1.5j), other), "input 0", "above")


@pytest.mark.parametrize("factor", [-1, 1j])
def test_the_largest_number_is_found_at_every_place(factor):
    secret, circuit = toy_of(ckks), Circuit(16)
    circuit.output(circuit.input(magnitude=1) + 1)
    for place in range(13):
        values = np.where(np.arange(13) == place, 1.5, 0.5)
        secret.encrypt(values / 1.5 * factor, circuit=circuit)
        refused(lambda given=values * factor: secret.encrypt(given, circuit=circuit), "above")


@ALL
def test_results_are_inputs_of_the_next_run(scheme):
    data = [50, *[40] * 5] if scheme is ckks else [50] * 6
    secret = toy(scheme, data)
    circuit, two = Circuit(ROW), Circuit(ROW)
    x = circuit.input()
    circuit.output(x * x.rotate(1))
    a, b = two.input(), two.input()
    two.output(a * 2 - b)
    public = secret.public(circuit=[circuit, two])
    runner, join = public.runner(circuit), public.runner(two)
    row = np.array([1, -1, 1, 1, 0, 1, -1, 1])
    fresh = secret.encrypt(row, circuit=circuit)
    value, values = fresh, row
    for _ in range(3):
        value, values = runner(value), values * np.roll(values, -1)
        assert np.abs(secret.decrypt(value)[:ROW] - values).max() < 1e-6
    joined = secret.decrypt(join(value, fresh))[:ROW]
    assert np.abs(joined - 2 * values + row).max() < 1e-6
    assert join(value, fresh).level == value.level
    if scheme is not ckks:
        # Results that would not decrypt are refused, but not long before that point.
        narrow = toy(scheme, [40, 40, 40])
        public = narrow.public(circuit=circuit)
        runner, value = public.runner(circuit), narrow.encrypt(row, circuit=circuit)
        with pytest.raises(ringlet.InvalidArgument, match="noise|depth"):
            for _ in range(9):
                value, before = runner(public.bind(value)), value
                assert narrow.noise_budget(value) > 0
        assert narrow.noise_budget(value) < 70
        assert np.isin(narrow.decrypt(value)[:ROW], [-1, 0, 1]).all()
    else:
        last = runner(runner(value))
        refused(lambda: runner(last), "depth", "1 data primes left")


class Mallinfo(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(f"field{i}", ctypes.c_size_t) for i in range(10)]


def allocated_bytes():
    gc.collect()
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Mallinfo
    return libc.mallinfo2().field7


@EXACT
def test_estimators_of_noise_go_with_the_last_runner_and_result(scheme):
    circuit = Circuit(ROW)
    circuit.output(circuit.input() * 2)

    def double_twice(plain_modulus):
        secret = toy(scheme, [50], plain_modulus=plain_modulus)
        once = secret.public().runner(circuit)(secret.encrypt(3))
        # This context never saw the first runner, which is deleted.
        public = scheme.PublicContext.from_bytes(secret.public().to_bytes(), min_security="none")
        return secret.decrypt(public.runner(circuit)(public.bind(once)))[0]

    moduli = [128 * i + 1 for i in range(2, 500) if ringlet.is_prime(128 * i + 1)]
    for plain_modulus in moduli[:5]:
        assert double_twice(plain_modulus) == 12
    before = allocated_bytes()
    for plain_modulus in moduli[5:55]:
        assert double_twice(plain_modulus) == 12
    assert allocated_bytes() - before < 50 << 10  # an estimator has 9 KiB


def test_names_in_docstrings_exist():
    """`circuit.tiled(...)` and the like: before the dot stands the usual name of a class."""
    classes = {"circuit": Circuit, "public": ckks.PublicContext, "secret": ckks.SecretContext}
    circuit = Circuit(ROW)
    circuit.output(circuit.input() ** 2)
    classes["runner"] = type(toy_of(ckks).public().runner(circuit))
    texts = [Circuit.__doc__]
    for owner in (*classes.values(), ckks.Ciphertext, ringlet.CircuitValue, bfv.PublicContext):
        texts += [getattr(member, "__doc__", None) or "" for member in vars(owner).values()]
        texts.append(owner.__doc__)
    names = re.findall(rf"\b({'|'.join(classes)})\.(\w+)", " ".join(texts))
    assert len(set(names)) > 5
    for owner, name in names:
        assert hasattr(classes[owner], name), f"{owner}.{name}"
