# SPDX-License-Identifier: Apache-2.0
"""The goals of the schemes, and the figures that `ringlet bench schemes` quotes beside its own.

Goals are microseconds of another machine. They are compared with this machine in cycles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

GOAL_GHZ = 2.48
SOURCE = (
    "goals and floors for one Sapphire-Rapids-class core at 2.48 GHz, where SEAL 4.4.3 with HEXL "
    "takes the quoted time"
)
DEGREES = (8192, 16384, 32768)


@dataclass(frozen=True)
class Goal:
    """A goal: the largest time at each degree in microseconds. `reference_us` are the times of SEAL
    with HEXL on the machine of the goals. `floor_us` are lower bounds from the count of transforms
    and multiply-adds, or of bytes."""

    scheme: str
    operation: str
    most_us: tuple[float, float, float]
    reference_us: tuple[float, float, float] | None = None
    floor_us: tuple[float, float, float] | None = None
    chains: tuple[str, ...] = ("own",) * 3


_RELINEARIZE = ((490.0, 3900.0, 34000.0), (1387.0, 9923.0, 88316.0), (350.0, 2150.0, 20000.0))
_ROTATE = ((505.0, 4000.0, 35000.0), (1446.0, 10346.0, 90211.0), (350.0, 2150.0, 20000.0))
_HYBRID_US, _HYBRID_FLOOR = (380.0, 2500.0, 15000.0), (209.0, 1215.0, 5600.0)
_HYBRID_CHAINS = ("3+2", "7+2", "14+4")

GOALS = (
    Goal("ckks", "relinearize", *_RELINEARIZE),
    Goal("bfv", "relinearize", *_RELINEARIZE),
    Goal("ckks", "rotate", *_ROTATE),
    Goal("bfv", "rotate", *_ROTATE),
    Goal("ckks", "relinearize", _HYBRID_US, None, _HYBRID_FLOOR, _HYBRID_CHAINS),
    Goal("bfv", "relinearize", _HYBRID_US, None, _HYBRID_FLOOR, _HYBRID_CHAINS),
    Goal("ckks", "multiply", (32, 310, 1800), (70, 504, 4242), (30, 120, 510)),
    Goal("ckks", "rescale", (105, 480, 2400), (229, 1464, 9840), (80, 339, 1520)),
    Goal("ckks", "encode", (62, 265, 1100), (310, 965, 5698), (42, 175, 770)),
    Goal("ckks", "encrypt", (280, 1030, 6200), (1915, 5930, 33670), (149, 572, 2420)),
    Goal("ckks", "decrypt", (17, 175, 800), (43, 264, 1592)),
    Goal("bfv", "multiply", (1100, 6000, 31000), (8321, 37279, 216954), (720, 3500, 18500)),
    Goal("bfv", "encrypt", (290, 1100, 6500), (2045, 6336, 30003), (149, 572, 2420)),
    Goal("bfv", "decrypt", (115, 530, 3600), (454, 1799, 13302), (79, 339, 1538)),
)

# BGV against BFV, relinearization on AVX2 against SEAL's, and two threads against one.
MOST_OF_BFV = 1.15
MOST_OF_SEAL = 1 / 2.5
LEAST_OF_TWO_THREADS = 1.7
_TWO_THREADS_DEGREE = 32768

PAPER = "Boemer et al., Intel HEXL (2021), Tables 5 (SEAL) and 6 (PALISADE); N = 8192, 3 primes"
# The speed-up over runs without HEXL; None if a table has no such line.
HEXL_PAPER: dict[tuple[str, str], tuple[float | None, float | None]] = {
    ("ntt", "forward"): (4.70, 6.26),
    ("ntt", "inverse"): (5.46, 4.83),
    ("bfv", "encode"): (None, 2.84),
    ("bfv", "decode"): (None, 1.72),
    ("bfv", "encrypt"): (1.54, 1.23),
    ("bfv", "decrypt"): (2.48, 1.91),
    ("bfv", "multiply"): (1.43, 1.50),
    ("bfv", "multiply_relinearize"): (1.56, None),
    ("bfv", "rotate"): (2.38, 2.12),
    ("ckks", "encode"): (1.68, 1.69),
    ("ckks", "decode"): (1.23, None),
    ("ckks", "encrypt"): (1.87, 1.19),
    ("ckks", "decrypt"): (2.80, None),
    ("ckks", "multiply"): (2.66, 2.59),
    ("ckks", "multiply_relinearize"): (2.22, None),
    ("ckks", "multiply_relinearize_rescale"): (None, 3.24),
    ("ckks", "rescale"): (3.26, None),
    ("ckks", "rotate"): (2.08, 2.68),
}

# The routines' names in the GPU paper.
ROUTINES = {
    "multiply_relinearize": "MulLin",
    "multiply_relinearize_rescale": "MulLinRS",
    "square_relinearize_rescale": "SqrLinRS",
    "multiply_relinearize_rescale_add": "MulLinRSModSwAdd",
    "rotate": "Rotate",
}

Entry = dict[str, Any]


def find(report: dict[str, Any], **wanted: Any) -> Entry | None:
    """Returns the entry of "benchmarks" with these fields, or None. By default it is an entry of
    Ringlet on one thread, with the kernels of the environment."""
    wanted = {"library": "ringlet", "threads": 1, "kernels": "", **wanted}
    fits = (e for e in report["benchmarks"] if all(e.get(k) == v for k, v in wanted.items()))
    return next(map(dict, fits), None)


def find_peer(report: dict[str, Any], scheme: str, operation: str, degree: int) -> Entry | None:
    """Returns SEAL's time of the same operation on its default primes, or None."""
    return find(report, scheme=scheme, operation=operation, degree=degree, library="tenseal")


def ratio(numerator: Entry | None, denominator: Entry | None) -> float | None:
    """Returns the ratio of two minima, or None if one entry is missing."""
    if numerator is None or denominator is None:
        return None
    return float(numerator["min"] / denominator["min"])


def judge_times(report: dict[str, Any]) -> list[Entry]:
    """Returns every goal in microseconds at every measured degree, beside the measured time."""
    clock_ghz = report["context"]["clock_hz"]["median"] * 1e-9
    found = []
    for goal in GOALS:
        for i, degree in enumerate(DEGREES):
            what = {"scheme": goal.scheme, "operation": goal.operation, "degree": degree}
            entry = find(report, chain=goal.chains[i], **what)
            if entry is None:
                continue
            peer = ratio(find_peer(report, goal.scheme, goal.operation, degree), entry)
            is_same_work = goal.chains[i] == "own" and goal.operation not in ("encode", "decode")
            us, most_us = entry["min"], goal.most_us[i]
            cycles, most_cycles = us * clock_ghz * 1e3, most_us * GOAL_GHZ * 1e3
            floor = None if goal.floor_us is None else goal.floor_us[i] * GOAL_GHZ * 1e3
            found.append(
                {
                    **what,
                    "chain": goal.chains[i],
                    "reference_us": None if goal.reference_us is None else goal.reference_us[i],
                    "goal_us": most_us,
                    "goal_cycles": most_cycles,
                    "floor_cycles": floor,
                    "us": us,
                    "cycles": cycles,
                    "times_as_fast_as_tenseal": peer if is_same_work else None,
                }
            )
    return found


def _relation(
    what: str, value: float | None, limit: float, is_most: bool, detail: str
) -> list[Entry]:
    if value is None:
        return []
    met = value <= limit if is_most else value >= limit
    return [{"what": what, "value": value, "limit": limit, "is_most": is_most, "met": met,
             "detail": detail}]  # fmt: skip


def judge_relations(report: dict[str, Any]) -> list[Entry]:
    """Returns the goals that compare two times of the run. For BGV at each degree, this is the
    worst operation among those for which BFV has goals."""
    found: list[Entry] = []
    degrees = sorted({entry["degree"] for entry in report["benchmarks"]})
    for degree in degrees:
        ratios = {}
        for operation in dict.fromkeys(g.operation for g in GOALS if g.scheme == "bfv"):
            where = {"operation": operation, "degree": degree, "chain": "own"}
            value = ratio(find(report, scheme="bgv", **where), find(report, scheme="bfv", **where))
            if value is not None:
                ratios[operation] = value
        if ratios:
            worst = max(ratios, key=lambda operation: ratios[operation])
            text = f"BGV over BFV, N = {degree}"
            found += _relation(text, ratios[worst], MOST_OF_BFV, True, worst)
    for degree in degrees:
        for scheme in ("ckks", "bfv"):
            what = {"scheme": scheme, "operation": "relinearize", "degree": degree}
            narrow = find(report, chain="own", kernels="avx2", **what)
            value = ratio(narrow, find_peer(report, scheme, "relinearize", degree))
            text = f"AVX2 over SEAL in TenSEAL, {scheme} relinearize, N = {degree}"
            found += _relation(text, value, MOST_OF_SEAL, True, "SEAL on its default primes")
    for scheme in ("ckks", "bfv", "bgv"):
        where = {"scheme": scheme, "operation": "relinearize", "chain": "own",
                 "degree": _TWO_THREADS_DEGREE}  # fmt: skip
        value = ratio(find(report, **where), find(report, threads=2, **where))
        text = f"two threads, {scheme} relinearize, N = {_TWO_THREADS_DEGREE}"
        found += _relation(text, value, LEAST_OF_TWO_THREADS, False, "times as fast as one")
    return found


def hexl_lines(report: dict[str, Any], baseline: str) -> list[Entry]:
    """Returns the operations of the HEXL paper's tables: the time of the best kernel table and of
    scalar code, and the speed-up here, in the paper's SEAL and in its PALISADE."""
    found = []
    for (scheme, operation), quoted in HEXL_PAPER.items():
        where = {"scheme": scheme, "operation": operation, "chain": "hexl"}
        best, scalar = find(report, **where), find(report, kernels=baseline, **where)
        value = ratio(scalar, best)
        if best is None or scalar is None or value is None:
            continue
        found.append(
            {"scheme": scheme, "operation": operation, "us": best["min"],
             "scalar_us": scalar["min"], "times_as_fast": value, "paper_seal": quoted[0],
             "paper_palisade": quoted[1]}
        )  # fmt: skip
    return found
