# SPDX-License-Identifier: Apache-2.0
"""The sections of a report, one module each, with a function `measure(setting) -> Section`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from ..model import Section
from ..setting import Setting

Measure = Callable[[Setting], Section]


def _later(name: str) -> Measure:
    """Returns a function that imports the module when it is called, so that reports of other
    sections need not import it."""

    def measure(setting: Setting) -> Section:
        module = import_module(f".{name}", __name__)
        return cast("Section", module.measure(setting))

    return measure


# Titles in the order of the report.
TITLES: Mapping[str, str] = {
    "schemes": "Encryption, products and rotations",
    "ntt": "Transforms",
    "operations": "Instruction sets against portable code",
    "roofline": "Roofline",
    "threads": "Threads",
    "wide": "128-bit kernels",
    "gpu": "GPU",
    "fv": "FV encryption over cyclotomic rings",
    "noise": "Noise and precision",
    "sizes": "Sizes",
}
SECTIONS: Mapping[str, Measure] = {name: _later(name) for name in TITLES}
