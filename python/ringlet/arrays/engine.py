# SPDX-License-Identifier: Apache-2.0
"""What computes the operations of encrypted arrays: a circuit that is declared, or ciphertexts."""

from __future__ import annotations

import functools
import math
import operator
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import Circuit
from ..errors import InvalidArgument, LogicError
from .maps import PRODUCT_COST, rotation_count, takes_no_level
from .refusals import check_magnitude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from .layout import Layout
    from .maps import Diagonals, Plan

#: How many plans an engine keeps, and their encoded numbers; the oldest go first, but not the last.
_MAX_KEPT = 64
_MAX_BYTES = 1 << 28
_ABSENT = -1  # Instead of a level.
_ANY_MAGNITUDE = 2.0**-20  # Nobody has said how large the numbers are; this bound refuses nothing.


def _in_row(known: Any, slots: int) -> Any:
    """Returns a number unchanged, and numbers for a period repeated over a row of slots."""
    number = np.asarray(known)
    return known if number.ndim == 0 else np.tile(number, slots // len(number))


@dataclass(frozen=True)
class _Step:
    """Computes ciphertexts `targets` of a result from ciphertexts `sources` of an array."""

    run: Callable[..., Any]
    sources: Sequence[int]
    targets: Sequence[int]
    nbytes: int = 0


@dataclass(frozen=True)
class _Transform:
    """A linear map that is ready to run."""

    layout: Layout
    dtype: np.dtype[Any]
    steps: list[_Step]

    @property
    def nbytes(self) -> int:
        """Size of the encoded numbers."""
        return sum(step.nbytes for step in self.steps)


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
        self._folds: dict[tuple[int, int], tuple[Any, Any]] = {}

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

    def fold(self, value: Any, steps: int) -> Any:
        """Returns value + rotate(value, steps). A mean and a variance share such sums."""
        key = (id(value), steps)  # What is kept below keeps the value, and so its id.
        if key not in self._folds:
            self._folds[key] = (value, value + self.rotate(value, steps))
        return self._folds[key][1]

    def apply(self, key: tuple[Any, ...], function: Callable[..., Any], *values: Any) -> Any:
        """Returns function(*values), which declares operations; the engine of ciphertexts runs
        what they declare, and keeps it under the key."""
        return function(*values)

    def transform(
        self, key: tuple[Any, ...], make: Callable[[], Plan], blocks: Sequence[Any]
    ) -> tuple[Layout, np.dtype[Any], list[Any]]:
        """Returns layout, dtype and blocks of a linear map; the engine of ciphertexts keeps what it
        makes of the plan under the key."""
        plan = make()
        results = [self.linear(blocks, d, plan.folds) for d in plan.diagonals]
        return plan.layout, plan.dtype, results

    def linear(
        self,
        blocks: Mapping[int, Any] | Sequence[Any],
        diagonals: Diagonals,
        folds: Sequence[int],
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
                total = self.fold(total, distance)
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


class _ComposingEngine(CircuitEngine):
    """Declares circuits for keys of powers of two, of which few compose each of its rotations."""

    def _transformed(self, value: Any, vectors: dict[int, Any]) -> Any:
        if len(vectors) < 3:
            return super()._transformed(value, vectors)
        # One integer as a factor would take no level, and its product would lack the others' scale.
        are_integers = all(map(takes_no_level, vectors.values()))
        babies = _baby_count(vectors, self.slots)
        sums: dict[int, Any] = {}
        for step in sorted(vectors):
            factor, baby = vectors[step], step % babies
            if not are_integers:
                factor = np.roll(np.atleast_1d(factor), step - baby)
            part = value.rotate(baby)
            part = part if are_integers and factor == 1 else self.multiply_known(part, factor)
            giant = step - baby
            sums[giant] = sums[giant] + part if giant in sums else part
        return functools.reduce(operator.add, (s.rotate(giant) for giant, s in sums.items()))


def _baby_count(steps: Iterable[int], slots: int) -> int:
    """Returns the power of two that splits these rotations of a row, each into one by less and one
    by a multiple, such that they take the fewest rotations by powers of two."""

    def parts(step: int) -> int:
        """Returns the number of digits of the non-adjacent form, which is the shortest."""
        return min((s ^ 3 * s).bit_count() for s in (step, slots - step))

    def cost(count: int) -> int:
        babies, giants = {s % count for s in steps}, {s - s % count for s in steps}
        return len(babies - {0}) + sum(map(parts, giants - {0}))

    return min((1 << k for k in range(slots.bit_length())), key=cost)


class CiphertextEngine:
    """Computes every operation at once. A block is a ciphertext that is bound to `public`.

    - public: a PublicContext with a relinearization key and Galois keys.
    - magnitude: CKKS: bound on the absolute values of numbers in the clear that are added.
    """

    def __init__(self, public: Any, magnitude: float = math.inf) -> None:
        self.public = public
        self.magnitude = magnitude
        self.scheme = public.parameters.scheme
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

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
        self._need_levels(value.level)
        return value * self._known(known)

    def multiply(self, a: Any, b: Any) -> Any:
        """Returns the product of two blocks."""
        if self.scheme == "ckks":
            self._need_levels(min(a.level, b.level))
        return a * b

    def rotate(self, value: Any, steps: int) -> Any:
        """Returns the block with slot i + steps in slot i, cyclically."""
        return value.rotate(steps) if self.scheme == "ckks" else value.rotate_rows(steps)

    def fold(self, value: Any, steps: int) -> Any:
        """Returns value + rotate(value, steps)."""
        return value + self.rotate(value, steps)

    def apply(self, key: tuple[Any, ...], function: Callable[..., Any], *values: Any) -> Any:
        """Returns function(*values) by a circuit that the function declares. Its runner is kept
        under the key."""
        levels = self._levels(values)
        return self._keep((key, levels), lambda: self._runner(function, levels))(*values)

    def transform(
        self, key: tuple[Any, ...], make: Callable[[], Plan], blocks: Sequence[Any]
    ) -> tuple[Layout, np.dtype[Any], list[Any]]:
        """Returns layout, dtype and blocks of a linear map. What it makes of the plan is kept under
        the key."""
        levels = self._levels(blocks)
        kept = self._keep((key, levels), lambda: self._prepared(make(), levels))
        results: list[Any] = [None] * kept.layout.block_count
        for step in kept.steps:
            values = step.run(*(blocks[source] for source in step.sources))
            values = values if isinstance(values, tuple) else (values,)
            for target, value in zip(step.targets, values, strict=True):
                results[target] = value
        return kept.layout, kept.dtype, results

    def _keep(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Returns what is kept under the key, and makes it if there is none."""
        value = self._kept.pop(key, None)
        if value is None:
            value = make()
            room = _MAX_BYTES - value.nbytes
            while self._kept and (
                len(self._kept) >= _MAX_KEPT
                or sum(kept.nbytes for kept in list(self._kept.values())) > room
            ):
                self._kept.popitem(last=False)
        self._kept[key] = value
        return value

    def _levels(self, blocks: Sequence[Any]) -> tuple[int, ...]:
        """Returns the level of each block, _ABSENT for zeros; circuits of integers start at the
        top."""
        is_ckks = self.scheme == "ckks"
        return tuple(_ABSENT if b is None else b.level if is_ckks else 0 for b in blocks)

    def _prepared(self, plan: Plan, levels: Sequence[int]) -> _Transform:
        """Prepares a plan for ciphertexts with these levels. Sums of products by numbers need no
        circuit. All others of one level share a circuit, and so their rotations."""
        steps: list[_Step] = []
        parts: dict[int, dict[int, Diagonals]] = {}
        for target, diagonals in enumerate(plan.diagonals):
            used = {s: v for s, v in diagonals.items() if levels[s] != _ABSENT and v}
            if not used:
                continue
            are_numbers = all(v.keys() == {0} and np.ndim(v[0]) == 0 for v in used.values())
            if are_numbers and not plan.folds:
                factors = np.array([v[0] for v in used.values()])
                run = functools.partial(self._weighted, factors)
                steps.append(_Step(run, list(used), [target], factors.nbytes))
                continue
            parts.setdefault(min(levels[s] for s in used), {})[target] = used
        steps += [self._circuit_step(part, plan.folds, levels) for part in parts.values()]
        return _Transform(plan.layout, plan.dtype, steps)

    def _circuit_step(
        self, part: dict[int, Diagonals], folds: Sequence[int], levels: Sequence[int]
    ) -> _Step:
        sources = sorted({source for used in part.values() for source in used})

        def declare(*inputs: Any) -> list[Any]:
            engine = _ComposingEngine(self.scheme, inputs[0].circuit)
            blocks = dict(zip(sources, inputs, strict=True))
            return [engine.linear(blocks, used, folds) for used in part.values()]

        runner = self._runner(declare, [levels[source] for source in sources])
        return _Step(runner, sources, list(part), runner.nbytes)

    def _weighted(self, factors: NDArray[Any], *values: Any) -> Any:
        """Returns the sum of products by numbers; CKKS rescales it only once."""
        pairs = list(zip(values, factors.tolist(), strict=True))
        is_ckks = self.scheme == "ckks" and not all(takes_no_level(factor) for _, factor in pairs)
        if is_ckks and len({(value.level, value.scale) for value in values}) == 1 < len(pairs):
            first = values[0]
            self._need_levels(first.level)
            prime = self.public.parameters.data_primes[first.level]
            scale = (first * 1.0).scale / first.scale * prime
            parts = (value.multiply(factor, scale=scale) for value, factor in pairs)
            return functools.reduce(operator.add, parts).rescale()
        parts = (v if factor == 1 else self.multiply_known(v, factor) for v, factor in pairs)
        return functools.reduce(operator.add, parts)

    def _runner(self, function: Callable[..., Any], levels: Sequence[int]) -> Any:
        """Returns a runner of what the function declares of inputs with these levels."""
        circuit = Circuit(self.slots)
        results = function(*(circuit.input(_ANY_MAGNITUDE) for _ in levels))
        for result in results if isinstance(results, list) else [results]:
            circuit.output(result)
        if self.scheme == "ckks":
            self._need_levels(min(levels), circuit.depth)
        try:
            return self.public.runner(circuit, max(levels) if self.scheme == "ckks" else None)
        except InvalidArgument as error:
            if "noise" not in error.offending:
                raise
            remedy = "make the client with a larger depth, or trace the function by ringlet.compile"
            raise InvalidArgument(
                "EncryptedArray", "a result with too much noise", error.limit, remedy
            ) from None

    def _need_levels(self, level: int, count: int = 1) -> None:
        """Raises LogicError if fewer levels are left than products in a row need."""
        if level < count:
            limit = self.public.max_level
            depth = limit - level + count
            raise LogicError(
                "EncryptedArray.__mul__",
                f"a product at depth {depth}",
                f"{limit} products in a row, the depth of the client",
                f"make the client with depth={depth}, or trace the function by ringlet.compile",
            )
