# SPDX-License-Identifier: Apache-2.0
"""The server: handed a PublicContext, ciphertexts and its own model, it has no way to decrypt.

Levels: a fresh ciphertext has 4, the score 3, the powers of it fewer, the probability none.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ckks import Ciphertext, Plaintext, PublicContext
from .data import Model
from .packing import spread, summing_rotations


@dataclass(frozen=True)
class Prediction:
    """What the server sends back for one ciphertext of rows."""

    score: Ciphertext  # score / score_range
    probability: Ciphertext


def classify(public: PublicContext, model: Model, rows: list[Ciphertext]) -> list[Prediction]:
    """Scores and probabilities of all rows."""
    weights = public.encode(spread(model.weights / model.score_range, public.slot_count))
    predictions = []
    for encrypted in rows:
        score = _score(public, model, weights, public.bind(encrypted))
        probability = _polynomial(public, list(model.odd_coefficients), score)
        predictions.append(Prediction(score, probability))
    return predictions


def _score(public: PublicContext, model: Model, weights: Plaintext, rows: Ciphertext) -> Ciphertext:
    """(row . weights + bias) / score_range in every slot."""
    products = rows.multiply(weights)
    # Summed before rescaling, which then divides the noise of the rotations too.
    for step in summing_rotations(public.slot_count):
        products = products + products.rotate(step)
    return (products + model.bias / model.score_range).rescale()


def _polynomial(public: PublicContext, c: list[float], t: Ciphertext) -> Ciphertext:
    """1/2 + c0*t + c1*t^3 + c2*t^5 + c3*t^7 = 1/2 + (c0 + c1*y)*t + y^2*(c2 + c3*y)*t, y = t^2.

    Constants are encoded at the scale that makes the terms of a sum agree: only the sums' scales
    matter, and these are free.
    """
    y = t * t
    y_squared = y * y
    high = _times(public, t, c[3], y.level, y.scale) * y
    high = high + _times(public, t, c[2], high.level, high.scale)
    high = high * y_squared
    # The low terms wait one level above `high` for its scale, then follow it down.
    dropped = public.parameters.coeff_modulus[y.level]
    low = _times(public, t, c[1], y.level, high.scale * dropped / y.scale) * y
    low = low + _times(public, t, c[0], low.level, low.scale)
    return high + low.mod_switch_to(high.level) + 0.5


def _times(
    public: PublicContext, a: Ciphertext, constant: float, level: int, scale: float
) -> Ciphertext:
    """constant * a at exactly that level, below a's, and that scale."""
    above = a.mod_switch_to(level + 1)
    dropped = public.parameters.coeff_modulus[level + 1]
    return above.multiply(constant, scale=scale * dropped / a.scale).rescale()
