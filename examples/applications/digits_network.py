# SPDX-License-Identifier: Apache-2.0
"""A small neural network on encrypted digits, 64 inputs, 24 hidden units with x^2, 10 outputs.

Images of 8 x 8 pixels, as CryptoNets batches them: a ciphertext for each pixel, a slot for each
image. The server has the network, in integers, and returns ten encrypted scores for every image;
BFV is exact, so they are those of the network in the clear, to the last bit. It sees no image, and
its time does not depend on how many there are, up to the number of slots.

    python examples/applications/digits_network.py [--device gpu:0]
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from common import Report, options, read_csv, start
from numpy.typing import NDArray

import ringlet
from ringlet import bfv

Integers = NDArray[np.int64]
PIXELS = 64
TRAINING_IMAGES = 1200  # the network has seen these


class Network:
    """Scores W2 (W1 x + b1)^2 + b2 of pixels x in 0, ..., 16."""

    def __init__(self, path: Path) -> None:
        rows = read_csv(path, columns=2 + PIXELS).rows.astype(np.int64)
        hidden, outputs = rows[rows[:, 0] == 1], rows[rows[:, 0] == 2]
        self.first, self.first_bias = hidden[:, 2:], hidden[:, 1]
        self.second, self.second_bias = outputs[:, 2 : 2 + len(hidden)], outputs[:, 1]

    def scores(self, images: Integers) -> Integers:
        """In the clear: one row for each image."""
        inner = images @ self.first.T + self.first_bias
        scores: Integers = inner**2 @ self.second.T + self.second_bias
        return scores

    def largest_score(self) -> int:
        """No score of any image is larger in absolute value."""
        inner = 16 * np.abs(self.first).sum(axis=1) + np.abs(self.first_bias)
        return int((inner**2 @ np.abs(self.second).T + np.abs(self.second_bias)).max())

    def circuit(self) -> ringlet.Circuit:
        """The same as scores(), on encrypted pixels."""
        circuit = ringlet.Circuit(1)
        pixels = [circuit.input() for _ in range(self.first.shape[1])]
        inner = [
            layer_unit(pixels, weights, bias) ** 2
            for weights, bias in zip(self.first, self.first_bias, strict=True)
        ]
        for weights, bias in zip(self.second, self.second_bias, strict=True):
            circuit.output(layer_unit(inner, weights, bias))
        return circuit


def layer_unit(
    inputs: list[ringlet.CircuitValue], weights: Integers, bias: np.int64
) -> ringlet.CircuitValue:
    """The sum of weights times inputs, and the bias; weights of 0 are no work."""
    terms = [x * int(w) for x, w in zip(inputs, weights, strict=True) if w]
    return sum(terms[1:], terms[0]) + int(bias)


class Server:
    """Has the network; says which parameters it takes."""

    def __init__(self, network: Network, device: str) -> None:
        self.circuit, self.device = network.circuit(), device
        # Scores are signed: t must exceed twice the largest one.
        plain_bits = (2 * network.largest_score()).bit_length() + 1
        found = ringlet.suggest_parameters("bfv", circuit=self.circuit, plain_bits=plain_bits)
        self.parameters = found.parameters.to_bytes()

    def answer(self, keys: bytes, pixels: list[bytes]) -> list[bytes]:
        public = bfv.PublicContext.from_bytes(keys).on(self.device)
        scores = public.runner(self.circuit)(*(public.load_ciphertext(data) for data in pixels))
        return [score.to_bytes() for score in scores]


class Client:
    """Has the images and the secret key."""

    def __init__(self, parameters: bytes) -> None:
        self.secret = bfv.SecretContext(bfv.Parameters.from_bytes(parameters))
        self.keys = self.secret.public(rotations=[]).to_bytes()

    def encrypt(self, images: Integers) -> list[bytes]:
        return [self.secret.encrypt(pixel).to_bytes() for pixel in images.T]

    def decrypt(self, answers: list[bytes], count: int) -> tuple[Integers, int]:
        """Scores, one row for each image, and the least noise budget that was left."""
        scores = [self.secret.load_ciphertext(data) for data in answers]
        budget = min(self.secret.noise_budget(score) for score in scores)
        return np.array([self.secret.decrypt(score)[:count] for score in scores]).T, budget


def main() -> int:
    chosen = options(__doc__).parse_args()
    report = Report("digits_network", chosen)
    table = read_csv(chosen.data / "digits.csv", least_rows=TRAINING_IMAGES + 1, columns=PIXELS + 1)
    rows = table.rows[TRAINING_IMAGES:].astype(np.int64)
    images, digits = rows[:, :PIXELS], rows[:, PIXELS]
    network = Network(chosen.data / "digits_network.csv")
    with report.phase("server: circuit and parameters"):
        server = Server(network, chosen.device)
    with report.phase("client: keys"):
        client = Client(server.parameters)
    with report.phase("client: encrypts"):
        request = client.encrypt(images)
    with report.phase("server: computes"):
        answers = server.answer(client.keys, request)
    with report.phase("client: decrypts"):
        scores, budget = client.decrypt(answers, len(images))

    expected = network.scores(images)
    report.show("parameters", repr(client.secret.parameters))
    report.sent("to the server: keys", client.keys)
    report.sent("to the server: images", *request)
    report.sent("to the client: scores", *answers)
    report.show("images", f"{len(images)}, slots for {client.secret.slot_count}")
    report.show("accuracy encrypted", float(np.mean(scores.argmax(axis=1) == digits)))
    report.show("accuracy in the clear", float(np.mean(expected.argmax(axis=1) == digits)))
    report.show("noise budget left in bits", budget)
    report.check("all scores are those in the clear", np.array_equal(scores, expected))
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(start(main))
