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
from .engine import CircuitEngine
from .files import described_layout, layout_from
from .layout import Layout, Shape, power_of_two
from .refusals import known_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from .client import Client

_FIRST_SLOTS = 4096  # Rows of circuits, before the degree is known.
_MAX_SLOTS = 1 << 16
_MAX_CHOICES = 16  # Combinations of layouts that are tried.


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


@dataclass(frozen=True)
class Part:
    """An argument or a result: its layout, the kind of its numbers, and which of its ciphertexts
    are there. The others hold zeros."""

    layout: Layout
    dtype: str
    is_clean: bool
    is_there: tuple[bool, ...]


class Program:
    """A function on arrays, traced and planned. `ringlet.compile` makes it.

    - circuit: what it computes, a ringlet.Circuit.
    - found: the parameters, as suggest_parameters gives them; None on a server.
    """

    def __init__(
        self, scheme: str, circuit: Circuit, inputs: list[Part], outputs: list[Part], found: Any
    ) -> None:
        self.scheme = scheme
        self.circuit = circuit
        self.inputs = inputs
        self.outputs = outputs
        self.found = found

    def client(self) -> Client:
        """Makes the keys: returns a client for the arguments of this program."""
        from .client import BfvClient, BgvClient, CkksClient

        clients = {"ckks": CkksClient, "bfv": BfvClient, "bgv": BgvClient}
        return clients[self.scheme](program=self)

    def encrypt(self, client: Client, values: tuple[Any, ...]) -> list[EncryptedArray]:
        """Encrypts the arguments of the function, all of them in their order."""
        self._check_count("Client.encrypt", len(values))
        arrays = []
        for number, (value, part) in enumerate(zip(values, self.inputs, strict=True)):
            numbers = known_numbers("encrypt", value, self.scheme != "ckks")
            if numbers.shape != part.layout.shape:
                raise InvalidArgument(
                    "Client.encrypt", f"argument {number} of shape {numbers.shape}",
                    f"shape {part.layout.shape}, as in ringlet.compile", "pass such an array",
                )  # fmt: skip
            numbers = numbers.astype(part.dtype) if part.dtype != "float64" else numbers

            def encrypt(row: Any) -> Any:
                return client.secret.encrypt(row, circuit=self.circuit)

            arrays.append(client.encrypted(numbers, part.layout, encrypt))
        return arrays

    def run(self, runner: Any, engine: Any, arrays: tuple[Any, ...]) -> Any:
        """Runs the circuit on arrays that are laid out as `encrypt` does it."""
        self._check_count("Server.run", len(arrays))
        for number, (array, part) in enumerate(zip(arrays, self.inputs, strict=True)):
            is_array = isinstance(array, EncryptedArray)
            if not is_array or array.layout != part.layout or not array.is_clean:
                raise InvalidArgument(
                    "Server.run", f"argument {number}: {array!r}",
                    f"an array of layout: {part.layout}, shape {part.layout.shape}",
                    "pass what the client of this program encrypted",
                )  # fmt: skip
        results = runner(*(block for array in arrays for block in array.blocks))
        blocks = iter(results if isinstance(results, tuple) else (results,))
        made = [
            EncryptedArray(
                engine, part.layout, [next(blocks) if there else None for there in part.is_there],
                np.dtype(part.dtype), part.is_clean,
            )
            for part in self.outputs
        ]  # fmt: skip
        return made[0] if len(made) == 1 else tuple(made)

    def _check_count(self, operation: str, count: int) -> None:
        if count != len(self.inputs):
            raise InvalidArgument(
                operation, f"{count} arguments", f"{len(self.inputs)}, as the function takes",
                "pass one array for each argument",
            )  # fmt: skip

    def description(self) -> dict[str, Any]:
        """Returns all but the circuit and the parameters, as JSON has it."""

        def parts(of: list[Part]) -> list[dict[str, Any]]:
            return [
                {
                    "layout": described_layout(p.layout),
                    "dtype": p.dtype,
                    "is_clean": p.is_clean,
                    "is_there": list(p.is_there),
                }
                for p in of
            ]

        return {
            "scheme": self.scheme,
            "inputs": parts(self.inputs),
            "outputs": parts(self.outputs),
        }

    @staticmethod
    def described(description: Any, circuit_bytes: bytes) -> Program:
        """Returns the program of a description. Raises InvalidArgument if circuit and description
        do not fit."""
        operation = "Server.from_bytes"
        circuit = Circuit.from_bytes(circuit_bytes)

        def parts(name: str) -> list[Part]:
            return [
                Part(
                    layout_from(operation, p["layout"], circuit.row_length),
                    str(np.dtype(p["dtype"])),
                    bool(p["is_clean"]),
                    tuple(map(bool, p["is_there"])),
                )
                for p in description[name]
            ]

        try:
            inputs, outputs = parts("inputs"), parts("outputs")
            scheme = description["scheme"]
            counts = [sum(sum(p.is_there) for p in side) for side in (inputs, outputs)]
            is_right = counts == [circuit.input_count, circuit.output_count] and all(
                len(p.is_there) == p.layout.block_count for p in (*inputs, *outputs)
            )
        except (KeyError, TypeError, ValueError):
            is_right = False
        if not is_right:
            raise InvalidArgument(
                operation, "a program that does not fit its circuit", "the bytes of a server",
                "pass the bytes unchanged",
            )  # fmt: skip
        return Program(scheme, circuit, inputs, outputs, None)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{p.layout.shape}: {p.layout}" for p in self.inputs)
        return f"<ringlet.Program {self.scheme} depth={self.circuit.depth} arguments: {inputs}>"


def compile(
    function: Callable[..., Any], *specs: Any, scheme: str = "ckks", **options: Any
) -> Program:
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
    if row > slots and any(len(p.is_there) > 1 for p in (*best.inputs, *best.outputs)):
        best = _best(function, wanted, scheme, min(row, _MAX_SLOTS), options)
    return best


def _choices(spec: Spec, slots: int) -> list[Layout]:
    layouts = [Layout.rows(spec.shape, slots)]
    if len(spec.shape) > 1:
        columns = Layout.columns(spec.shape, slots)
        if columns.block_count <= 256 and columns not in layouts:
            layouts.append(columns)
    return layouts


def _best(
    function: Callable[..., Any], specs: list[Spec], scheme: str, slots: int, options: Any
) -> Program:
    choices = itertools.product(*(_choices(spec, slots) for spec in specs))
    programs = [
        _traced(function, list(zip(specs, layouts, strict=True)), scheme, slots, options)
        for layouts in itertools.islice(choices, _MAX_CHOICES)
    ]
    return min(programs, key=_cost)


def _cost(program: Program) -> float:
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
    options: Any,
) -> Program:
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
    found = suggest_parameters(scheme, circuit=circuit, **options)
    return Program(scheme, circuit, inputs, outputs, found)
