# SPDX-License-Identifier: Apache-2.0
"""Sets the number of threads. The library of `ringlet` and the library of this package are two
copies, and each has a number of its own."""

from __future__ import annotations

import ringlet
from ringlet import thread_count

from . import _lab

__all__ = ["set_thread_count", "thread_count"]


def set_thread_count(count: int) -> None:
    """Sets the number of threads of both copies."""
    ringlet.set_thread_count(count)
    _lab.set_thread_count(count)
