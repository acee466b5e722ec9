# SPDX-License-Identifier: Apache-2.0
"""The kernels that a run measures: those that this machine has and RINGLET_FORCE_KERNELS permits.
"""

from __future__ import annotations

from ringlet.errors import InvalidArgument

from .._lab import kernel_catalog, kernel_tables, selected_kernels


def none_taken(operation: str, wanted: str, other: str = "ask for other sizes") -> InvalidArgument:
    """Returns the error for a kernel selection that leaves nothing to measure."""
    remedy = f"unset the variable, or {other}"
    return InvalidArgument(operation, f"RINGLET_FORCE_KERNELS={selected_kernels()}", wanted, remedy)


def allowed_tables() -> list[str]:
    """Returns the kernel tables up to the selected one, lowest first, whether or not this machine
    runs them."""
    names = kernel_tables()
    ceiling = selected_kernels().split("/")[0]
    return names[: names.index(ceiling) + 1] if ceiling in names else names


def available_tables(operation: str | None = None) -> list[str]:
    """Returns the allowed tables that this machine runs. With `operation`, only tables with that
    operation."""
    found = {k.table for k in kernel_catalog() if k.available and operation in (None, k.operation)}
    return [name for name in allowed_tables() if name in found]


def measured_kernels(operation: str, degree: int, modulus: int) -> list[str]:
    """Returns the names "table/algorithm" of the kernels of an operation that take this size,
    lowest table first.

    Kernels for studies are included only if the selection names one exactly.
    """
    selected = selected_kernels().split("/")
    kernels = [
        kernel
        for kernel in kernel_catalog()
        if kernel.operation == operation
        and kernel.available
        and kernel.modulus_minimum <= modulus < kernel.modulus_limit
        and degree >= kernel.min_degree
        and (len(selected) == 2 or not kernel.named_only)
    ]
    if selected[0]:
        kernels = [k for k in kernels if [k.table, k.algorithm][: len(selected)] == selected]
    return [f"{kernel.table}/{kernel.algorithm}" for kernel in kernels]
