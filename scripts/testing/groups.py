# SPDX-License-Identifier: Apache-2.0
"""The groups of suites in their order: those of `make test`, those that `make test-all` adds for
every change, and those of `make test-long`."""

import browser
import cross
import documentation
import gpu
import hardware
import long_suites
import planted
import suites
import wheels

USER_GROUPS = {
    "structure": suites.structure,
    "unit": suites.unit,
    "package": suites.package,
    "python": suites.python,
}

CHANGE_GROUPS = {
    "gpu": gpu.short,
    "hardware": hardware.short,
    "tables": suites.tables,
    "examples": suites.examples,
    "lab": suites.lab,
    "tenseal": suites.tenseal,
    "asan": suites.asan,
    "gcc": suites.gcc,
    "cross": cross.short,
    "wheel": wheels.short,
    "docs": documentation.short,
}

LONG_GROUPS = {
    "models": long_suites.models_long,
    "property": long_suites.property_large,
    "gpu": gpu.long,
    "hardware": hardware.long,
    "gcc": long_suites.gcc_long,
    "asan": long_suites.asan_long,
    "mutations": long_suites.mutations,
    "tsan": long_suites.tsan,
    "valgrind": long_suites.valgrind,
    "wheel": wheels.long,
    "browser": browser.long,
    "python-large": long_suites.python_long,
    "docs": documentation.long,
    "planted": planted.long,
}
