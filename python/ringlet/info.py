# SPDX-License-Identifier: Apache-2.0
"""`ringlet info`: the processor, the devices, and the kernel of each modulus."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import (
    DeviceInfo,
    Eltwise,
    KernelInfo,
    Ntt,
    __version__,
    cpu_info,
    devices,
    environment_wisdom,
    is_prime,
    kernel_catalog,
    kernel_tables,
    plan_effort,
    selected_kernels,
    wide,
)
from ._core import (
    conversion_kernel,
    device_libraries,
    openssl_version,
    wide_kernel_moduli,
    zstd_version,
)
from .errors import InvalidArgument

_MODULUS_END = 1 << 63
_NTT_MODULUS_END = 1 << 62
_SMALLEST_DEGREE = 2
# The limit of kernels whose modulus is no word: for double words, and inside other operations.
_NO_MODULUS = (1 << 64) - 1
_WIDE_BITS = 124
_SPECIAL_SHIFT = 104


@dataclass(frozen=True)
class ModulusRange:
    """Moduli q with start <= q < end."""

    start: int
    end: int

    def __str__(self) -> str:
        if self.start <= 2:
            return f"q < {power_text(self.end)}"
        return f"{power_text(self.start)} <= q < {power_text(self.end)}"


def power_text(value: int) -> str:
    """Returns a number as text: 2^k for a power of two, digits otherwise."""
    if value & (value - 1) == 0:
        return f"2^{value.bit_length() - 1}"
    return str(value)


def modulus_ranges(catalog: list[KernelInfo]) -> list[ModulusRange]:
    """Returns the ranges of moduli between the limits of the available kernels."""
    kernels = [k for k in catalog if k.available and k.modulus_limit != _NO_MODULUS]
    bounds = {min(kernel.modulus_limit, _MODULUS_END) for kernel in kernels}
    bounds |= {kernel.modulus_minimum for kernel in kernels}
    bounds |= {2, _NTT_MODULUS_END, _MODULUS_END}
    return [ModulusRange(*pair) for pair in itertools.pairwise(sorted(bounds))]


def ntt_prime_below(end: int, start: int, degree: int) -> int | None:
    """Returns the largest prime q = 1 mod 2*degree with start <= q < end, or None if there is none.
    """
    step = 2 * degree
    candidate = (end - 2) // step * step + 1
    while candidate >= max(start, step + 1):
        if is_prime(candidate):
            return candidate
        candidate -= step
    return None


def ntt_kernel(moduli: ModulusRange, degree: int) -> str:
    """Returns the kernel that a plan of this degree chooses in this range; "" if there is none."""
    prime = ntt_prime_below(min(moduli.end, _NTT_MODULUS_END), moduli.start, degree)
    if prime is None:
        return ""
    try:
        return Ntt(degree, prime).kernel_name
    except InvalidArgument:
        return "refused"


def word_kernel(moduli: ModulusRange, operation: str) -> str:
    """Returns the kernel that runs an element-wise operation, or a conversion between bases, in
    this range; "" if there is none."""
    if operation == "conversion":
        return conversion_kernel(moduli.end - 1)
    try:
        return Eltwise(moduli.end - 1).kernel_name(operation)
    except InvalidArgument:
        return "refused"


Choices = tuple[tuple[ModulusRange, str], ...]


def merged_choices(ranges: list[ModulusRange], kernels: list[str]) -> Choices:
    """Joins neighbouring ranges with the same kernel, and leaves out ranges without a kernel."""
    merged: list[tuple[ModulusRange, str]] = []
    for moduli, kernel in zip(ranges, kernels, strict=True):
        if merged and merged[-1][1] == kernel and merged[-1][0].end == moduli.start:
            merged[-1] = (ModulusRange(merged[-1][0].start, moduli.end), kernel)
        elif kernel:
            merged.append((moduli, kernel))
    return tuple(merged)


def wide_moduli(low: int, high: int, special: bool) -> str:
    """Returns the moduli of double words from `low` to `high` bits, as text."""
    kind = "k*2^104 + 1" if special else "odd q"
    if low <= (_SPECIAL_SHIFT + 1 if special else 2):
        return f"{kind} < 2^{high}"
    return f"2^{low - 1} < {kind} < 2^{high}"


def wide_kernel(modulus: int) -> str:
    """Returns the kernel of double words that is chosen for a modulus."""
    try:
        return wide.Eltwise(modulus).kernel_name
    except InvalidArgument:
        return "refused"


def wide_choices() -> list[tuple[str, str]]:
    """Returns the moduli of double words, with the kernel that is chosen for them."""
    limits = wide_kernel_moduli()
    choices: list[tuple[str, str]] = []
    for special in (False, True):
        # The bits at which kernels begin and end; every modulus of at least two bits is accepted.
        first = _SPECIAL_SHIFT + 1 if special else 2
        starts = {first} | {low for _, low, _, _ in limits} | {high + 1 for _, _, high, _ in limits}
        bounds = [*sorted(bits for bits in starts if first <= bits <= _WIDE_BITS), _WIDE_BITS + 1]
        merged: list[tuple[int, int, str]] = []
        for low, end in itertools.pairwise(bounds):
            modulus = (1 << low) - (1 << _SPECIAL_SHIFT) + 1 if special else (1 << low) - 1
            kernel = wide_kernel(modulus)
            if merged and merged[-1][2] == kernel:
                low = merged.pop()[0]
            merged.append((low, end - 1, kernel))
        choices += [(wide_moduli(low, high, special), kernel) for low, high, kernel in merged]
    return choices


def _degree_ranges(catalog: list[KernelInfo]) -> list[tuple[str, int]]:
    """Returns the name of each range of degrees and one degree in it. The ranges differ because
    kernels have a smallest degree."""
    degrees = {k.min_degree for k in catalog if k.available and k.operation == "ntt"}
    starts = sorted(start for start in degrees if start > _SMALLEST_DEGREE)
    if not starts:
        return [("ntt", _SMALLEST_DEGREE)]
    ranges = [(f"ntt, N >= {starts[-1]}", starts[-1])]
    bounds = [_SMALLEST_DEGREE, *starts]
    for low, high in reversed(list(itertools.pairwise(bounds))):
        ranges.append((f"ntt, {low} <= N < {high}", low))
    return ranges


def _choice_table(catalog: list[KernelInfo]) -> Table:
    chosen = [kernel for kernel in catalog if not kernel.named_only]
    ranges = modulus_ranges(chosen)
    choices = {
        name: merged_choices(ranges, [ntt_kernel(moduli, degree) for moduli in ranges])
        for name, degree in _degree_ranges(chosen)
    }
    by_modulus = [k for k in chosen if k.operation != "ntt" and k.modulus_limit != _NO_MODULUS]
    for operation in dict.fromkeys(k.operation for k in by_modulus):
        kernels = [word_kernel(moduli, operation) for moduli in ranges]
        choices[operation] = merged_choices(ranges, kernels)
    # Operations that the same kernels serve share a row.
    groups: dict[Choices, list[str]] = {}
    for operation, served in choices.items():
        groups.setdefault(served, []).append(operation)
    table = Table(title="Kernel of each operation and modulus", title_justify="left")
    for column in ("operations", "moduli", "kernel"):
        table.add_column(column)
    for served, operations in groups.items():
        for i, (moduli, kernel) in enumerate(served):
            table.add_row(", ".join(operations) if i == 0 else "", str(moduli), kernel)
        table.add_section()
    for i, (moduli_text, kernel) in enumerate(wide_choices()):
        table.add_row("wide (double words)" if i == 0 else "", moduli_text, kernel)
    return table


def _catalog_moduli(moduli: ModulusRange, kernel: KernelInfo) -> str:
    """Returns the moduli that a kernel takes, as text. The text is "" for an operation without
    moduli."""
    if kernel.modulus_limit != _NO_MODULUS:
        return str(moduli)
    limits = {name: (low, high, special) for name, low, high, special in wide_kernel_moduli()}
    found = limits.get(f"{kernel.table}/{kernel.algorithm}")
    return wide_moduli(*found) if kernel.operation == "wide" and found else ""


def _here(kernel: KernelInfo) -> Text:
    if not kernel.available:
        return Text("no", "red")
    return Text("by name alone" if kernel.named_only else "yes", "green")


def _catalog_table(catalog: list[KernelInfo]) -> Table:
    table = Table(title="All kernels of this build", title_justify="left")
    for column in ("kernel", "operations", "moduli", "from N", "needs", "here"):
        table.add_column(column)
    groups: dict[tuple[str, str, ModulusRange, int], list[KernelInfo]] = {}
    for kernel in catalog:
        moduli = ModulusRange(kernel.modulus_minimum, kernel.modulus_limit)
        key = (kernel.table, kernel.algorithm, moduli, kernel.min_degree)
        groups.setdefault(key, []).append(kernel)
    for (name, algorithm, moduli, min_degree), kernels in groups.items():
        first = kernels[0]
        table.add_row(
            f"{name}/{algorithm}",
            ", ".join(kernel.operation for kernel in kernels),
            _catalog_moduli(moduli, first),
            str(min_degree) if min_degree else "",
            ", ".join(first.features) or "nothing",
            _here(first),
        )
    return table


def size_text(count: int) -> str:
    """Returns a number of bytes as text, in GiB, or in MiB below 1 GiB."""
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"


def device_text(device: DeviceInfo) -> str:
    """Returns the description of a device on one line."""
    memory = size_text(device.memory_bytes) if device.memory_bytes else "unknown memory"
    units = f"{device.compute_units} {'cores' if device.api == 'host' else 'compute units'}"
    driver = f"{device.api} {device.driver_version}".strip()
    text = f"{device.name}: {device.description}, {units}, {memory}, {driver}"
    is_slow = device.is_host_processor and device.api != "host"
    return text + ("; OpenCL on the host's processor: correctness, not speed" if is_slow else "")


def missing_devices(found: list[DeviceInfo]) -> list[str]:
    """Returns why each library offers no device, one line for each."""
    reasons = [
        reason if reason.startswith(name) else f"{name}: {reason}"
        for name, reason in device_libraries().items()
        if reason
    ]
    if len(found) > 1:
        return [f"no device by {reason}" for reason in reasons]
    return [
        f"no GPU was found ({'; '.join(reasons)}). Install its driver with OpenCL or CUDA; "
        "pocl-opencl-icd brings OpenCL on this processor."
    ]


def wisdom_text() -> str:
    """Returns the file that RINGLET_WISDOM names, and whether it is used."""
    file = environment_wisdom()
    if not file.path:
        return "none: RINGLET_WISDOM names no file; `ringlet tune` writes one"
    if file.state == "used":
        return f"{file.path}, {len(file.wisdom)} entries"
    return f"{file.path} is {file.state} and not used: {file.reason}"


def print_info(console: Console, with_kernels: bool = False) -> None:
    """Prints version, processor, devices and kernels; with `kernels`, also every kernel of the
    build."""
    forced = selected_kernels()
    cpu = cpu_info()
    tables = f"for each operation the fastest of {', '.join(reversed(kernel_tables()))}"
    variable = os.environ.get("RINGLET_DEVICE", "")
    found = devices()
    lines = [
        ("processor", cpu.model),
        ("kernels", f"RINGLET_FORCE_KERNELS={forced}" if forced else tables),
        ("planner", plan_effort()),
        ("wisdom", wisdom_text()),
        ("libraries", f"OpenSSL {openssl_version}, Zstandard {zstd_version}"),
        ("device", f"RINGLET_DEVICE={variable}" if variable else "cpu, unless a program asks"),
        *(("", text) for text in [*map(device_text, found), *missing_devices(found)]),
    ]
    if with_kernels:
        lines[1:1] = [
            ("features", ", ".join(cpu.features) or "none that kernels use"),
            ("traits", ", ".join(cpu.traits) or "none that are known"),
        ]
    console.print(f"[bold]ringlet {__version__}[/bold]")
    for name, text in lines:
        console.print(f"{name:<11}{text}".rstrip(), markup=False, soft_wrap=True)
    if with_kernels:
        catalog = kernel_catalog()
        for table in (_choice_table(catalog), _catalog_table(catalog)):
            console.print()
            console.print(table)
    else:
        console.print("`ringlet info --kernels` shows which kernel serves what.", markup=False)


def info_json() -> dict[str, Any]:
    """Returns the facts of print_info as JSON: sizes in bytes, moduli as numbers."""
    cpu = cpu_info()
    return {
        "version": __version__,
        "libraries": {"OpenSSL": openssl_version, "Zstandard": zstd_version},
        "processor": {"model": cpu.model, "features": cpu.features, "traits": cpu.traits},
        "forced_kernels": selected_kernels() or None,
        "planner": plan_effort(),
        "wisdom": {"path": environment_wisdom().path, "state": environment_wisdom().state},
        "devices": [
            {
                "name": device.name,
                "api": device.api,
                "description": device.description,
                "driver": device.driver_version,
                "memory": device.memory_bytes,
                "units": device.compute_units,
                "is_host_processor": device.is_host_processor,
            }
            for device in devices()
        ],
        "kernels": [
            {
                "name": kernel.name,
                "needs": kernel.features,
                "available": kernel.available,
                "by_name_alone": kernel.named_only,
                "modulus_minimum": kernel.modulus_minimum,
                "modulus_limit": (
                    None if kernel.modulus_limit == _NO_MODULUS else kernel.modulus_limit
                ),
                "min_degree": kernel.min_degree,
            }
            for kernel in kernel_catalog()
        ],
    }
