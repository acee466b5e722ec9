# SPDX-License-Identifier: Apache-2.0
"""GMP and FLINT on double words, measured in the same process: the library `ringlet_peers` through
ctypes, where it was built. Results are compared with Python's integers before they are timed."""

from __future__ import annotations

import ctypes
from pathlib import Path
from random import Random

import numpy as np
from ringlet.errors import RuntimeFailure

from ..peers import PeerJob, PeerLibrary, Words

_OPERATION = "ringlet bench wide"
_MASK = (1 << 64) - 1
_CHECKED_INDICES = 6


class _Modulus(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64 * 2) for name in ("q", "root", "inverse_root", "inverse_degree")
    ]


def _pair(value: int) -> ctypes.Array[ctypes.c_uint64]:
    return (ctypes.c_uint64 * 2)(value & _MASK, value >> 64)


def root_of_unity(degree: int, modulus: int) -> int:
    """Some root of order 2N modulo a prime q that is 1 mod 2N; 0 where there is none."""
    if degree & (degree - 1) or (modulus - 1) % (2 * degree):
        return 0
    for base in range(2, 200):
        root = pow(base, (modulus - 1) // (2 * degree), modulus)
        if pow(root, degree, modulus) == modulus - 1:
            return root
    return 0


def bit_reverse(index: int, degree: int) -> int:
    return int(f"{index:0{degree.bit_length() - 1}b}"[::-1], 2) if degree > 1 else 0


def to_words(values: list[int]) -> Words:
    """Pairs of words, the low one first."""
    return np.array([word for x in values for word in (x & _MASK, x >> 64)], dtype=np.uint64)


def from_words(words: Words) -> list[int]:
    return [int(low) | int(high) << 64 for low, high in words.reshape(-1, 2)]


class WidePeers(PeerLibrary):
    """The operations on double words, by names such as "gmp/multiply"."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wide_peer", _OPERATION)

    def create(self, name: str, size: int, modulus: int) -> PeerJob | None:
        """A job on vectors of so many double words, or None if the library cannot do that."""
        root = root_of_unity(size, modulus)
        numbers = _Modulus(_pair(modulus))
        if root:
            numbers.root = _pair(root)
            numbers.inverse_root = _pair(pow(root, -1, modulus))
            numbers.inverse_degree = _pair(pow(size, -1, modulus))
        handle = self._create(
            ctypes.c_size_t(self._indices[name]), ctypes.c_uint64(size), ctypes.byref(numbers)
        )
        # Its vectors have two words for each element.
        return PeerJob(self._library, handle, 2 * size) if handle else None


def _value_at(coefficients: list[int], point: int, modulus: int) -> int:
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * point + coefficient) % modulus
    return value


def _product_at(a: list[int], b: list[int], index: int, modulus: int) -> int:
    """One coefficient of a * b modulo X^N + 1."""
    total = sum(x * b[index - j] * (1 if j <= index else -1) for j, x in enumerate(a))
    return total % modulus


def _is_right(name: str, a: list[int], b: list[int], result: list[int], modulus: int) -> bool:
    """What the operation's definition says: all elements, or some values of a transform."""
    operation, size = name.split("/")[1], len(a)
    elementwise = {
        "add": lambda x, y: (x + y) % modulus,
        "subtract": lambda x, y: (x - y) % modulus,
        "multiply": lambda x, y: x * y % modulus,
        "axpy": lambda x, y: (b[0] * x + y) % modulus,
    }
    if operation in elementwise:
        return result == [elementwise[operation](x, y) for x, y in zip(a, b, strict=True)]
    if operation == "dot":
        return result[0] == sum(x * y for x, y in zip(a, b, strict=True)) % modulus
    indices = Random(size).sample(range(size), min(size, _CHECKED_INDICES))
    if operation == "product":
        return all(result[i] == _product_at(a, b, i, modulus) for i in indices)
    # Coefficients and values of a transform, whichever was computed from the other.
    pair = (a, result) if operation == "ntt_forward" else (result, a)
    root = root_of_unity(size, modulus)
    return all(
        _value_at(pair[0], pow(root, 2 * bit_reverse(i, size) + 1, modulus), modulus) == pair[1][i]
        for i in indices
    )


def checked_job(
    peers: WidePeers, name: str, size: int, modulus: int, most_checked: int = 4096
) -> PeerJob | None:
    """A loaded job; up to `most_checked` elements its result is compared with Python's integers."""
    job = peers.create(name, size, modulus)
    if job is None:
        return None
    if size > most_checked:
        rng = np.random.default_rng(size)
        # A high word below that of q makes a residue, whatever the low word is.
        first, second = (
            rng.integers(0, [1 << 64, modulus >> 64], (size, 2), dtype=np.uint64).ravel()
            for _ in range(2)
        )
        job.compute(first, second)
        return job
    random = Random(size)
    a, b = ([random.randrange(modulus) for _ in range(size)] for _ in range(2))
    result = job.compute(to_words(a), to_words(b))
    if not _is_right(name, a, b, from_words(result), modulus):
        raise RuntimeFailure(
            _OPERATION,
            f"{name} on {size} elements modulo {modulus} gives another result than Python",
            "the same results",
            "do not trust measurements of this build, and report it",
        )
    return job
