# SPDX-License-Identifier: Apache-2.0
"""The sizes and parts that `ringlet bench gpu` measures by default, and the figures that it quotes.
Its rows are in bench/gpu, where C++ measures them.

All quoted figures are from Zhai et al., "Accelerating Encrypted Computing on Intel GPUs" (2021),
"the paper": transforms of 32K points in batches of 1024 on its Device1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..checks import check_among, check_degrees, check_range

OPERATION = "ringlet bench gpu"
MARK = "not a performance result"
PAPER = "Zhai et al., Accelerating Encrypted Computing on Intel GPUs (2021)"

# The row with which others are compared, and the width of the primes.
BASELINE = "naive"
PRIME_BITS = 50
# The number of primes of a batch's polynomials.
PRIME_COUNT = 8

# Table I of the paper: 64-bit integer operations of a work-item in a round, by its radix.
TABLE_I = {2: 48, 4: 157, 8: 456, 16: 1156}

# The paper's words by the key of the row: the speed-up over naive, then operations per byte.
NTT_QUOTES = {
    "naive": "1",
    "simd_8_8": "up to 1.28",
    "simd_16_8": "up to 1.19",
    "simd_32_8": "below 1",
    "radix8": "up to 4.23",
    "radix16": "below radix 8",
    "assembly": "1.36 to 1.41 over radix 8",
    "two_queues": "9.93",
}
DENSITY_QUOTES = {"naive": "1.5", "radix8": "8.9"}
# "up to 3.05X", "2.32X - 2.41X" over all five routines; steps on average on Device1.
ROUTINE_QUOTES = {
    "radix8": "+43.5 % on average",
    "assembly": "+27.4 % on average",
    "two_queues": "+49.5 to 78.2 %, up to 3.05 in all",
}
# Figure 5's text: the share of transforms in the routines, on average on both devices.
SHARE_QUOTES = {"naive": "79.99 %, 75.64 %"}
PRODUCT_QUOTES = {
    "assembly": "1.118 and 1.282 on average",
    "cache": "2.68 and 2.79 in all (3.11 and 2.82 on Device2)",
}
QUOTES = {
    "ntt": NTT_QUOTES,
    "ntt density": DENSITY_QUOTES,
    "routine": ROUTINE_QUOTES,
    "ntt share": SHARE_QUOTES,
    "product": PRODUCT_QUOTES,
}

# The parts of a run beside the roofs.
PARTS = ("ntt", "routines", "keyswitch", "products", "server")
Settings = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Plan:
    """The parts of one run. Each has the options that bench/gpu takes, as texts."""

    settings: Settings
    parts: tuple[str, ...]
    notes: tuple[str, ...] = ()


# For a large GPU: the defaults of bench/gpu, which are the paper's sizes.
FULL: Settings = {part: {} for part in ("roofs", *PARTS)}
_SMALL_PRODUCTS = "5x5x1:1024:3,3x2x4:1024:3"
QUICK: Settings = {
    "roofs": {"rounds": "5", "copy-mib": "16,64"},
    "ntt": {"rounds": "5", "degrees": "4096", "limbs": "8,64", "block-ms": "1"},
    "routines": {"rounds": "5", "degree": "4096", "data-primes": "3", "count": "2"},
    "keyswitch": {"rounds": "5", "shapes": "4096:4+2", "count": "2"},
    "products": {"rounds": "5", "shapes": _SMALL_PRODUCTS, "process-rounds": "2"},
    "server": {"rounds": "5"},
}
# For a runtime on the host's processor, whose times do not predict a GPU's.
HOST: Settings = {
    "roofs": {"rounds": "3", "copy-mib": "1,4", "groups": "1"},
    "ntt": {"rounds": "3", "degrees": "4096", "limbs": "8,16", "block-ms": "0"},
    "routines": {
        "rounds": "3", "degree": "1024", "data-primes": "2", "count": "2", "block-ms": "0",
    },
    "keyswitch": {"rounds": "3", "shapes": "1024:2+1,1024:4+2", "count": "2", "block-ms": "0"},
    "products": {"rounds": "3", "shapes": "3x3x1:1024:2,2x2x3:1024:2", "process-rounds": "1"},
    "server": {"rounds": "2", "count": "1"},
}  # fmt: skip


def make_plan(
    *,
    is_quick: bool,
    is_host_processor: bool,
    rounds: int | None = None,
    degrees: Sequence[int] | None = None,
    batches: Sequence[int] | None = None,
    parts: Sequence[str] | None = None,
) -> Plan:
    """Makes the plan of a run. Arguments that are None have the default of a quick or a full run.
    Batches are numbers of polynomials.

    Raises InvalidArgument for sizes out of range.
    """
    kind = HOST if is_host_processor else QUICK if is_quick else FULL
    settings = {part: dict(options) for part, options in kind.items()}
    notes = []
    if is_host_processor:
        notes.append(
            f"{MARK}: the device is the host's processor; sizes are small unless they are asked for"
        )
    elif is_quick:
        notes.append("--quick: smaller sizes and fewer rounds than the paper's")
    if rounds is not None:
        check_range(OPERATION, "--rounds", rounds, 1, 10000)
        for options in settings.values():
            options["rounds"] = str(rounds)
    if degrees is not None:
        check_degrees(OPERATION, degrees, 64, 131072)
        settings["ntt"]["degrees"] = ",".join(map(str, dict.fromkeys(degrees)))
    if batches is not None:
        for batch in batches:
            check_range(OPERATION, "--batches", batch, 1, 65536)
        limbs = (PRIME_COUNT * batch for batch in dict.fromkeys(batches))
        settings["ntt"]["limbs"] = ",".join(map(str, limbs))
    chosen = PARTS if parts is None else tuple(parts)
    check_among(OPERATION, "--parts", chosen, PARTS)
    notes += [f"{part}: not asked for" for part in PARTS if part not in chosen]
    return Plan(settings, chosen, tuple(notes))
