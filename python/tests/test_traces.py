# SPDX-License-Identifier: Apache-2.0
"""Traces of circuits: every step measured, expected and shown."""

import math

import numpy as np
import pytest
import ringlet
from ringlet import Circuit, bfv, ckks
from support import EXACT, refused, refused_call, toy
from test_declared_circuits import ROW, interrupted_after, long_circuit, toy_ckks, toy_exact


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
    # What is measured there is what an independent run is off by, to a few bits.
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


def test_refusals():
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
        (lambda: secret.trace(circuit, 0.5, np.zeros(ROW + 1)), "9"),
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
