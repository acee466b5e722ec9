# SPDX-License-Identifier: Apache-2.0
"""The groups of suites that `make test` and `make test-long` run, in their order."""

import browser
import cross
import documentation
import gpu
import hardware
import planted
import suites
import wheels

SHORT_GROUPS = {
    "structure": suites.structure,
    "unit": suites.unit,
    "gpu": gpu.short,
    "hardware": hardware.short,
    "tables": suites.tables,
    "asan": suites.asan,
    "gcc": suites.gcc,
    "cross": cross.short,
    "package": suites.package,
    "python": suites.python,
    "wheel": wheels.short,
    "docs": documentation.short,
}

LONG_GROUPS = {
    "property": suites.property_large,
    "gpu": gpu.long,
    "hardware": hardware.long,
    "gcc": suites.gcc_long,
    "asan": suites.asan_long,
    "mutations": suites.mutations,
    "tsan": suites.tsan,
    "valgrind": suites.valgrind,
    "wheel": wheels.long,
    "browser": browser.long,
    "distributed": suites.distributed_long,
    "docs": documentation.long,
    "planted": planted.long,
}
