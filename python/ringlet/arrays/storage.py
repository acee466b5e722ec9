# SPDX-License-Identifier: Apache-2.0
"""What an encrypted array consists of: an engine, a layout and the ciphertexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import Layout, Shape
from .maps import cheapest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from .maps import LinearMap, Plan


class Blocks:
    """Ciphertexts, and the layout that says which number of an array is in which slot.

    - engine: computes on the blocks, which are ciphertexts or values of a circuit.
    - blocks: one for each place of the layout's grid, row-major; None stands for zeros.
    - dtype: float64, complex128 or int64.
    - is_clean: whether slots without an element are known to hold 0.
    """

    def __init__(
        self,
        engine: Any,
        layout: Layout,
        blocks: Sequence[Any],
        dtype: np.dtype[Any],
        is_clean: bool = True,
    ) -> None:
        self.engine = engine
        self.layout = layout
        self.blocks = tuple(blocks)
        self.dtype = dtype
        self.is_clean = is_clean

    @property
    def shape(self) -> Shape:
        """Lengths of the axes."""
        return self.layout.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.layout.size

    @property
    def level(self) -> int | None:
        """CKKS and BGV: how many levels are left for products, the least over all ciphertexts; None
        while a function is traced."""
        blocks = [block for block in self.blocks if block is not None]
        is_traced = not all(hasattr(block, "level") for block in blocks)
        return None if is_traced or not blocks else min(block.level for block in blocks)

    @property
    def is_exact(self) -> bool:
        """True for integers of BFV and BGV."""
        return bool(self.engine.scheme != "ckks")

    def made(
        self,
        layout: Layout,
        blocks: Sequence[Any],
        *,
        is_clean: bool = True,
        dtype: np.dtype[Any] | None = None,
    ) -> Self:
        """Returns an array of the same engine."""
        return type(self)(self.engine, layout, blocks, dtype or self.dtype, is_clean)

    def relabelled(self, layout: Layout) -> Self:
        """Returns the same ciphertexts under another layout that has the same slots."""
        return self.made(layout, self.blocks, is_clean=self.is_clean)

    def with_dtype(self, dtype: np.dtype[Any]) -> Self:
        """Returns the same ciphertexts with numbers of another kind."""
        return self.made(self.layout, self.blocks, is_clean=self.is_clean, dtype=dtype)

    def transformed(
        self, name: tuple[Any, ...], make: Callable[[], LinearMap], target: Layout | None = None
    ) -> Self:
        """Returns a linear map of the array, in the layout `target` or in the cheapest.

        - name: is that of no other map of arrays of this shape: engines keep plans under it.
        - make: returns the map, if its plan is not kept.
        """

        def plan() -> Plan:
            linear_map = make()
            slots = self.engine.slots
            targets = linear_map.layouts(self.layout, slots) if target is None else [target]
            return cheapest(linear_map, self.layout, targets)[1].plan(self.is_clean)

        key = (name, self.layout, self.is_clean, target)
        layout, dtype, blocks = self.engine.transform(key, plan, self.blocks)
        return self.made(layout, blocks, dtype=np.result_type(self.dtype, dtype))

    def mapped(self, function: Callable[[Any], Any], *, is_clean: bool) -> Self:
        """Returns the array with the function of each block; the function takes zeros to zeros."""
        blocks = [None if block is None else function(block) for block in self.blocks]
        return self.made(self.layout, blocks, is_clean=self.is_clean and is_clean)
