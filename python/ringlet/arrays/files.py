# SPDX-License-Identifier: Apache-2.0
"""Arrays from bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RuntimeFailure
from .array import EncryptedArray
from .container import unpacked
from .layout import Dimension, Layout
from .refusals import MAX_CIPHERTEXTS

if TYPE_CHECKING:
    from .engine import CiphertextEngine

_INTEGERS = ("int64",)
#: Kinds of numbers of an array, by scheme.
DTYPES = {"ckks": ("float64", "complex128"), "bfv": _INTEGERS, "bgv": _INTEGERS}


def layout_from(operation: str, description: Any, slots: int) -> Layout:
    """Returns the layout of a description. Raises RuntimeFailure if it is none."""
    try:
        shape = tuple(description["shape"])
        dimensions = tuple(Dimension(e, a) for e, a in description["dimensions"])
        numbers = [*shape, *(n for d in dimensions for n in (d.extent, d.axis))]
        axes = [d.axis for d in dimensions if d.axis >= 0]
        layout = Layout(shape, dimensions)
        if not (
            all(type(n) is int for n in numbers)
            and len(shape) <= 32
            and all(0 < n < 1 << 40 for n in shape)
            and all(1 < d.extent <= slots and not d.extent & (d.extent - 1) for d in dimensions)
            and all(-2 <= d.axis < len(shape) for d in dimensions)
            and len(set(axes)) == len(axes)
            and len(dimensions) <= 20
            and layout.period <= slots
            and layout.block_count <= MAX_CIPHERTEXTS
        ):
            raise ValueError("a layout of other numbers")
    except (KeyError, TypeError, ValueError):
        raise RuntimeFailure(
            operation, "a layout that no array has", f"layouts within {slots} slots",
            "pass the bytes unchanged",
        ) from None  # fmt: skip
    return layout


def array_from_bytes(engine: CiphertextEngine, data: Any) -> EncryptedArray:
    """Returns the array in these bytes, bound to the engine's keys."""
    operation = "load of an EncryptedArray"
    description, parts = unpacked(operation, "array", data)
    layout = layout_from(operation, description.get("layout"), engine.slots)
    dtype, is_clean = description.get("dtype"), description.get("is_clean")
    is_right = dtype in DTYPES[engine.scheme] and type(is_clean) is bool
    if not is_right or len(parts) != layout.block_count:
        raise RuntimeFailure(
            operation, "a description that no array has", "the bytes of an array of this scheme",
            "pass the bytes unchanged",
        )  # fmt: skip
    blocks = [engine.public.load_ciphertext(part) if part else None for part in parts]
    return EncryptedArray(engine, layout, blocks, np.dtype(dtype), bool(is_clean))
