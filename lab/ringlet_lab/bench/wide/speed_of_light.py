# SPDX-License-Identifier: Apache-2.0
"""Speed of light: the time on all cores of a whole processor, computed from a time on one core as
if only the number of cores and the clock counted. It is compared with an ASIC.

Neither time is a measurement. The first is a bound; the ASIC's is derived from a ratio of the
paper.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Target:
    """A processor, with the clock that its vendor states: for all cores, or the maximum."""

    name: str
    cores: int
    clock_ghz: float
    clock_kind: str  # "all_core" or "maximum"
    source: str

    @property
    def clock_text(self) -> str:
        kind = {"all_core": "all cores", "maximum": "maximum"}[self.clock_kind]
        return f"{self.clock_ghz:g} GHz, {kind}"


@dataclass(frozen=True)
class Scaling:
    """A speed-up on `cores` cores, as the paper assumes it."""

    cores: int
    speedup: float
    source: str


@dataclass(frozen=True)
class Asic:
    """An ASIC. Its time is the time of the paper's MQX, divided by the slowdown that the paper
    states."""

    name: str
    slowdown: float
    slowdown_source: str
    mqx_ns: dict[int, float]
    mqx_source: str

    def ns_per_butterfly(self, degree: int) -> float:
        """Returns the time at the recorded length that is nearest (in powers of two)."""
        nearest = min(self.mqx_ns, key=lambda n: (abs(math.log2(n / degree)), n))
        return self.mqx_ns[nearest] / self.slowdown


@dataclass(frozen=True)
class Data:
    """The content of the file data/speed_of_light.json."""

    formula: str
    targets: tuple[Target, ...]
    scaling: Scaling
    asic: Asic


@cache
def data() -> Data:
    """Returns the content of the data file."""
    file = resources.files("ringlet_lab").joinpath("data", "speed_of_light.json")
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    asic = content["asic"]
    return Data(
        content["formula"],
        tuple(
            Target(t["name"], t["cores"], t[f"{t['clock']}_ghz"], t["clock"], t["source"])
            for t in content["targets"]
        ),
        Scaling(**content["assumed_scaling"]),
        Asic(mqx_ns={int(n): ns for n, ns in asic.pop("mqx_ns_per_butterfly").items()}, **asic),
    )


def speed_of_light(time: float, clock_ghz: float, target: Target, cores: int = 1) -> float:
    """Returns t_sol = t_m * (c1 / c2) * (f_m / f_max), for a time on `cores` cores at `clock_ghz`.
    """
    return time * (cores / target.cores) * (clock_ghz / target.clock_ghz)


@dataclass(frozen=True)
class Estimate:
    """One bar: nanoseconds per butterfly that were computed, not measured."""

    target: str
    cores: int
    clock: str
    ns: float
    assumption: str  # "linear" or the paper's speedup
    asic_ratio: float  # time over the derived ASIC's; below 1 it is faster


def estimates(time: float, clock_ghz: float, degree: int) -> list[Estimate]:
    """Returns the estimates of all targets for one measured time. Linear estimates come first, then
    the one with the assumed speed-up."""
    known = data()
    asic = known.asic.ns_per_butterfly(degree)
    found = []
    for target in known.targets:
        ns = speed_of_light(time, clock_ghz, target)
        about = (target.name, target.cores, target.clock_text)
        found.append(Estimate(*about, ns, "linear, ideal", ns / asic))
    # The speedup is that of the whole processor and includes its clock.
    cores, speedup = known.scaling.cores, known.scaling.speedup
    ns = time / speedup
    name, text = f"any CPU of {cores} cores", f"assumed {speedup:g}x"
    return [*found, Estimate(name, cores, "not counted", ns, text, ns / asic)]
