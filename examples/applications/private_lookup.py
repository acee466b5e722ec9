# SPDX-License-Identifier: Apache-2.0
"""A private lookup: one of 178 wines, without telling which.

A server has a table of wines with 13 measured values each. A client asks for one by its number and
is told its values, or that there is no such wine; the server learns nothing of the number. The
question is a single ciphertext with a 1 in the slot of the wanted record and 0 elsewhere; the
server multiplies by the table and sums. Values are integers, in thousandths, and BFV is exact.

The slots: two rows of 8 columns of 256 records. Column 0 holds 1 for every record that is there.

    python examples/applications/private_lookup.py [--device gpu:0] [NUMBER ...]
"""

from __future__ import annotations

import numpy as np
from common import Report, options, read_csv, start
from numpy.typing import NDArray

import ringlet
from ringlet import bfv

Integers = NDArray[np.int64]
VALUES = 13  # of a record
RECORDS, COLUMNS = 256, 16  # powers of two: places for records, and for 1 + VALUES columns
ROW = RECORDS * COLUMNS // 2
THOUSANDTHS = 1000


class Server:
    """Has the table; says which parameters and rotations it takes."""

    def __init__(self, table: Integers, device: str) -> None:
        self.device = device
        slots = np.zeros((COLUMNS, RECORDS), dtype=np.int64)
        slots[0, : len(table)] = 1
        slots[1 : 1 + table.shape[1], : len(table)] = table.T
        self.circuit = ringlet.Circuit(ROW)
        chosen = self.circuit.input() * slots.reshape(2, ROW)
        self.circuit.output(chosen.sum_slots(RECORDS))
        # t must exceed twice the largest value: decrypted numbers are signed.
        plain_bits = int(np.abs(table).max()).bit_length() + 2
        found = ringlet.suggest_parameters("bfv", circuit=self.circuit, plain_bits=plain_bits)
        self.parameters = found.parameters.to_bytes()
        self.rotations = self.circuit.rotations

    def connect(self, keys: bytes) -> None:
        """A client's keys: the table is encoded once, for all its questions."""
        self.public = bfv.PublicContext.from_bytes(keys).on(self.device)
        self.runner = self.public.runner(self.circuit)

    def answer(self, question: bytes) -> bytes:
        data: bytes = self.runner(self.public.load_ciphertext(question)).to_bytes()
        return data


class Client:
    """Holds the secret key."""

    def __init__(self, parameters: bytes, rotations: list[int]) -> None:
        self.secret = bfv.SecretContext(bfv.Parameters.from_bytes(parameters))
        self.keys = self.secret.public(rotations=rotations, relinearization=False).to_bytes()

    def ask(self, number: int) -> bytes:
        """The question, which is as long for every number and looks random."""
        one = np.arange(RECORDS) == number
        times = self.secret.slot_count // RECORDS
        return self.secret.encrypt(np.tile(one, times).astype(np.int64)).to_bytes()

    def read(self, answer: bytes) -> tuple[Integers | None, int]:
        """The record, None if there is no such number, and the noise budget that is left."""
        result = self.secret.load_ciphertext(answer)
        rows = self.secret.decrypt(result).reshape(2, -1)[:, :ROW]
        values = rows.ravel()[::RECORDS]
        return (values[1:] if values[0] else None), self.secret.noise_budget(result)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("numbers", type=int, nargs="*", help="records that are asked for, from 0")
    chosen = parser.parse_args()
    if not all(0 <= number < RECORDS for number in chosen.numbers):
        parser.error(f"numbers are from 0 to {RECORDS - 1}")
    report = Report("private_lookup", chosen)
    # At least one slot stays free, for a number that does not exist; the cultivar is left out.
    wines = read_csv(chosen.data / "wine.csv", most_rows=RECORDS - 1, columns=VALUES + 1)
    table = np.rint(wines.rows[:, :VALUES] * THOUSANDTHS).astype(np.int64)
    # The first one, one in between, the last one, and one that does not exist.
    numbers = dict.fromkeys(chosen.numbers or [0, 100, len(table) - 1, len(table)])

    with report.phase("server: parameters"):
        server = Server(table, chosen.device)
    with report.phase("client: keys"):
        client = Client(server.parameters, server.rotations)
    with report.phase("server: reads keys, encodes the table"):
        server.connect(client.keys)
    report.show("parameters", repr(client.secret.parameters))
    report.show("table", f"{len(table)} records of {table.shape[1]} values")
    report.sent("to the server: keys, once", client.keys)
    for number in numbers:
        with report.phase(f"client: asks for {number}"):
            question = client.ask(number)
        with report.phase(f"server: answers {number}"):
            answer = server.answer(question)
        with report.phase(f"client: reads {number}"):
            record, budget = client.read(answer)
        report.sent(f"to the server: question {number}", question)
        report.sent(f"to the client: answer {number}", answer)
        report.show(f"answer {number}, noise budget left in bits", budget)
        if number >= len(table):
            report.check(f"record {number} is not there", record is None)
            continue
        is_right = record is not None and np.array_equal(record[:VALUES], table[number])
        if record is not None:
            values = zip(wines.names[:3], record / THOUSANDTHS, strict=False)
            report.show(f"record {number}", ", ".join(f"{n} {v:g}" for n, v in values))
        report.check(f"record {number} is that of the table", is_right)
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(start(main))
