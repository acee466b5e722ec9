# SPDX-License-Identifier: Apache-2.0
"""The client: owner of the data and of the secret key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..ckks import Ciphertext, Parameters, PublicContext, SecretContext
from .packing import pack, summing_rotations, unpack

# Four rescalings. All primes are below 2^50, so that the 52-bit kernels serve them; the first and
# the special prime are wider than the others for room above the scale and little key-switching
# noise. 214 bits are the limit at this degree for 128-bit security.
PARAMETERS = Parameters(8192, [44, 30, 30, 30, 30, 50], scale_bits=30)


class Client:
    """Encrypts rows, decrypts answers."""

    def __init__(self) -> None:
        self._secret = SecretContext(PARAMETERS)

    @property
    def kernel_names(self) -> list[str]:
        return self._secret.kernel_names

    def public(self) -> PublicContext:
        """What the server is given: keys for encryption and evaluation."""
        return self._secret.public(rotations=summing_rotations(self._secret.slot_count))

    def encrypt(self, rows: NDArray[np.float64]) -> list[Ciphertext]:
        return [self._secret.encrypt(slots) for slots in pack(rows, self._secret.slot_count)]

    def decrypt(self, answers: list[Ciphertext], row_count: int) -> NDArray[np.float64]:
        return unpack([self._secret.decrypt(answer) for answer in answers], row_count)
