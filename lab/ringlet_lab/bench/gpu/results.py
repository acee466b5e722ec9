# SPDX-License-Identifier: Apache-2.0
"""The measurements of one device, read from the entries that bench/gpu wrote."""

from __future__ import annotations

import datetime
import json
import math
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.progress import Progress
from ringlet import DeviceInfo, cpu_info

from ..._lab import measure_device
from .. import timing
from .document import SCHEMA, checked_document
from .rows import BASELINE, MARK, OPERATION, TABLE_I, Plan
from ..timing import Times

Entry = dict[str, Any]
_FACTS = ("api", "description", "driver_version", "is_host_processor", "memory_bytes",
          "compute_units")  # fmt: skip
DIRECTIONS = ("forward", "inverse")


@dataclass(frozen=True)
class NttRow:
    """One variant of the transforms. It changes one thing against the row before it."""

    key: str
    title: str
    radix: int
    bits: int
    is_lazy: bool
    is_narrow: bool

    @property
    def products(self) -> tuple[int, int]:
        """The number of 32-bit products in a butterfly: those whose 64 bits are needed, and the
        others.

        A product by a root is w * y - floor(w' * y / 2^64) * q: one upper half and two lower halves
        of products of 64-bit words. An upper half needs four wide products, or three if the
        quotient may be up to two too small (lazy reduction). A lower half needs one wide product,
        and two products of which only the lower word counts. In words of 32 bits each half is one
        product.
        """
        return (1, 2) if self.is_narrow else (5 if self.is_lazy else 6, 4)

    def table_operations(self, degree: int) -> float:
        """Returns the number of operations of one transform, counted as Table I counts them."""
        rounds = math.log2(degree) / math.log2(self.radix)
        return TABLE_I.get(self.radix, 0) * degree / self.radix * rounds


@dataclass
class NttCell:
    """One row at one size. Times are those of one transform."""

    row: NttRow
    degree: int
    primes: int
    limbs: int
    kernel: str
    queues: str  # the device's description, which names the parts of several queues
    passes: dict[str, int]
    times: dict[str, Times]

    def seconds(self, direction: str) -> float:
        """Returns the shortest time of one transform in seconds."""
        return self.times[direction].best * 1e-6

    def bytes_moved(self, direction: str) -> int:
        """Returns the bytes that one transform moves: every pass reads and writes all words, which
        have 8 bytes. Between passes those of narrow primes have 4."""
        between = 8 if self.row.is_narrow else 16
        return (16 + (self.passes[direction] - 1) * between) * self.degree

    @property
    def butterflies(self) -> int:
        return self.degree // 2 * (self.degree.bit_length() - 1)

    @property
    def size(self) -> str:
        return f"{self.primes} x {self.limbs // self.primes}"


@dataclass
class RoutineCell:
    """One routine with one set of options. Times are those of one run of the routine."""

    routine: str
    key: str
    title: str
    degree: int
    data_primes: int
    special_primes: int
    count: int
    single: Times
    batched: Times
    transforms: Times  # the routine's transforms alone

    @property
    def share(self) -> float:
        """The transforms' share of the time of the routine for one ciphertext."""
        return self.transforms.median / self.single.median

    @property
    def shape(self) -> str:
        return f"N = {self.degree}, {self.data_primes} + {self.special_primes} primes"


@dataclass
class ProductCell:
    shape: str
    degree: int
    data_primes: int
    key: str
    title: str
    product: Times
    process: Times  # by the host's clock


@dataclass
class Roofs:
    """Rates of a device: bytes read and written per second, products per second."""

    entries: list[Entry]

    @property
    def copies(self) -> list[Entry]:
        return [entry for entry in self.entries if "bytes" in entry]

    @property
    def bandwidth(self) -> float:
        return max((rate_of(entry) for entry in self.copies), default=math.nan)

    def rate(self, product: str) -> float:
        found = (entry for entry in self.entries if entry["name"] == f"gpu_roof/{product}")
        return next((rate_of(entry) for entry in found), math.nan)


def times_of(entry: Entry) -> Times:
    return Times(times_us=[float(sample) for sample in entry["samples"]])


def rate_of(roof: Entry) -> float:
    """Returns the bytes or the products per second of a roof."""
    work = roof["bytes"] if "bytes" in roof else roof["products"]
    return float(work) / times_of(roof).best * 1e6


@dataclass
class Results:
    """All results of one device."""

    device: dict[str, Any]
    context: dict[str, Any]
    entries: list[Entry]
    refused: list[dict[str, str]]
    notes: list[str]
    steps: list[dict[str, Any]] = field(default_factory=list)
    machine_code: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.roofs = Roofs(self.of("roof"))
        self.ntt = list(_ntt_cells(self.of("ntt")))
        self.routines = list(_routine_cells(self, "routine"))
        self.key_switches = list(_routine_cells(self, "keyswitch"))
        self.products = list(_product_cells(self))

    def of(self, kind: str) -> list[Entry]:
        return [entry for entry in self.entries if entry["kind"] == kind]

    @property
    def is_performance_result(self) -> bool:
        return not self.device["is_host_processor"]

    @property
    def marking(self) -> str:
        return "" if self.is_performance_result else MARK

    def cell(self, key: str, degree: int, limbs: int) -> NttCell | None:
        wanted = (key, degree, limbs)
        return next((c for c in self.ntt if (c.row.key, c.degree, c.limbs) == wanted), None)

    def speed_up(self, cell: NttCell, direction: str) -> float | None:
        """Returns the speed-up of a cell over the row "naive" of the same size, by minima. None
        without such a row."""
        baseline = self.cell(BASELINE, cell.degree, cell.limbs)
        return None if baseline is None else baseline.seconds(direction) / cell.seconds(direction)


def _ntt_cells(entries: list[Entry]) -> Iterator[NttCell]:
    grouped: dict[tuple[str, int, int], dict[str, Entry]] = {}
    for entry in entries:
        key = (entry["row"], entry["degree"], entry["limbs"])
        grouped.setdefault(key, {})[entry["direction"]] = entry
    for both in grouped.values():
        # A stopped program may have written only one direction.
        if set(both) != set(DIRECTIONS):
            continue
        entry = both["forward"]
        names = ("row", "title", "radix", "bits")
        flags = ("use_lazy_reduction", "use_narrow_words")
        row = NttRow(
            *(entry[name] for name in names), *(bool(entry["options"].get(f)) for f in flags)
        )
        yield NttCell(
            row,
            *(entry[name] for name in ("degree", "primes", "limbs", "kernel", "queues")),
            {direction: both[direction]["passes"] for direction in DIRECTIONS},
            {direction: times_of(both[direction]) for direction in DIRECTIONS},
        )


_ROUTINE_KEY = ("routine", "row", "degree", "data_primes", "special_primes")


def _routine_cells(results: Results, kind: str) -> Iterator[RoutineCell]:
    def key(entry: Entry) -> tuple[Any, ...]:
        return tuple(entry[name] for name in _ROUTINE_KEY)

    transforms = {key(entry): entry for entry in results.of(f"{kind}_transforms")}
    singles: dict[tuple[Any, ...], Entry] = {}
    for entry in results.of(kind):
        # The single routine comes first; a batch may also have one element.
        if key(entry) not in singles:
            singles[key(entry)] = entry
        elif key(entry) in transforms:
            names = ("routine", "row", "title", "degree", "data_primes", "special_primes", "batch")
            parts = (singles[key(entry)], entry, transforms[key(entry)])
            yield RoutineCell(*(entry[name] for name in names), *map(times_of, parts))


def _product_cells(results: Results) -> Iterator[ProductCell]:
    processes = {(entry["shape"], entry["row"]): entry for entry in results.of("process")}
    for entry in results.of("product"):
        process = processes.get((entry["shape"], entry["row"]))
        if process is not None:
            names = ("shape", "degree", "data_primes", "row", "title")
            yield ProductCell(*(entry[n] for n in names), times_of(entry), times_of(process))


def results_of(document: dict[str, Any]) -> list[Results]:
    """Returns the results of every device in a checked document, in its order."""
    context = document["context"]
    found = []
    for device in context["devices"]:

        def of_device(name: str, device: dict[str, Any] = device) -> list[Any]:
            return [item for item in document.get(name, []) if item["device"] == device["name"]]

        is_first = not found
        found.append(
            Results(
                device,
                context,
                of_device("benchmarks"),
                of_device("refused"),
                list(document.get("notes", [])) if is_first else [],
                of_device("steps"),
                list(document.get("machine_code", [])) if is_first else [],
            )
        )
    return found


def measure_document(name: str, info: DeviceInfo, plan: Plan, progress: Progress) -> dict[str, Any]:
    """Measures a device and returns the document: roofs, then the parts of the plan.

    Raises RuntimeFailure if a result differs from the processor's: the time of a wrong row is
    useless.
    """
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "context": {
            "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            "executable": OPERATION,
            "cpu_model": cpu_info().model,
            "system": f"{platform.system()} {platform.release()}",
            "python_version": platform.python_version(),
            **timing.library(),
            "devices": [{"name": name, **{fact: getattr(info, fact) for fact in _FACTS}}],
            "parts": list(plan.parts),
            "settings": plan.settings,
        },
        "benchmarks": [],
        "refused": [],
        "notes": list(plan.notes),
    }
    task = progress.add_task("roofs", total=None)

    def take(text: str) -> None:
        line = json.loads(text)
        kind = line.pop("type")
        if kind == "entry":
            document["benchmarks"].append({**line, "device": name})
        elif kind == "refused":
            refusal = {**line, "device": name}
            if refusal not in document["refused"]:
                document["refused"].append(refusal)
        elif kind == "note":
            document["notes"].append(line["text"])
        elif kind == "progress":
            progress.update(task, completed=line["done"], total=line["total"])

    for part in ("roofs", *plan.parts):
        progress.update(task, description=part, completed=0, total=None)
        measure_device(part, {"device": name, **plan.settings[part]}, take)
    progress.remove_task(task)
    return checked_document(document, name)
