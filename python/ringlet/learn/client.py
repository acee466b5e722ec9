# SPDX-License-Identifier: Apache-2.0
"""The client, which holds the secret key and no weights, and the server, which holds the weights
and no secret key."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, arrays
from ..arrays.client import CkksClient
from ..arrays.container import packed, unpacked
from ..arrays.engine import CiphertextEngine
from ..arrays.files import array_from_bytes, layout_from
from ..arrays.program import Part, Program
from ..errors import InvalidArgument, RuntimeFailure
from .link import Link
from .table import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_MAX_ROTATIONS = 1024


class EncryptedRows:
    """Encrypted rows of a table, or their scores, in batches of equal shape.

    - arrays: an EncryptedArray for each batch.
    - index: the labels of a DataFrame's rows, or None. It stays in this process.

    `len` is the number of rows.
    """

    def __init__(self, arrays: Sequence[Any], row_count: int, index: Any = None) -> None:
        self.arrays = tuple(arrays)
        self.row_count = row_count
        self.index = index

    def __len__(self) -> int:
        return self.row_count

    def to_bytes(self) -> bytes:
        """Returns the rows as bytes, for Server.load and Client.load, without the index."""
        description = {"kind": "learn.rows", "row_count": self.row_count}
        return packed(description, [a.to_bytes() for a in self.arrays])

    @staticmethod
    def loaded(operation: str, engine: Any, data: Any) -> EncryptedRows:
        """Returns the rows in these bytes, bound to the engine's keys."""
        found, parts = unpacked(operation, "learn.rows", data)
        loaded = [array_from_bytes(engine, part) for part in parts]
        count = found.get("row_count")
        if type(count) is not int or not loaded or not 0 < count <= sum(len(a) for a in loaded):
            raise RuntimeFailure(operation, "a wrong number of rows", "as many as the batches hold",
                                 "pass the bytes unchanged")  # fmt: skip
        return EncryptedRows(loaded, count)

    def __repr__(self) -> str:
        return f"<ringlet.learn.EncryptedRows rows={self.row_count} batches={len(self.arrays)}>"


class Client:
    """Encrypts rows of a table and decrypts their scores. `Model.client` makes it.

        rows = client.encrypt(table)
        client.predict_proba(server.run(rows))

    It holds the secret key and no weights of the model: `columns`, `link` and `error_bound` are
    what it knows. Sigmoid, softmax, votes and argmax are
    computed here, on decrypted scores.
    """

    def __init__(self, secret: Any, description: dict[str, Any]) -> None:
        slots = int(description["row_length"])
        layout = layout_from("learn.Client", description["layout"], slots)
        #: Names and ranges of the columns of tables.
        self.columns = Columns.described(description["columns"])
        self.link = Link.described(description["link"])
        if len(layout.shape) != 2 or layout.shape[1] != len(self.columns.names):
            raise ValueError("a layout of other columns")
        rotations = [int(r) for r in description["rotations"]]
        if len(rotations) > _MAX_ROTATIONS:
            raise ValueError("more keys than a model takes")
        #: Bound of the error of a score, as Model.error_bound.
        self.error_bound = float(description["error_bound"])
        #: The secret key, a ckks.SecretContext, for ckks.save_secret_key.
        self.secret = secret
        #: The public keys, for Model.server.
        self.public = secret.public(
            rotations=rotations, relinearization=bool(description["has_products"])
        )
        circuit = _core.Circuit(slots)  # Its inputs have the places and ranges of the model's.
        for _ in range(layout.block_count):
            circuit.output(circuit.input(1.0))
        self._shape = layout.shape
        part = Part(layout, "float64", True, (True,) * layout.block_count)
        self._client = CkksClient(secret=secret, program=Program("ckks", circuit, [part], []))
        self._client.engine = CiphertextEngine(self.public)

    @staticmethod
    def from_bytes(data: Any, *, secret: Any = None, **options: Any) -> Client:
        """Makes the keys: returns a client for the bytes of Model.client_bytes. Every part is
        checked.

        - secret: the SecretContext of an earlier client of this model, instead of a new one.
        - options: min_security, as Parameters.from_bytes has it.

        Raises RuntimeFailure or InvalidArgument for damaged bytes.
        """
        operation = "learn.Client.from_bytes"
        description, parts = unpacked(operation, "learn.client", data)
        try:
            parameters = _core.CkksParameters.from_bytes(parts[0], **options)
            if secret is not None and secret.parameters != parameters:
                raise InvalidArgument(
                    operation, "a secret key of other parameters", f"{parameters}",
                    "leave secret= out to make a new key",
                )  # fmt: skip
            return Client(secret or _core.CkksSecretContext(parameters), description)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            if isinstance(error, InvalidArgument):
                raise
            raise RuntimeFailure(
                operation, "a description that no model has", "the bytes of Model.client_bytes",
                "pass the bytes unchanged",
            ) from None  # fmt: skip

    def keys(self) -> bytes:
        """Returns the public keys as bytes, for Model.server."""
        return bytes(self.public.to_bytes())

    def encrypt(self, table: Any) -> EncryptedRows:
        """Encrypts the rows of an array or a DataFrame, shape (rows, columns).

        Raises InvalidArgument for other columns, numbers that are not finite, and numbers outside
        of the ranges that the model was compiled for.
        """
        scaled = self.columns.scaled("learn.Client.encrypt", table)
        batch, count = self._shape
        padded = np.vstack([scaled, np.zeros((-len(scaled) % batch, count))])
        batches = [self._client.encrypt(rows) for rows in padded.reshape(-1, batch, count)]
        return EncryptedRows(batches, len(scaled), getattr(table, "index", None))

    def load(self, data: Any) -> EncryptedRows:
        """Returns the scores in the bytes of EncryptedRows.to_bytes. Every part is checked."""
        return EncryptedRows.loaded("learn.Client.load", self._client.engine, data)

    def _scores(self, rows: EncryptedRows) -> NDArray[np.float64]:
        if not isinstance(rows, EncryptedRows):
            raise InvalidArgument("learn.Client", f"a {type(rows).__name__}", "EncryptedRows",
                                  "pass what the server's run returned")  # fmt: skip
        scores = np.concatenate([self._client.decrypt(a) for a in rows.arrays])[: len(rows)]
        if scores.shape[1:] != (len(self.link.columns),):
            raise InvalidArgument(
                "learn.Client", f"rows of shape {scores.shape}",
                f"scores of shape (rows, {len(self.link.columns)})", "pass them through run",
            )  # fmt: skip
        return scores

    def decision_function(self, rows: EncryptedRows, index: Any = None) -> Any:
        """Returns the decrypted scores, in the shape that scikit-learn gives them; the results of
        a regression. For DataFrames: a Series, or a DataFrame with a column for each score.

        - index: labels of the rows, for results that came as bytes.
        """
        found = self.link.decision(self._scores(rows))
        return _framed(*found, rows.index if index is None else index)

    def predict(self, rows: EncryptedRows, index: Any = None) -> Any:
        """Returns the label of each row, or the results of a regression. For DataFrames: a Series,
        or a DataFrame if rows have several results."""
        labels = self.link.predict(self._scores(rows))
        return _framed(labels, self.link.columns, rows.index if index is None else index)

    def predict_proba(self, rows: EncryptedRows, index: Any = None) -> Any:
        """Returns the probability of each class, shape (rows, classes). For DataFrames: a DataFrame
        with a column for each class.

        Raises InvalidArgument for models without probabilities.
        """
        found = self.link.probabilities(self._scores(rows))
        return _framed(*found, rows.index if index is None else index)

    def __repr__(self) -> str:
        return f"<ringlet.learn.Client columns={len(self.columns.names)} {self.public.parameters}>"


def _framed(values: NDArray[Any], columns: list[Any], index: Any) -> Any:
    """Returns the values, or a DataFrame or Series of them if there is an index."""
    if index is None:
        return values
    pandas = importlib.import_module("pandas")
    if values.ndim == 1:
        return pandas.Series(values, index, name="prediction")
    return pandas.DataFrame(values, index=index, columns=columns)


class Server:
    """Computes the scores of encrypted rows, and cannot decrypt them. `Model.server` makes it."""

    def __init__(self, server: arrays.Server) -> None:
        self._server = server

    def run(self, rows: EncryptedRows) -> EncryptedRows:
        """Returns the encrypted scores of rows that the client encrypted.

        Raises InvalidArgument for other arguments.
        """
        if not isinstance(rows, EncryptedRows):
            raise InvalidArgument("learn.Server.run", f"a {type(rows).__name__}", "EncryptedRows",
                                  "pass what the client's encrypt returned")  # fmt: skip
        return EncryptedRows([self._server.run(a) for a in rows.arrays], len(rows), rows.index)

    def load(self, data: Any) -> EncryptedRows:
        """Returns the rows in the bytes of EncryptedRows.to_bytes. Every part is checked."""
        return EncryptedRows.loaded("learn.Server.load", self._server.engine, data)

    def to_bytes(self) -> bytes:
        """Returns weights and public keys as bytes, for from_bytes. They tell the weights."""
        return self._server.to_bytes()

    @staticmethod
    def from_bytes(data: Any, **options: Any) -> Server:
        """Returns the server in these bytes. Every part is checked.

        - options: min_security and max_bytes, as PublicContext.from_bytes has them.
        """
        return Server(arrays.Server.from_bytes(data, **options))

    def __repr__(self) -> str:
        return f"<ringlet.learn.Server {self._server.engine.public.parameters}>"
