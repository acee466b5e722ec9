# SPDX-License-Identifier: Apache-2.0
"""The client: owner of the data and of the secret key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..ckks import Parameters, SecretContext
from .data import ROWS, pack


class Client:
    """The client encrypts rows and decrypts answers. `keys` are public, for the server."""

    def __init__(self, parameters: bytes, rotations: list[int]) -> None:
        self._secret = SecretContext(Parameters.from_bytes(parameters))
        self.keys = self._secret.public(rotations=rotations).to_bytes()

    def encrypt(self, rows: NDArray[np.float64]) -> bytes:
        return self._secret.encrypt(pack(rows)).to_bytes()

    def decrypt(self, answer: bytes) -> NDArray[np.float64]:
        return self._secret.decrypt(self._secret.load_ciphertext(answer))[:ROWS]
