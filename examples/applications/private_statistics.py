# SPDX-License-Identifier: Apache-2.0
"""Statistics of two columns that two parties hold: means, variances and their correlation.

A clinic knows the body mass index of 442 patients, a laboratory the progression of their diabetes a
year later. Neither shows its column to anybody. Both encrypt under the public key of an analyst; a
server computes five encrypted sums, and the analyst decrypts those and nothing else. Once with
CKKS, real numbers and results that are flooded with noise, as others will see them; once with BFV
and integers (the index in tenths), exactly. The circuit is the same.

The parties trust the server not to hand on their columns: the analyst's secret key opens them, too.

    python examples/applications/private_statistics.py [--device gpu:0]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from common import Report, bits, checked, options, read_csv, start
from numpy.typing import NDArray

import ringlet
from ringlet import bfv, ckks

Array = NDArray[np.float64]
ROW = 512  # slots, a power of two; those behind the patients hold 0
# Public bounds of the columns' values.
LARGEST = (50.0, 400.0)
TENTHS, WHOLE = 10, 1
PRECISION = 13  # bits behind the point, of sums of CKKS


def circuit_of_sums() -> ringlet.Circuit:
    """Sums of x, y, x^2, y^2 and x y, each in all slots."""
    circuit = ringlet.Circuit(ROW)
    x, y = circuit.input(1), circuit.input(1)
    for terms in (x, y, x * x, y * y, x * y):
        circuit.output(terms.sum_slots(ROW))
    return circuit


@dataclass(frozen=True)
class Statistics:
    """Of a population: divided by the number of patients."""

    means: tuple[float, float]
    variances: tuple[float, float]
    correlation: float

    @classmethod
    def from_sums(cls, sums: Array, count: int, units: tuple[float, float]) -> Statistics:
        """Sums of numbers that are `units` times as large as the values."""
        x, y, xx, yy, xy = (float(value) / count for value in sums)
        variances = (xx - x * x, yy - y * y)
        # Wrong sums may give negative variances; then there is no correlation.
        deviations = math.sqrt(max(0.0, variances[0] * variances[1]))
        return cls(
            (x / units[0], y / units[1]),
            (variances[0] / units[0] ** 2, variances[1] / units[1] ** 2),
            (xy - x * y) / deviations if deviations > 0 else math.nan,
        )

    @classmethod
    def of(cls, x: Array, y: Array) -> Statistics:
        """In the clear."""
        return cls(
            (float(x.mean()), float(y.mean())),
            (float(x.var()), float(y.var())),
            float(np.corrcoef(x, y)[0, 1]),
        )

    def numbers(self) -> Array:
        return np.array([*self.means, *self.variances, self.correlation])


# The parties and the server, the same for both schemes ------------------------------------------

Public = type[ckks.PublicContext] | type[bfv.PublicContext]


def encrypt_column(kind: Public, key: bytes, column: NDArray[Any]) -> bytes:
    """What a party does: it has a public key, and its column."""
    public = kind.from_bytes(key)
    return public.encrypt(column, circuit=circuit_of_sums()).to_bytes()


def serve(kind: Public, keys: bytes, columns: list[bytes], device: str) -> list[bytes]:
    """What the server does: five encrypted sums of two encrypted columns."""
    public = kind.from_bytes(keys).on(device)
    runner = public.runner(circuit_of_sums())
    return [value.to_bytes() for value in runner(*(public.load_ciphertext(c) for c in columns))]


# The analyst, who has the secret key ------------------------------------------------------------


class RealAnalyst:
    """CKKS: values are divided by the largest ones."""

    kind = ckks.PublicContext
    units = (1 / LARGEST[0], 1 / LARGEST[1])

    def __init__(self) -> None:
        circuit = circuit_of_sums()
        # The noise of a result depends on the secret key. Somebody who has the ciphertext and sees
        # the result could compute the key, so every result is first flooded with larger noise.
        policy = ringlet.SharingPolicy(circuit.output_count)
        found = ringlet.suggest_parameters(circuit=circuit, precision=PRECISION, sharing=policy)
        self.noise_bits = found.noise_bits
        self.secret = ckks.SecretContext(found.parameters)
        self.sharing = self.secret.sharing_decryptor(policy)
        self.key = self.secret.public(rotations=[], relinearization=False).to_bytes()
        self.keys = self.secret.public(circuit=circuit).to_bytes()

    def decrypt(self, sums: list[bytes]) -> tuple[Array, str]:
        """The sums, and what is left of their precision."""
        shared = [
            self.sharing.decrypt(
                self.secret.load_ciphertext(value), noise_bits=self.noise_bits, magnitude=ROW
            )
            for value in sums
        ]
        least = min(result.precision_bits for result in shared)
        what_is_left = f"precision of {least:.1f} bits, by the bound of the noise"
        return np.array([s.values[0] for s in shared]), what_is_left


class ExactAnalyst:
    """BFV: integers, the index in tenths."""

    kind = bfv.PublicContext
    units = (TENTHS, WHOLE)

    def __init__(self) -> None:
        circuit = circuit_of_sums()
        largest = max(limit * unit for limit, unit in zip(LARGEST, self.units, strict=True))
        plain_bits = int(ROW * largest**2).bit_length() + 1  # t exceeds every sum
        found = ringlet.suggest_parameters("bfv", circuit=circuit, plain_bits=plain_bits)
        self.secret = bfv.SecretContext(found.parameters)
        self.key = self.secret.public(rotations=[], relinearization=False).to_bytes()
        self.keys = self.secret.public(circuit=circuit).to_bytes()

    def decrypt(self, sums: list[bytes]) -> tuple[Array, str]:
        """The sums, and what is left of the noise budget."""
        loaded = [self.secret.load_ciphertext(value) for value in sums]
        budget = min(self.secret.noise_budget(value) for value in loaded)
        values = [self.secret.decrypt(value, signed=False)[0] for value in loaded]
        return np.array(values, dtype=np.float64), f"noise budget of {budget} bits is left"


def run(
    report: Report,
    name: str,
    analyst: RealAnalyst | ExactAnalyst,
    columns: tuple[Array, Array],
    device: str,
) -> Array:
    """The whole protocol; the sums that the analyst has in the end."""
    with report.phase(f"{name}, parties: encrypt"):
        x, y = (column * unit for column, unit in zip(columns, analyst.units, strict=True))
        if isinstance(analyst, ExactAnalyst):
            x, y = np.rint(x).astype(np.int64), np.rint(y).astype(np.int64)
        messages = [encrypt_column(analyst.kind, analyst.key, column) for column in (x, y)]
    with report.phase(f"{name}, server: computes"):
        answers = serve(analyst.kind, analyst.keys, messages, device)
    with report.phase(f"{name}, analyst: decrypts"):
        sums, what_is_left = analyst.decrypt(answers)
    report.show(f"{name}, parameters", repr(analyst.secret.parameters))
    report.sent(f"{name}, to each party: public key", analyst.key)
    report.sent(f"{name}, to the server: keys", analyst.keys)
    report.sent(f"{name}, to the server: columns", *messages)
    report.sent(f"{name}, to the analyst: sums", *answers)
    report.show(f"{name}, what is left", what_is_left)
    expected = np.array([x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()])
    error = float(np.abs(sums - expected).max())
    if isinstance(analyst, ExactAnalyst):
        report.check("sums of BFV are exact", error == 0)
    else:
        report.show("precision of the sums of CKKS in bits", bits(error))
        report.check(f"sums of CKKS within 2^-{PRECISION}", error < 2**-PRECISION)
    return sums


def main() -> int:
    chosen = options(__doc__).parse_args()
    report = Report("private_statistics", chosen)
    patients = read_csv(chosen.data / "diabetes.csv", most_rows=ROW)
    index, progression = patients.columns(["bmi", "progression"]).T
    columns = checked(index, LARGEST[0]), checked(progression, LARGEST[1])
    clear = Statistics.of(*columns)
    for name, kind, tolerance in (("CKKS", RealAnalyst, 1e-4), ("BFV", ExactAnalyst, 1e-12)):
        with report.phase(f"{name}, analyst: parameters and keys"):
            analyst = kind()
        sums = run(report, name, analyst, columns, chosen.device)
        found = Statistics.from_sums(sums, len(index), analyst.units)
        report.show(f"{name}, means", "{:.4f} and {:.4f}".format(*found.means))
        report.show(f"{name}, variances", "{:.3f} and {:.2f}".format(*found.variances))
        report.show(f"{name}, correlation", found.correlation)
        error = float(np.abs(found.numbers() / clear.numbers() - 1).max())
        report.show(f"{name}, largest relative error", error)
        report.check(f"{name}: within {tolerance:g} of the clear", error < tolerance)
    report.show("in the clear, correlation", clear.correlation)
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(start(main))
