# SPDX-License-Identifier: Apache-2.0
"""Functions on encrypted arrays that are traced once: parameters, keys and plan follow from use."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import Circuit, suggest_parameters
from ..errors import InvalidArgument
from .array import EncryptedArray
from .client import BfvClient, BgvClient, CkksClient
from .engine import CircuitEngine
from .layout import Layout, Shape, power_of_two
from .program import Part, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from .client import Client

_FIRST_SLOTS = 4096  # Rows of circuits, before the degree is known.
_MAX_SLOTS = 1 << 16
_MAX_SIZE = 1 << 24
_MAX_CHOICES = 16  # Combinations of layouts that are traced.
_MAX_SUGGESTED = 3  # Of these, the ones that parameters are looked for.
_MAX_APART = 8  # Numbers that may have a ciphertext each.
_CLIENTS: dict[str, Any] = {"ckks": CkksClient, "bfv": BfvClient, "bgv": BgvClient}


@dataclass(frozen=True)
class Spec:
    """What is known about an argument of a function before there are numbers.

    - shape: of the array.
    - magnitude: CKKS: bound on the absolute values; estimates and parameters follow from it.
    - dtype: float, complex or int.
    """

    shape: Shape
    magnitude: float = 1.0
    dtype: Any = float

    def __post_init__(self) -> None:
        is_right = all(isinstance(n, (int, np.integer)) and n > 0 for n in self.shape)
        if not is_right or math.prod(self.shape) > _MAX_SIZE:
            raise InvalidArgument(
                "Spec", f"shape = {self.shape!r}",
                f"lengths from 1 on, of at most {_MAX_SIZE} numbers", "pass the shape of an array",
            )  # fmt: skip


class CompiledProgram(Program):
    """A function on arrays, traced and planned. `ringlet.compile` makes it.

    - found: the parameters, as suggest_parameters gives them.
    - is_crowded: whether longer rows would take fewer ciphertexts.
    """

    def __init__(self, traced: Program, found: Any, is_crowded: bool) -> None:
        super().__init__(traced.scheme, traced.circuit, traced.inputs, traced.outputs)
        self.found = found
        self.is_crowded = is_crowded

    def client(self) -> Client:
        """Makes the keys: returns a client for the arguments of this program."""
        client: Client = _CLIENTS[self.scheme](program=self)
        return client


def compile(
    function: Callable[..., Any], *specs: Any, scheme: str = "ckks", **options: Any
) -> CompiledProgram:
    """Traces a function on arrays and finds parameters for it.

        program = ringlet.compile(lambda x: weights @ x, ringlet.Spec((64,)), precision=15)
        client = program.client()
        server = client.server()
        client.decrypt(server.run(client.encrypt(values)))

    - function: takes an EncryptedArray for each spec, and returns one or a tuple.
    - specs: a Spec for each argument, or its shape. For BFV and BGV, numbers are integers.
    - scheme: "ckks", "bfv" or "bgv".
    - options: those of suggest_parameters: precision, plain_bits, security, ...

    The function is traced for several layouts of its arguments; the program has the cheapest.
    Raises InvalidArgument for a function that encrypted numbers do not allow, or if no parameters
    suffice.
    """
    wanted = [s if isinstance(s, Spec) else Spec(tuple(np.atleast_1d(s).tolist())) for s in specs]
    if not wanted:
        raise InvalidArgument(
            "compile", "no argument", "a spec for each argument", "pass ringlet.Spec(shape)"
        )
    largest = max(power_of_two(math.prod(map(power_of_two, s.shape))) for s in wanted)
    slots = max(2, min(largest, _FIRST_SLOTS))
    best = _best(function, wanted, scheme, slots, options)
    row = int(best.found.parameters.degree) // 2
    parts = (*best.inputs, *best.outputs)
    if row > slots and (best.is_crowded or any(len(p.is_there) > 1 for p in parts)):
        best = _best(function, wanted, scheme, min(row, _MAX_SLOTS), options)
    return best


def _choices(spec: Spec, slots: int) -> list[Layout]:
    layouts = [Layout.rows(spec.shape, slots)]
    if len(spec.shape) > 1:
        columns = Layout.columns(spec.shape, slots)
        if columns.block_count <= 256 and columns not in layouts:
            layouts.append(columns)
    if 1 < math.prod(spec.shape) <= _MAX_APART:
        layouts.append(Layout.apart(spec.shape, slots))
    return layouts


def _best(
    function: Callable[..., Any], specs: list[Spec], scheme: str, slots: int, options: Any
) -> CompiledProgram:
    choices = itertools.product(*(_choices(spec, slots) for spec in specs))
    traced = [
        _traced(function, list(zip(specs, layouts, strict=True)), scheme, slots)
        for layouts in itertools.islice(choices, _MAX_CHOICES)
    ]
    traced.sort(key=lambda pair: pair[0])
    if scheme == "ckks":
        options = {"symmetric_inputs": "sharing" not in options, **options}
    programs = [
        CompiledProgram(program, suggest_parameters(scheme, circuit=program.circuit, **options), c)
        for _, program, c in traced[:_MAX_SUGGESTED]
    ]
    return min(programs, key=_cost)


def _cost(program: CompiledProgram) -> float:
    """Returns about the time of a run and of sending ciphertexts, in key switches of a prime."""
    counts, parameters = program.found.counts, program.found.parameters
    ciphertexts = sum(sum(p.is_there) for p in (*program.inputs, *program.outputs))
    work = (
        counts.key_switches
        - 0.5 * counts.hoisted
        + 0.2 * counts.multiplications
        + 0.05 * counts.known_multiplications
        + 0.5 * ciphertexts
    )
    return float(work * parameters.degree * program.found.modulus_bits)


def _traced(
    function: Callable[..., Any],
    arguments: list[tuple[Spec, Layout]],
    scheme: str,
    slots: int,
) -> tuple[float, Program, bool]:
    """Returns about the time of a run, the program, and whether it is crowded."""
    circuit = Circuit(slots)
    engine = CircuitEngine(scheme, circuit)
    inputs, arrays = [], []
    for spec, layout in arguments:
        dtype = np.dtype(np.int64) if scheme != "ckks" else np.result_type(spec.dtype, np.float64)
        values = [circuit.input(spec.magnitude) for _ in range(layout.block_count)]
        arrays.append(EncryptedArray(engine, layout, values, dtype))
        inputs.append(Part(layout, str(dtype), True, (True,) * layout.block_count))
    results = function(*arrays)
    results = results if isinstance(results, (tuple, list)) else (results,)
    outputs = []
    for result in results:
        if not isinstance(result, EncryptedArray) or result.engine is not engine:
            raise InvalidArgument(
                "compile", f"a function that returns {type(result).__name__}",
                "an EncryptedArray, or a tuple of them", "return what depends on the arguments",
            )  # fmt: skip
        is_there = tuple(block is not None for block in result.blocks)
        outputs.append(Part(result.layout, str(result.dtype), result.is_clean, is_there))
        for block in result.blocks:
            if block is not None:
                circuit.output(block)
    # Key switches take about the square of the number of primes.
    work = (engine.work + circuit.input_count + circuit.output_count) * (circuit.depth + 2) ** 2
    return work, Program(scheme, circuit, inputs, outputs), engine.is_crowded
