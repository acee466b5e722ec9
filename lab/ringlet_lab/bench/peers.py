# SPDX-License-Identifier: Apache-2.0
"""Operations of other libraries, measured in the same process: calls the library `ringlet_peers`,
or another with its functions, through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from ringlet import Eltwise, Ntt
from ringlet.errors import InvalidArgument, RuntimeFailure

from .._lab import Stopwatch

_OPERATION = "ringlet bench tables"
Words = npt.NDArray[np.uint64]


def _pointer(words: Words) -> ctypes.c_void_p:
    return ctypes.c_void_p(words.ctypes.data)


class PeerJob:
    """One operation of another library, with its operands. Keep it while a stopwatch runs it."""

    def __init__(self, library: ctypes.CDLL, handle: int, degree: int) -> None:
        self._library = library
        self._handle = ctypes.c_void_p(handle)
        self._degree = degree

    def __del__(self) -> None:
        self._library.ringlet_peer_destroy(self._handle)

    def compute(self, a: Words, b: Words) -> Words:
        """Loads two operands of N words each, runs the operation once and returns its result."""
        result = np.empty(self._degree, dtype=np.uint64)
        self._library.ringlet_peer_load(self._handle, _pointer(a), _pointer(b))
        self._library.ringlet_peer_run(self._handle, ctypes.c_uint64(1))
        self._library.ringlet_peer_result(self._handle, _pointer(result))
        return result

    def add_to(self, stopwatch: Stopwatch) -> None:
        function = ctypes.cast(self._library.ringlet_peer_run, ctypes.c_void_p).value
        stopwatch.add_function(function or 0, self._handle.value or 0)


class PeerLibrary:
    """The operations that a library file offers by its functions `ringlet_<family>_...`."""

    def __init__(self, path: Path, family: str, operation: str) -> None:
        try:
            # The loader searches the system's folders for a path without a folder.
            library = ctypes.CDLL(str(path.resolve(strict=True)))
            count, self._create, name, description = (
                getattr(library, f"ringlet_{family}_{part}")
                for part in ("count", "create", "name", "description")
            )
            library.ringlet_peer_destroy.restype = None
        except (OSError, AttributeError) as error:
            raise InvalidArgument(
                operation,
                f"--peers {path}: {error}",
                "the library ringlet_peers of a build with RINGLET_BUILD_BENCH=ON",
                "build the missing part with scripts/bench.sh, or leave the option out",
            ) from None
        count.restype = ctypes.c_size_t
        self._create.restype = ctypes.c_void_p
        name.restype = description.restype = ctypes.c_char_p
        self._library = library
        self.descriptions = {
            name(ctypes.c_size_t(i)).decode(): description(ctypes.c_size_t(i)).decode()
            for i in range(count())
        }
        self._indices = {name: i for i, name in enumerate(self.descriptions)}


class Peers(PeerLibrary):
    """The operations on words, by names such as "ntl/product"."""

    def __init__(self, path: Path, operation: str = _OPERATION) -> None:
        super().__init__(path, "peer", operation)

    def create(self, name: str, degree: int, modulus: int) -> PeerJob | None:
        """Returns a job on N words modulo q, or None if the library does not support it."""
        handle = self._create(
            ctypes.c_size_t(self._indices[name]), ctypes.c_uint64(degree), ctypes.c_uint64(modulus)
        )
        return PeerJob(self._library, handle, degree) if handle else None


def checked(job: PeerJob, is_right: bool, operation: str, where: str) -> PeerJob:
    """Returns the job. Raises RuntimeFailure if its result is wrong."""
    if not is_right:
        raise RuntimeFailure(
            operation,
            f"{where} gives another result than Ringlet",
            "results that agree",
            "discard the measurements of this build, and report this error",
        )
    return job


def _expected(name: str, a: Words, b: Words, modulus: int) -> Words | None:
    """Returns Ringlet's result, or None for an operation whose result the other library may order
    differently."""
    plan = Eltwise(modulus)
    operations: dict[str, Callable[[], Words]] = {
        "multiply": lambda: plan.multiply(a, b),
        "multiply_scalar_add": lambda: plan.multiply_add(a, int(b[0]), b),
        "product": lambda: Ntt(len(a), modulus).multiply(a, b),
    }
    compute = operations.get(name.split("/")[1])
    return None if compute is None else compute()


def checked_job(
    peers: Peers, name: str, degree: int, modulus: int, operation: str = _OPERATION
) -> PeerJob | None:
    """Returns a job whose result is the same as Ringlet's. For transforms, checks only that values
    are below q. Returns None if the library does not support the operation."""
    job = peers.create(name, degree, modulus)
    if job is None:
        return None
    rng = np.random.default_rng(degree)
    a, b = (rng.integers(0, modulus, degree, dtype=np.uint64) for _ in range(2))
    result = job.compute(a, b)
    expected = _expected(name, a, b, modulus)
    same = (result < modulus).all() if expected is None else (result == expected).all()
    return checked(job, bool(same), operation, f"{name} at N = {degree} modulo {modulus}")
