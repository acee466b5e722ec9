# SPDX-License-Identifier: Apache-2.0
"""A product of two encrypted matrices: which measurements go together, across two institutions.

A clinic knows age, sex, body mass index and blood pressure of 442 patients, a laboratory six blood
values and the progression of their diabetes. With their columns standardised, the product of the
clinic's matrix, transposed, and the laboratory's holds all 4 x 7 correlations. Both matrices are
encrypted. Eight patients make one pair of 8 x 8 matrices; 64 such pairs lie interleaved in one
pair of ciphertexts, are multiplied at once, and their products summed.

    python examples/applications/matrix_product.py [--device gpu:0]
"""

from __future__ import annotations

import numpy as np
from common import Report, bits, checked, options, read_csv, start
from numpy.typing import NDArray

import ringlet
from ringlet import ckks

Array = NDArray[np.float64]
SIZE = 8  # of the matrices
PAIRS = 64
CLINIC = ("age", "sex", "bmi", "bp")
LABORATORY = ("s1", "s2", "s3", "s4", "s5", "s6", "progression")
LARGEST = 5.0  # no standardised value is larger


def circuit_of_product() -> ringlet.Circuit:
    """Entry (i, j) of pair k is slot (i SIZE + j) PAIRS + k; the sum over k is where k = 0.

    Where it is not, there are sums of some patients, which are nobody's business: the mask of zeros
    and ones takes them away before anybody decrypts.
    """
    circuit = ringlet.Circuit(SIZE * SIZE * PAIRS)
    a, b = circuit.input(LARGEST), circuit.input(LARGEST)
    sums = a.matrix_product(b, SIZE, method="fewer_levels").sum_slots(PAIRS)
    # Cauchy and Schwarz: with standardised columns no sum exceeds the number of patients, and the
    # removed values consist of two such sums.
    circuit.bound(sums, 2 * PAIRS * SIZE)
    product = sums * (np.arange(SIZE * SIZE * PAIRS) % PAIRS == 0).astype(np.float64)
    circuit.bound(product, PAIRS * SIZE)
    circuit.output(product)
    return circuit


def standardised(column: Array) -> Array:
    scaled: Array = (column - column.mean()) / column.std()
    return scaled


def in_pairs(columns: Array) -> Array:
    """Standardised columns as (pair, patient of the pair, column), filled up with zeros."""
    scaled = checked(np.apply_along_axis(standardised, 0, columns), LARGEST)
    padded = np.zeros((PAIRS * SIZE, SIZE))
    padded[: len(columns), : columns.shape[1]] = scaled
    return padded.reshape(PAIRS, SIZE, SIZE)


class Institution:
    """Has columns and the public key of the researcher."""

    def __init__(self, key: bytes, columns: Array) -> None:
        self.public = ckks.PublicContext.from_bytes(key)
        self.pairs = in_pairs(columns)

    def encrypt(self, order: tuple[int, int, int]) -> bytes:
        """Matrices whose rows and columns are the axes order[0] and order[1] of the pairs."""
        slots = self.pairs.transpose(order).ravel()
        return self.public.encrypt(slots, circuit=circuit_of_product()).to_bytes()


class Researcher:
    """Holds the secret key. It is shown the product alone: the server must not hand on what the
    institutions sent, which the key opens, too."""

    def __init__(self) -> None:
        circuit = circuit_of_product()
        # Sums are within 2^-5: divided by the number of patients, correlations are within 1e-4.
        found = ringlet.suggest_parameters(circuit=circuit, precision=5)
        self.secret = ckks.SecretContext(found.parameters)
        self.key = self.secret.public(rotations=[], relinearization=False).to_bytes()
        self.keys = self.secret.public(circuit=circuit).to_bytes()

    def decrypt(self, answer: bytes) -> Array:
        slots = self.secret.decrypt(self.secret.load_ciphertext(answer))
        entries = slots[: SIZE * SIZE * PAIRS : PAIRS]
        return entries.reshape(SIZE, SIZE)[: len(CLINIC), : len(LABORATORY)]


def serve(keys: bytes, a: bytes, b: bytes, device: str) -> bytes:
    """The server: two ciphertexts in, one out."""
    public = ckks.PublicContext.from_bytes(keys).on(device)
    runner = public.runner(circuit_of_product())
    product: bytes = runner(public.load_ciphertext(a), public.load_ciphertext(b)).to_bytes()
    return product


def main() -> int:
    chosen = options(__doc__).parse_args()
    report = Report("matrix_product", chosen)
    table = read_csv(chosen.data / "diabetes.csv", most_rows=PAIRS * SIZE)
    clinic, laboratory = table.columns(CLINIC), table.columns(LABORATORY)
    with report.phase("researcher: parameters and keys"):
        researcher = Researcher()
    with report.phase("institutions: encrypt"):
        a = Institution(researcher.key, clinic).encrypt((2, 1, 0))
        b = Institution(researcher.key, laboratory).encrypt((1, 2, 0))
    with report.phase("server: computes"):
        answer = serve(researcher.keys, a, b, chosen.device)
    with report.phase("researcher: decrypts"):
        correlations = researcher.decrypt(answer) / len(clinic)

    clear = np.corrcoef(clinic.T, laboratory.T)[: len(CLINIC), len(CLINIC) :]
    error = float(np.abs(correlations - clear).max())
    report.show("parameters", repr(researcher.secret.parameters))
    report.sent("to each institution: public key", researcher.key)
    report.sent("to the server: keys", researcher.keys)
    report.sent("to the server: matrices", a, b)
    report.sent("to the researcher", answer)
    for name, row, expected in zip(CLINIC, correlations, clear, strict=True):
        found, wanted = (" ".join(f"{value:+.3f}" for value in line) for line in (row, expected))
        report.show(f"correlations of {name}", f"{found}, in the clear {wanted}")
    report.show("largest error", error)
    report.show("precision in bits", bits(error))
    report.check("all correlations within 1e-4 of those in the clear", error < 1e-4)
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(start(main))
