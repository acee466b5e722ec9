# SPDX-License-Identifier: Apache-2.0
"""Random circuits of CKKS against NumPy, within a bound that goes along. Those of all schemes, with
calls that may be refused, are in test_random_calls.py.

A circuit is a pool of ciphertexts, each with the values that NumPy says it holds. A step draws an
operation and its operands from the pool; its result is decrypted, compared, and joins the pool.
"""

import math
import pickle
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from support import attempt, toy

import ringlet
from ringlet import ckks

POOL = 6


# docs/notes/ckks_error_bound.md derives the bound: absolute errors of the polynomial at the roots
# of X^N + 1, six standard deviations for random parts, the triangle inequality for the rest. Values
# are compared slot by slot.


class CkksSet(NamedTuple):
    parameters: ckks.Parameters
    circuits: int = 6
    # The rotations that have a key of their own; None: powers of two compose every rotation.
    rotations: list[int] | None = None


CKKS_SETS = {
    "toy": CkksSet(toy(ckks, [50, 40, 40, 40], [50]).parameters),
    "digits": CkksSet(toy(ckks, [49] + [36] * 4, [43, 43], 512, scale_bits=36).parameters),
    "secure": CkksSet(ckks.Parameters(8192), circuits=2),
    "own keys": CkksSet(ckks.Parameters(8192, [50, 40, 40, 50], scale_bits=40), 3, [1, -1, 5]),
    "deep": CkksSet(ckks.Parameters(16384, [50, *[40] * 6, 50], scale_bits=40), 3, [1, -1, 5]),
}
CKKS_STEPS = 40
SLACK = 2.0**-44  # of the size of the slots: floating point in encoding, decoding and scales


class Noise:
    """The constants of the bound for a parameter set."""

    def __init__(self, parameters):
        n = parameters.degree

        def six_deviations(variance):
            return 6 * math.sqrt(n * variance)

        self.rounding = six_deviations(1 / 12)
        self.error = six_deviations(10.5)
        self.secret = six_deviations(2 / 3)
        self.primes = [float(q) for q in parameters.data_primes]
        self.special = math.prod(parameters.special_primes)
        self.digit = parameters.digit_size

    def of_size(self, size):
        """Rounding of all polynomials of a ciphertext."""
        return self.rounding * sum(self.secret**i for i in range(size))

    def fresh(self):
        """Either way of encrypting, at the highest level, and the rounding of the encoding."""
        by_public_key = self.error * (2 * self.secret + 1) / self.special + self.of_size(2)
        return self.rounding + self.error + by_public_key

    def key_switch(self, level):
        primes = self.primes[: level + 1]
        digits = [math.prod(primes[i : i + self.digit]) for i in range(0, len(primes), self.digit)]
        spread = math.sqrt(sum(d * d for d in digits))
        return self.rounding * self.error * spread / self.special + self.of_size(2)


@dataclass
class Approximate:
    """A ciphertext of CKKS, its slots, and how far scale * slots may be from its decryption."""

    ciphertext: ckks.Ciphertext
    slots: np.ndarray
    error: float

    @property
    def reach(self):
        return float(np.abs(self.slots).max()) * self.ciphertext.scale


class CkksCircuit:
    NAMES = (
        "add", "subtract", "negate", "multiply", "multiply, relinearize", "square", "power",
        "add array", "subtract from array", "multiply array", "multiply number", "add number",
        "multiply complex", "rotate", "conjugate", "mod switch", "pickle",
    )  # fmt: skip

    def __init__(self, secret, public, rotations, rng):
        self.rng = rng
        self.secret = secret
        self.public = public
        self.rotations = rotations
        self.noise = Noise(secret.parameters)
        self.level_scales = [secret.parameters.scale]
        for prime in reversed(self.noise.primes[1:]):
            self.level_scales.insert(0, self.level_scales[0] ** 2 / prime)
        self.operations = Counter()
        self.ratios = []  # of errors to their bounds
        self.pool = [self.fresh() for _ in range(POOL)]

    def draw(self):
        real, imaginary = self.rng.uniform(-1, 1, (2, self.secret.slot_count))
        return real + 1j * imaginary

    def fresh(self):
        return self.encrypted(self.draw())

    def encrypted(self, slots):
        side = self.secret if self.rng.integers(2) else self.public
        ciphertext = self.public.bind(side.encrypt(slots))
        return Approximate(ciphertext, slots, self.noise.fresh() + SLACK * ciphertext.scale)

    def at(self, a, level):
        return Approximate(a.ciphertext.mod_switch_to(level), a.slots, a.error)

    def pick(self, least_level=0):
        found = [a for a in self.pool if a.ciphertext.level >= least_level]
        return found[self.rng.integers(len(found))] if found else self.fresh()

    def pick_two(self, least_level, *, one_scale):
        a = self.pick(least_level)
        others = [
            b
            for b in self.pool
            if b.ciphertext.level >= least_level
            and (not one_scale or b.ciphertext.scale == a.ciphertext.scale)
            and b is not a
        ]
        b = others[self.rng.integers(len(others))] if others else self.fresh()
        if one_scale and b.ciphertext.scale != a.ciphertext.scale:
            a = self.fresh()
        level = min(a.ciphertext.level, b.ciphertext.level)
        return self.at(a, level), self.at(b, level)

    def product(self, a, b):
        return a.reach * b.error + b.reach * a.error + a.error * b.error

    def rescaled(self, error, level):
        return error / self.noise.primes[level] + self.noise.of_size(2)

    def multiply(self, a, b, by_hand=False):
        level = a.ciphertext.level
        error = self.product(a, b) + self.noise.key_switch(level)
        x, y = a.ciphertext, b.ciphertext
        ciphertext = x.multiply(y).relinearize().rescale() if by_hand else x * y
        return Approximate(ciphertext, a.slots * b.slots, self.rescaled(error, level))

    def multiply_plain(self, a, numbers):
        level = a.ciphertext.level
        scale = self.noise.primes[level]
        reach = float(np.abs(numbers).max()) * scale
        rounding = self.noise.rounding + SLACK * reach
        error = a.reach * rounding + reach * a.error + a.error * rounding
        return Approximate(a.ciphertext * numbers, a.slots * numbers, self.rescaled(error, level))

    def square(self, a):
        ciphertext = a.ciphertext.square().relinearize().rescale()
        expected = self.multiply(a, a)
        return Approximate(ciphertext, expected.slots, expected.error)

    def rotate(self, a):
        if self.rotations:
            steps = int(self.rng.choice(self.rotations))
            switches = 1
        else:
            steps = int(self.rng.integers(1, self.secret.slot_count))
            switches = (3 * steps ^ steps).bit_count()  # digits of the non-adjacent form
        error = a.error + switches * self.noise.key_switch(a.ciphertext.level)
        return Approximate(a.ciphertext.rotate(steps), np.roll(a.slots, -steps), error)

    def has_level_scale(self, a):
        scale = self.level_scales[a.ciphertext.level]
        return abs(a.ciphertext.scale - scale) <= 2.0**-48 * scale

    def brought_to(self, a, level):
        """By a product with 1, or with its scale if its level has another one."""
        if not self.has_level_scale(a):
            return self.at(a, level)
        above = self.at(a, level + 1)
        prime = self.noise.primes[level + 1]
        scale = self.level_scales[level] * prime / a.ciphertext.scale
        one = self.public.encode(1.0, level=level + 1, scale=scale)
        rounding = self.noise.rounding + SLACK * scale
        error = a.reach * rounding + scale * a.error + a.error * rounding
        ciphertext = above.ciphertext.multiply(one).rescale()
        return Approximate(ciphertext, a.slots, self.rescaled(error, level + 1))

    def power(self, a):
        """a^3, as the operator computes it: a^2 by a, brought one level down."""
        square = self.multiply(a, a)
        expected = self.multiply(square, self.brought_to(a, square.ciphertext.level))
        ciphertext = a.ciphertext**3
        assert (ciphertext.level, ciphertext.scale) == (
            expected.ciphertext.level,
            pytest.approx(expected.ciphertext.scale, rel=1e-15),
        )
        return Approximate(ciphertext, expected.slots, expected.error)

    def step(self, name):
        depth = {"power": 2}.get(name, 1 if "multiply" in name or name == "square" else 0)
        if name in ("add", "subtract"):
            a, b = self.pick_two(0, one_scale=True)
            x, y = a.ciphertext, b.ciphertext
            both = (x + y, a.slots + b.slots) if name == "add" else (x - y, a.slots - b.slots)
            return Approximate(*both, a.error + b.error)
        if name in ("multiply", "multiply, relinearize"):
            a, b = self.pick_two(1, one_scale=False)
            return self.multiply(a, b, by_hand=name != "multiply")
        a = self.pick(depth)
        x, numbers = a.ciphertext, self.draw()
        added = a.error + self.noise.rounding
        if name in ("square", "power", "rotate"):
            return getattr(self, name)(a)
        if name == "multiply array":
            return self.multiply_plain(a, numbers if self.rng.integers(2) else numbers.real)
        if name in ("multiply number", "multiply complex"):
            return self.multiply_plain(a, 0.75 if name.endswith("number") else 0.6 - 0.7j)
        if name == "conjugate":
            error = a.error + self.noise.key_switch(x.level)
            return Approximate(x.conjugate(), a.slots.conj(), error)
        results = {
            "negate": lambda: (-x, -a.slots, a.error),
            "add array": lambda: (x + numbers, a.slots + numbers, added),
            "subtract from array": lambda: (numbers - x, numbers - a.slots, added),
            "add number": lambda: (x + 0.5, a.slots + 0.5, added),
            "mod switch": lambda: (x.mod_switch_to(max(x.level - 1, 0)), a.slots, a.error),
            "pickle": lambda: (self.public.bind(pickle.loads(pickle.dumps(x))), a.slots, a.error),
        }
        return Approximate(*results[name]())

    def fits(self, a):
        """Scale and values are far enough from the modulus, and worth reading."""
        modulus = math.prod(self.noise.primes[: a.ciphertext.level + 1])
        return a.reach + a.error < modulus / 4 and a.error < 2.0**-4 * a.ciphertext.scale

    def check(self, name, result):
        scale = result.ciphertext.scale
        bound = result.error / scale + SLACK * (result.reach + result.error) / scale
        decrypted = self.secret.decrypt_complex(result.ciphertext)
        error = float(np.abs(decrypted - result.slots).max())
        assert error <= bound, (name, error, bound)
        self.ratios.append(error / bound)

    def run(self, steps):
        for i in range(steps):
            name = self.NAMES[i] if i < len(self.NAMES) else str(self.rng.choice(self.NAMES))
            try:
                result = attempt(self, name)
            except ringlet.InvalidArgument as error:  # a product that does not fit its level
                assert "scale" in str(error)
                self.operations["too large"] += 1
                self.pool[self.rng.integers(POOL)] = self.fresh()
                continue
            if result is None:
                continue
            self.operations[name] += 1
            if not self.fits(result):
                self.operations["too large"] += 1
                self.pool[self.rng.integers(POOL)] = self.fresh()
                continue
            self.check(name, result)
            self.pool[self.rng.integers(POOL)] = result
        for kept in self.pool:
            self.check("kept", kept)

    def to_full_depth(self):
        """Products of slots in the unit disc, down to the last level."""
        result = self.encrypted(self.draw() / math.sqrt(2))
        while result.ciphertext.level > 0:
            result = self.square(self.rotate(result))
        assert self.fits(result)
        self.check("full depth", result)


@pytest.mark.parametrize("name", CKKS_SETS)
def test_ckks_circuits(name, seed):
    parameters, circuits, rotations = CKKS_SETS[name]
    secret = ckks.SecretContext(parameters)
    public = secret.public(rotations=rotations, conjugation=rotations is not None)
    totals = Counter()
    ratios = []
    for k in range(circuits):
        circuit = CkksCircuit(secret, public, rotations, np.random.default_rng([seed, k]))
        circuit.run(CKKS_STEPS)
        circuit.to_full_depth()
        ratios += circuit.ratios
        totals += circuit.operations
    assert set(CkksCircuit.NAMES) <= set(totals), totals
    assert totals["too large"] < sum(totals.values()) / 3, totals
    # Errors come near the bound, so an error of the arithmetic would break it.
    assert max(ratios) > 2.0**-5 and np.median(ratios) > 2.0**-7, (max(ratios), np.median(ratios))
