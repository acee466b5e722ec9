# SPDX-License-Identifier: Apache-2.0
"""The server: has a model, receives public keys and ciphertexts as bytes, and cannot decrypt."""

from __future__ import annotations

import numpy as np

from .. import Circuit, suggest_parameters
from ..ckks import Ciphertext, Parameters, PublicContext
from .data import BLOCKS, FEATURE_LIMIT, ROWS, Model, pack

# Results are off by at most 2^-PRECISION_BITS: the parameters are chosen for this precision.
PRECISION_BITS = 20


def declare(model: Model) -> Circuit:
    """Returns the circuit with two results: score and probability of every row."""
    circuit = Circuit(BLOCKS * ROWS)
    rows = circuit.input(FEATURE_LIMIT)
    weights = pack(np.tile(model.weights / model.score_range, (ROWS, 1)))
    t = (rows * weights).sum_slots(BLOCKS, stride=ROWS) + model.bias / model.score_range
    circuit.bound(t, 1)
    circuit.output(t * model.score_range)
    circuit.output(t.polynomial(model.coefficients, basis="chebyshev"))
    return circuit


def choose_parameters(circuit: Circuit) -> Parameters:
    """Returns the smallest parameters at 128 bits of security that are precise enough and have as
    many slots as a row of the circuit."""
    degree = 2 * circuit.row_length
    found = suggest_parameters(circuit=circuit, precision=PRECISION_BITS, degree=degree)
    return found.parameters


class Server:
    """Computes a circuit with the client's public keys."""

    def __init__(self, circuit: Circuit, public: PublicContext) -> None:
        self._public = public
        self._run = public.runner(circuit)

    def load(self, rows: bytes) -> Ciphertext:
        return self._public.load_ciphertext(rows)

    def classify(self, rows: Ciphertext) -> list[Ciphertext]:
        """Returns score and probability. Waits until the host has both."""
        return [result.to_host() for result in self._run(rows)]
