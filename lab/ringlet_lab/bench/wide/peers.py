# SPDX-License-Identifier: Apache-2.0
"""GMP and FLINT on double words, measured in the same process. Calls the library `ringlet_peers`
through ctypes, if it was built. Compares results with Ringlet's before it times them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ringlet import wide

from ..peers import PeerJob, PeerLibrary, Words, checked

_OPERATION = "ringlet bench wide"


class _Modulus(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64 * 2) for name in ("q", "root", "inverse_root", "inverse_degree")
    ]


def _pair(value: int) -> ctypes.Array[ctypes.c_uint64]:
    return (ctypes.c_uint64 * 2)(*map(int, wide.from_integers([value]).ravel()))


class WidePeers(PeerLibrary):
    """The operations on double words, by names such as "gmp/multiply"."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wide_peer", _OPERATION)

    def create(self, name: str, size: int, modulus: int) -> PeerJob | None:
        """Returns a job on vectors of `size` double words, or None if the library does not support
        it."""
        numbers = _Modulus(_pair(modulus))
        if size & (size - 1) == 0 and size <= wide.longest_transform(modulus):
            root = wide.Ntt(size, modulus).root_of_unity
            numbers.root = _pair(root)
            numbers.inverse_root = _pair(pow(root, -1, modulus))
            numbers.inverse_degree = _pair(pow(size, -1, modulus))
        handle = self._create(
            ctypes.c_size_t(self._indices[name]), ctypes.c_uint64(size), ctypes.byref(numbers)
        )
        # The vectors have two words for each element.
        return PeerJob(self._library, handle, 2 * size) if handle else None


def _expected(operation: str, a: Words, b: Words, modulus: int) -> Words:
    """Returns Ringlet's result: a vector, or one element for a sum of products."""
    plan = wide.Eltwise(modulus)
    operations: dict[str, Callable[[], Words]] = {
        "add": lambda: plan.add(a, b),
        "subtract": lambda: plan.subtract(a, b),
        "multiply": lambda: plan.multiply(a, b),
        "axpy": lambda: plan.axpy(wide.to_integers(b[:1])[0], a, b),
        "dot": lambda: wide.from_integers([plan.dot(a, b)]),
        "ntt_forward": lambda: wide.Ntt(len(a), modulus).forward(a),
        "ntt_inverse": lambda: wide.Ntt(len(a), modulus).inverse(a),
        "product": lambda: wide.Ntt(len(a), modulus).multiply(a, b),
    }
    return operations[operation]()


def checked_job(peers: WidePeers, name: str, size: int, modulus: int) -> PeerJob | None:
    """Returns a loaded job whose result is the same as Ringlet's, or None if the library does not
    support it."""
    job = peers.create(name, size, modulus)
    if job is None:
        return None
    rng = np.random.default_rng(size)
    plan = wide.Eltwise(modulus)
    a, b = (plan.reduce(rng.integers(0, 1 << 64, (size, 2), dtype=np.uint64)) for _ in range(2))
    expected = _expected(name.split("/")[1], a, b, modulus)
    found = job.compute(a, b).reshape(-1, 2)[: len(expected)]
    where = f"{name} on {size} elements modulo {modulus}"
    return checked(job, np.array_equal(found, expected), _OPERATION, where)
