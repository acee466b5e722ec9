# SPDX-License-Identifier: Apache-2.0
"""NumPy calls that encrypted arrays refuse: docs/arrays.md lists them with their errors."""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from plain_engine import PlainEngine

import ringlet
from ringlet.arrays import Layout
from ringlet.errors import WrongCall


@dataclass(frozen=True)
class Refused:
    """A call that is refused.

    - text: the call, as the page shows it.
    - call: of an array of shape (2, 3).
    - error: its type.
    """

    text: str
    call: Any
    error: Any = WrongCall
    scheme: str = "ckks"


WRONG = ringlet.InvalidArgument

REFUSED = [
    Refused("x > y, x == y", lambda x: (x > x, x == x)),
    Refused("sorted(x), max(x)", lambda x: sorted(x)),
    Refused("np.max(x), np.min(x), x.max(), x.min()", lambda x: np.max(x)),
    Refused("np.argmax(x), x.argmax()", lambda x: np.argmax(x, axis=1)),
    Refused("np.argmin(x), x.argmin()", lambda x: x.argmin()),
    Refused("np.sort(x), np.argsort(x), x.sort()", lambda x: np.sort(x)),
    Refused("np.all(x), np.any(x), x.all()", lambda x: np.all(x)),
    Refused("np.median(x), np.percentile(x, q)", lambda x: np.median(x)),
    Refused("np.unique(x), np.histogram(x)", lambda x: np.unique(x)),
    Refused("np.where(x, a, b), np.nonzero(x)", lambda x: np.where(x, 1, 0)),
    Refused("float(x), int(x), x.item(), x.tolist()", lambda x: float(x[0, 0])),
    Refused("if x:, bool(x)", lambda x: bool(x[0, 0])),
    Refused("np.asarray(x), np.array([x, y])", lambda x: np.asarray(x)),
    Refused("values[x]", lambda x: [1, 2][x[0, 0]]),
    Refused("np.allclose(x, y), np.array_equal(x, y)", lambda x: np.allclose(x, x)),
    Refused("np.save(file, x)", lambda x: np.save("x", x)),
    Refused("known / x, x / y", lambda x: 1 / x),
    Refused("x / known, of BFV and BGV", lambda x: x / 2, WRONG, "bfv"),
    Refused("x.mean(), of BFV and BGV", lambda x: x.mean(), WRONG, "bgv"),
    Refused("x + 0.5, of BFV and BGV", lambda x: x + 0.5, WRONG, "bfv"),
    Refused("x // 2, x % 2, x << 1, x & 1", lambda x: x // 2),
    Refused("x ** 0.5, x ** -1", lambda x: x**0.5, WRONG),
    Refused("2 ** x, np.power(2, x)", lambda x: 2**x),
    Refused("abs(x), np.absolute(x)", lambda x: abs(x)),
    Refused("np.exp(x), np.log(x), np.sqrt(x), np.sin(x)", lambda x: np.exp(x)),
    Refused("np.sign(x)", lambda x: np.sign(x)),
    Refused("np.maximum(x, y)", lambda x: np.maximum(x, x)),
    Refused("np.std(x), x.std()", lambda x: np.std(x)),
    Refused("np.corrcoef(x)", lambda x: np.corrcoef(x)),
    Refused("np.cov(x, y)", lambda x: np.cov(x, x), WRONG),
    Refused("np.prod(x), np.cumprod(x), x.prod()", lambda x: np.prod(x)),
    Refused("np.linalg.inv(x), np.fft.fft(x)", lambda x: np.linalg.inv(x)),
    Refused("np.einsum(text, x), np.tensordot(x, y)", lambda x: np.tensordot(x, x)),
    Refused("np.convolve(x, y)", lambda x: np.convolve(x[0], x[1]), WRONG),
    Refused("np.average(x, weights=y)", lambda x: np.average(x, weights=x), WRONG),
    Refused("np.sum(x, dtype=...), out=, where=", lambda x: np.sum(x, dtype=float)),
    Refused("x[y]", lambda x: x[x], WRONG),
    Refused("x[0] = value", lambda x: operator.setitem(x, 0, 1)),
    Refused("x[:0]", lambda x: x[:0], WRONG),
    Refused("len(x), iter(x) without axes", lambda x: list(x[0, 0])),
    Refused("x + y, of other shapes", lambda x: x + x[:, :2], WRONG),
    Refused("np.concatenate([x, known])", lambda x: np.concatenate([x, np.ones((2, 3))]), WRONG),
]


def refused_message(case):
    """The error of a call."""
    engine = PlainEngine(case.scheme, 16)
    numbers = np.arange(6).reshape(2, 3)
    x = engine.encrypt(numbers, Layout.rows(numbers.shape, 16))
    try:
        case.call(x)
    except ringlet.RingletError as error:
        return error
    raise AssertionError(case.text)
