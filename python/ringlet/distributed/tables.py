# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables of numbers, and the tasks of their means and covariances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Circuit, _core
from ..errors import InvalidArgument
from .check import Shape
from .jobs import Node
from .session import Session
from .tasks import MOMENTS, Operation
from .trees import times, tree_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Statistics:
    """Means, variances and covariances of the columns of a table. Slots hold the rows.

    - columns: number of columns.
    - count: number of rows.
    - row_length: number of rows in a chunk, a power of two; zeros fill the last chunk.
    - magnitude: bound on the absolute value of an entry.

    Pass `circuit` (CKKS) or `exact_circuit` (BFV and BGV) to suggest_parameters and to
    secret.public. With CKKS the results are encrypted means and covariances. With BFV and BGV they
    are exact sums, from which `decrypt` computes means and covariances; entries are integers, and
    the sums of their products must stay below t/2.
    Raises InvalidArgument for other sizes.
    """

    columns: int
    count: int
    row_length: int = 4096
    magnitude: float = 1.0

    def __post_init__(self) -> None:
        """Raises InvalidArgument for sizes of which no table can be made."""
        if self.columns < 1 or self.count < 1:
            _refuse(f"{self.count} rows of {self.columns} columns", "one of each", "pass more")
        if self.row_length < 1 or self.row_length & (self.row_length - 1):
            _refuse(f"row_length = {self.row_length}", "a power of two", "choose for example 4096")

    @property
    def chunks(self) -> int:
        """Number of ciphertexts of a column."""
        return -(-self.count // self.row_length)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of columns whose products are summed, in the order of the results."""
        return [(i, j) for i in range(self.columns) for j in range(i, self.columns)]

    @property
    def circuit(self) -> Circuit:
        """The circuit for CKKS from which parameters and keys are chosen. One chunk represents all
        chunks."""
        circuit = Circuit(self.row_length)
        x = [circuit.input(self.magnitude) for _ in range(self.columns)]
        sums = [times(value, self.chunks) for value in x]
        means = [self._scaled(value) for value in sums]
        for mean in means:
            circuit.bound(mean, self.magnitude)
            circuit.output(mean)
        for i, j in self.pairs:
            product = self._scaled(times(x[i] * x[j], self.chunks))
            circuit.bound(product, self.magnitude**2)
            circuit.output(product - means[i] * means[j])
        return circuit

    @property
    def exact_circuit(self) -> Circuit:
        """The circuit for BFV and BGV from which parameters and keys are chosen: the sums of one
        chunk, times the number of chunks."""
        circuit = Circuit(self.row_length)
        x = [circuit.input() for _ in range(self.columns)]
        for value in [*x, *(x[i] * x[j] for i, j in self.pairs)]:
            circuit.output(times(value.sum_slots(self.row_length), self.chunks))
        return circuit

    def _scaled(self, total: Any) -> Any:
        return total.sum_slots(self.row_length) * (1.0 / self.count)

    def chunk_circuit(self, is_exact: bool) -> Circuit:
        """Returns the circuit of one chunk: its columns and their products; for BFV and BGV summed
        over slots."""
        circuit = Circuit(self.row_length)
        x = [circuit.input(self.magnitude) for _ in range(self.columns)]
        for value in [*x, *(x[i] * x[j] for i, j in self.pairs)]:
            # A result must not be an input; a product by 1 takes no level.
            circuit.output(value.sum_slots(self.row_length) if is_exact else value * 1)
        return circuit

    def scale_circuit(self) -> Circuit:
        """Returns the CKKS circuit that turns a sum over chunks into a mean."""
        circuit = Circuit(self.row_length)
        largest = max(self.magnitude, self.magnitude**2)
        mean = self._scaled(circuit.input(self.chunks * largest))
        circuit.bound(mean, largest)
        circuit.output(mean)
        return circuit

    def encrypt(self, secret: Any, table: NDArray[Any]) -> EncryptedTable:
        """Encrypts an array of numbers of shape (count, columns) and returns the EncryptedTable.

        - secret: a SecretContext. Raises InvalidArgument for another shape, for an entry above
          `magnitude` in CKKS, and for entries that are no integers or too large in BFV and BGV.
        """
        _core.refuse_masked(table, "Statistics", "table")
        numbers = np.asarray(table)
        if numbers.shape != (self.count, self.columns):
            wanted = f"({self.count}, {self.columns})"
            _refuse(f"an array of shape {numbers.shape}", wanted, "pass such an array")
        if secret.parameters.scheme != "ckks":
            self._check_exact(numbers, secret.parameters.plain_modulus)
        elif not np.abs(numbers).max() <= self.magnitude:
            _refuse(
                "an entry above the magnitude",
                f"magnitude = {self.magnitude}",
                "declare a larger magnitude, or scale the numbers down",
            )
        circuit = self.chunk_circuit(False)
        rows = []
        for start in range(0, self.count, self.row_length):
            part = numbers[start : start + self.row_length]
            if secret.parameters.scheme == "ckks":
                part = part.astype(float)
            rows.append(tuple(secret.encrypt(column, circuit=circuit) for column in part.T))
        return EncryptedTable(self, rows)

    def _check_exact(self, numbers: NDArray[Any], modulus: int) -> None:
        if numbers.dtype.kind not in "iu":
            _refuse(f"entries of type {numbers.dtype}", "integers", "round and convert them")
        wide = np.abs(numbers.astype(object))
        largest = max(int(sums.max()) for sums in ((wide * wide).sum(axis=0), wide.sum(axis=0)))
        if 2 * largest >= modulus:
            _refuse(
                "the sums or sums of squares of the entries are too large",
                f"integers with sums below t/2 = {modulus // 2}",
                "use a larger plain modulus, or smaller integers",
            )


@dataclass
class EncryptedTable:
    """An encrypted table: for each chunk of rows, one ciphertext of every column."""

    layout: Statistics
    chunks: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Moments:
    """Decrypted statistics: `mean` of shape (columns,), `covariance` of shape (columns, columns),
    both divided by the number of rows. `variance` is the diagonal of `covariance`."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance of each column, of shape (columns,)."""
        return np.diag(self.covariance)

    @property
    def correlation(self) -> NDArray[np.float64]:
        """Correlations: covariances divided by both standard deviations, of shape (columns,
        columns)."""
        deviation = np.sqrt(self.variance)
        return self.covariance / np.outer(deviation, deviation)


@dataclass(frozen=True)
class EncryptedStatistics:
    """Encrypted results of Statistics. For CKKS they are the means, then the covariances of
    `layout.pairs`, each in every slot. For BFV and BGV they are sums, then sums of products."""

    layout: Statistics
    ciphertexts: tuple[Any, ...]

    def decrypt(self, secret: Any) -> Moments:
        """Decrypts the results and returns means and covariances as Moments. secret: the
        SecretContext."""
        found = [np.asarray(secret.decrypt(c)).reshape(-1)[0] for c in self.ciphertexts]
        columns, count = self.layout.columns, self.layout.count
        covariance = np.zeros((columns, columns))
        if secret.parameters.scheme == "ckks":
            mean = np.array(found[:columns])
            values = found[columns:]
        else:
            sums = [int(value) for value in found]
            mean = np.array([total / count for total in sums[:columns]])
            values = [
                (count * total - sums[i] * sums[j]) / count**2
                for (i, j), total in zip(self.layout.pairs, sums[columns:], strict=True)
            ]
        for (i, j), value in zip(self.layout.pairs, values, strict=True):
            covariance[i, j] = covariance[j, i] = value
        return Moments(mean, covariance)


def statistics_nodes(session: Session, table: EncryptedTable, terms: int) -> Iterator[Node]:
    """Yields the tasks of the statistics of a table; the last one has place 0."""
    if not isinstance(table, EncryptedTable):
        what = f"a table of type {type(table).__name__}"
        _refuse(what, "an EncryptedTable", "encrypt the table with Statistics.encrypt")
    if terms < 1:
        _refuse(f"terms = {terms}", "at least 1", "leave it out")
    layout = table.layout
    is_exact = session.public.parameters.scheme != "ckks"
    level = session.public.max_level
    circuit = layout.chunk_circuit(is_exact)

    operation, shapes = session.operation(circuit, level)

    def leaves() -> Iterator[Node]:
        for start in range(0, len(table.chunks), terms):
            chunks = table.chunks[start : start + terms]
            parcels = tuple(p for chunk in chunks for p in session.parcels(circuit, chunk))
            yield Node(replace(operation, terms=len(chunks)), parcels, shapes)

    if is_exact:
        yield from tree_of(leaves(), 0)
        return
    total = None
    for node in tree_of(leaves(), None):
        total = node
        yield node
    assert total is not None
    yield _moments_node(session, layout, total)


def _moments_node(session: Session, layout: Statistics, total: Node) -> Node:
    level = session.public.max_level
    scaling = layout.scale_circuit()
    operation, high = session.operation(scaling, level)
    _, low = session.operation(scaling, level - 1)
    shapes: list[Shape] = list(high) * layout.columns + list(low) * len(layout.pairs)
    inputs = tuple((total, k) for k in range(len(total.shapes)))
    moments = Operation(MOMENTS, operation.circuit, level, layout.columns)
    return Node(moments, inputs, tuple(shapes), 0)


def _refuse(offending: str, limit: str, remedy: str) -> None:
    raise InvalidArgument("Statistics", offending, limit, remedy)
