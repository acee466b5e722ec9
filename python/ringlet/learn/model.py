# SPDX-License-Identifier: Apache-2.0
"""Compiles fitted models of scikit-learn for encrypted rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, arrays
from ..arrays.compiler import CompiledProgram, Spec
from ..arrays.compiler import compile as compile_function
from ..arrays.container import packed
from ..arrays.engine import CiphertextEngine
from ..arrays.layout import power_of_two
from .client import Client, Server
from .estimators import Affine, Function, Steps, read, refuse
from .network import Network
from .table import Columns, names_of, numbers_of

if TYPE_CHECKING:
    from .link import Link

_SLOTS = 4096  # Those that a batch fills, by default.


class Model:
    """A fitted model, compiled for encrypted rows. `compile` makes it; it holds the weights.

    - network: layers, intervals and errors of approximation.
    - program: the layers as ringlet.compile traces them; its `found` has parameters and sizes.
    - columns: names and ranges of the columns.
    """

    def __init__(
        self, network: Network, program: CompiledProgram, columns: Columns, link: Link
    ) -> None:
        self.network = network
        self.program = program
        self.columns = columns
        self.link = link

    @property
    def batch(self) -> int:
        """Number of rows that are computed at once."""
        return self.program.inputs[0].layout.shape[0]

    @property
    def approximation_error(self) -> float:
        """Bound of the error of a score because polynomials replace functions."""
        return float(self.network.error.max())

    @property
    def noise_bound(self) -> float:
        """Bound of the error of a score by encryption, except with probability 2^-40."""
        return float(2.0**-self.program.found.precision_bits)

    @property
    def error_bound(self) -> float:
        """Bound of |score - the model's score|, for each score of rows within the ranges; it fails
        with probability 2^-40."""
        return self.approximation_error + self.noise_bound

    @property
    def probability_error_bound(self) -> float:
        """Bound of the error of a probability, for models that have them."""
        return min(1.0, self.link.slope * self.error_bound)

    def client_bytes(self) -> bytes:
        """Returns what a client needs, for Client.from_bytes: columns, ranges, classes, parameters
        and rotations; no weights."""
        found, circuit = self.program.found, self.program.circuit
        description = {
            "kind": "learn.client",
            "layout": self.program.inputs[0].layout.description(),
            "row_length": circuit.row_length,
            "rotations": list(circuit.rotations),
            "has_products": found.counts.relinearizations > 0,
            "columns": self.columns.description(),
            "link": self.link.description(),
            "error_bound": self.error_bound,
        }
        return packed(description, [found.parameters.to_bytes()])

    def client(self) -> Client:
        """Makes the keys: returns a client with a secret key and without weights."""
        return Client.from_bytes(self.client_bytes(), min_security="none")

    def server(self, keys: Any) -> Server:
        """Returns the server for the keys of a client.

        - keys: `client.public`, or the bytes of `client.keys()`.
        """
        if not isinstance(keys, _core.CkksPublicContext):
            keys = _core.CkksPublicContext.from_bytes(keys, min_security="none")
        if keys.parameters != self.program.found.parameters:
            refuse("keys of other parameters", f"{self.program.found.parameters}",
                   "pass the keys of this model's client")  # fmt: skip
        return Server(arrays.Server(CiphertextEngine(keys), self.program))

    def __repr__(self) -> str:
        return (
            f"<ringlet.learn.Model columns={len(self.columns.names)} batch={self.batch} "
            f"error_bound={self.error_bound:.2g} {self.program.found.parameters}>"
        )


def compile(
    model: Any,
    example: Any = None,
    *,
    range: Any = None,
    margin: float = 0.1,
    batch: int | None = None,
    precision: float | None = None,
    degree: int = 63,
    intervals: str = "range",
    probabilities: str = "client",
    **options: Any,
) -> Model:
    """Compiles a fitted estimator or pipeline of scikit-learn for encrypted rows.

        model = ringlet.learn.compile(pipeline, training_table)
        client = model.client()
        server = model.server(client.public)
        client.predict(server.run(client.encrypt(table)))

    - model: LogisticRegression, LinearSVC, RidgeClassifier, LinearRegression, Ridge, Lasso,
      ElasticNet, LinearSVR; SVC, NuSVC, SVR and NuSVR with linear or polynomial kernel;
      MLPClassifier, MLPRegressor; or a Pipeline of StandardScaler, MinMaxScaler, MaxAbsScaler or
      RobustScaler and one of these. Scalers become part of the first layer.
    - example: a table, such as the training table, whose columns' ranges, widened by `margin` times
      their lengths on both sides, rows have to keep.
    - range: instead, (low, high), numbers or arrays with one for each column; or a dict by column.
    - batch: rows that are computed at once; by default as many as fill one ciphertext.
    - precision: noise changes scores by at most 2^-precision. The default is 15, or less where the
      bound of the approximation is more than 8 times as large.
    - degree: of polynomials that replace relu, tanh and logistic, 1 to 255.
    - intervals: of these polynomials: "range", for every row within the ranges; "example", for
      those that the example takes, widened by a tenth: closer, but error_bound then holds only for
      rows whose hidden values stay in these intervals, which nobody checks.
    - probabilities: "client" or "server", which computes the sigmoid by a polynomial.
    - options: those of suggest_parameters, such as security.

    Raises InvalidArgument for models that are not supported or not fitted, and other options.
    """
    _check(degree, batch, intervals, probabilities)
    if intervals == "example" and example is None:
        refuse("intervals='example' without an example", "a table", "pass the training table")
    steps, link = _read(model, probabilities == "server")
    first = steps[0]
    assert isinstance(first, Affine)  # Every reader begins with one.
    count = first.weights.shape[1]
    names = names_of(model, example, count)
    rows = None if example is None else numbers_of("learn.compile", example, names)
    columns = Columns.of(names, rows, range, margin)
    ranges = (columns.low, columns.high)
    network = Network(steps, ranges, degree, rows if intervals == "example" else None)
    if (network.low == network.high).any():
        refuse("a score that is the same for every row", "models with weights other than 0",
               "leave this class or target out, and use its score in the clear")  # fmt: skip
    if precision is None:
        precision = min(15.0, max(1.0, 3 - math.log2(network.error.max())))
    batch = batch or max(1, _SLOTS // max(map(power_of_two, network.widths)))
    spec = Spec((int(batch), count))
    program = compile_function(network, spec, precision=precision, **options)
    return Model(network, program, columns, link)


def _read(model: Any, has_sigmoid: bool) -> tuple[Steps, Link]:
    steps, link = read(model)
    if not has_sigmoid:
        return steps, link
    if not link.has_probabilities or link.kind == "classes":
        refuse("probabilities='server' for this model", "models with a sigmoid",
               "use probabilities='client': the client computes softmax")  # fmt: skip
    return [*steps, Function("logistic")], replace(link, is_probability=True)


def _check(degree: Any, batch: Any, intervals: str, probabilities: str) -> None:
    if not isinstance(degree, (int, np.integer)) or not 1 <= degree <= 255:
        refuse(f"degree = {degree!r}", "1 to 255", "pass such a degree; 63 is usual")
    is_whole = isinstance(batch, (int, np.integer))
    if batch is not None and not (is_whole and 1 <= batch <= 1 << 16):
        refuse(f"batch = {batch!r}", "1 to 65536 rows", "leave it out, or pass such a number")
    for name, given, allowed in (
        ("intervals", intervals, ("range", "example")),
        ("probabilities", probabilities, ("client", "server")),
    ):
        if given not in allowed:
            refuse(f"{name} = {given!r}", " or ".join(allowed), "pass one of these")
