# SPDX-License-Identifier: Apache-2.0
"""Tables in the clear: names and ranges of their columns, and rows scaled to [-1, 1]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import _core
from ..errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _refuse(operation: str, offending: str, limit: str, remedy: str) -> NoReturn:
    raise InvalidArgument(operation, offending, limit, remedy)


def numbers_of(operation: str, table: Any, names: list[str]) -> NDArray[np.float64]:
    """Returns the numbers of an array or a DataFrame as float64, shape (rows, columns).

    A DataFrame needs these columns, in any order. Raises InvalidArgument for other shapes and for
    what is not finite.
    """
    if hasattr(table, "columns"):
        missing = [name for name in names if name not in table.columns]
        if missing and not _is_numbered(names):
            _refuse(operation, f"a DataFrame without the column {missing[0]!r}",
                    f"the columns {', '.join(names)}", "add the column")  # fmt: skip
        table = table if missing else table[names]
    limit = f"numbers of shape (rows, {len(names)})"
    _core.refuse_masked(table, operation, "table")
    try:
        if np.asarray(table).dtype.kind == "c":
            raise TypeError
        numbers = np.asarray(table, np.float64)
    except (TypeError, ValueError):
        _refuse(operation, "values that are no real numbers", limit, "encode them as numbers")
    if numbers.ndim != 2 or numbers.shape[1] != len(names) or not len(numbers):
        _refuse(operation, f"shape {numbers.shape}", limit, "pass a row for each sample")
    if not np.isfinite(numbers).all():
        column = names[int(np.argmin(np.isfinite(numbers).all(0)))]
        _refuse(operation, f"a number in column {column!r} that is not finite", "finite numbers",
                "fill or drop missing values")  # fmt: skip
    return numbers


def names_of(model: Any, example: Any, count: int) -> list[str]:
    """Returns the names of the columns that a model takes: those that it was fitted with, those of
    the example, or numbers."""
    first = model.steps[0][1] if hasattr(model, "steps") else model
    names = getattr(model, "feature_names_in_", getattr(first, "feature_names_in_", None))
    if names is None:
        names = getattr(example, "columns", None)
    if names is None or len(names) != count or not all(isinstance(n, str) for n in names):
        return [f"column {i}" for i in range(count)]
    return list(names)


def _is_numbered(names: list[str]) -> bool:
    return names[0] == "column 0"


@dataclass(frozen=True)
class Columns:
    """The columns of a table that a model takes.

    - names: of the columns.
    - low, high: ranges of their numbers; shape (columns,).
    """

    names: list[str]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @staticmethod
    def described(description: Any) -> Columns:
        """Returns the columns of `description()`. Raises ValueError or TypeError for others."""
        low, high = np.asarray(description["ranges"], np.float64)
        names = [str(name) for name in description["names"]]
        if not (low.shape == high.shape == (len(names),) and np.isfinite(high - low).all()):
            raise ValueError("ranges of other columns")
        return Columns(names, low, high)

    def description(self) -> dict[str, Any]:
        """Returns the columns as JSON has them."""
        return {"names": self.names, "ranges": [self.low.tolist(), self.high.tolist()]}

    @staticmethod
    def of(names: list[str], example: NDArray[Any] | None, range: Any, margin: float) -> Columns:
        """Returns the columns with ranges as given, or from the smallest to the largest number of
        the example, widened by `margin` times their difference on both sides."""
        operation = "learn.compile"
        if isinstance(range, Mapping):
            missing = [name for name in names if name not in range]
            if missing:
                _refuse(operation, f"a range without the column {missing[0]!r}",
                        "a (low, high) for each column", "add the column")  # fmt: skip
            range = np.array([range[name] for name in names], np.float64).T
        if range is None:
            if example is None:
                _refuse(operation, "neither an example nor a range", "one of them",
                        "pass the training table, or range=(low, high)")  # fmt: skip
            low, high = example.min(0), example.max(0)
            low, high = low - margin * (high - low), high + margin * (high - low)
        else:
            try:
                low, high = (np.broadcast_to(np.asarray(end, np.float64), len(names))
                             for end in range)  # fmt: skip
            except (TypeError, ValueError):
                low = high = np.array([np.nan])
        if not (np.isfinite([low, high]).all() and (low <= high).all()):
            _refuse(operation, "a range that is no interval", "(low, high), finite numbers or one "
                    f"for each of {len(names)} columns", "pass low <= high")  # fmt: skip
        return Columns(names, low, high)

    def scaled(self, operation: str, table: Any) -> NDArray[np.float64]:
        """Returns the rows with each range scaled to [-1, 1].

        Raises InvalidArgument, with the column's name, for numbers outside of their ranges.
        """
        numbers = numbers_of(operation, table, self.names)
        is_outside = (numbers < self.low) | (numbers > self.high)
        if is_outside.any():
            row, column = np.argwhere(is_outside)[0]
            _refuse(
                operation, f"a number in column {self.names[column]!r}, row {row}, out of range",
                f"{self.low[column]:g} to {self.high[column]:g}",
                "leave the row out, or compile the model with a wider range=",
            )  # fmt: skip
        half = (self.high - self.low) / 2
        scaled = (numbers - (self.low + self.high) / 2) / np.where(half, half, 1)
        return scaled.clip(-1, 1)
