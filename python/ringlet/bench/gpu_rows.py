# SPDX-License-Identifier: Apache-2.0
"""What `ringlet bench gpu` measures: the rows of its tables, their sizes, and what is quoted.

Everything quoted is from Zhai et al., "Accelerating Encrypted Computing on Intel GPUs" (2021), "the
paper": transforms of 32K points in batches of 1024 on its Device1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import InvalidArgument

OPERATION = "ringlet bench gpu"
MARK = "not a performance result"
PAPER = "Zhai et al., Accelerating Encrypted Computing on Intel GPUs (2021)"

Options = dict[str, str | bool | int]

PRIME_BITS = 50
NARROW_BITS = 30
PRIME_COUNT = 8
# Work of a chunk that is to stay in a device's cache.
_CHUNK_BYTES = 32 << 20

# Table I of the paper: operations on 64-bit integers of a work-item in a round of this radix.
TABLE_I = {2: 48, 4: 157, 8: 456, 16: 1156}


@dataclass(frozen=True)
class NttRow:
    """One variant of the transforms: one change over the row before it."""

    key: str
    title: str
    options: Options
    radix: int
    bits: int = PRIME_BITS
    is_chunked: bool = False
    quoted: str = ""  # the paper's speed-up over naive, in its words
    quoted_density: str = ""  # operations per byte, in its words

    def device_options(self, degree: int) -> Options:
        """For ringlet.device; chunks have a size in bytes."""
        options = dict(self.options)
        if self.is_chunked:
            options["ntt_chunk_limbs"] = max(PRIME_COUNT, _CHUNK_BYTES // (8 * degree))
        return options

    @property
    def products(self) -> tuple[int, int]:
        """Products of 32-bit words in a butterfly: those whose 64 bits are needed, and the others.

        A product by a root is w * y - floor(w' * y / 2^64) * q: an upper half and two lower halves
        of products of 64-bit words. An upper half takes four wide products, or three of which the
        quotient is up to two too small (lazy reduction); a lower half takes one, and two of which
        the lower word counts. In words of 32 bits each of them is one product.
        """
        if self.options["use_narrow_words"]:
            return 1, 2
        return (5 if self.options["use_lazy_reduction"] else 6), 4

    def table_operations(self, degree: int) -> float:
        """Operations of one transform as Table I counts them."""
        rounds = math.log2(degree) / math.log2(self.radix)
        return TABLE_I[self.radix] * degree / self.radix * rounds


_PLAIN: Options = {
    "use_assembly": False,
    "use_lazy_reduction": False,
    "use_narrow_words": False,
    "use_fused_passes": False,
    "queue_count": 1,
}


def _row(key: str, title: str, ntt: str, radix: int, **changes: str | bool | int) -> NttRow:
    """Options of ringlet.device, or members of the row."""
    options = {**_PLAIN, "ntt": ntt}
    members = {name: value for name, value in changes.items() if name not in options}
    options |= {name: value for name, value in changes.items() if name in options}
    return NttRow(key, title, options, radix, **members)  # type: ignore[arg-type]


NTT_ROWS = (
    _row("naive", "radix 2, naive", "naive", 2, quoted="1", quoted_density="1.5"),
    _row("simd_8_8", "staged, shuffles, 1 slot", "simd_8_8", 2, quoted="up to 1.28"),
    _row("simd_16_8", "2 slots", "simd_16_8", 2, quoted="up to 1.19"),
    _row("simd_32_8", "4 slots", "simd_32_8", 2, quoted="below 1"),
    _row("radix4", "radix 4 in registers", "radix4", 4),
    _row("radix8", "radix 8", "radix8", 8, quoted="up to 4.23", quoted_density="8.9"),
    _row("radix16", "radix 16", "radix16", 16, quoted="below radix 8"),
    _row("assembly", "+ assembly (radix 8)", "radix8", 8, use_assembly=True,
         quoted="1.36 to 1.41 over radix 8"),
    _row("two_queues", "+ two queues", "radix8", 8, use_assembly=True, queue_count=2,
         quoted="9.93"),
    _row("lazy", "beyond: lazy reduction", "radix8", 8, use_assembly=True,
         use_lazy_reduction=True),
    _row("chunks", "beyond: chunks for the cache", "radix8", 8, use_assembly=True,
         use_lazy_reduction=True, is_chunked=True),
    _row("wide_30", "beyond: 30 bits, 64-bit words", "radix8", 8, use_assembly=True,
         use_lazy_reduction=True, bits=NARROW_BITS),
    _row("narrow_30", "beyond: 30 bits, 32-bit words", "radix8", 8, use_assembly=True,
         use_lazy_reduction=True, use_narrow_words=True, bits=NARROW_BITS),
)  # fmt: skip
BASELINE = "naive"


@dataclass(frozen=True)
class Bar:
    """One set of options in the figures of routines and of products of matrices."""

    key: str
    title: str
    options: Options
    is_fused: bool = True  # the form of products of matrices
    has_one_division: bool = False  # of routines that rescale; else they relinearize first


def _bar(
    key: str, title: str, ntt: str, *, has_one_division: bool = False, **more: bool | int
) -> Bar:
    options = {**_PLAIN, "use_fused_multiply_add": False, "ntt": ntt, **more}
    return Bar(key, title, options, has_one_division=has_one_division)


# The bars of the paper's figures 16 and 18 with its separate steps, then what there is beyond it
# here, one after the other.
ROUTINE_BARS = (
    _bar("naive", "naive NTT", "naive"),
    _bar("radix8", "radix 8, local memory", "radix8"),
    _bar("assembly", "+ assembly", "radix8", use_assembly=True),
    _bar("two_queues", "+ two queues", "radix8", use_assembly=True, queue_count=2),
    _bar("beyond", "beyond: lazy, fused multiply-add", "radix8", use_assembly=True,
         use_lazy_reduction=True, use_fused_multiply_add=True),
    _bar("one_division", "+ one division for both", "radix8",
         use_assembly=True, use_lazy_reduction=True, use_fused_multiply_add=True,
         has_one_division=True),
    _bar("fused_passes", "+ fused passes", "radix8", use_assembly=True, use_lazy_reduction=True,
         use_fused_multiply_add=True, use_fused_passes=True, has_one_division=True),
)  # fmt: skip
ROUTINES = ("MulLin", "MulLinRS", "SqrLinRS", "MulLinRSModSwAdd", "Rotate")
# "up to 3.05X", "2.32X - 2.41X" over all five; steps on average on Device1.
ROUTINE_QUOTES = {
    "radix8": "+43.5 % on average",
    "assembly": "+27.4 % on average",
    "two_queues": "+49.5 to 78.2 %, up to 3.05 in all",
}
# Figure 5's text: the share of transforms in the routines, on average on both devices.
SHARE_QUOTES = {"naive": "79.99 %, 75.64 %"}


def _product_bar(key: str, title: str, *, cache: bool, fused: bool, assembly: bool) -> Bar:
    options: Options = {
        "ntt": "radix8",
        "use_memory_cache": cache,
        "use_fused_multiply_add": fused,
        "use_assembly": assembly,
    }
    return Bar(key, title, options, fused)


# Figure 19: the baseline, what instructions gain, what the memory cache gains; and the cache alone.
PRODUCT_BARS = (
    _product_bar("baseline", "baseline", cache=False, fused=False, assembly=False),
    _product_bar("fused", "+ fused multiply-add", cache=False, fused=True, assembly=False),
    _product_bar("assembly", "+ assembly", cache=False, fused=True, assembly=True),
    _product_bar("cache", "+ memory cache", cache=True, fused=True, assembly=True),
    _product_bar("cache_alone", "baseline with memory cache", cache=True, fused=False,
                 assembly=False),
)  # fmt: skip
PRODUCT_QUOTES = {
    "assembly": "1.118 and 1.282 on average",
    "cache": "2.68 and 2.79 in all (3.11 and 2.82 on Device2)",
}


@dataclass(frozen=True)
class RoutineSize:
    degree: int
    data_primes: int
    count: int


@dataclass(frozen=True)
class ProductSize:
    rows: int
    columns: int
    depth: int
    degree: int
    data_primes: int

    @property
    def name(self) -> str:
        return f"{self.rows}x{self.columns}x{self.depth}"

    @property
    def byte_count(self) -> int:
        """Of C in three polynomials, A and B in two."""
        entries = 3 * self.rows * self.columns + 2 * self.depth * (self.rows + self.columns)
        return 8 * self.degree * self.data_primes * entries

    def fitted(self, limit: float) -> ProductSize:
        """With half the rows and columns, again and again, until it takes at most so many bytes."""
        size = self
        while size.byte_count > limit and (size.rows > 1 or size.columns > 1):
            size = ProductSize(
                max(1, size.rows // 2),
                max(1, size.columns // 2),
                size.depth,
                size.degree,
                size.data_primes,
            )
        return size


# What is measured beside the roofs.
PARTS = ("ntt", "routines", "products")


@dataclass(frozen=True)
class Plan:
    """What one run measures."""

    degrees: tuple[int, ...]
    batches: tuple[int, ...]
    rounds: int
    process_rounds: int
    block_seconds: float  # least time of what one sample measures; longer calls are one sample
    routines: RoutineSize
    products: tuple[ProductSize, ...]
    copy_bytes: tuple[int, ...]
    multiply_groups: int  # per compute unit
    parts: tuple[str, ...] = PARTS
    notes: list[str] = field(default_factory=list)


FULL = Plan(
    degrees=(4096, 8192, 16384, 32768, 65536),
    batches=(1, 8, 64, 256, 1024),
    rounds=20,
    process_rounds=3,
    block_seconds=2e-3,
    routines=RoutineSize(32768, 8, 16),
    products=(ProductSize(100, 100, 1, 8192, 3), ProductSize(10, 9, 8, 8192, 3)),
    copy_bytes=(256 << 20, 512 << 20, 1 << 30, 2 << 30),
    multiply_groups=32,
)
QUICK = Plan(
    degrees=(4096,),
    batches=(1, 8),
    rounds=5,
    process_rounds=2,
    block_seconds=1e-3,
    routines=RoutineSize(4096, 3, 2),
    products=(ProductSize(5, 5, 1, 1024, 3), ProductSize(3, 2, 4, 1024, 3)),
    copy_bytes=(16 << 20, 64 << 20),
    multiply_groups=32,
)

# For a runtime on the host's processor, whose times say nothing of a GPU.
HOST = Plan(
    degrees=(4096,),
    batches=(1, 2),
    rounds=3,
    process_rounds=1,
    block_seconds=0.0,
    routines=RoutineSize(1024, 2, 2),
    products=(ProductSize(3, 3, 1, 1024, 2), ProductSize(2, 2, 3, 1024, 2)),
    copy_bytes=(1 << 20, 4 << 20),
    multiply_groups=1,
)


def _checked_rounds(rounds: int) -> int:
    if not 1 <= rounds <= 10000:
        raise InvalidArgument(
            OPERATION, f"rounds = {rounds}", "1 <= rounds <= 10000", "ask for 20 or more"
        )
    return rounds


def _checked_list(name: str, values: Sequence[int], least: int, most: int) -> tuple[int, ...]:
    for value in values:
        if not least <= value <= most or value & (value - 1) and name == "degrees":
            kind = "powers of two " if name == "degrees" else ""
            raise InvalidArgument(
                OPERATION,
                f"{name}: {value}",
                f"{kind}from {least} to {most}",
                "ask for sizes in this range",
            )
    return tuple(dict.fromkeys(values))


def _checked_parts(parts: Sequence[str]) -> tuple[str, ...]:
    for part in parts:
        if part not in PARTS:
            raise InvalidArgument(
                OPERATION, f"part {part!r}", ", ".join(PARTS), "name parts, separated by commas"
            )
    return tuple(parts)


def make_plan(
    *,
    is_quick: bool,
    is_host_processor: bool,
    rounds: int | None,
    degrees: Sequence[int] | None,
    batches: Sequence[int] | None,
    parts: Sequence[str] | None = None,
) -> Plan:
    """The sizes of a run: what is asked for, else those of its kind.

    Raises InvalidArgument for sizes out of range.
    """
    plan = HOST if is_host_processor else QUICK if is_quick else FULL
    notes = []
    if is_host_processor:
        notes.append(
            f"{MARK}: the device is the host's processor; sizes are small unless they are asked for"
        )
    elif is_quick:
        notes.append("--quick: smaller sizes and fewer rounds than the paper's")
    changes: dict[str, object] = {"notes": notes}
    if parts is not None:
        changes["parts"] = _checked_parts(parts)
    if rounds is not None:
        changes["rounds"] = _checked_rounds(rounds)
    if degrees is not None:
        changes["degrees"] = _checked_list("degrees", degrees, 64, 131072)
    if batches is not None:
        changes["batches"] = _checked_list("batches", batches, 1, 65536)
    return Plan(**{**plan.__dict__, **changes})
