# SPDX-License-Identifier: Apache-2.0
"""A table that is searched without seeing what is looked for.

The server has a table of customers, column by column: one plaintext holds one bit of all records,
630 records in the slots modulo Phi_8191. The client's question, a region, an age group from which
on and flags that are wanted, arrives bit by bit encrypted; the answer is one encrypted bit per
record. Products of bits are AND, sums are XOR, 1 + x is NOT.

    python examples/bit_filter.py            # prints what was found, and whether it is right
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ringlet import bfv

RECORDS = 600
WIDTHS = {"region": 3, "age_group": 4, "flags": 3}
Bits = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Question:
    """A region, the least age group, and flags that must be set; others do not matter."""

    region: int
    age_group: int
    flags: int


def make_table(seed: int) -> dict[str, Bits]:
    """Generated customers: some regions, and middle ages, more frequent than others."""
    rng = np.random.default_rng(seed)
    popular = rng.integers(0, 3, RECORDS)
    anywhere = rng.integers(0, 8, RECORDS)
    chances = np.array([0.7, 0.4, 0.2])
    return {
        "region": np.where(rng.random(RECORDS) < 0.5, popular, anywhere),
        "age_group": rng.integers(0, 8, RECORDS) + rng.integers(0, 9, RECORDS),
        "flags": ((rng.random((RECORDS, 3)) < chances) << np.arange(3)).sum(axis=1),
    }


def matches(table: dict[str, Bits], question: Question) -> npt.NDArray[np.bool_]:
    """The answer in the clear."""
    return (
        (table["region"] == question.region)
        & (table["age_group"] >= question.age_group)
        & (table["flags"] & question.flags == question.flags)
    )


def bits_of(number: int, width: int) -> list[int]:
    return [number >> i & 1 for i in range(width)]


class Client:
    """Holds the secret key."""

    def __init__(self) -> None:
        self.secret = bfv.SecretContext(bfv.Parameters(ring=8191))

    def ask(self, question: Question) -> dict[str, list[bytes]]:
        """Every bit of the question, in all slots of a ciphertext of its own."""
        return {
            name: [
                self.secret.encrypt(bit).to_bytes() for bit in bits_of(getattr(question, name), w)
            ]
            for name, w in WIDTHS.items()
        }

    def read(self, answer: bytes) -> Bits:
        return self.secret.decrypt(self.secret.load_ciphertext(answer))


class Server:
    """Has the table, and keys that only compute."""

    def __init__(self, public: bytes, table: dict[str, Bits]) -> None:
        self.public = bfv.PublicContext.from_bytes(public)
        self.table = table

    def answer(self, question: dict[str, list[bytes]]) -> bytes:
        theirs = {name: [self._load(data) for data in bits] for name, bits in question.items()}
        regions = zip(theirs["region"], self._columns("region"), strict=True)
        terms = [1 + (t + o) for t, o in regions]
        # Missing: wanted and not there.
        terms += [
            1 + t * (1 - o) for t, o in zip(theirs["flags"], self._columns("flags"), strict=True)
        ]
        terms.append(self._at_least(self._columns("age_group"), theirs["age_group"]))
        while len(terms) > 1:
            pairs = [a * b for a, b in zip(terms[::2], terms[1::2], strict=False)]
            terms = pairs + terms[2 * len(pairs) :]
        # Slots behind the records hold nothing.
        return (terms[0] * np.ones(RECORDS, dtype=np.int64)).to_bytes()

    def _load(self, data: bytes) -> bfv.Ciphertext:
        return self.public.bind(self.public.load_ciphertext(data))

    def _columns(self, name: str) -> list[Bits]:
        """Each bit of a field, for all records; 0 in the slots behind them."""
        columns = np.zeros((WIDTHS[name], self.public.slot_count), dtype=np.int64)
        for i, column in enumerate(columns):
            column[:RECORDS] = self.table[name] >> i & 1
        return list(columns)

    @staticmethod
    def _at_least(ours: list[Bits], theirs: list[bfv.Ciphertext]) -> bfv.Ciphertext:
        """1 where our number is at least theirs; of two digits the higher decides unless equal."""
        digits = []
        for i, (o, t) in enumerate(zip(ours, theirs, strict=True)):
            greater, same = (1 + t) * o, 1 + (t + o)
            digits.append((greater + same if i == 0 else greater, same))
        while len(digits) > 1:
            digits = [
                (high[0] + high[1] * low[0], high[1] * low[1])
                for low, high in zip(digits[::2], digits[1::2], strict=True)
            ]
        return digits[0][0]


def main() -> int:
    client = Client()
    table = make_table(20260101)
    server = Server(client.secret.public(rotations=[]).to_bytes(), table)
    wrong = 0
    for question in (Question(1, 6, 1), Question(0, 9, 0), Question(5, 3, 5)):
        found = client.read(server.answer(client.ask(question)))
        expected = matches(table, question)
        is_right = bool(np.array_equal(found[:RECORDS], expected)) and not found[RECORDS:].any()
        wrong += not is_right
        verdict = "the same as in the clear" if is_right else "NOT the same as in the clear"
        print(f"{question}: {found.sum()} of {RECORDS} records, {verdict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
