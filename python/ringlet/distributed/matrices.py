# SPDX-License-Identifier: Apache-2.0
"""Large encrypted matrices in square blocks, and the tasks of their product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Circuit, _core
from ..errors import InvalidArgument
from .jobs import Node
from .session import Session
from .tasks import TILE
from .trees import times, tree_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLOTS = 4096
_METHODS = ("fewer_known_products", "fewer_levels")


def _power(number: int) -> int:
    """The smallest power of two that is not less."""
    return 1 << max(0, number - 1).bit_length()


@dataclass(frozen=True)
class MatrixProduct:
    """The product of an m x k matrix by a k x n one, both encrypted in blocks of d x d.

    shape: (m, k, n). dimension: d, a power of two. interleave: h, a power of two, pairs of blocks
    along k that share a ciphertext of d d h slots; by default as many as 4096 slots hold, or k
    needs. magnitude: CKKS, what no entry exceeds. method: as CircuitValue.matrix_product, depth 3,
    or 2 with "fewer_levels". Give `circuit` to suggest_parameters and to secret.public.
    """

    shape: tuple[int, int, int]
    dimension: int = 16
    interleave: int = 0
    magnitude: float = 1.0
    method: str = "fewer_known_products"

    def __post_init__(self) -> None:
        """InvalidArgument for sizes without blocks."""
        d = self.dimension
        if len(self.shape) != 3 or min(self.shape) < 1:
            _refuse(f"shape = {self.shape}", "three positive numbers m, k, n", "pass (m, k, n)")
        if d < 2 or d & (d - 1):
            _refuse(f"dimension = {d}", "a power of two from 2", "choose for example 8")
        if self.interleave == 0:
            fits = max(1, _SLOTS // (d * d))
            object.__setattr__(self, "interleave", min(fits, _power(-(-self.shape[1] // d))))
        if self.interleave < 1 or self.interleave & (self.interleave - 1):
            _refuse(f"interleave = {self.interleave}", "a power of two", "leave it out")
        if self.method not in _METHODS:
            _refuse(f"method = {self.method!r}", " or ".join(_METHODS), "use one of these names")

    @property
    def row_length(self) -> int:
        """Slots of a ciphertext."""
        return self.dimension**2 * self.interleave

    @property
    def grid(self) -> tuple[int, int, int]:
        """Blocks of m, ciphertexts along k, blocks of n."""
        m, k, n = self.shape
        d = self.dimension
        return -(-m // d), -(-k // (d * self.interleave)), -(-n // d)

    @property
    def circuit(self) -> Circuit:
        """For parameters and keys: one product of blocks, as large as the sum of all along k."""
        return self._declared(self.grid[1])

    @property
    def block_circuit(self) -> Circuit:
        """What a task computes: a ciphertext of A by one of B, summed over its pairs of blocks."""
        return self._declared(1)

    def _declared(self, factor: int) -> Circuit:
        circuit = Circuit(self.row_length)
        a, b = circuit.input(self.magnitude), circuit.input(self.magnitude)
        product = a.matrix_product(b, self.dimension, method=self.method)
        circuit.bound(product, self.dimension * self.magnitude**2)
        circuit.output(times(product.sum_slots(self.interleave), factor))
        return circuit

    def encrypt_left(self, secret: Any, matrix: NDArray[Any]) -> EncryptedMatrix:
        """An m x k array of numbers, as the left factor; encrypted once."""
        m, k, _ = self.shape
        return self._encrypt(secret, matrix, (m, k), is_left=True)

    def encrypt_right(self, secret: Any, matrix: NDArray[Any]) -> EncryptedMatrix:
        """A k x n array of numbers, as the right factor; encrypted once."""
        _, k, n = self.shape
        return self._encrypt(secret, matrix, (k, n), is_left=False)

    def _encrypt(
        self, secret: Any, matrix: NDArray[Any], shape: tuple[int, int], is_left: bool
    ) -> EncryptedMatrix:
        _core.refuse_masked(matrix, "MatrixProduct", "matrix")
        numbers = np.asarray(matrix)
        if numbers.shape != shape:
            _refuse(f"an array of shape {numbers.shape}", f"shape {shape}", "pass such an array")
        if secret.parameters.scheme == "ckks" and not np.abs(numbers).max() <= self.magnitude:
            _refuse(
                "an entry above the magnitude",
                f"magnitude = {self.magnitude}",
                "declare a larger magnitude, or scale the numbers down",
            )
        rows, groups, columns = self.grid
        d, h = self.dimension, self.interleave
        outer = rows if is_left else columns
        across = numbers if is_left else numbers.T
        padded = np.zeros((outer * d, groups * h * d), dtype=numbers.dtype)
        padded[: across.shape[0], : across.shape[1]] = across
        circuit = Circuit(self.row_length)
        blocks = []
        for i in range(outer):
            for g in range(groups):
                # Entries (row, pair, column) of h blocks side by side; the pair runs fastest.
                side = padded[i * d : (i + 1) * d, g * h * d : (g + 1) * h * d].reshape(d, h, d)
                order = (0, 2, 1) if is_left else (2, 0, 1)
                slots = side.transpose(order).reshape(-1)
                blocks.append(secret.encrypt(slots, circuit=circuit))
        return EncryptedMatrix(self, "left" if is_left else "right", blocks)


@dataclass
class EncryptedMatrix:
    """Blocks of ciphertexts of a MatrixProduct, row by row: a factor ("left", "right"), or the
    product."""

    layout: MatrixProduct
    role: str
    blocks: list[Any]

    def decrypt(self, secret: Any) -> NDArray[Any]:
        """The numbers of a product, m x n: float64, or int64 for BFV and BGV."""
        if self.role != "product":
            _refuse(f"a {self.role} factor", "a product", "decrypt the product")
        m, _, n = self.layout.shape
        rows, _, columns = self.layout.grid
        d, h = self.layout.dimension, self.layout.interleave
        found = []
        for block in self.blocks:
            slots = np.asarray(secret.decrypt(block)).reshape(-1)[: self.layout.row_length : h]
            found.append(slots.reshape(d, d))
        grid = np.array(found).reshape(rows, columns, d, d)
        return grid.transpose(0, 2, 1, 3).reshape(rows * d, columns * d)[:m, :n]

    def __repr__(self) -> str:
        return (
            f"<ringlet.distributed.EncryptedMatrix {self.role} of {self.layout.shape}, "
            f"{len(self.blocks)} ciphertexts>"
        )


@dataclass(frozen=True)
class Tile:
    """Blocks of a product that one task computes: these rows and columns of the grid."""

    rows: range
    columns: range

    def places(self, columns: int) -> list[int]:
        """Of its blocks, row by row, in a grid of so many columns."""
        return [i * columns + j for i in self.rows for j in self.columns]


def product_tiles(
    a: EncryptedMatrix, b: EncryptedMatrix, terms: int, tile: int
) -> tuple[list[Tile], EncryptedMatrix]:
    """The tiles of a product, and where its blocks belong. InvalidArgument for other factors."""
    if not isinstance(a, EncryptedMatrix) or not isinstance(b, EncryptedMatrix):
        _refuse("factors of another type", "two EncryptedMatrix", "encrypt both factors")
    if a.layout != b.layout or (a.role, b.role) != ("left", "right"):
        wanted = "a left and a right factor of one MatrixProduct"
        _refuse(f"{a!r} and {b!r}", wanted, "encrypt both factors with one MatrixProduct")
    if terms < 1 or tile < 1:
        _refuse(f"terms = {terms}, tile = {tile}", "at least 1 each", "leave both out")
    rows, _, columns = a.layout.grid
    tiles = [
        Tile(range(i, min(i + tile, rows)), range(j, min(j + tile, columns)))
        for i in range(0, rows, tile)
        for j in range(0, columns, tile)
    ]
    return tiles, EncryptedMatrix(a.layout, "product", [None] * (rows * columns))


def product_nodes(
    session: Session, a: EncryptedMatrix, b: EncryptedMatrix, terms: int, tiles: list[Tile]
) -> Iterator[Node]:
    """The tasks of a product; the sum of those of a tile has its place among the tiles."""
    groups = a.layout.grid[1]
    operation, shapes = session.operation(a.layout.block_circuit, session.public.max_level)
    left = [session.parcel(block) for block in a.blocks]
    right = [session.parcel(block) for block in b.blocks]

    def part(tile: Tile, start: int) -> Node:
        terms_here = range(start, min(start + terms, groups))
        inputs = [left[i * groups + g] for i in tile.rows for g in terms_here]
        inputs += [right[j * groups + g] for j in tile.columns for g in terms_here]
        what = replace(operation, kind=TILE, terms=len(terms_here), columns=len(tile.columns))
        return Node(what, tuple(inputs), shapes * (len(tile.rows) * len(tile.columns)))

    for place, tile in enumerate(tiles):
        yield from tree_of((part(tile, start) for start in range(0, groups, terms)), place)


def _refuse(offending: str, limit: str, remedy: str) -> None:
    raise InvalidArgument("MatrixProduct", offending, limit, remedy)
