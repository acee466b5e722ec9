# SPDX-License-Identifier: Apache-2.0
"""Projections (PISA): times of kernels in which existing instructions stand in for ones that do not
exist. Their results are wrong; only their times mean something."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from .bench_wide import Group, Results


def add_rows(group: Group, operation: str, size: int) -> None:
    """Adds the projected rows of one operation; this build has none."""


def missing() -> str:
    """Why there are no projected rows, or nothing."""
    return "MQX projected by PISA: not in this build"


def tables(results: Results) -> list[Table]:
    """What is shown of the projections besides their rows."""
    return []
