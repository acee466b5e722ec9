# SPDX-License-Identifier: Apache-2.0
"""What computes the operations of encrypted arrays: a circuit that is declared, or ciphertexts."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import Circuit
from ..errors import InvalidArgument, LogicError
from .maps import PRODUCT_COST, rotation_count, takes_no_level
from .refusals import check_magnitude

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .maps import Diagonals

_RUNNERS = 64  # Runners of maps and functions that an engine keeps; the oldest go first.
_ANY_MAGNITUDE = 2.0**-20  # Nobody has said how large the numbers are; this bound refuses nothing.


def _in_row(known: Any, slots: int) -> Any:
    """Returns a number unchanged, and numbers for a period repeated over a row of slots."""
    number = np.asarray(known)
    return known if number.ndim == 0 else np.tile(number, slots // len(number))


class CircuitEngine:
    """Declares every operation in a Circuit. A block is a CircuitValue.

    - scheme: "ckks", "bfv" or "bgv".
    - circuit: of rows as long as the engine's.

    `work` is about the time of what was declared so far, in key switches. `is_crowded` tells
    whether longer rows would take fewer ciphertexts.
    """

    def __init__(self, scheme: str, circuit: Circuit) -> None:
        self.scheme = scheme
        self.circuit = circuit
        self.work = 0.0
        self.is_crowded = False

    @property
    def slots(self) -> int:
        """Number of slots of a row."""
        return self.circuit.row_length

    def add_known(self, value: Any, known: Any) -> Any:
        """Returns value + known; `known` is a number or an array of a period."""
        return value + _in_row(known, self.slots)

    def multiply_known(self, value: Any, known: Any) -> Any:
        """Returns value * known; `known` is a number or an array of a period."""
        self.work += PRODUCT_COST
        return value * _in_row(known, self.slots)

    def multiply(self, a: Any, b: Any) -> Any:
        """Returns the product of two blocks."""
        self.work += 1
        return a * b

    def rotate(self, value: Any, steps: int) -> Any:
        """Returns the block with slot i + steps in slot i, cyclically."""
        self.work += 1
        return value.rotate(steps)

    def apply(self, key: tuple[Any, ...], function: Callable[..., Any], *values: Any) -> Any:
        """Returns function(*values), which declares operations; the engine of ciphertexts runs
        what they declare, and keeps it under the key."""
        return function(*values)

    def linear(
        self, blocks: Sequence[Any], diagonals: Diagonals, folds: Sequence[int]
    ) -> Any | None:
        """Returns the sum of the diagonals' products, folded; None stands for zeros."""
        total: Any | None = None
        for source, vectors in diagonals.items():
            if blocks[source] is None or not vectors:
                continue
            part = self._transformed(blocks[source], vectors)
            total = part if total is None else total + part
        if total is not None:
            for distance in folds:
                total = total + self.rotate(total, distance)
        return total

    def _transformed(self, value: Any, vectors: dict[int, Any]) -> Any:
        if len(vectors) == 1:
            ((steps, factor),) = vectors.items()
            turned = self.rotate(value, steps) if steps else value
            is_one = np.ndim(factor) == 0 and factor == 1
            return turned if is_one else self.multiply_known(turned, factor)
        self.work += rotation_count(np.array(list(vectors))) + PRODUCT_COST * len(vectors)
        return value.linear_transform(
            {steps: _in_row(vector, self.slots) for steps, vector in vectors.items()}
        )


class CiphertextEngine:
    """Computes every operation at once. A block is a ciphertext that is bound to `public`.

    - public: a PublicContext with a relinearization key and Galois keys.
    - magnitude: CKKS: bound on the absolute values of numbers in the clear that are added.
    """

    def __init__(self, public: Any, magnitude: float = math.inf) -> None:
        self.public = public
        self.magnitude = magnitude
        self.scheme = public.parameters.scheme
        self._runners: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    @property
    def slots(self) -> int:
        """Number of slots of a row."""
        return int(self.public.parameters.degree) // 2

    def bound(self, ciphertext: Any) -> Any:
        """Returns a fresh ciphertext, bound to the keys. Circuits of this engine bound no numbers,
        so a bound on those of the ciphertext is left behind."""
        bound = self.public.bind(ciphertext)
        return bound.mod_switch_to(bound.level) if self.scheme == "ckks" else bound

    def _known(self, known: Any) -> Any:
        row = _in_row(known, self.slots)
        return row if np.ndim(row) == 0 or self.scheme == "ckks" else np.tile(row, (2, 1))

    def encrypted(self, source: Any, known: Any) -> Any:
        """Returns a number, or the numbers of a period, encrypted by a context and bound."""
        return self.bound(source.encrypt(self._known(known)))

    def add_known(self, value: Any, known: Any) -> Any:
        """Returns value + known; `known` is a number or an array of a period."""
        check_magnitude("add", known, self.magnitude)
        return value + self._known(known)

    def multiply_known(self, value: Any, known: Any) -> Any:
        """Returns value * known; `known` is a number or an array of a period. An integer of at most
        1024 takes no level."""
        if self.scheme != "ckks":
            return value * self._known(known)
        if takes_no_level(known):
            return value.multiply(int(known), scale=1.0)
        self._need_level(value)
        return value * self._known(known)

    def multiply(self, a: Any, b: Any) -> Any:
        """Returns the product of two blocks."""
        if self.scheme == "ckks":
            self._need_level(a)
            self._need_level(b)
        return a * b

    def rotate(self, value: Any, steps: int) -> Any:
        """Returns the block with slot i + steps in slot i, cyclically."""
        return value.rotate(steps) if self.scheme == "ckks" else value.rotate_rows(steps)

    def apply(self, key: tuple[Any, ...], function: Callable[..., Any], *values: Any) -> Any:
        """Returns function(*values) by a circuit that the function declares. Its runner is kept
        under the key."""
        runner = self._runners.pop(key, None)
        if runner is None:
            circuit = Circuit(self.slots)
            inputs = [circuit.input(_ANY_MAGNITUDE) for _ in values]
            circuit.output(function(*inputs))
            runner = self._runner(circuit)
            while len(self._runners) >= _RUNNERS:
                self._runners.popitem(last=False)
        self._runners[key] = runner
        return runner(*values)

    def _runner(self, circuit: Circuit) -> Any:
        try:
            return self.public.runner(circuit)
        except InvalidArgument as error:
            if "noise" not in error.offending:
                raise
            remedy = "make the client with a larger depth, or trace the function by ringlet.compile"
            raise InvalidArgument(
                "EncryptedArray", "a result with too much noise", error.limit, remedy
            ) from None

    def linear(
        self, blocks: Sequence[Any], diagonals: Diagonals, folds: Sequence[int]
    ) -> Any | None:
        """Returns the sum of the diagonals' products, folded; None stands for zeros."""
        used = {s: v for s, v in diagonals.items() if blocks[s] is not None and v}
        if not used:
            return None
        if not folds and all(v.keys() == {0} and np.ndim(v[0]) == 0 for v in used.values()):
            parts = [self._scaled(blocks[source], v[0]) for source, v in used.items()]
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            return total

        def declare(*inputs: Any) -> Any:
            engine = CircuitEngine(self.scheme, inputs[0].circuit)
            return engine.linear(inputs, dict(enumerate(used.values())), folds)

        key = ("linear", _digest(used), tuple(folds))
        return self.apply(key, declare, *(blocks[source] for source in used))

    def _scaled(self, value: Any, factor: Any) -> Any:
        return value if factor == 1 else self.multiply_known(value, factor)

    def _need_level(self, value: Any) -> None:
        """Raises LogicError if no level is left for a product."""
        if value.level == 0:
            depth = self.public.max_level
            raise LogicError(
                "EncryptedArray.__mul__",
                f"a product at depth {depth + 1}",
                f"{depth} products in a row, the depth of the client",
                f"make the client with depth={depth + 1}, or trace the function by ringlet.compile",
            )


def _digest(diagonals: Diagonals) -> bytes:
    """Returns a number for these diagonals that no others have."""
    digest = hashlib.sha256()
    for source, vectors in diagonals.items():
        for steps, vector in vectors.items():
            array = np.asarray(vector)
            digest.update(f"{source} {steps} {array.dtype} {array.shape} ".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
