# SPDX-License-Identifier: Apache-2.0
"""Random circuits of BFV and BGV, exactly modulo t: no operation may be refused, and each occurs.

A circuit begins with a pool of fresh ciphertexts and their numbers. Every step draws an operation
and its operands from the pool; its result is decrypted, compared, and takes a place in the pool.
"""

import pickle
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from support import EXACT, EXACT_SETS, attempt, toy

POOL = 6
EXACT_STEPS = 40


@dataclass
class Exact:
    """What a ciphertext of BFV or BGV holds: Python integers, so that no product overflows."""

    ciphertext: Any
    values: np.ndarray


class ExactCircuit:
    def __init__(self, secret, rng):
        self.rng = rng
        self.secret = secret
        self.public = self.secret.public()
        self.t = self.secret.parameters.plain_modulus
        self.count = self.secret.slot_count
        self.operations = Counter()
        self.pool = [self.fresh() for _ in range(POOL)]

    def draw(self):
        return self.rng.integers(0, self.t, self.count).astype(object)

    def fresh(self):
        values = self.draw()
        side = self.secret if self.rng.integers(2) else self.public
        return Exact(self.public.bind(side.encrypt(values.astype(np.int64))), values)

    def pick_two(self, *, may_be_one):
        picked = self.rng.choice(len(self.pool), 2, replace=may_be_one)
        a, b = (self.pool[i] for i in picked)
        level = min(a.ciphertext.level, b.ciphertext.level)
        return (
            Exact(a.ciphertext.mod_switch_to(level), a.values),
            Exact(b.ciphertext.mod_switch_to(level), b.values),
        )

    def shifted(self, a):
        steps = int(self.rng.integers(1, self.count // 2))
        rows = np.roll(a.values.reshape(2, -1), -steps, axis=1)
        return Exact(a.ciphertext.rotate_rows(steps), rows.ravel())

    def step(self, name):
        a, b = self.pick_two(may_be_one=name != "subtract")
        x, y = a.ciphertext, b.ciphertext
        numbers = self.draw()
        array = numbers.astype(np.int64)
        number = int(numbers[0]) // 2 or 1
        results = {
            "add": lambda: (x + y, a.values + b.values),
            "subtract": lambda: (x - y, a.values - b.values),
            "negate": lambda: (-x, -a.values),
            "multiply": lambda: (x * y, a.values * b.values),
            "multiply, relinearize": lambda: (x.multiply(y).relinearize(), a.values * b.values),
            "square": lambda: (x.square().relinearize(), a.values**2),
            "power": lambda: (x**3, a.values**3),
            "add array": lambda: (x + array, a.values + numbers),
            "subtract from array": lambda: (array - x, numbers - a.values),
            "multiply array": lambda: (array * x, a.values * numbers),
            "multiply plaintext": lambda: (x * self.public.encode(array), a.values * numbers),
            "add number": lambda: (x + number, a.values + number),
            "multiply number": lambda: (x * -number, a.values * -number),
            "swap rows": lambda: (x.swap_rows(), a.values.reshape(2, -1)[::-1].ravel()),
            "mod switch": lambda: (x.mod_switch_to(max(x.level - 1, 0)), a.values),
            "pickle": lambda: (self.public.bind(pickle.loads(pickle.dumps(x))), a.values),
        }
        if name == "rotate":
            return self.shifted(a)
        ciphertext, values = results[name]()
        return Exact(ciphertext, values % self.t)

    NAMES = (
        "add", "subtract", "negate", "multiply", "multiply, relinearize", "square", "power",
        "add array", "subtract from array", "multiply array", "multiply plaintext", "add number",
        "multiply number", "rotate", "swap rows", "mod switch", "pickle",
    )  # fmt: skip

    def run(self, steps):
        for i in range(steps):
            # Every operation occurs: the first round takes them one after the other.
            name = self.NAMES[i] if i < len(self.NAMES) else str(self.rng.choice(self.NAMES))
            result = attempt(self, name)
            if result is None:
                continue
            self.operations[name] += 1
            if self.secret.noise_budget(result.ciphertext) == 0:
                self.pool[self.rng.integers(POOL)] = self.fresh()
                self.operations["out of budget"] += 1
                continue
            decrypted = self.secret.decrypt(result.ciphertext, signed=False)
            assert np.array_equal(decrypted, (result.values % self.t).astype(np.int64)), name
            self.pool[self.rng.integers(POOL)] = result


@pytest.mark.parametrize("name", [*EXACT_SETS, "secure"])
@EXACT
def test_exact_circuits(scheme, name, seed):
    totals = Counter()
    for k in range(1 if name == "secure" else 4):
        if name == "secure":
            secret = scheme.SecretContext(scheme.Parameters(8192))
        else:
            secret = toy(scheme, **EXACT_SETS[name])
        circuit = ExactCircuit(secret, np.random.default_rng([seed, k]))
        circuit.run(EXACT_STEPS)
        totals += circuit.operations
    assert set(ExactCircuit.NAMES) <= set(totals), totals
    # Most results could be checked.
    assert totals["out of budget"] < sum(totals.values()) / 4, totals
