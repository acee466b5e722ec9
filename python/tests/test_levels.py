# SPDX-License-Identifier: Apache-2.0
"""Operators bring operands together by one rule; methods never do; products by matrices."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from support import ALL, EXACT, EXACT_SETS, refused, refused_call, rotated, toy

import ringlet
from ringlet import bgv, ckks

SIGNS = [operator.add, operator.sub]


@pytest.fixture(scope="module")
def secret():
    return toy(ckks, [55, *[40] * 4])


@pytest.fixture(scope="module")
def public(secret):
    return secret.public()


def level_scales(parameters):
    """The rule, in exact arithmetic: entry l is that of level l."""
    primes = parameters.data_primes
    scales = [Fraction(parameters.scale)]
    for q in reversed(primes[1:]):
        scales.append(scales[-1] ** 2 / q)
    return scales[::-1]


def powers(a, values):
    """Ciphertexts at different levels."""
    square = a * a
    fourth = square * square
    return [(a, values), (square, values**2), (fourth, values**4)]


def test_ckks_levels_come_together(secret, public):
    x = np.random.default_rng(5).uniform(-1, 1, secret.slot_count)
    scales = level_scales(secret.parameters)
    pool = powers(public.bind(secret.encrypt(x)), x)
    for a, u in pool:
        assert a.scale == pytest.approx(float(scales[a.level]), rel=2**-50)
        for b, v in pool:
            level = min(a.level, b.level)
            for sign in SIGNS:
                if sign is operator.sub and a is b:
                    continue
                result = sign(a, b)
                assert (
                    result.level == level and result.scale == min(a, b, key=lambda c: c.level).scale
                )
                assert np.abs(secret.decrypt(result) - sign(u, v)).max() < 2e-7
            product = a * b
            assert product.level == level - 1 and product.size == 2
            assert product.scale == pytest.approx(float(scales[level - 1]), rel=2**-50)
            assert np.abs(secret.decrypt(product) - u * v).max() < 2e-7


@EXACT
@pytest.mark.parametrize("sizes", EXACT_SETS)
def test_exact_levels_come_together(scheme, sizes):
    secret = toy(scheme, **EXACT_SETS[sizes])
    public = secret.public()
    t = secret.parameters.plain_modulus
    x = np.random.default_rng(5).integers(0, t, secret.slot_count).astype(object)
    a = public.bind(secret.encrypt(x.astype(np.int64)))
    pool = [(a, x), (a.mod_switch_to(2), x), (a.mod_switch_to_next(), x), (a * a, x * x)]
    assert (a * a).level == (a.level - 1 if scheme is bgv else a.level)
    for i, (first, u) in enumerate(pool):
        rows = secret.decrypt(first.rotate_rows(5).swap_rows(), signed=False).reshape(2, -1)
        assert np.array_equal(rows, np.roll(u.reshape(2, -1)[::-1], -5, axis=1) % t)
        for j, (second, v) in enumerate(pool):
            for sign in SIGNS:
                if sign is operator.sub and u is v:
                    continue
                result = sign(first, second)
                assert result.level == min(first.level, second.level), (i, j)
                assert np.array_equal(secret.decrypt(result, signed=False), sign(u, v) % t)
            product = secret.decrypt(first * second, signed=False)
            assert np.array_equal(product, u * v % t)


def test_bgv_goes_down_as_long_as_it_can():
    secret = toy(bgv, [50, *[45] * 4])
    public = secret.public(rotations=[])
    t = secret.parameters.plain_modulus
    values = np.random.default_rng(5).integers(0, t, secret.slot_count).astype(object)
    x = public.bind(secret.encrypt(values.astype(np.int64)))
    for level in (3, 2, 1, 0):
        x, values = x * x, values * values % t
        assert x.level == level
        assert np.array_equal(secret.decrypt(x, signed=False), values)
    assert (x * 3).level == 0 and (x.square().relinearize()).level == 0
    assert (public.encrypt(2) ** 5).level == 1
    assert (public.encrypt(2) * 7).level == 4


def test_exponents(secret, public):
    x = np.random.default_rng(6).uniform(-1, 1, secret.slot_count)
    a = public.bind(secret.encrypt(x))
    scales = level_scales(secret.parameters)
    for exponent in range(1, 17):
        power = a**exponent
        assert power.level == a.level - (exponent - 1).bit_length()
        assert power.scale == pytest.approx(float(scales[power.level]), rel=2**-50)
        assert np.abs(secret.decrypt(power) - x**exponent).max() < 1e-6


def test_operators_agree_with_circuits(secret, public):
    def polynomial(x):
        return (x * x + x * 0.5 - 0.25) * x + np.arange(4.0) * x

    circuit = ringlet.Circuit(32)
    circuit.output(polynomial(circuit.input()))
    runner = secret.public(circuit=circuit).runner(circuit)
    x = np.random.default_rng(7).uniform(-1, 1, secret.slot_count)
    by_circuit = runner(secret.encrypt(x))
    by_operators = polynomial(public.bind(secret.encrypt(x)))
    assert by_operators.scale == by_circuit.scale and by_operators.level == by_circuit.level
    known = np.zeros(32)
    known[:4] = np.arange(4)
    wanted = (x * x + x * 0.5 - 0.25) * x + known * x
    for result in (by_circuit, by_operators):
        assert np.abs(secret.decrypt(result) - wanted).max() < 1e-6


def test_circuits_take_results_of_operators(secret):
    circuit = ringlet.Circuit(32)
    x = circuit.input()
    circuit.output(x * x.rotate(1))
    public = secret.public(circuit=circuit)
    values = np.random.default_rng(9).uniform(-1, 1, secret.slot_count)
    a = public.bind(secret.encrypt(values))
    lower = a * a
    runner = public.runner(circuit, level=lower.level)
    result = runner(lower)
    wanted = values**2 * np.roll(values, -1) ** 2
    error = np.abs(secret.decrypt(result) - wanted).max()
    assert error < 2.0 ** -runner.estimate[0].precision_bits < 2.0**-10
    assert result.level == lower.level - 1 == 2
    assert result.scale == (lower * lower).scale == runner.estimate[0].scale
    refused_call(runner, a, says=["level of 4 data primes"])
    refused_call(public.runner, circuit, level=0, says=["depth"])
    refused_call(public.runner, circuit, level=5, says=["level = 5"])


def test_methods_do_nothing_by_themselves(secret, public):
    a = public.bind(secret.encrypt(0.5))
    square = a * a
    before = [a.residues(), square.residues()]
    for call in (
        lambda: a.add(square),
        lambda: a.subtract(square),
        lambda: a.multiply(square),
        lambda: a.add("1"),
        lambda: a.subtract({}),
    ):
        refused(call)
    assert np.array_equal(a.residues(), before[0])
    assert np.array_equal(square.residues(), before[1])
    assert secret.decrypt(a.add(a))[0] == pytest.approx(1, abs=1e-6)
    assert secret.decrypt(a.add(0.25))[0] == pytest.approx(0.75, abs=1e-6)
    assert secret.decrypt(a.subtract(public.encode(0.25)))[0] == pytest.approx(0.25, abs=1e-6)
    assert a.multiply(a).size == 3 and a.multiply(a).level == a.level


def test_other_scales_are_refused(secret, public):
    a = public.bind(secret.encrypt(0.5))
    other = public.encrypt(public.encode(0.5, scale=2.0**38)).mod_switch_to_next()
    unscaled = a.multiply(a).relinearize().mod_switch_to_next()
    for wrong in (other, unscaled):
        for call in (lambda w=wrong: a + w, lambda w=wrong: w - a, lambda w=wrong: a * w):
            refused(call, "mod_switch_to", "level 3", "level 4")


def test_primes_far_from_the_scale_keep_scales_as_they_come():
    secret = toy(ckks, [50, 45, 45], [50])
    public = secret.public(rotations=[])
    a = public.encrypt(0.5)
    assert (a * 0.5).scale == pytest.approx(a.scale, rel=2**-50)
    refused(lambda: a + a * a, "level")


# Products by matrices.


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (5, 3), (1, 16), (16, 1), (16, 16), (32, 32)])
def test_matrix_times_ckks(secret, shape):
    rng = np.random.default_rng(shape)
    matrix = rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)
    server = secret.public(rotations=secret.rotations_for(matrix))
    x = rng.uniform(-1, 1, secret.slot_count)
    a = server.bind(secret.encrypt(x))
    wanted = np.zeros(secret.slot_count, dtype=complex)
    wanted[: shape[0]] = matrix @ x[: shape[1]]
    for operand, values in ((a, wanted), (a.multiply(2.0).rescale(), 2 * wanted)):
        result = matrix @ operand
        assert result.level == operand.level - 1
        assert np.abs(secret.decrypt_complex(result) - values).max() < 1e-5
    assert (matrix @ a + a).level == a.level - 1


@EXACT
def test_matrix_times_exact(scheme):
    secret = toy(scheme, [50, *[45] * 4])
    t = secret.parameters.plain_modulus
    matrix = np.random.default_rng(2).integers(-t // 2, t // 2, (3, 4))
    server = secret.public(rotations=secret.rotations_for((3, 4)), relinearization=True)
    rows = np.random.default_rng(3).integers(0, t, (2, 32))
    a = server.bind(secret.encrypt(rows))
    for operand in (a, a.mod_switch_to_next()):
        result = secret.decrypt(matrix @ operand, signed=False).reshape(2, -1)
        wanted = (matrix.astype(object) @ rows[:, :4].T.astype(object)) % t
        assert np.array_equal(result[:, :3], wanted.T) and not result[:, 3:].any()
    refused(lambda: matrix.astype(float) @ a, "integers")


def test_rotations_of_a_matrix(secret, public):
    assert secret.rotations_for((1, 1)) == public.rotations_for(np.eye(8)) == []
    of_shape = secret.rotations_for((8, 8))
    assert 0 < len(of_shape) <= 8 and of_shape == sorted(of_shape)
    assert secret.rotations_for(np.ones((8, 8))) == of_shape
    assert secret.rotations_for(np.diag(np.ones(3), 1)) == [1]
    rng = np.random.default_rng(9)
    x = rng.uniform(-1, 1, secret.slot_count)
    for shape in ((16, 16), (5, 12), (32, 32)):
        server = secret.public(rotations=secret.rotations_for(shape), relinearization=False)
        a = server.bind(secret.encrypt(x))
        for _ in range(30):
            matrix = rng.uniform(-1, 1, shape) * (rng.uniform(size=shape) < rng.uniform())
            matrix[rng.integers(shape[0]), rng.integers(shape[1])] = 1
            result = secret.decrypt(matrix @ a)[: shape[0]]
            assert np.abs(result - matrix @ x[: shape[1]]).max() < 1e-5


@ALL
def test_default_keys_serve_every_rotation(scheme):
    secret = toy(scheme, [50, 40, 40])
    server = secret.public()
    x = np.random.default_rng(4).integers(-1, 2, 8)
    row = np.pad(x, (0, 24))
    a = server.bind(secret.encrypt(row))
    for step in (3, 5, -1, 7):
        assert np.abs(secret.decrypt(rotated(a, step))[:32] - np.roll(row, -step)).max() < 1e-5
        result = secret.decrypt(np.eye(8, k=step, dtype=int) @ a)[:8]
        assert np.abs(result - np.eye(8, k=step) @ x).max() < 1e-5
        for length in (8, 32):
            circuit = ringlet.Circuit(length)
            circuit.output(circuit.input().rotate(step))
            for keys in (server, secret.public(rotations=[step])):
                runner = keys.runner(circuit)
                result = secret.decrypt(runner(secret.encrypt(row[:length], circuit=circuit)))
                assert np.abs(result[:length] - np.roll(row[:length], -step)).max() < 1e-5
            assert runner.counts.automorphisms == 1
    refused(lambda: secret.public(rotations=[4]).runner(circuit), "rotations [7]")


def test_matrices_that_are_refused(secret):
    public = secret.public(rotations=[1], relinearization=False)
    a = public.bind(secret.encrypt(0.5))
    words = a.residues()
    matrix = np.ones((8, 8))
    error = refused(lambda: matrix @ a, "missing keys: rotations")
    for step in secret.rotations_for(matrix):
        assert (str(step) in error.offending) == (step != 1)
    for call, part in (
        (lambda: np.ones(3) @ a, "(3,)"),
        (lambda: np.ones((2, 2, 2)) @ a, "(2, 2, 2)"),
        (lambda: np.zeros((2, 2)) @ a, "zero"),
        (lambda: np.full((2, 2), np.nan) @ a, "finite"),
        (lambda: np.full((2, 2), "x") @ a, "matrix"),
        (lambda: np.ones((64, 2)) @ a, "64"),
        (lambda: np.eye(2) @ a.mod_switch_to(0), "depth"),
        (lambda: secret.rotations_for((0, 2)), "(0, 2)"),
        (lambda: secret.rotations_for((1 << 20, 1 << 20)), "2^28"),
        (lambda: secret.rotations_for((2,)), "(2,)"),
        (lambda: secret.rotations_for((2, "x")), "'x'"),
    ):
        refused(call, part)
    refused(lambda: np.eye(2) @ secret.encrypt(0.5), "bind", error=ringlet.LogicError)
    with pytest.raises(TypeError):
        "x" @ a
    assert np.array_equal(a.residues(), words)
