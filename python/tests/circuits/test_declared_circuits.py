# SPDX-License-Identifier: Apache-2.0
"""Declared circuits: against NumPy, on exactly the keys that they take, interrupted and watched."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from support import ALL, EXACT, in_threads, refused, toy

import ringlet
from ringlet import Circuit, ckks

ROW = 8


def toy_ckks():
    return toy(ckks, [55, 40, 40, 40])


def toy_exact(scheme):
    return toy(scheme, [50, 45, 45, 45])


def operators(circuit):
    """One result for each operator."""
    x, y = circuit.input(), circuit.input()
    known = np.array([1, -2, 3])
    for result in (
        x + y, x - y, x * y, -x, +x, x + 2, 2 + x, x - 3, 3 - x, x * 5, 5 * x, x + known,
        known - x, known * x, x**2, x**3, x**7, x.rotate(3), y.rotate(-1), x.rotate(ROW + 2),
        x.conjugate() * 2,
    ):  # fmt: skip
        circuit.output(result)


def expected(x, y, mirror):
    """The same on arrays whose last axis is a row."""
    known = np.zeros(ROW, dtype=int)
    known[:3] = [1, -2, 3]
    known = np.tile(known, x.shape[-1] // ROW)

    def left(a, steps):
        return np.roll(a, -steps, axis=-1)

    return [
        x + y, x - y, x * y, -x, x, x + 2, 2 + x, x - 3, 3 - x, x * 5, 5 * x, x + known,
        known - x, known * x, x**2, x**3, x**7, left(x, 3), left(y, -1), left(x, 2),
        mirror(x) * 2,
    ]  # fmt: skip


def test_every_operator_of_ckks():
    circuit = Circuit(ROW)
    operators(circuit)
    secret = toy_ckks()
    runner = secret.public(circuit=circuit).runner(circuit)
    rng = np.random.default_rng(3)
    rows = [rng.uniform(-0.7, 0.7, ROW) + 1j * rng.uniform(-0.7, 0.7, ROW) for _ in range(2)]
    inputs = [circuit.tiled(row, secret) for row in rows]
    assert all(np.array_equal(array, np.tile(row, 4)) for array, row in zip(inputs, rows))
    results = runner(*(secret.encrypt(array) for array in inputs))
    wanted = expected(*inputs, np.conjugate)
    assert len(results) == len(wanted) == len(runner.estimate) == circuit.output_count
    for result, values, estimate in zip(results, wanted, runner.estimate, strict=True):
        error = np.abs(secret.decrypt_complex(result) - values).max()
        assert error < 2.0**-estimate.precision_bits < 2.0**-10
        assert estimate.budget_bits is None and estimate.scale == result.scale


@EXACT
def test_every_operator_of_exact_schemes(scheme):
    circuit = Circuit(ROW)
    operators(circuit)
    secret = toy_exact(scheme)
    t = secret.parameters.plain_modulus
    runner = secret.public(circuit=circuit).runner(circuit)
    rng = np.random.default_rng(3)
    x = circuit.tiled(rng.integers(0, t, ROW), secret)
    y = circuit.tiled(rng.integers(0, t, (2, ROW)), secret)
    assert x.shape == y.shape == (2, 32) and np.array_equal(x[0], x[1])
    assert np.array_equal(y[1, :ROW], y[1, ROW : 2 * ROW])
    results = runner(secret.encrypt(x), secret.encrypt(y))
    wanted = expected(x.astype(object), y.astype(object), lambda a: a[::-1])
    for result, values, estimate in zip(results, wanted, runner.estimate, strict=True):
        assert np.array_equal(secret.decrypt(result, signed=False), (values % t).ravel())
        assert 0 < estimate.budget_bits <= secret.noise_budget(result)
        assert estimate.precision_bits is None and estimate.magnitude is None


@EXACT
def test_two_rows_of_known_numbers(scheme):
    circuit = Circuit(ROW)
    known = np.arange(6).reshape(2, 3)
    circuit.output(circuit.input() * known)
    secret = toy_exact(scheme)
    rows = np.array([[1, 2, 3], [4, 5, 6]])
    encrypted = secret.encrypt(circuit.tiled(rows, secret))
    for declared in (circuit, Circuit.from_bytes(circuit.to_bytes())):
        result = secret.public(circuit=declared).runner(declared)(encrypted)
        found = secret.decrypt(result).reshape(2, -1)
        assert np.array_equal(found[:, :3], rows * known) and not found[:, 3:ROW].any()


def test_facts_of_a_circuit():
    circuit = Circuit(ROW)
    x = circuit.input(2.0)
    assert (circuit.depth, circuit.rotations, circuit.uses_conjugation) == (0, [], False)
    circuit.output((x**5).rotate(1) + 0.5 * x.rotate(3))
    circuit.output(x.rotate(-1))
    assert (circuit.row_length, circuit.input_count, circuit.output_count) == (ROW, 1, 2)
    assert circuit.depth == circuit.multiplicative_depth == 3
    assert circuit.rotations == [1, 3, 7]
    assert repr(circuit) == (
        "<ringlet.Circuit row_length=8 inputs=1 outputs=2 depth=3 rotations=[1, 3, 7]>"
    )
    assert "#0" in repr(x) and "input 0" in repr(x) and x.circuit is circuit
    circuit.bound(x, 1.0)


@pytest.mark.parametrize("exponent", range(1, 34))
def test_powers_have_the_least_depth(exponent):
    circuit = Circuit(1)
    circuit.output(circuit.input() ** exponent)
    assert circuit.depth == (exponent - 1).bit_length()


def test_exactly_the_keys_of_circuits():
    first, second = Circuit(ROW), Circuit(ROW)
    first.output(first.input().rotate(1))
    second.output(second.input() ** 2)
    second.output(second.input().rotate(2))
    secret = toy_ckks()
    one_key = secret.public(rotations=[1], relinearization=False).galois_keys_nbytes
    for keys, count, relinearizes in (
        (secret.public(circuit=first), 1, False),
        (secret.public(circuit=[first, second]), 2, True),
        (secret.public(circuit=first, rotations=[1, 3]), 2, False),
        (secret.public(circuit=first, relinearization=True), 1, True),
        (secret.public(rotations=[1]), 1, True),
    ):
        assert keys.galois_keys_nbytes == count * one_key
        assert bool(keys.relin_keys_nbytes) == relinearizes
    secret.public(circuit=[first, second]).runner(second)
    missing = "relinearization, rotations [2]"
    refused(lambda: secret.public(circuit=first).runner(second), missing)


def refusals(circuit, x):
    secret = toy_ckks()
    public = secret.public(circuit=circuit)
    runner = public.runner(circuit)
    a = secret.encrypt(0.5)
    deep = Circuit(4)
    deep.output(deep.input() ** 16)
    two_rows, tiny = Circuit(ROW), Circuit(ROW)
    two_rows.output(two_rows.input() + np.ones((2, 3)))
    tiny.output(tiny.input() * 1e-20)
    stranger = ckks.SecretContext(ckks.Parameters(64, [50, 40, 50], scale_bits=40, security="none"))
    return [
        (lambda: Circuit(3), "row_length = 3"),
        (lambda: circuit.input(0.0), "magnitude"),
        (lambda: x + Circuit(4).input(), "two circuits"),
        (lambda: circuit.output(Circuit(4).input()), "another circuit"),
        (lambda: circuit.output(1), "value = 1"),
        (lambda: x**0, "exponent = 0"),
        (lambda: x * np.zeros((3, 3)), "(3, 3)"),
        (lambda: x * np.zeros((2, 9)), "(2, 9)"),
        (lambda: x * np.ones(9), "(9,)"),
        (lambda: x + list(range(9)), "(9,)"),
        (lambda: np.arange(9) - x, "(9,)"),
        (lambda: public.runner(two_rows), "a known vector of 16 slots", "one row"),
        (lambda: circuit.output(x * 0.0), "0 for all inputs"),
        (lambda: circuit.output((x - x) * x), "0 for all inputs"),
        (lambda: circuit.output((x + 1) - x), "known numbers"),
        (lambda: public.runner(tiny), "0 at scale"),
        (lambda: x * [], "no"),
        (lambda: x * float("nan"), "finite"),
        (lambda: x * np.array([1 << 63], dtype=np.uint64), "2^63"),
        (lambda: x.rotate("1"), "'1'"),
        (lambda: x.sum_slots(0), "count"),
        (lambda: x.replicate(3), "3"),
        (lambda: x.spread_slot(ROW), "8"),
        (lambda: x.polynomial([1.0]), "degree"),
        (lambda: x.polynomial([1.0, 2.0], basis="x"), "basis = 'x'"),
        (lambda: x.polynomial([1.0, 2.0], basis="chebyshev", interval=(1.0, 1.0)), "interval"),
        (lambda: public.runner(Circuit(4)), "without a result"),
        (lambda: public.runner(1), "circuit = 1"),
        (lambda: public.runner(deep), "depth"),
        (lambda: secret.public(circuit=deep), "depth"),
        (lambda: secret.public(circuit=[circuit, 2]), "circuit = 2"),
        (lambda: runner(), "0 inputs"),
        (lambda: runner(a, a), "2 inputs"),
        (lambda: runner(1.0), "an input of type"),
        (lambda: runner(a, progress=3), "progress = 3"),
        (lambda: runner(public.encrypt(1.0).mod_switch_to_next()), "first level"),
        (lambda: runner(stranger.encrypt(1.0)), "fingerprint"),
        (lambda: circuit.tiled(np.zeros(9), secret), "(9,)"),
        (lambda: circuit.tiled([1], 5), "context = 5"),
        (lambda: Circuit(64).tiled([1], secret), "32 slots"),
    ]


def test_refusals_name_value_limit_and_remedy():
    circuit = Circuit(ROW)
    x = circuit.input()
    circuit.output(x * x)
    before = repr(circuit)
    for call, *parts in refusals(circuit, x):
        refused(call, *parts)
    assert repr(circuit) == before
    for wrong in (lambda: x + "1", lambda: None * x, lambda: x**0.5):
        with pytest.raises(TypeError):
            wrong()


def test_sums_over_slots_and_polynomials_of_ckks():
    circuit = Circuit(ROW)
    x = circuit.input()
    row = np.random.default_rng(8).uniform(-1, 1, ROW)
    chebyshev = np.polynomial.chebyshev.chebval
    few, more = [0.1, 0.2, 0.3], [0.1, 0.2, 0.3, 0.4]
    pairs = [
        (x.sum_slots(3), row + np.roll(row, -1) + np.roll(row, -2)),
        (x.sum_slots(2, stride=2), row + np.roll(row, -2)),
        (x.mean_slots(ROW), np.full(ROW, row.mean())),
        (x.spread_slot(5), np.full(ROW, row[5])),
        (x.polynomial([0.5, -1.0, 0.25]), 0.5 - row + 0.25 * row**2),
        (x.polynomial(more, basis="chebyshev"), chebyshev(row, more)),
        (x.polynomial(few, basis="chebyshev", interval=(-2.0, 2.0)), chebyshev(row / 2, few)),
    ]
    for value, _ in pairs:
        circuit.output(value)
    secret = toy_ckks()
    runner = secret.public(circuit=circuit).runner(circuit)
    results = runner(secret.encrypt(circuit.tiled(row, secret)))
    for result, (_, wanted) in zip(results, pairs, strict=True):
        assert np.abs(secret.decrypt(result)[:ROW] - wanted).max() < 1e-6


@EXACT
def test_polynomials_and_copies_of_exact_schemes(scheme):
    circuit = Circuit(ROW)
    x = circuit.input()
    circuit.output(x.polynomial([7, -3, 0, 2]))
    circuit.output(x.replicate(2))
    secret = toy_exact(scheme)
    t = secret.parameters.plain_modulus
    runner = secret.public(circuit=circuit).runner(circuit)
    row = np.array([5, 1234])
    value, copies = runner(secret.encrypt(circuit.tiled(row, secret)))
    padded = np.concatenate([row, np.zeros(ROW - 2, dtype=int)]).astype(object)
    wanted = (7 - 3 * padded + 2 * padded**3) % t
    assert np.array_equal(secret.decrypt(value, signed=False)[:ROW], wanted)
    assert np.array_equal(secret.decrypt(copies)[:ROW], np.tile(row, ROW // 2))


def long_circuit(length=40):
    """Rotations one after the other: as many steps."""
    circuit = Circuit(8192)
    x = circuit.input()
    for _ in range(length):
        x = x.rotate(1)
    circuit.output(x)
    return circuit


@pytest.fixture(scope="module")
def secret_16384():
    return ckks.SecretContext(ckks.Parameters(16384, [50, *[40] * 6, 50], scale_bits=40))


def interrupted_after(seconds, work):
    """CPU seconds between a real SIGINT and the KeyboardInterrupt that ends `work`. Other
    programs on the machine do not count."""
    sent = []

    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    # Tests that run in the background may ignore SIGINT.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
    return time.process_time() - sent[0]


def test_ctrl_c_ends_a_run_and_leaves_everything_usable(secret_16384):
    circuit = long_circuit(2000)  # some ten seconds
    public = secret_16384.public(circuit=circuit)
    runner = public.runner(circuit)
    x = np.random.default_rng(1).uniform(-1, 1, 8192)
    a = secret_16384.encrypt(x)
    words = a.residues()
    assert interrupted_after(0.3, lambda: runner(a)) < 2
    assert np.array_equal(a.residues(), words)
    short = long_circuit(3)
    result = public.runner(short)(a)
    assert np.abs(secret_16384.decrypt(result) - np.roll(x, -3)).max() < 1e-5
    assert interrupted_after(0.3, lambda: runner(a, progress=True)) < 2


def test_ctrl_c_ends_key_generation(secret_16384):
    assert interrupted_after(0.3, lambda: secret_16384.public(rotations=list(range(1, 120)))) < 2
    public = secret_16384.public(rotations=[1], relinearization=False)
    x = public.bind(secret_16384.encrypt([0.25, 0.5]))
    assert secret_16384.decrypt(x.rotate(1))[0] == pytest.approx(0.5, abs=1e-5)


@ALL
def test_ctrl_c_ends_the_encoding_of_known_numbers(scheme):
    secret = (
        ckks.SecretContext(ckks.Parameters(8192, [50, 40, 40, 50], scale_bits=40))
        if scheme is ckks
        else scheme.SecretContext(scheme.Parameters(8192))
    )
    matrix = np.random.default_rng(1).integers(-9, 9, (1500, 1500))
    public = secret.public(rotations=secret.rotations_for(matrix), relinearization=False)
    circuit = Circuit(4096)
    circuit.output(matrix @ circuit.input(1e-3))
    # Encoding takes seconds, and planning before it some tenths. Nine times, for faster machines.
    assert interrupted_after(0.5, lambda: [public.runner(circuit) for _ in range(9)]) < 1.5
    x = public.bind(secret.encrypt(np.full(1500, 1)))
    assert interrupted_after(0.5, lambda: [matrix @ x for _ in range(9)]) < 1.5
    public = secret.public(rotations=[1, 2])
    result = secret.decrypt(np.eye(2, 3, 1, dtype=int) @ public.bind(secret.encrypt([1, 2, 3])))
    assert np.abs(result[:3] - [2, 3, 0]).max() < 1e-3


def test_ctrl_c_ends_batches():
    degree = 4096
    plan = ringlet.Ntt(degree, ringlet.generate_ntt_primes(49, degree, 1)[0], kernels="scalar64")
    rows = np.zeros((5000, degree), dtype=np.uint64)
    assert interrupted_after(0.1, lambda: [plan.forward(rows, out=rows) for _ in range(9)]) < 2
    one = np.ones((1, degree), dtype=np.uint64)
    assert np.array_equal(plan.inverse(plan.forward(one)), one)
    public = ringlet.fv.SecretKey.generate(
        ringlet.fv.Context(ringlet.fv.Parameters.default_128())
    ).public_key()
    bits = np.zeros((100000, 8), dtype=np.uint8)
    assert interrupted_after(0.1, lambda: public.encrypt(bits)) < 2
    assert len(public.encrypt(bits[:5])) == 5


def test_runs_release_the_lock_and_tell_of_progress(secret_16384):
    circuit = long_circuit()
    runner = secret_16384.public(circuit=circuit).runner(circuit)
    a = secret_16384.encrypt(0.5)
    told = []
    stop = threading.Event()
    ticks = 0

    def tick():
        nonlocal ticks
        while not stop.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    runner(a, progress=lambda done, total: told.append((done, total)))
    stop.set()
    thread.join()
    assert ticks >= 10
    assert told[-1] == (40, 40) and told == sorted(told)


def test_threads_share_a_runner(secret_16384):
    circuit = Circuit(8192)
    x = circuit.input()
    circuit.output(x * x.rotate(1) + 0.5)
    runner = secret_16384.public(circuit=circuit).runner(circuit)
    errors = []

    def work(seed):
        values = np.random.default_rng(seed).uniform(-1, 1, 8192)
        result = secret_16384.decrypt(runner(secret_16384.encrypt(values), progress=len_of))
        errors.append(float(np.abs(result - values * np.roll(values, -1) - 0.5).max()))

    def len_of(done, total):
        return total - done

    in_threads(work)
    assert len(errors) == 4 and max(errors) < 1e-4


def test_progress_may_end_a_run(secret_16384):
    circuit = long_circuit(4)
    runner = secret_16384.public(circuit=circuit).runner(circuit)

    def stop(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        runner(secret_16384.encrypt(0.5), progress=stop)


def test_a_bar_is_shown_and_removed(capsys):
    circuit = Circuit(ROW)
    circuit.output(circuit.input() * 2)
    secret = toy_ckks()
    runner = secret.public(circuit=circuit).runner(circuit)
    result = runner(secret.encrypt(0.25), progress=True)
    assert secret.decrypt(result)[0] == pytest.approx(0.5, abs=1e-6)
    shown = capsys.readouterr()
    assert shown.out == "" and "Traceback" not in shown.err


def test_runner_describes_itself():
    circuit = Circuit(ROW)
    circuit.output(circuit.input() * np.arange(4.0))
    secret = toy_ckks()
    runner = secret.public(circuit=circuit).runner(circuit)
    assert repr(runner).startswith("<ringlet.ckks.CircuitRunner steps=2 key_switches=0")
    assert runner.counts.known_multiplications == 1 and runner.nbytes == 64 * 4 * 8
    assert "precision_bits=" in repr(runner.estimate[0])
