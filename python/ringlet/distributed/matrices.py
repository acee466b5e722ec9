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
    """Returns the smallest power of two that is at least `number`."""
    return 1 << max(0, number - 1).bit_length()


@dataclass(frozen=True)
class MatrixProduct:
    """The product of an m x k matrix by a k x n matrix, both encrypted in blocks of d x d.

    - shape: (m, k, n).
    - dimension: d, a power of two from 2 on.
    - interleave: h, a power of two: number of pairs of blocks along k that share a ciphertext of d
      d h slots. By default as many as fit into 4096 slots, or as k needs.
    - magnitude: CKKS: bound on the absolute value of an entry.
    - method: "fewer_known_products" (depth 3) or "fewer_levels" (depth 2), as in
      CircuitValue.matrix_product.

    Pass `circuit` to suggest_parameters and to secret.public. Raises InvalidArgument for other
    sizes and names.
    """

    shape: tuple[int, int, int]
    dimension: int = 16
    interleave: int = 0
    magnitude: float = 1.0
    method: str = "fewer_known_products"

    def __post_init__(self) -> None:
        """Raises InvalidArgument for sizes or names that do not fit."""
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
        """Number of slots of a ciphertext."""
        return self.dimension**2 * self.interleave

    @property
    def grid(self) -> tuple[int, int, int]:
        """Sizes of the grid: blocks along m, ciphertexts along k, blocks along n."""
        m, k, n = self.shape
        d = self.dimension
        return -(-m // d), -(-k // (d * self.interleave)), -(-n // d)

    @property
    def circuit(self) -> Circuit:
        """The circuit from which parameters and keys are chosen: one product of blocks, with values
        as large as the sum of all products along k."""
        return self._declared(self.grid[1])

    @property
    def block_circuit(self) -> Circuit:
        """The circuit that a task computes: the product of a ciphertext of A and a ciphertext of B,
        summed over their pairs of blocks."""
        return self._declared(1)

    def _declared(self, factor: int) -> Circuit:
        circuit = Circuit(self.row_length)
        a, b = circuit.input(self.magnitude), circuit.input(self.magnitude)
        product = a.matrix_product(b, self.dimension, method=self.method)
        circuit.bound(product, self.dimension * self.magnitude**2)
        circuit.output(times(product.sum_slots(self.interleave), factor))
        return circuit

    def encrypt_left(self, secret: Any, matrix: NDArray[Any]) -> EncryptedMatrix:
        """Encrypts an m x k array of numbers as the left factor.

        - secret: a SecretContext. Raises InvalidArgument for another shape, or for an entry above
          `magnitude` in CKKS.
        """
        m, k, _ = self.shape
        return self._encrypt(secret, matrix, (m, k), is_left=True)

    def encrypt_right(self, secret: Any, matrix: NDArray[Any]) -> EncryptedMatrix:
        """Encrypts a k x n array of numbers as the right factor. Arguments and errors are as in
        encrypt_left."""
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
    """An encrypted matrix of a MatrixProduct: its blocks, row by row. `role` is "left" or "right"
    for a factor, "product" for a result."""

    layout: MatrixProduct
    role: str
    blocks: list[Any]

    def decrypt(self, secret: Any) -> NDArray[Any]:
        """Decrypts a product and returns its numbers as an array of shape (m, n): float64 for CKKS,
        int64 for BFV and BGV. Raises InvalidArgument if this matrix is a factor."""
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
    """The blocks of a product that one task computes, given by their rows and columns in the grid.
    """

    rows: range
    columns: range

    def places(self, columns: int) -> list[int]:
        """Returns the places of its blocks, row by row, in a grid with this number of columns."""
        return [i * columns + j for i in self.rows for j in self.columns]


def product_tiles(
    a: EncryptedMatrix, b: EncryptedMatrix, terms: int, tile: int
) -> tuple[list[Tile], EncryptedMatrix]:
    """Returns the tiles of a product, and the EncryptedMatrix that will hold it. Raises
    InvalidArgument unless a and b are a left and a right factor of one MatrixProduct."""
    if not isinstance(a, EncryptedMatrix) or not isinstance(b, EncryptedMatrix):
        _refuse("factors of another type", "two EncryptedMatrix", "encrypt both factors")
    if a.layout != b.layout or (a.role, b.role) != ("left", "right"):
        wanted = "a left and a right factor of the same MatrixProduct"
        _refuse(f"{a!r} and {b!r}", wanted, "encrypt both factors with the same MatrixProduct")
    if terms < 1 or tile < 1:
        _refuse(f"terms = {terms}, tile = {tile}", "at least 1 each", "leave terms and tile out")
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
    """Yields the tasks of a product. The place of a tile's sum is the index of the tile."""
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
