# SPDX-License-Identifier: Apache-2.0
"""Section on a device: its transforms and routines, with one change after the other."""

from __future__ import annotations

from rich.progress import Progress
from ringlet import device as open_device
from ringlet import devices

from ...bench.gpu.results import DIRECTIONS, NttCell, Results, measure_document, results_of
from ...bench.gpu.roofline import reference_cells
from ...bench.gpu.rows import BASELINE, MARK, PAPER, PRIME_BITS, make_plan
from ..model import Axis, Chart, Point, Section, Series
from ..points import ratio_point, speed_up_bars, time_point
from ..setting import Setting, silent_console
from . import TITLES

PARTS = ("ntt", "routines")
_KNOWN = (MARK, "--quick")


def device_name(wanted: str | None) -> str | None:
    """Returns the requested device, else the first device that is not the host. None if there is
    none."""
    if wanted is not None:
        return wanted
    found = [device for device in devices() if device.api != "host"]
    # A real device comes before an OpenCL runtime on the processor.
    found.sort(key=lambda device: device.is_host_processor)
    return found[0].name if found else None


def _kind(results: Results) -> str:
    """Returns a description of the device for captions."""
    info = results.device
    text = f"{info['description']}, {info['api']}"
    if results.is_performance_result:
        return text
    return f"{text}: OpenCL on the host's processor, so correctness, not a GPU's speed"


def _ablation(results: Results) -> Chart:
    cells = reference_cells(results)
    baseline = next(cell for cell in cells if cell.row.key == BASELINE)
    series = tuple(
        Series(
            direction,
            tuple(
                ratio_point(
                    c.row.title, baseline.times[direction].times_us, c.times[direction].times_us
                )
                for c in cells
            ),  # fmt: skip
        )
        for direction in DIRECTIONS
    )
    return speed_up_bars(
        "gpu-ablation",
        f"Transforms over a naive kernel, N = {baseline.degree}",
        f"{_kind(results)}. Each row is one change over the one before it, after {PAPER}; primes "
        f"of {PRIME_BITS} bits but where a row says 30; {baseline.limbs} transforms at once, "
        "on the device's own clock, results compared with the processor's word by word.",
        "variant",
        series,
    )


def _transforms(results: Results) -> Chart:
    """Returns a chart of the measured sizes, with the fastest row that has primes of the baseline's
    width."""
    fastest: dict[tuple[int, int], NttCell] = {}
    for cell in sorted(results.ntt, key=lambda cell: cell.seconds("forward")):
        if cell.row.bits == PRIME_BITS:
            fastest.setdefault((cell.limbs, cell.degree), cell)
    points: dict[str, list[Point]] = {}
    for (_, degree), cell in sorted(fastest.items()):
        point = time_point(degree, cell.times["forward"].times_us, 1)
        points.setdefault(f"{cell.size} limbs", []).append(point)
    series = [Series(title, tuple(own)) for title, own in points.items()]
    return Chart(
        "gpu-transforms",
        f"Forward transform, {PRIME_BITS}-bit primes",
        f"{_kind(results)}. Of each size the fastest variant, per transform; limbs are so many "
        "primes times so many polynomials.",
        "lines",
        Axis("degree N", scale="log2"),
        Axis("time", "µs", "log10"),
        tuple(series),
    )


def _routines(results: Results) -> Chart:
    """Returns a chart of each routine, with each set of options over the first set."""
    bars = list(dict.fromkeys(cell.title for cell in results.routines))
    routines = list(dict.fromkeys(cell.routine for cell in results.routines))
    times = {(cell.routine, cell.title): cell.single.times_us for cell in results.routines}
    series = []
    for bar in bars[1:]:
        both = [r for r in routines if {(r, bars[0]), (r, bar)} <= times.keys()]
        points = (ratio_point(r, times[r, bars[0]], times[r, bar]) for r in both)
        series.append(Series(bar, tuple(points)))
    size = results.routines[0]
    return speed_up_bars(
        "gpu-routines",
        f"Routines of CKKS over {bars[0]}, N = {size.degree}",
        f"{_kind(results)}. {size.data_primes} data primes, one routine after the other; each bar "
        "is one change over the one before it.",
        "routine",
        series,
    )


def measure(setting: Setting) -> Section:
    """Measures transforms and routines of CKKS on one device of OpenCL or CUDA."""
    summary = "What each step from a naive kernel to this library's is worth on a device."
    name = device_name(setting.device)
    if name is None:
        missing = (
            "No device of OpenCL or CUDA was found: install a GPU's driver, or pocl-opencl-icd for "
            "OpenCL on this processor."
        )
        return Section("gpu", TITLES["gpu"], summary, (), (missing,))
    info = open_device(name).info
    plan = make_plan(
        is_quick=setting.quick,
        is_host_processor=info.is_host_processor,
        # Routines on a processor take long and show little.
        parts=PARTS[:1] if setting.quick and info.is_host_processor else PARTS,
    )
    setting.steps.begin(f"{name}, {info.description}")
    with Progress(console=silent_console()) as progress:
        results = results_of(measure_document(name, info, plan, progress))[0]
    charts = []
    if any(cell.row.key == BASELINE for cell in reference_cells(results)):
        charts.append(_ablation(results))
    if len({cell.degree for cell in results.ntt}) > 1:
        charts.append(_transforms(results))
    if results.routines:
        charts.append(_routines(results))
    refused = [f"{r['part']}, {r['row']}: {r['reason']}" for r in results.refused]
    # Parts that were not asked for are not missing, and captions describe the device.
    notes = [n for n in results.notes if "not asked for" not in n and not n.startswith(_KNOWN)]
    summary = f"{summary} Measured on {_kind(results)}."
    settings = {
        "device": info.description,
        "degrees": sorted({cell.degree for cell in results.ntt}),
        "limbs": sorted({cell.limbs for cell in results.ntt}),
        "rounds": max((len(c.times["forward"].times_us) for c in results.ntt), default=0),
        "routines N": max((cell.degree for cell in results.routines), default=0),
    }
    return Section("gpu", TITLES["gpu"], summary, tuple(charts), (*refused, *notes), settings)
