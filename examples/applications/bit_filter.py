# SPDX-License-Identifier: Apache-2.0
"""A bit-vector filter: which patients may join a study, without telling what the study asks for.

A hospital has records of 442 patients, bit by bit: one plaintext holds one bit of all of them. The
organiser of a study asks for a sex, a least age and a least body mass index. Every bit of the
question arrives encrypted, in all slots of a ciphertext of its own; the answer is one encrypted bit
for every patient. Comparisons of numbers are circuits of AND, OR and NOT.

On the processor the ring is Z[X]/Phi_8191 modulo 2: 630 slots of bits, products are AND. Devices
have rings X^N + 1 alone; there the bits are 0 and 1 among the integers modulo 65537. All formulas
hold in both: NOT is 1 - x, and OR is a sum of which one term at most is 1.

    python examples/applications/bit_filter.py [--device gpu:0]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from common import Report, options, read_csv, start

from ringlet import bfv

# Bits of each field.
WIDTHS = {"sex": 1, "age": 7, "bmi": 6}
Bits = npt.NDArray[np.int64]
Table = dict[str, Bits]
SLOTS = 630  # of the smaller of the two rings


@dataclass(frozen=True)
class Question:
    """A sex, the least age in years, the least body mass index in kg/m^2."""

    sex: int
    age: int
    bmi: int

    def __str__(self) -> str:
        return f"sex {self.sex}, age from {self.age}, index from {self.bmi}"


def load_table(folder: Path) -> Table:
    """Whole numbers of each field, for all patients."""
    table = read_csv(folder / "diabetes.csv", most_rows=SLOTS)
    columns = dict(zip(WIDTHS, table.columns(WIDTHS).T.astype(np.int64), strict=True))
    return {**columns, "sex": columns["sex"] - 1}  # 1 and 2 in the file


def matches(table: Table, question: Question) -> npt.NDArray[np.bool_]:
    """The answer in the clear."""
    found: npt.NDArray[np.bool_] = (
        (table["sex"] == question.sex)
        & (table["age"] >= question.age)
        & (table["bmi"] >= question.bmi)
    )
    return found


def parameters(device: str) -> bfv.Parameters:
    """128 bits of security; degrees whose moduli leave room for products of products of bits."""
    if device == "cpu":
        return bfv.Parameters(ring=8191)  # modulo Phi_8191, messages modulo 2
    return bfv.Parameters(16384, plain_modulus=65537)


class Client:
    """Holds the secret key."""

    def __init__(self, chosen: bfv.Parameters) -> None:
        self.secret = bfv.SecretContext(chosen)
        self.keys = self.secret.public(rotations=[]).to_bytes()

    def ask(self, question: Question) -> dict[str, list[bytes]]:
        """Every bit of the question, lowest first."""
        return {
            name: [
                self.secret.encrypt(getattr(question, name) >> i & 1).to_bytes()
                for i in range(width)
            ]
            for name, width in WIDTHS.items()
        }

    def read(self, answer: bytes) -> Bits:
        return self.secret.decrypt(self.secret.load_ciphertext(answer))

    def noise_budget(self, answer: bytes) -> int:
        return self.secret.noise_budget(self.secret.load_ciphertext(answer))


@dataclass(frozen=True)
class Digit:
    """How a digit of the record compares with that of the question: never both."""

    greater: bfv.Ciphertext
    same: bfv.Ciphertext


class Server:
    """Has the table, and keys that only compute."""

    def __init__(self, keys: bytes, table: Table, device: str) -> None:
        self.public = bfv.PublicContext.from_bytes(keys).on(device)
        self.table = table

    def answer(self, question: dict[str, list[bytes]]) -> bytes:
        """One bit for each patient; 0 in the slots behind them."""
        sex, age, bmi = (self._digits(name, question[name]) for name in WIDTHS)
        result = at_least(age) * (at_least(bmi) * sex[0].same)
        return (result * np.ones(len(self.table["sex"]), dtype=np.int64)).to_bytes()

    def _digits(self, name: str, question: list[bytes]) -> list[Digit]:
        """Each bit of a field, of all patients at once, beside that of the question."""
        digits = []
        for i, data in enumerate(question):
            theirs = self.public.bind(self.public.load_ciphertext(data))
            ours = np.zeros(self.public.slot_count, dtype=np.int64)
            ours[: len(self.table[name])] = self.table[name] >> i & 1
            greater = (1 - theirs) * ours
            digits.append(Digit(greater, theirs * ours + (1 - theirs) * (1 - ours)))
        return digits


def at_least(digits: list[Digit]) -> bfv.Ciphertext:
    """1 where the record's number, lowest digit first, is not below the question's: of two
    neighbours the higher decides unless it is equal."""
    lowest = digits[0]
    digits = [Digit(lowest.greater + lowest.same, lowest.same), *digits[1:]]
    while len(digits) > 1:
        joined = [
            Digit(high.greater + high.same * low.greater, high.same * low.same)
            for low, high in zip(digits[::2], digits[1::2], strict=False)
        ]
        digits = joined + digits[2 * len(joined) :]
    return digits[0].greater


def main() -> int:
    chosen = options(__doc__).parse_args()
    report = Report("bit_filter", chosen)
    table = load_table(chosen.data)
    count = len(table["sex"])
    with report.phase("client: keys"):
        client = Client(parameters(chosen.device))
    with report.phase("server: reads keys"):
        server = Server(client.keys, table, chosen.device)
    report.show("parameters", repr(client.secret.parameters))
    report.sent("to the server: keys, once", client.keys)
    for question in (Question(0, 50, 30), Question(1, 19, 43)):
        with report.phase(f"client: asks for {question}"):
            request = client.ask(question)
        with report.phase(f"server: answers {question}"):
            answer = server.answer(request)
        with report.phase(f"client: reads the answer to {question}"):
            found = client.read(answer)
        expected = matches(table, question)
        bits = [bit for field in request.values() for bit in field]
        report.sent(f"to the server: {question}", *bits)
        report.sent(f"to the client: answer to {question}", answer)
        report.show(f"{question}, noise budget left in bits", client.noise_budget(answer))
        numbers = f"{found.sum()} of {count} patients, in the clear {expected.sum()}"
        report.show(f"{question}", numbers)
        is_right = np.array_equal(found[:count], expected) and not found[count:].any()
        report.check(f"{question}, patient by patient", is_right)
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(start(main))
