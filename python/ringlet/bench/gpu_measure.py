# SPDX-License-Identifier: Apache-2.0
"""The measurements of `ringlet bench gpu`. Rows that are compared take turns, round by round.

Times are the device's own (Device.time) unless it is said otherwise. Before a row is timed, its
results are compared with the processor's, word by word: a wrong one is an error, not a number.
"""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from rich.progress import Progress

from .. import device as open_device
from .._core import (
    Device,
    DeviceInfo,
    GpuProductHost,
    GpuProducts,
    GpuRoofs,
    GpuRoutineHost,
    GpuRoutines,
    GpuTransforms,
)
from ..errors import InvalidArgument, OutOfDeviceMemory, RingletError, RuntimeFailure
from .gpu_rows import (
    NTT_ROWS,
    OPERATION,
    PARTS,
    PRIME_COUNT,
    PRODUCT_BARS,
    ROUTINE_BARS,
    ROUTINES,
    Bar,
    NttRow,
    Options,
    Plan,
    ProductSize,
    RoutineSize,
)

PRODUCTS = ("multiply_add", "multiply_add_wide", "multiply_high")
# Of the memory of a device, what all rows together may take.
_MEMORY_SHARE = 0.6
_MOST_CALLS = 10000
_GROUP_ROUNDS = 1 << 20
# A launch of products is so long that its start does not count.
_LEAST_PRODUCTS_SECONDS = 5e-3


@dataclass
class Times:
    """Seconds of one thing, one entry per round."""

    seconds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


@dataclass
class Refusal:
    """What a device or this version does not do, and why."""

    part: str
    row: str
    reason: str


@dataclass
class RoofResults:
    """Rates of a device: bytes read and written per second, products per second."""

    copies: dict[int, Times] = field(default_factory=dict)  # by bytes copied
    products: dict[str, Times] = field(default_factory=dict)
    product_counts: dict[str, float] = field(default_factory=dict)

    @property
    def bandwidth(self) -> float:
        return max(2 * size / times.best for size, times in self.copies.items())

    def rate(self, product: str) -> float:
        return self.product_counts[product] / self.products[product].best


@dataclass
class NttCell:
    """One row at one size; times are of the whole batch."""

    row: NttRow
    degree: int
    batch: int
    kernel: str
    device: str  # its description: with several queues it says on which parts they are
    passes: dict[str, int]
    times: dict[str, Times]

    @property
    def transforms(self) -> int:
        return PRIME_COUNT * self.batch

    def seconds(self, direction: str) -> float:
        """The least time of one transform."""
        return self.times[direction].best / self.transforms

    def bytes_moved(self, direction: str) -> int:
        """Of one transform: every pass reads and writes all words."""
        return self.passes[direction] * 16 * self.degree

    @property
    def butterflies(self) -> int:
        return self.degree // 2 * int(math.log2(self.degree))


@dataclass
class RoutineCell:
    """One routine with the options of one bar; times are of one routine."""

    routine: str
    bar: Bar
    single: Times
    batched: Times
    transforms: Times  # those of the routine, alone
    transform_counts: tuple[int, int]

    @property
    def share(self) -> float:
        """Of the transforms in the time of the routine alone."""
        return self.transforms.median / self.single.median


@dataclass
class ProductCell:
    size: ProductSize
    bar: Bar
    product: Times
    process: Times  # on the host's clock


@dataclass
class Results:
    """All that one run measured."""

    device: DeviceInfo
    plan: Plan
    routine_size: RoutineSize
    roofs: RoofResults = field(default_factory=RoofResults)
    ntt: list[NttCell] = field(default_factory=list)
    routines: list[RoutineCell] = field(default_factory=list)
    products: list[ProductCell] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_performance_result(self) -> bool:
        return not self.device.is_host_processor

    def cell(self, key: str, degree: int, batch: int) -> NttCell | None:
        for cell in self.ntt:
            if (cell.row.key, cell.degree, cell.batch) == (key, degree, batch):
                return cell
        return None


def calls_for(once: float, block: float) -> int:
    """Calls of so many seconds that fill a block."""
    return max(1, min(_MOST_CALLS, math.ceil(block / max(once, 1e-9))))


_RowMeter = tuple[NttRow, Device, GpuTransforms]


class Measurement:
    """One run on one device."""

    def __init__(self, name: str, info: DeviceInfo, plan: Plan, progress: Progress) -> None:
        self.name = name
        self.plan = plan
        self.results = Results(info, plan, plan.routines, notes=list(plan.notes))
        self._progress = progress

    def run(self) -> Results:
        self._measure_roofs()
        measures = {
            "ntt": self._measure_transforms,
            "routines": self._measure_routines,
            "products": self._measure_products,
        }
        for part in PARTS:
            if part in self.plan.parts:
                measures[part]()
            else:
                self.results.notes.append(f"{part}: not asked for")
        return self.results

    @contextmanager
    def _steps(self, text: str, total: int) -> Iterator[Callable[[], None]]:
        task = self._progress.add_task(text, total=total)
        yield lambda: self._progress.advance(task)
        self._progress.remove_task(task)

    def _open(self, options: Options) -> Device:
        return open_device(self.name, use_timing=True, **options)  # type: ignore[arg-type]

    def _refuse(self, part: str, row: str, error: RingletError) -> None:
        known = {(refusal.part, refusal.row) for refusal in self.results.refused}
        if (part, row) not in known:
            self.results.refused.append(Refusal(part, row, f"{error.offending}; {error.limit}"))

    # roofs

    def _measure_roofs(self) -> None:
        meter = GpuRoofs(self._open({}))
        roofs = self.results.roofs
        with self._steps("roofs", len(self.plan.copy_bytes) + len(PRODUCTS)) as advance:
            for size in self.plan.copy_bytes:
                if 4 * size > self.results.device.memory_bytes:
                    self.results.notes.append(f"copies of {size} bytes: too large for this device")
                else:
                    copied, seconds = meter.copy(size, self.plan.rounds, 4)
                    roofs.copies[copied] = Times(seconds)
                advance()
            if not roofs.copies:
                raise InvalidArgument(
                    OPERATION,
                    f"{self.results.device.memory_bytes} bytes of device memory",
                    f"at least {4 * min(self.plan.copy_bytes)}, for copies that no cache holds",
                    "pass --quick, or name a device with more memory",
                )
            groups = max(1, self.results.device.compute_units * self.plan.multiply_groups)
            groups = min(groups, 1 << 16)
            for product in PRODUCTS:
                meter.check(product)
                rounds = 1
                while (
                    meter.multiply(product, groups, rounds) < _LEAST_PRODUCTS_SECONDS
                    and rounds < _GROUP_ROUNDS
                ):
                    rounds *= 2
                times = [meter.multiply(product, groups, rounds) for _ in range(self.plan.rounds)]
                roofs.products[product] = Times(times)
                roofs.product_counts[product] = meter.products(groups, rounds)
                advance()

    # transforms

    def _measure_transforms(self) -> None:
        sizes = [(n, batch) for n in self.plan.degrees for batch in self.plan.batches]
        with self._steps("transforms", len(sizes)) as advance:
            for degree, batch in sizes:
                needed = len(NTT_ROWS) * PRIME_COUNT * batch * degree * 8
                if needed > _MEMORY_SHARE * self.results.device.memory_bytes:
                    self.results.notes.append(
                        f"transforms of N = {degree} in batches of {batch}: left out, all rows "
                        f"together take {needed >> 20} MiB of device memory"
                    )
                else:
                    self._measure_size(degree, batch)
                advance()

    def _measure_size(self, degree: int, batch: int) -> None:
        meters: list[_RowMeter] = []
        try:
            for row in NTT_ROWS:
                meters += self._open_row(row, degree, batch)
            self.results.ntt += self._time_rows(meters, degree, batch)
        except OutOfDeviceMemory as error:
            self.results.notes.append(
                f"transforms of N = {degree} in batches of {batch}: left out, {error.offending}"
            )
        devices = [device for _, device, _ in meters]
        meters.clear()
        for device in devices:
            device.trim()

    def _open_row(self, row: NttRow, degree: int, batch: int) -> list[_RowMeter]:
        """The row with its device, once it is checked; nothing where it is refused."""
        try:
            device = self._open(row.device_options(degree))
            meter = GpuTransforms(device, degree, row.bits, PRIME_COUNT, batch)
        except OutOfDeviceMemory:
            raise
        except (RuntimeFailure, InvalidArgument) as error:
            self._refuse("transforms", row.title, error)
            return []
        meter.check()
        return [(row, device, meter)]

    def _time_rows(self, meters: list[_RowMeter], degree: int, batch: int) -> list[NttCell]:
        cells = []
        calls = {}
        for row, device, meter in meters:
            forward, inverse = meter.passes()
            passes = {"forward": forward, "inverse": inverse}
            times = {"forward": Times(), "inverse": Times()}
            text = device.info.description
            cells.append(NttCell(row, degree, batch, meter.kernel_name, text, passes, times))
            for direction in times:
                once = meter.seconds(direction == "forward", 1)
                calls[row.key, direction] = calls_for(once, self.plan.block_seconds)
        for _ in range(self.plan.rounds):
            for cell, (row, _, meter) in zip(cells, meters, strict=True):
                for direction, times_of in cell.times.items():
                    count = calls[row.key, direction]
                    times_of.seconds.append(meter.seconds(direction == "forward", count))
        return cells

    # routines

    def _measure_routines(self) -> None:
        size = self.plan.routines
        host = GpuRoutineHost(size.degree, size.data_primes, size.count)
        meters: list[tuple[Bar, GpuRoutines]] = []
        for bar in ROUTINE_BARS:
            try:
                device = self._open(bar.options)
                meters.append((bar, GpuRoutines(host, device, bar.has_one_division)))
            except (RuntimeFailure, InvalidArgument) as error:
                self._refuse("routines", bar.title, error)
        with self._steps("routines", len(ROUTINES)) as advance:
            for routine in ROUTINES:
                self.results.routines += self._time_routine(routine, meters)
                advance()

    def _time_routine(
        self, routine: str, meters: list[tuple[Bar, GpuRoutines]]
    ) -> list[RoutineCell]:
        cells = []
        block = self.plan.block_seconds
        count = self.plan.routines.count
        jobs: list[tuple[Times, Callable[[], float]]] = []
        for bar, meter in meters:
            meter.check(routine)
            counts = meter.transform_counts(routine)
            cell = RoutineCell(routine, bar, Times(), Times(), Times(), counts)
            cells.append(cell)
            single = calls_for(meter.seconds(routine, False, 1), block)
            batch = calls_for(count * meter.seconds(routine, True, 1), block)
            alone = calls_for(meter.transform_seconds(routine, 1), block)
            jobs += [
                (cell.single, partial(meter.seconds, routine, False, single)),
                (cell.batched, partial(meter.seconds, routine, True, batch)),
                (cell.transforms, partial(meter.transform_seconds, routine, alone)),
            ]
        for _ in range(self.plan.rounds):
            for times, sample in jobs:
                times.seconds.append(sample())
        return cells

    # products of matrices

    def _measure_products(self) -> None:
        memory = self.results.device.memory_bytes
        host_memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        limit = min(memory * _MEMORY_SHARE, host_memory * _MEMORY_SHARE / 2)
        with self._steps("products", len(self.plan.products)) as advance:
            for wanted in self.plan.products:
                size = wanted.fitted(limit)
                if size != wanted:
                    self.results.notes.append(
                        f"matrix product {wanted.name}: memory suffices for {size.name}"
                    )
                self.results.products += self._measure_product(size, limit)
                advance()

    def _measure_product(self, size: ProductSize, limit: float) -> list[ProductCell]:
        """All rows in turn where their operands fit side by side, else one after the other."""
        host = GpuProductHost(size.degree, size.data_primes, size.rows, size.columns, size.depth)
        if len(PRODUCT_BARS) * size.byte_count <= limit:
            try:
                return self._time_products(size, PRODUCT_BARS, host)
            except OutOfDeviceMemory:
                pass  # other things take memory as well
        self.results.notes.append(
            f"matrix product {size.name}: memory does not suffice for all rows side by side; one "
            "was timed after the other"
        )
        cells = []
        for bar in PRODUCT_BARS:
            try:
                cells += self._time_products(size, (bar,), host)
            except OutOfDeviceMemory as error:
                self._refuse("products", f"{size.name}, {bar.title}", error)
        return cells

    def _time_products(
        self, size: ProductSize, bars: Sequence[Bar], host: GpuProductHost
    ) -> list[ProductCell]:
        cells = [ProductCell(size, bar, Times(), Times()) for bar in bars]
        devices = [self._open(bar.options) for bar in bars]
        meters = [
            GpuProducts(host, device, bar.is_fused)
            for bar, device in zip(bars, devices, strict=True)
        ]
        try:
            for meter in meters:
                meter.prepare()
                meter.seconds()
            for _ in range(self.plan.rounds):
                for cell, meter in zip(cells, meters, strict=True):
                    cell.product.seconds.append(meter.seconds())
        finally:
            # The whole process begins without memory, as a program does.
            for meter in meters:
                meter.release()
        for _ in range(self.plan.process_rounds):
            for cell, device, meter in zip(cells, devices, meters, strict=True):
                cell.process.seconds.append(meter.process_seconds())
                device.trim()
        return cells
