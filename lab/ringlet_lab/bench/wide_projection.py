# SPDX-License-Identifier: Apache-2.0
"""Projections (PISA): times of kernels in which existing instructions stand in for ones that do not
exist. Their results are wrong; only their times mean something."""

from __future__ import annotations

from rich.table import Table

from .._lab import ProjectionCheck, check_projection, projected_products
from .output import compact_table

# What the paper says of its projections.
PAPER_ERROR_PERCENT = 8.0
TEXT = "MQX with instructions that stand in (PISA): the result is wrong, only the time counts"


def missing() -> str:
    """Why there are no projected rows, or nothing."""
    if projected_products():
        return ""
    return "MQX projected by PISA: this processor lacks the instructions that stand in (AVX-512 DQ)"


def measured_checks(degree: int, modulus: str, rounds: int) -> list[ProjectionCheck]:
    """Projections of instructions that exist, so that one can see how far they are off."""
    return check_projection(degree, modulus, rounds) if projected_products() else []


def check_table(checks: list[ProjectionCheck], degree: int) -> Table:
    """Real and projected times, and the error beside the one that the paper states."""
    title = (
        f"PISA itself, N = {degree}: instructions of the AVX-512 transform that exist, and others "
        f"in their place;\nthe paper states an error below “{PAPER_ERROR_PERCENT:g} %”"
    )
    columns = ("instruction", "stand-in", "real, ns", "projected, ns", "error")
    table = compact_table(title, columns, 2)
    for check in checks:
        table.add_row(
            check.instruction,
            check.stand_in,
            f"{check.real_ns:.2f}",
            f"{check.projected_ns:.2f}",
            f"{check.error_percent:+.1f} %",
        )
    return table
