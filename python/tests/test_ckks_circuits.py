# SPDX-License-Identifier: Apache-2.0
"""Random circuits of CKKS to full depth against NumPy, within docs/notes/ckks_error_bound.md."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from dataclasses import dataclass, field
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest

from ringlet import ckks
from ringlet.errors import LogicError

Slots = npt.NDArray[np.complex128]

CIRCUITS = 5
OPERATIONS = 25
STEPS = (1, -1, 5)


class Bounds:
    """What operations add to the error, in the canonical norm."""

    def __init__(self, parameters: ckks.Parameters) -> None:
        self.degree = parameters.degree
        *self.primes, self.special = parameters.coeff_modulus
        self.rounding = self.of(1 / 12)
        self.error = self.of(10.5)
        self.secret = self.of(2 / 3)

    def of(self, variance: float) -> float:
        return 6 * sqrt(self.degree * variance)

    def rounded(self) -> float:
        return self.rounding * (1 + self.secret)

    def fresh(self) -> float:
        noise = self.error * (1 + 2 * self.secret)
        return self.rounding + noise / self.special + self.rounded()

    def key_switch(self, level: int) -> float:
        squares = sum(float(q) ** 2 for q in self.primes[: level + 1])
        return self.rounding * self.error * sqrt(squares) / self.special + self.rounded()

    def product(self, a: Value, scale: float, size: float, error: float) -> float:
        """Of a and something of that scale, largest slot and error."""
        x = a.ciphertext.scale * a.size
        y = scale * size
        return x * error + y * a.error + a.error * error + x * y * 2**-50

    def rescaled(self, error: float, level: int) -> float:
        return error / self.primes[level] + self.rounded()


@dataclass
class Value:
    ciphertext: ckks.Ciphertext
    slots: Slots
    error: float

    @property
    def size(self) -> float:
        return float(np.abs(self.slots).max())

    @property
    def level(self) -> int:
        return self.ciphertext.level


@dataclass
class Circuit:
    secret: ckks.SecretContext
    public: ckks.PublicContext
    rng: np.random.Generator
    values: list[Value] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.bounds = Bounds(self.secret.parameters)
        self.values = [self.fresh() for _ in range(3)]

    def fresh(self) -> Value:
        slots = self.random_slots()
        error = self.bounds.fresh() + self.secret.parameters.scale * 2**-47
        return Value(self.public.encrypt(slots), slots, error)

    def random_slots(self) -> Slots:
        count = self.secret.slot_count
        radius = self.rng.choice([1.0, 0.5, 0.125])
        angles = self.rng.uniform(0, 2 * np.pi, count)
        slots: Slots = radius * np.sqrt(self.rng.uniform(0, 1, count)) * np.exp(1j * angles)
        return slots

    def multiply(self, a: Value, b: Value) -> Value:
        bounds = self.bounds
        error = bounds.product(a, b.ciphertext.scale, b.size, b.error)
        error = bounds.rescaled(error + bounds.key_switch(a.level), a.level)
        return Value(a.ciphertext * b.ciphertext, a.slots * b.slots, error)

    def square(self, a: Value) -> Value:
        expected = self.multiply(a, a)
        expected.ciphertext = a.ciphertext.square().relinearize().rescale()
        return expected

    def multiply_array(self, a: Value) -> Value:
        bounds = self.bounds
        slots = self.random_slots()
        prime = float(bounds.primes[a.level])
        error = bounds.product(a, prime, 1.0, bounds.rounding + prime * 2**-47)
        return Value(a.ciphertext * slots, a.slots * slots, bounds.rescaled(error, a.level))

    def add_array(self, a: Value) -> Value:
        slots = self.random_slots()
        error = a.error + self.bounds.rounding + a.ciphertext.scale * (1 + a.size) * 2**-47
        if self.rng.integers(2):
            return Value(a.ciphertext + slots, a.slots + slots, error)
        return Value(slots - a.ciphertext, slots - a.slots, error)

    def add(self, a: Value, b: Value) -> Value:
        error = a.error + b.error + a.ciphertext.scale * (a.size + b.size) * 2**-50
        if self.rng.integers(2):
            return Value(a.ciphertext + b.ciphertext, a.slots + b.slots, error)
        return Value(a.ciphertext - b.ciphertext, a.slots - b.slots, error)

    def rotate(self, a: Value) -> Value:
        steps = int(self.rng.choice(STEPS))
        error = a.error + self.bounds.key_switch(a.level)
        return Value(a.ciphertext.rotate(steps), np.roll(a.slots, -steps), error)

    def conjugate(self, a: Value) -> Value:
        error = a.error + self.bounds.key_switch(a.level)
        return Value(a.ciphertext.conjugate(), a.slots.conj(), error)

    def step(self) -> None:
        pick, other = self.rng.integers(len(self.values), size=2)
        a, b = self.values[pick], self.values[other]
        level = min(a.level, b.level)
        name = str(
            self.rng.choice(
                ["add", "multiply", "square", "multiply_array", "add_array", "negate", "rotate",
                 "conjugate", "mod_switch_to"]
            )
        )  # fmt: skip
        if name == "add" and pick == other:
            name = "negate"
        if name in {"add", "multiply"} and a.level != b.level:
            a = Value(a.ciphertext.mod_switch_to(level), a.slots, a.error)
            b = Value(b.ciphertext.mod_switch_to(level), b.slots, b.error)
        if name in {"multiply", "square", "multiply_array"} and a.level == 0:
            name = "rotate"
        if name == "add" and a.ciphertext.scale != b.ciphertext.scale:
            name = "add_array"
        self.done[name] += 1
        if name == "negate":
            result = Value(-a.ciphertext, -a.slots, a.error)
        elif name == "mod_switch_to":
            result = Value(a.ciphertext.mod_switch_to(level), a.slots, a.error)
        elif name == "multiply":
            result = self.multiply(a, b)
        elif name == "add":
            try:
                result = self.add(a, b)
            except LogicError as error:
                # a + (-a), which nobody would need a key to read.
                assert "transparent" in str(error)
                return
        else:
            result = getattr(self, name)(a)
        if result.size > 8:
            return  # it would not fit the last level
        if len(self.values) < 5:
            self.values.append(result)
        else:
            self.values[pick] = result

    def ratio(self, a: Value) -> float:
        """Error over bound."""
        bound = a.error / a.ciphertext.scale
        bound += (a.size + bound) * 2**-47
        difference = self.secret.decrypt_complex(a.ciphertext) - a.slots
        return float(np.abs(difference).max() / bound)


@pytest.mark.parametrize(
    ("degree", "bits"), [(8192, [50, 40, 40, 50]), (16384, [50, *[40] * 6, 50])]
)
def test_random_circuits_stay_within_the_bound(degree: int, bits: list[int]) -> None:
    parameters = ckks.Parameters(degree, bits, scale_bits=40)
    secret = ckks.SecretContext(parameters)
    public = secret.public(rotations=list(STEPS), conjugation=True)
    seed = int(os.environ.get("RINGLET_TEST_SEED") or secrets.randbits(64))
    ratios = []
    done: Counter[str] = Counter()
    for k in range(CIRCUITS):
        circuit = Circuit(secret, public, np.random.default_rng([seed, k]))
        for _ in range(OPERATIONS):
            circuit.step()
        # To full depth: products of slots in the unit disc, down to the last level.
        top = circuit.fresh()
        while top.level > 0:
            top = circuit.square(circuit.rotate(top))
        circuit.values.append(top)
        ratios += [circuit.ratio(value) for value in circuit.values]
        done += circuit.done
    print(f"RINGLET_TEST_SEED={seed}, error / bound up to {max(ratios):.3f}, {dict(done)}")
    assert max(ratios) <= 1, f"RINGLET_TEST_SEED={seed}"
    # A bound that says nothing fails as well.
    assert max(ratios) >= 0.01
