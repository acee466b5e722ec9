# SPDX-License-Identifier: Apache-2.0
"""The bounds of kernels on this machine, both measured. One is a kernel's multiplications, at the
rate of this processor when no multiplication waits. The other is the rate of reading and writing
words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .._lab import Stopwatch, add_limit, limits

SCALAR = "shoup/scalar64"
_COUNT = 9600
_ROUNDS = 30
_BLOCK_US = 200.0
_HALF_WORD = 1 << 32
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
# The sizes of caches if the processor does not report them: most have at least these.
_USUAL_CACHES = {"L1": 32 << 10, "L2": 512 << 10, "L3": 16 << 20}
# The words of add_limit must be multiples of this.
_STEP = 96
_MOST_MEMORY_BYTES = 512 << 20

# For each transform kernel, the limit of `limits()` that bounds its multiplications, and the least
# number of these in a butterfly, in the lanes of the limit: products of half words, of 52-bit
# words, or of doubles. A vector multiplication of whole words counts as one. From kernels/policy/.
_MULTIPLICATIONS = {
    "scalar64/radix2": (SCALAR, 1),
    "avx2/radix2": ("integer/avx2", 10),
    "avx2/mont64": ("integer/avx2", 7),
    "avx2/float": ("real/avx2", 4),
    "avx2/mont32": ("integer/avx2", 3),
    "avx512dq/radix2": ("integer/avx512dq", 6),
    "avx512dq/shoup64": ("integer/avx512dq", 5),
    "avx512dq/mont64": ("integer/avx512dq", 7),
    "avx512dq/float": ("real/avx512dq", 4),
    "avx512dq/float-long": ("integer/avx512dq", 2),
    "avx512dq/mont32": ("integer/avx512dq", 3),
    "ifma52/radix2": ("integer/ifma52", 3),
    "ifma52/lazy": ("integer/ifma52", 3),
    "ifma52/exact": ("integer/ifma52", 3),
}
# mont64 saves two multiplications if q is 1 modulo 2^32.
_HALF_WORD_ONE = 5


@dataclass(frozen=True)
class Rates:
    """Nanoseconds of one multiplication of each limit, one entry per round."""

    times_ns: dict[str, list[float]]

    @property
    def ns(self) -> dict[str, float]:
        """Nanoseconds of one multiplication in the fastest round, for each limit."""
        return {name: min(times) for name, times in self.times_ns.items()}

    def ns_per_product(self, kernel: str, modulus: int) -> float | None:
        """Returns the least time of one butterfly of a transform's kernel "table/algorithm", or of
        one product by a known factor. None for a kernel whose multiplications are unknown."""
        limit, count = _MULTIPLICATIONS.get(kernel, ("", 0))
        least = self.ns
        if kernel.endswith("/mont64") and modulus % _HALF_WORD == 1:
            count = _HALF_WORD_ONE
        return count * least[limit] if limit in least else None


def measure_rates() -> Rates:
    """Measures every limit that this processor has, in a fraction of a second."""
    stopwatch = Stopwatch()
    wanted = {name for name, _ in _MULTIPLICATIONS.values()}
    names = [name for name in limits() if name in wanted]
    jobs = [add_limit(stopwatch, name, _COUNT) for name in names]
    stopwatch.run(_ROUNDS, _BLOCK_US)
    times = [[ns / _COUNT for ns in stopwatch.times_ns(job)] for job in jobs]
    return Rates(dict(zip(names, times, strict=True)))


def _size(text: str) -> int:
    """Returns the bytes of a text such as "512K"."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text.strip())
    if match is None:
        return 0
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]


def cache_bytes() -> dict[str, int]:
    """Returns the bytes of a core's data caches by their level, smallest first."""
    found = {}
    for folder in sorted(_CACHES.glob("index*")):
        try:
            level, kind, size = (
                (folder / name).read_text().strip() for name in ("level", "type", "size")
            )
        except OSError:
            continue
        if kind != "Instruction" and _size(size):
            found[f"L{level}"] = _size(size)
    return found or dict(_USUAL_CACHES)


@dataclass(frozen=True)
class Level:
    """A level of memory: the bytes that a pass goes through, and the time of each pass in ns."""

    name: str
    size: int
    times_ns: Sequence[float]

    @property
    def moved(self) -> int:
        """The number of bytes that one pass reads and writes."""
        return 2 * self.size


def working_sets() -> dict[str, int]:
    """Returns the bytes of a working set for each level of memory: half of a cache, and for the
    memory four times the largest cache, at most 512 MiB."""
    caches = cache_bytes()
    sets = {name: size // 2 for name, size in caches.items()}
    sets["memory"] = min(4 * max(caches.values()), _MOST_MEMORY_BYTES)
    return sets


def measure_level(name: str, size: int, rounds: int) -> Level:
    """Times passes over `size` bytes by one core. Each pass reads and writes every word once."""
    stopwatch = Stopwatch()
    words = max(_STEP, size // 8 // _STEP * _STEP)
    job = add_limit(stopwatch, "pass", words)
    stopwatch.run(rounds, _BLOCK_US)
    return Level(name, 8 * words, stopwatch.times_ns(job))
