# SPDX-License-Identifier: Apache-2.0
"""Functions and products of matrices as parts of circuits, against NumPy; circuits as bytes, and
nothing else is taken; traces, in which every step is measured, expected and shown."""

import hashlib
import math
import pickle
import struct

import numpy as np
import pytest
from support import EXACT, flipped, refused, refused_call, toy
from test_declared_circuits import interrupted_after, long_circuit, toy_ckks, toy_exact

import ringlet
from ringlet import Circuit, bfv, ckks

ROW = 16
METHODS = pytest.mark.parametrize(
    ("method", "depth"), [("fewer_known_products", 3), ("fewer_levels", 2)]
)


def deep(levels):
    """A toy whose results have at least 20 correct bits."""
    return toy(ckks, [58, *[45] * levels], [58], scale_bits=45)


def run(circuit, secret, *rows):
    """The first row of each result."""
    runner = secret.public(circuit=circuit).runner(circuit)
    results = runner(*(secret.encrypt(circuit.tiled(row, secret)) for row in rows))
    results = results if isinstance(results, tuple) else (results,)
    return [secret.decrypt(result)[: circuit.row_length] for result in results]


@METHODS
@pytest.mark.parametrize("rows", [4, 2])
def test_products_of_matrices_of_ckks(method, depth, rows):
    d = 4
    circuit = Circuit(ROW)
    x, y = circuit.input(), circuit.input()
    circuit.output(x.matrix_product(y, d, rows=rows, method=method))
    assert circuit.depth == depth
    rng = np.random.default_rng(2)
    a, b = rng.uniform(-1, 1, (rows, d)), rng.uniform(-1, 1, (d, d))
    repeated = np.tile(a, (d // rows, 1)).ravel()
    (result,) = run(circuit, deep(3), repeated, b.ravel())
    assert np.abs(result.reshape(d, d) - np.tile(a @ b, (d // rows, 1))).max() < 1e-6


@EXACT
@METHODS
def test_products_of_matrices_of_exact_schemes(scheme, method, depth):
    # Four pairs of 2 x 2 matrices lie interleaved in each row.
    circuit = Circuit(ROW)
    x, y = circuit.input(), circuit.input()
    circuit.output(x.matrix_product(y, 2, method=method))
    secret = toy(scheme, [50, 45, 45, 45, 45])
    t = secret.parameters.plain_modulus
    runner = secret.public(circuit=circuit).runner(circuit)
    a, b = np.random.default_rng(2).integers(0, 200, (2, 2, 2, 2, 4))  # row, i, j, pair
    packed = [circuit.tiled(m.reshape(2, ROW), secret) for m in (a, b)]
    result = secret.decrypt(runner(*(secret.encrypt(p) for p in packed)), signed=False)
    wanted = np.einsum("rikp,rkjp->rijp", a, b) % t
    assert np.array_equal(result.reshape(2, -1)[:, :ROW], wanted.reshape(2, ROW))
    assert circuit.depth == depth


def test_sign_and_comparisons():
    sign = ringlet.sign_approximation(2.0**-3, 8)
    circuit = Circuit(ROW)
    x, y = circuit.input(), circuit.input()
    for value in (
        x.sign(sign), x.absolute_value(sign), x.compare(y, sign), x.maximum(y, sign),
        x.minimum(y, sign),
    ):  # fmt: skip
        circuit.output(value)
    assert circuit.depth == sign.depth + 1
    rng = np.random.default_rng(4)
    size = rng.uniform(0.25, 0.5, ROW) * rng.choice([-1, 1], ROW)
    a = size
    b = size - rng.uniform(0.13, 0.45, ROW) * rng.choice([-1, 1], ROW)
    results = run(circuit, deep(circuit.depth), a, b)
    wanted = [np.sign(a), np.abs(a), (a > b).astype(float), np.maximum(a, b), np.minimum(a, b)]
    bounds = [sign.error, max(sign.gap, sign.error), sign.error / 2, *[sign.gap / 2] * 2]
    for result, values, bound in zip(results, wanted, bounds, strict=True):
        assert np.abs(result - values).max() <= bound + 1e-4
    # Outside of the gap, products by the sign are as accurate as the sign.
    assert np.abs(results[1] - wanted[1]).max() < 2 * sign.error + 1e-4


@pytest.mark.parametrize("method", ["goldschmidt", "newton"])
def test_inverse(method):
    inverse = ringlet.inverse_approximation((0.5, 1.5), 2.0**-12, method)
    circuit = Circuit(ROW)
    y = circuit.input(1.5)
    circuit.output(y.inverse(inverse))
    assert circuit.depth == inverse.depth
    values = np.linspace(0.5, 1.5, ROW)
    (result,) = run(circuit, deep(inverse.depth), values)
    assert np.abs(result - 1 / values).max() <= inverse.error + 1e-5 < 2.0**-11
    assert inverse.method == method and inverse.interval == (0.5, 1.5)
    assert (inverse.start is not None) == (method == "newton")


def test_a_function_by_a_polynomial():
    found = ringlet.chebyshev_approximation(np.tanh, (-4, 4), error=1e-2)
    p = found.polynomial
    grid = np.linspace(-4, 4, 1001)
    mapped = np.polynomial.chebyshev.chebval(grid / 4, p.coefficients)
    assert np.abs(mapped - np.tanh(grid)).max() <= 1.01 * found.error <= 1.01e-2
    assert max(abs(p(x) - y) for x, y in zip(grid, mapped, strict=True)) < 1e-12
    assert p.degree % 2 == 1 and not any(p.coefficients[::2])  # as tanh is odd
    worse = ringlet.chebyshev_approximation(math.tanh, (-4, 4), degree=p.degree - 2)
    assert worse.polynomial.degree == p.degree - 2 and worse.error > 1e-2
    circuit = Circuit(ROW)
    circuit.output(circuit.input(4.0).polynomial(p))
    assert circuit.depth == p.cost.depth
    values = np.linspace(-4, 4, ROW)
    secret = deep(circuit.depth)
    (result,) = run(circuit, secret, values)
    assert np.abs(result - np.tanh(values)).max() <= found.error + 1e-5
    counts = secret.public(circuit=circuit).runner(circuit).counts
    assert counts.relinearizations == p.cost.relinearizations
    assert counts.multiplications == p.cost.products


def test_what_f_raises_comes_through():
    def f(x):
        raise ZeroDivisionError(x)

    with pytest.raises(ZeroDivisionError):
        ringlet.chebyshev_approximation(f, (-1, 1), degree=3)


@EXACT
def test_look_up_tables(scheme):
    secret = toy(scheme, [50, 45, 45, 45], plain_bits=12)
    t = secret.parameters.plain_modulus
    squares_of_digits = np.array([(3 * i * i + 5) % 7 for i in range(8)])
    table = ringlet.interpolate(t, squares_of_digits)
    assert [sum(c * i**k for k, c in enumerate(table.coefficients)) % t for i in range(8)] == list(
        squares_of_digits
    )
    circuit = Circuit(ROW)
    circuit.output(circuit.input().polynomial(table))
    runner = secret.public(circuit=circuit).runner(circuit)
    digits = np.random.default_rng(1).integers(0, 8, ROW)
    result = runner(secret.encrypt(circuit.tiled(digits, secret)))
    assert np.array_equal(secret.decrypt(result)[:ROW], squares_of_digits[digits])
    at_points = ringlet.interpolate(17, [4, 9], points=[2, 3])
    assert at_points.degree == 1 and at_points(2).real % 17 == 4 and at_points(3).real % 17 == 9


def test_approximations_describe_themselves():
    sign = ringlet.sign_approximation(2.0**-4, 8)
    assert (sign.n, sign.g_count, sign.f_count) == (3, 1, 3)
    assert (sign.depth, sign.relinearizations) == (12, 16) and sign.error <= 2.0**-8
    assert repr(sign).startswith("<ringlet.SignApproximation n=3 gap=0.0625 error=")
    inverse = ringlet.inverse_approximation((0.5, 1.5), 2.0**-10)
    assert (inverse.iterations, inverse.depth, inverse.relinearizations) == (4, 4, 6)
    assert repr(inverse).startswith("<ringlet.InverseApproximation goldschmidt interval=[0.5, 1.5]")
    p = ringlet.Polynomial([1, 0, 3, 0])
    assert (p.degree, p.coefficients, p.basis, p.interval) == (2, [1, 0, 3], "power", (-1.0, 1.0))
    assert repr(p) == "<ringlet.Polynomial degree=2 basis=power>" and p(2) == 13
    mapped = ringlet.Polynomial([0.0, 1.0], basis="chebyshev", interval=(0.0, 4.0))
    assert mapped(3) == 0.5 and "interval=[0, 4]" in repr(mapped)
    assert ringlet.Polynomial([1.0, 2j]).coefficients == [1, 2j]
    assert repr(p.cost).startswith("PolynomialCost(depth=1, relinearizations=1")
    found = ringlet.chebyshev_approximation(abs, (-1, 1), degree=2)
    assert repr(found).startswith("<ringlet.Approximation degree=2 interval=[-1, 1] error=")


def refusals(x):
    sign = ringlet.sign_approximation(0.25, 4)
    tanh = ringlet.chebyshev_approximation
    return [
        (lambda: x.compare(3, sign), "value = 3"),
        (lambda: x.maximum(Circuit(ROW).input(), sign), "another circuit"),
        (lambda: x.matrix_product(2, 4), "value = 2"),
        (lambda: x.matrix_product(x, 3), "3"),
        (lambda: x.matrix_product(x, 8), "8"),
        (lambda: x.matrix_product(x, 4, rows=3), "3"),
        (lambda: x.matrix_product(x, 4, method="fast"), "method = 'fast'"),
        (lambda: ringlet.sign_approximation(0.0, 8), "gap"),
        (lambda: ringlet.sign_approximation(0.5, 8, n=5), "5"),
        (lambda: ringlet.inverse_approximation((0.0, 1.0), 0.1), "0"),
        (lambda: ringlet.inverse_approximation((0.5, 1.0), 0.1, "euclid"), "method = 'euclid'"),
        (lambda: tanh(math.tanh, (-1, 1)), "no degree"),
        (lambda: tanh(math.tanh, (-1, 1), degree=3, error=0.1), "both degree and error"),
        (lambda: tanh(3, (-1, 1), degree=3), "f = 3"),
        (lambda: tanh(lambda x: 1j, (-1, 1), degree=3), "= 1j"),
        (lambda: tanh(lambda x: math.nan, (-1, 1), degree=3), "nan"),
        (lambda: tanh(math.tanh, (1, 1), degree=3), "interval"),
        (lambda: tanh(math.tanh, (-9, 9), error=1e-9, max_degree=5), "5"),
        (lambda: ringlet.interpolate(16, [1, 2]), "16"),
        (lambda: ringlet.interpolate(17, []), "0 points"),
        (lambda: ringlet.interpolate(17, [1, 2], points=[3, 20]), "point 3 modulo 17"),
        (lambda: ringlet.interpolate(17, [1, "2"]), "'2'"),
        (lambda: ringlet.Polynomial(3), "coefficients = 3"),
        (lambda: ringlet.Polynomial("12"), "'12'"),
        (lambda: ringlet.Polynomial(np.zeros((2, 3))), "coefficients"),
        (lambda: ringlet.Polynomial([[1], [2, 3]]), "coefficients"),
        (lambda: ringlet.Polynomial([]), "no"),
        (lambda: ringlet.Polynomial([1.0, math.inf]), "finite"),
        (lambda: ringlet.Polynomial([1, 2], basis="x"), "basis = 'x'"),
        (lambda: x.polynomial([[1, 2], [3, 4]]), "coefficients"),
    ]


def test_refusals_name_value_limit_and_remedy():
    circuit = Circuit(ROW)
    x = circuit.input()
    circuit.output(x)
    before = repr(circuit)
    for call, part in refusals(x):
        refused(call, part)
    assert repr(circuit) == before


_DIGEST = 32


def everything():
    """Every operation, and known vectors of every kind."""
    circuit = Circuit(16)
    x, y = circuit.input(2.0), circuit.input()
    z = (np.arange(12).reshape(3, 4) / 7) @ x * y - 1
    circuit.bound(z, 5.0)
    circuit.output(-z.rotate(3).conjugate() + x * (0.5 + 0.25j) + [1, 2, 3])
    circuit.output(x - y * 3)
    return circuit


def test_they_come_back():
    circuit = everything()
    data = circuit.to_bytes()
    assert data[:8] == b"\x89RGC\r\n\x1a\n"
    copies = [Circuit.from_bytes(data), pickle.loads(pickle.dumps(circuit))]
    for copy in copies:
        assert copy.to_bytes() == data and repr(copy) == repr(circuit)
        copy.output(copy.input() * 2)  # the copy may be declared further
    assert circuit.to_bytes() == data


def test_copies_compute_the_same_bits(rng):
    circuit = everything()
    secret = toy(ckks, [50, 40, 40, 40], [50])
    public = secret.public(circuit=circuit)
    inputs = [secret.encrypt(circuit.tiled(rng.uniform(-1, 1, 16), secret)) for _ in range(2)]
    first = public.runner(circuit)(*inputs)
    second = public.runner(Circuit.from_bytes(circuit.to_bytes()))(*inputs)
    assert [c.to_bytes() for c in first] == [c.to_bytes() for c in second]


def sealed(words):
    return words + hashlib.sha256(words).digest()


def changed(data, word, value):
    """With another word, and the digest that belongs to it."""
    return sealed(data[: 8 * word] + struct.pack("<Q", value) + data[8 * word + 8 : -_DIGEST])


def test_damage_is_refused():
    data = everything().to_bytes()
    for length in (0, 7, 39, len(data) // 2, len(data) - 1):
        refused_call(Circuit.from_bytes, data[:length], error=ringlet.RingletError)
    for place in range(0, len(data), 97):
        error = refused_call(Circuit.from_bytes, flipped(data, place))
        assert "magic number" in str(error) or "damaged" in str(error)
    early = sealed(data[: 8 * 6 - _DIGEST])
    refused_call(Circuit.from_bytes, early, says=["too early"], error=ringlet.RuntimeFailure)
    refused_call(Circuit.from_bytes, sealed(data[:-_DIGEST] + bytes(8)))


def test_hostile_words_are_refused():
    """Every word, with a digest that fits: it is a circuit that could be declared, or an error."""
    data = everything().to_bytes()
    refused = 0
    for word in range(1, (len(data) - _DIGEST) // 8):
        for value in (3, 11, 1 << 20, (1 << 63) - 1, (1 << 64) - 1):
            try:
                found = Circuit.from_bytes(changed(data, word, value))
            except (ringlet.InvalidArgument, ringlet.RuntimeFailure):
                refused += 1
            else:
                assert isinstance(found.depth, int) and found.input_count >= 1
    assert refused > 100
    for word, value, message in (
        (1, 2, "version 2"),
        (3, 1 << 60, "a count"),
        (2, 3, "row_length"),
    ):
        refused_call(Circuit.from_bytes, changed(data, word, value), says=[message])


def small_circuit():
    circuit = Circuit(ROW)
    x, y = circuit.input(), circuit.input()
    circuit.output((x * y).rotate(1) + 0.5 * x)
    return circuit


def test_steps_of_ckks_are_within_their_estimates():
    secret = toy_ckks()
    circuit = small_circuit()
    rng = np.random.default_rng(6)
    x, y = rng.uniform(-0.9, 0.9, (2, ROW))
    trace = secret.trace(circuit, x, y)
    assert trace.is_as_expected and len(trace) == len(list(trace)) >= 6
    runner = secret.public(circuit=circuit).runner(circuit)
    assert f"steps={len(trace) - 2} " in repr(runner)
    assert [step.number for step in trace] == list(range(1, len(trace) + 1))
    first, last = trace[0], trace[-1]
    assert first.operation == "encrypt" and first.lost_bits is None and first.result == "in0"
    assert first.magnitude == pytest.approx(np.abs(x).max()) and first.magnitude_bound == 1
    wanted = np.roll(x * y, -1) + 0.5 * x
    assert last.magnitude == pytest.approx(np.abs(wanted).max())
    assert last.prime_count == runner.estimate[0].prime_count and last.size == 2
    assert last.scale == runner.estimate[0].scale and last.budget_bits is None
    for step in trace:
        assert step.is_right and step.is_within_estimate and step.advice == ""
        assert -45 < step.measured_bits <= step.estimated_bits < -10
    # The measured error is the error of an independent run, to a few bits.
    inputs = [secret.encrypt(circuit.tiled(row, secret)) for row in (x, y)]
    error = np.abs(secret.decrypt(runner(*inputs))[:ROW] - wanted).max()
    assert abs(math.log2(error) - last.measured_bits) < 6


@EXACT
def test_steps_of_exact_schemes(scheme):
    secret = toy_exact(scheme)
    circuit = Circuit(ROW)
    x = circuit.input()
    circuit.output(x**2 + x.swap_rows() * np.arange(ROW))
    rows = np.arange(2 * ROW).reshape(2, ROW)
    public = secret.public(circuit=circuit)
    trace = secret.trace(circuit, rows, keys=public)
    assert trace.is_as_expected
    result = public.runner(circuit)(secret.encrypt(circuit.tiled(rows, secret)))
    assert trace[-1].budget_bits == pytest.approx(secret.noise_budget(result), abs=3)
    assert trace[-1].lost_bits is not None and trace[-1].scale == 1
    assert any(step.operation == "rotate_columns" for step in trace)


def test_a_trace_is_a_table():
    secret = toy_ckks()
    trace = secret.trace(small_circuit(), [0.5], 0.25)
    lines = repr(trace).splitlines()
    assert len(lines) == len(trace) + 1
    for word in ("result = operation(operands)", "primes", "scale", "error", "estimate", "lost"):
        assert word in lines[0]
    assert "in0 = encrypt()" in lines[1] and "multiply(in0, in1)" in repr(trace)
    assert all(line.rstrip().endswith("ok") for line in lines[1:])
    assert repr(trace[0]).startswith("<ringlet.TraceStep in0 = encrypt()")
    assert trace[-1].number == len(trace)
    with pytest.raises(IndexError):
        trace[len(trace)]


def test_a_budget_that_is_spent_is_found():
    secret = toy(bfv, [35, 35], [36], plain_bits=20)
    circuit = Circuit(ROW)
    circuit.output(circuit.input() ** 16)
    refused_call(secret.public, circuit=circuit)
    trace = secret.trace(circuit, np.arange(ROW))
    assert not trace.is_as_expected
    wrong = next(step for step in trace if not step.is_right)
    assert wrong.operation == "square" and wrong.advice
    assert "WRONG" in repr(trace)


def test_traces_that_are_refused():
    secret = toy_ckks()
    circuit = small_circuit()
    empty = Circuit(ROW)
    empty.input()
    bits = bfv.SecretContext(
        bfv.Parameters(ring=127, data_bits=[30, 30], special_bits=[30], security="none")
    )
    for call, part in (
        (lambda: secret.trace(3), "circuit = 3"),
        (lambda: secret.trace(empty, 1.0), "without a result"),
        (lambda: secret.trace(circuit, 0.5), "1 inputs"),
        (lambda: secret.trace(circuit, 0.5, np.zeros(ROW + 1)), "17"),
        (lambda: secret.trace(circuit, 0.5, "x"), "x"),
        (lambda: secret.trace(circuit, 0.5, 0.5, keys=7), "keys = 7"),
        (lambda: secret.trace(circuit, 0.5, 0.5, keys=secret.public(rotations=[3])), "key"),
        (lambda: bits.trace(circuit, 1, 1), "slots"),
    ):
        refused(call, part)
    stranger = ckks.SecretContext(ckks.Parameters(64, [50, 40, 50], scale_bits=40, security="none"))
    mismatch = {"keys": stranger.public(), "error": ringlet.ContextMismatch}
    refused_call(secret.trace, circuit, 0.5, 0.5, **mismatch)


def test_ctrl_c_ends_a_trace():
    secret = ckks.SecretContext(ckks.Parameters(16384, [50, *[40] * 6, 50], scale_bits=40))
    x = np.random.default_rng(1).uniform(-1, 1, 8192)
    assert interrupted_after(0.3, lambda: secret.trace(long_circuit(1000), x)) < 2
    trace = secret.trace(long_circuit(2), x)
    assert trace.is_as_expected and len(trace) == 3


@pytest.mark.parametrize("count", [1, 2, 65, 65536])
def test_tables_of_many_values(count):
    t, rng = 65537, np.random.default_rng(count)
    values = rng.integers(0, t, count)
    for given in ((), (rng.permutation(t)[:count].tolist(),)):
        x = np.array(given[0]) if given else np.arange(count)
        coefficients = ringlet.interpolate(t, values.tolist(), *given).coefficients
        asked = rng.integers(0, count, 5)
        result = np.zeros(5, dtype=np.int64)
        for coefficient in reversed(list(coefficients)):
            result = (result * x[asked] + int(coefficient)) % t
        assert np.array_equal(result, values[asked])
