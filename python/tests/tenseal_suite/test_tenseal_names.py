# SPDX-License-Identifier: Apache-2.0
"""Every public name of TenSEAL is called, on Ringlet and on TenSEAL, and gives NumPy's numbers."""

import numpy as np
import pytest
from cases import BROKEN, CASES
from context_cases import CONTEXT_CASES
from plain_cases import PLAIN_CASES
from world import error_of, numbers

ALL = {**CASES, **CONTEXT_CASES, **PLAIN_CASES}
CLASSES = ("BFVTensor", "BFVVector", "CKKSTensor", "CKKSVector", "Context", "PlainTensor")
# What every class of Python has.
ORDINARY = {*dir(object), "__abstractmethods__", "__dict__", "__module__", "__slots__",
            "__weakref__", "__hash__", "__init__"}  # fmt: skip


def public_names(ts):
    """Names of the module, and of the members of its classes."""
    names = {name for name in dir(ts) if not name.startswith("_")} - {"sealapi"}
    for name in CLASSES:
        members = {m for m in dir(getattr(ts, name)) if not m.startswith("_") or m[1] == "_"}
        names |= {f"{name}.{member}" for member in members - ORDINARY}
    return names


@pytest.mark.parametrize("name", ALL)
def test_call(world, name):
    if world.is_tenseal and name in BROKEN:
        assert error_of(lambda: numbers(ALL[name](world)[0])) is AttributeError
        return
    result, expected = ALL[name](world)
    np.testing.assert_allclose(numbers(result), expected, atol=2e-4)


def test_all_names_of_tenseal_are_called(world):
    """Ringlet's module may have further ones."""
    missing = public_names(world.ts) - set(ALL)
    if world.is_tenseal:
        assert not missing
    for name in ALL:
        owner, _, member = name.rpartition(".")
        assert hasattr(getattr(world.ts, owner) if owner else world.ts, member), name
