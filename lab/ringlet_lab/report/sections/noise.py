# SPDX-License-Identifier: Apache-2.0
"""Section on the noise budget of BFV and BGV and the precision of CKKS against depth. It shows the
estimate that the library computes from parameters alone beside the measured values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ringlet import Circuit, bfv, bgv, ckks, suggest_parameters

from ..model import Axis, Chart, Point, Section, Series
from ..setting import Setting
from . import TITLES

QUICK_DEPTH = 4
DEPTH = 8
# The number of encryptions for each depth.
TRIALS = 3
PRECISION = 20.0
PLAIN_BITS = 20
SEED = 20240607
_CONTEXTS: dict[str, Any] = {
    "ckks": ckks.SecretContext,
    "bfv": bfv.SecretContext,
    "bgv": bgv.SecretContext,
}


@dataclass(frozen=True)
class Bits:
    """The bits that are left after `depth` squarings: the estimate, and the value of each
    encryption."""

    depth: int
    expected: float
    trials: tuple[float, ...]


def squarings(depth: int, row_length: int) -> Circuit:
    """Returns the circuit x^(2^depth), slot by slot."""
    circuit = Circuit(row_length)
    value = circuit.input(magnitude=1.0)
    for _ in range(depth):
        value = value * value
    circuit.output(value)
    return circuit


def _operands(scheme: str, secret: Any, rng: np.random.Generator) -> Any:
    """Returns random numbers for all slots: in [-1, 1] for CKKS, any residues modulo t for BFV and
    BGV."""
    if scheme == "ckks":
        return rng.uniform(-1.0, 1.0, secret.slot_count)
    half = secret.parameters.plain_modulus // 2
    return rng.integers(-half, half, secret.slot_count)


def expected_bits(runner: Any, scheme: str) -> float:
    """Returns the bits that the library estimates."""
    estimate = runner.estimate[0]
    return float(estimate.precision_bits if scheme == "ckks" else estimate.budget_bits)


def measured_bits(secret: Any, runner: Any, scheme: str, depth: int, numbers: Any) -> float:
    """Returns the measured bits of one encryption: the noise budget, or for CKKS -log2 of the
    largest error of a slot."""
    result = runner(secret.encrypt(numbers))
    if scheme != "ckks":
        return float(secret.noise_budget(result))
    clear = np.asarray(numbers) ** (2**depth)
    error = float(np.max(np.abs(secret.decrypt(result) - clear)))
    return -math.log2(error) if error > 0 else math.inf


def scheme_bits(scheme: str, depths: range, setting: Setting) -> list[Bits]:
    """Measures every depth, with parameters for the largest depth."""
    request: dict[str, Any] = (
        {"precision": PRECISION} if scheme == "ckks" else {"plain_bits": PLAIN_BITS}
    )
    # Slots require batching primes; two is the least number of slots.
    found = suggest_parameters(scheme, depth=depths[-1], slots=2, **request)
    secret = _CONTEXTS[scheme](found.parameters)
    public = secret.public(rotations=[], relinearization=True)
    rng = np.random.default_rng(SEED)
    row_length = secret.slot_count if scheme == "ckks" else secret.slot_count // 2
    results = []
    for depth in depths:
        runner = public.runner(squarings(depth, row_length))
        left = []
        for _ in range(TRIALS):
            numbers = _operands(scheme, secret, rng)
            left.append(measured_bits(secret, runner, scheme, depth, numbers))
        results.append(Bits(depth, expected_bits(runner, scheme), tuple(left)))
        setting.steps.advance()
    return results


def _series(name: str, results: list[Bits]) -> tuple[Series, Series]:
    """Returns the worst encryption of each depth, and the estimate."""
    measured = []
    for bits in results:
        low, middle = min(bits.trials), float(np.median(bits.trials))
        spread = middle / low - 1 if low > 0 else None
        measured.append(Point(bits.depth, low, middle, spread))
    estimates = tuple(Point(bits.depth, bits.expected) for bits in results)
    return (
        Series(f"{name}, measured", tuple(measured)),
        Series(f"{name}, estimate", estimates, "estimate"),
    )


def _chart(name: str, title: str, caption: str, label: str, series: Sequence[Series]) -> Chart:
    axes = Axis("squarings one after the other"), Axis(label, "bits")
    return Chart(name, title, caption, "lines", *axes, tuple(series), is_lower_better=False)


def measure(setting: Setting) -> Section:
    """Measures all three schemes up to a depth."""
    most = QUICK_DEPTH if setting.quick else DEPTH
    setting.steps.begin("noise", 3 * (most + 1))
    exact: list[Series] = []
    for scheme in ("bfv", "bgv"):
        results = scheme_bits(scheme, range(most + 1), setting)
        exact += _series(scheme.upper(), results)
    real = _series("CKKS", scheme_bits("ckks", range(most + 1), setting))
    worst = f"the worst of {TRIALS} encryptions of random numbers in all slots"
    charts = (
        _chart(
            "noise-budget",
            "Noise budget against depth",
            f"Parameters of 128 bits of security for {most} squarings, plain modulus of "
            f"{PLAIN_BITS} bits; {worst}. The estimate comes from parameters alone and is to be "
            "undercut with probability 2^-128 at most.",
            "noise budget",
            exact,
        ),
        _chart(
            "noise-precision",
            "Precision against depth",
            f"Parameters of 128 bits of security for {PRECISION:g} bits after {most} squarings of "
            f"numbers in [-1, 1]; {worst}, by its worst slot against the same in doubles. The "
            "estimate is to be undercut with probability 2^-40 at most.",
            "precision",
            real,
        ),
    )
    summary = "What is left after squarings, and what the library expected before anything ran."
    settings = {"depth": most, "encryptions": TRIALS, "plain bits": PLAIN_BITS, "seed": SEED}
    return Section("noise", TITLES["noise"], summary, charts, (), settings)
