# SPDX-License-Identifier: Apache-2.0
"""Runs every model of the kernels' arithmetic over all moduli of its digits, --scale short or long.
"""

import importlib
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "structure"))
from report import ROOT, arguments, finish  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts"))
import doubles  # noqa: E402
import kernel_table  # noqa: E402
import misprints  # noqa: E402
import registry  # noqa: E402
import words  # noqa: E402

FEW = 5


def problems_of(cases, few=FEW):
    """Where a model does not hold, the first few places."""
    found, count = [], 0
    for where, holds in cases:
        count += np.size(holds)
        if not np.all(holds):
            found.append(f"{where}: {np.size(holds) - np.count_nonzero(holds)} of {np.size(holds)}")
            if len(found) == few:
                break
    return found if count else ["nothing was compared"]


def self_test():
    """What is wrong in print, and was wrong here, is found."""
    faults = {
        "float46 without the second digit of 1/q": doubles.float46(5, keeps_second=False),
        "Barrett's shift as Boemer et al. print it": words.barrett(8, words.printed_shift),
        "sums of two products with two roundings in the ranges for one": words.extended(6, 2, 2, 2),
        "nothing": iter(()),
    }
    return [f"accepted: {name}" for name, cases in faults.items() if not problems_of(cases, 1)]


def unlisted():
    """Every algorithm of docs/kernels.md has a model, and every model is one of these."""
    listed = {name for _, _, names in registry.MODELS.values() for name in names}
    listed |= set(registry.WITHOUT_MODULUS)
    known = {"GPU kernels", *kernel_table.ALGORITHMS, *kernel_table.PRODUCT_ALGORITHMS}
    known |= {"/".join(name) for name in kernel_table.DOUBLE_WORDS}
    return [f"no model: {name}" for name in known - listed] + [
        f"unknown: {name}" for name in listed - known
    ]


def checks(scale):
    yield "self-test: known faults are found", self_test()
    yield "every algorithm has a model", unlisted()
    yield "misprints of Bradbury et al. and Boemer et al.", problems_of(misprints.cases())
    for name, (short, long, _) in registry.MODELS.items():
        module, function = name.split(".")
        model = getattr(importlib.import_module(module), function)
        bits = long if scale == "long" else short
        yield f"{name}, {bits} bits", problems_of(model(bits))


if __name__ == "__main__":
    options = arguments(__doc__, scale="short")
    finish("models", checks(options.scale), options.xml)
