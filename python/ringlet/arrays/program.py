# SPDX-License-Identifier: Apache-2.0
"""Functions on encrypted arrays as circuits: their arguments and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import Circuit
from ..errors import InvalidArgument
from .array import EncryptedArray
from .files import DTYPES, layout_from
from .layout import Layout
from .refusals import known_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Part:
    """An argument or a result: its layout, the kind of its numbers, and which of its ciphertexts
    are there. The others hold zeros."""

    layout: Layout
    dtype: str
    is_clean: bool
    is_there: tuple[bool, ...]


class Program:
    """A function on arrays as a circuit.

    - circuit: what it computes, a ringlet.Circuit.
    - inputs, outputs: the arguments and results.
    """

    def __init__(
        self, scheme: str, circuit: Circuit, inputs: list[Part], outputs: list[Part]
    ) -> None:
        self.scheme = scheme
        self.circuit = circuit
        self.inputs = inputs
        self.outputs = outputs

    def __repr__(self) -> str:
        inputs = ", ".join(f"{p.layout.shape}: {p.layout}" for p in self.inputs)
        name = f"ringlet.{type(self).__name__}"
        return f"<{name} {self.scheme} depth={self.circuit.depth} arguments: {inputs}>"

    def arguments(self, values: tuple[Any, ...]) -> list[NDArray[Any]]:
        """Returns the arguments of the function, checked, as arrays of numbers."""
        self._check_count("Client.encrypt", len(values))
        arrays = []
        for number, (value, part) in enumerate(zip(values, self.inputs, strict=True)):
            numbers = known_numbers("encrypt", value, self.scheme != "ckks")
            if numbers.shape != part.layout.shape:
                raise InvalidArgument(
                    "Client.encrypt", f"argument {number} of shape {numbers.shape}",
                    f"shape {part.layout.shape}, as in ringlet.compile", "pass such an array",
                )  # fmt: skip
            if numbers.dtype.kind == "c" and part.dtype != "complex128":
                raise InvalidArgument(
                    "Client.encrypt", f"argument {number} of complex numbers", "real numbers",
                    "declare it with ringlet.Spec(shape, dtype=complex)",
                )  # fmt: skip
            arrays.append(numbers)
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
                    "layout": p.layout.description(),
                    "dtype": p.dtype,
                    "is_clean": p.is_clean,
                    "is_there": list(p.is_there),
                }
                for p in of
            ]

        return {"inputs": parts(self.inputs), "outputs": parts(self.outputs)}

    @staticmethod
    def described(scheme: str, description: Any, circuit_bytes: bytes) -> Program:
        """Returns the program of a description. Raises InvalidArgument if circuit and description
        do not fit."""
        operation = "Server.from_bytes"
        circuit = Circuit.from_bytes(circuit_bytes)

        def parts(name: str) -> list[Part]:
            return [
                Part(
                    layout_from(operation, p["layout"], circuit.row_length),
                    p["dtype"],
                    bool(p["is_clean"]),
                    tuple(map(bool, p["is_there"])),
                )
                for p in description[name]
            ]

        try:
            inputs, outputs = parts("inputs"), parts("outputs")
            counts = [sum(sum(p.is_there) for p in side) for side in (inputs, outputs)]
            if counts != [circuit.input_count, circuit.output_count] or not all(
                len(p.is_there) == p.layout.block_count and p.dtype in DTYPES[scheme]
                for p in (*inputs, *outputs)
            ):
                raise ValueError("parts of another circuit")
        except (KeyError, TypeError, ValueError):
            raise InvalidArgument(
                operation, "a program that does not fit its circuit", "the bytes of a server",
                "pass the bytes unchanged",
            ) from None  # fmt: skip
        return Program(scheme, circuit, inputs, outputs)
