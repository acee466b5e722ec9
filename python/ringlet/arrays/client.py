# SPDX-License-Identifier: Apache-2.0
"""The client, which encrypts and decrypts arrays, and the server, which computes on them."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import InvalidArgument
from .array import EncryptedArray
from .container import packed, unpacked
from .engine import CiphertextEngine
from .files import array_from_bytes
from .layout import Layout
from .program import Program
from .refusals import MAX_CIPHERTEXTS, check_magnitude, known_numbers, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_PUBLICS: dict[str, Any] = {
    "ckks": _core.CkksPublicContext,
    "bfv": _core.BfvPublicContext,
    "bgv": _core.BgvPublicContext,
}
_LAYOUTS = {"rows": Layout.rows, "columns": Layout.columns, "apart": Layout.apart}


class Client:
    """Holds the secret key: encrypts and decrypts arrays. ckks.Client and its likes are classes of
    one scheme.

        client = ckks.Client(depth=2)
        x = client.encrypt([1.0, 2.0, 3.0])
        client.decrypt((x * x).mean())                  # about 4.667

    - depth: number of products in a row that an array can take.
    - magnitude: CKKS: bound on the absolute values of all numbers, results included. Larger ones
      are lost without a sign, except that `encrypt` and sums with numbers in the clear refuse them.
    - options: those of suggest_parameters: precision (CKKS: bits, for numbers up to 1), plain_bits,
      slots, security, ...
    - secret: a SecretContext instead of all others.
    - program: computes this program alone, with exactly its keys. CompiledProgram.client passes it.

    Keys for every operation are made when an array is first used.
    """

    scheme: str
    _secret_type: Any

    def __init__(
        self,
        *,
        depth: int = 2,
        magnitude: float = 1024.0,
        secret: Any = None,
        program: Program | None = None,
        **options: Any,
    ) -> None:
        if secret is None:
            found = getattr(program, "found", None)
            found = found or self._suggested(depth, magnitude, options)
            secret = self._secret_type(found.parameters)
        self.secret = secret
        self.program = program
        self.magnitude = magnitude if self.scheme == "ckks" else math.inf

    def _suggested(self, depth: int, magnitude: float, options: dict[str, Any]) -> Any:
        return _core.suggest_parameters(self.scheme, depth=depth, **options)

    @functools.cached_property
    def engine(self) -> CiphertextEngine:
        """Computes on the arrays of this client."""
        circuit = None if self.program is None else self.program.circuit
        if circuit is not None:
            return CiphertextEngine(self.secret.public(circuit=circuit))
        return CiphertextEngine(self.secret.public(), self.magnitude)

    @property
    def slots(self) -> int:
        """Number of slots of a row of a ciphertext."""
        return int(self.secret.parameters.degree) // 2

    def encrypt(self, *values: Any, layout: str | Layout = "rows") -> Any:
        """Encrypts arrays of numbers and returns an EncryptedArray for each: one, or a tuple.

        - values: numbers, of any shape. A client of a program takes its arguments, in their order.
        - layout: "rows"; "columns" for long first axes: one ciphertext for each column; "apart" for
          few numbers: one ciphertext for each. A program chooses layouts itself.

        Raises InvalidArgument for other values.
        """
        if self.program is not None:
            arrays = [
                self.encrypted(n, p.layout, self._encrypted_argument)
                for n, p in zip(self.program.arguments(values), self.program.inputs, strict=True)
            ]
        else:
            arrays = [self._encrypted(value, layout) for value in values]
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _encrypted(self, value: Any, layout: str | Layout) -> EncryptedArray:
        numbers = known_numbers("encrypt", value, self.scheme != "ckks")
        if numbers.size == 0:
            refuse("encrypt", f"shape {numbers.shape}", "at least one number", "leave it out")
        check_magnitude("encrypt", numbers, self.magnitude)
        if isinstance(layout, str):
            if layout not in _LAYOUTS:
                refuse("encrypt", f"layout = {layout!r}", ", ".join(_LAYOUTS), "pass one of these")
            layout = _LAYOUTS[layout](numbers.shape, self.slots)
        if layout.block_count > MAX_CIPHERTEXTS:
            refuse("encrypt", f"{layout.block_count} ciphertexts", f"{MAX_CIPHERTEXTS}",
                   "encrypt parts of the array, or use layout='rows'")  # fmt: skip
        return self.encrypted(numbers, layout, self._encrypted_row)

    def encrypted(
        self, numbers: NDArray[Any], layout: Layout, encrypt: Callable[[NDArray[Any]], Any]
    ) -> EncryptedArray:
        """Returns the numbers in this layout, each ciphertext made by `encrypt` from a period."""
        dtype = numbers.dtype if self.scheme != "ckks" else np.result_type(numbers, np.float64)
        blocks = [encrypt(row) for row in layout.spread(numbers)]
        return EncryptedArray(self.engine, layout, blocks, np.dtype(dtype))

    def _encrypted_argument(self, period: NDArray[Any]) -> Any:
        """Encrypts a period, repeated over the row of the program's circuit: `encrypt` alone would
        fill up a shorter one with zeros."""
        assert self.program is not None
        circuit = self.program.circuit
        row = np.tile(period, circuit.row_length // len(period))
        return self.secret.encrypt(row, circuit=circuit)

    def _encrypted_row(self, period: NDArray[Any]) -> Any:
        return self.engine.encrypted(self.secret, period)

    def decrypt(self, array: EncryptedArray) -> Any:
        """Decrypts an array and returns NumPy's: float64 or complex128 for CKKS, else int64.

        Raises InvalidArgument for what is no encrypted array, one of other keys, and for BFV and
        BGV one whose noise budget is used up.
        """
        if not isinstance(array, EncryptedArray):
            raise InvalidArgument(
                "Client.decrypt", f"a {type(array).__name__}", "an EncryptedArray",
                "pass what the client encrypted or a server computed",
            )  # fmt: skip
        is_complex = array.dtype.kind == "c"
        decrypt = self.secret.decrypt_complex if is_complex else self.secret.decrypt
        if array.is_exact:
            decrypt = functools.partial(decrypt, check=True)
        period = array.layout.period
        zeros = np.zeros(period, array.dtype)
        rows = [
            zeros if block is None else np.asarray(decrypt(block)).reshape(-1)[:period]
            for block in array.blocks
        ]
        result = array.layout.gathered(np.stack(rows))
        return result if array.ndim else result[()]

    def load(self, data: Any) -> EncryptedArray:
        """Returns an array from the bytes of EncryptedArray.to_bytes. Every part is checked.

        Raises RuntimeFailure for damaged bytes, ContextMismatch for an array of other parameters.
        Operations refuse an array of another key.
        """
        return array_from_bytes(self.engine, data)

    def server(self) -> Server:
        """Returns the part that computes: public keys and the program, not the secret key."""
        return Server(self.engine, self.program)

    def __repr__(self) -> str:
        return f"<ringlet.{self.scheme}.Client {self.secret.parameters}>"


class CkksClient(Client):
    __doc__ = Client.__doc__
    scheme = "ckks"
    _secret_type = _core.CkksSecretContext

    def _suggested(self, depth: int, magnitude: float, options: dict[str, Any]) -> Any:
        """Asks for `depth` squarings of numbers up to 1, whose result grows to `magnitude` at the
        lowest level: the last prime then has room for it."""
        precision = float(options.pop("precision", 20.0))
        if not (isinstance(depth, int) and 0 <= depth <= 64 and 1 <= magnitude < 2.0**40):
            given = f"depth = {depth!r}, magnitude = {magnitude!r}"
            limit = "depth 0 to 64, magnitude 1 to 2^40"
            raise InvalidArgument("ckks.Client", given, limit, "pass numbers in these ranges")
        circuit = _core.Circuit(2)
        value = circuit.input()
        for _ in range(depth):
            value = value * value
        value = value.rotate(1)
        bits = math.ceil(math.log2(magnitude))
        for part in [10] * (bits // 10) + [bits % 10]:
            value = value * (1 << part)
        circuit.output(value)
        precision = max(1.0, precision - bits)
        options = {"symmetric_inputs": "sharing" not in options, **options}
        return _core.suggest_parameters(circuit=circuit, precision=precision, **options)


class BfvClient(Client):
    __doc__ = Client.__doc__
    scheme = "bfv"
    _secret_type = _core.BfvSecretContext


class BgvClient(Client):
    __doc__ = Client.__doc__
    scheme = "bgv"
    _secret_type = _core.BgvSecretContext


class Server:
    """Computes on the arrays of a client, and cannot decrypt them.

    `Client.server` and `Server.from_bytes` make it.
    """

    def __init__(self, engine: CiphertextEngine, program: Program | None) -> None:
        self.engine = engine
        self.program = program

    def load(self, data: Any) -> EncryptedArray:
        """Returns an array from the bytes of EncryptedArray.to_bytes. Every part is checked.

        Raises RuntimeFailure for damaged bytes, ContextMismatch for an array of other parameters.
        Operations refuse an array of another key.
        """
        return array_from_bytes(self.engine, data)

    @functools.cached_property
    def _runner(self) -> Any:
        if self.program is None:
            raise InvalidArgument(
                "Server.run", "a server without a program", "the server of a compiled program",
                "use ringlet.compile, or operators of arrays",
            )  # fmt: skip
        is_ckks = self.engine.scheme == "ckks"
        return self.engine.public.runner(self.program.circuit, symmetric_inputs=is_ckks)

    def run(self, *arrays: EncryptedArray) -> Any:
        """Returns what the program computes of the arrays: an array, or a tuple of arrays.

        - arrays: one for each argument of the function, as client.encrypt made them.

        Raises InvalidArgument for others.
        """
        runner = self._runner
        assert self.program is not None
        return self.program.run(runner, self.engine, arrays)

    @property
    def precision_bits(self) -> list[float | None]:
        """CKKS: for each ciphertext of the results, the bits that are right, as expected."""
        return [estimate.precision_bits for estimate in self._runner.estimate]

    def to_bytes(self) -> bytes:
        """Returns public keys and program as bytes, for from_bytes."""
        description: dict[str, Any] = {"kind": "server", "scheme": self.engine.scheme}
        if self.engine.magnitude < math.inf:
            description["magnitude"] = self.engine.magnitude
        parts = [self.engine.public.to_bytes()]
        if self.program is not None:
            description["program"] = self.program.description()
            parts.append(self.program.circuit.to_bytes())
        return packed(description, parts)

    @staticmethod
    def from_bytes(data: Any, **options: Any) -> Server:
        """Returns the server in these bytes. Every part is checked.

        - options: min_security and max_bytes, as PublicContext.from_bytes has them.
        """
        operation = "Server.from_bytes"
        description, parts = unpacked(operation, "server", data)
        scheme = description.get("scheme")
        count = 2 if "program" in description else 1
        magnitude = description.get("magnitude", math.inf)
        is_right = type(magnitude) in (int, float) and magnitude > 0 and len(parts) == count
        if not isinstance(scheme, str) or scheme not in _PUBLICS or not is_right:
            raise InvalidArgument(
                operation, "bytes of no scheme", "ckks, bfv, bgv", "pass the bytes unchanged"
            )
        engine = CiphertextEngine(_PUBLICS[scheme].from_bytes(parts[0], **options), magnitude)
        if "program" not in description:
            return Server(engine, None)
        return Server(engine, Program.described(scheme, description["program"], parts[1]))

    def __repr__(self) -> str:
        return f"<ringlet.Server {self.engine.public.parameters}>"
