# SPDX-License-Identifier: Apache-2.0
"""BGV: computing exactly on encrypted vectors of integers modulo t.

    parameters = Parameters(8192)                           # 128 bits of security, t of 20 bits
    secret = SecretContext(parameters)                      # the client; holds the secret key
    public = secret.public(rotations=[1])                   # for the server; cannot decrypt
    x = public.bind(secret.encrypt([1, 2, -3]))
    y = x * x + 1                                           # on the server
    secret.decrypt(y)[:3]                                   # [2, 5, 10]

A message is N integers modulo t, two rows of N/2, if t is a prime = 1 modulo 2N (`plain_bits`
chooses one); with any other t it is a polynomial modulo X^N + 1.
`*` multiplies, relinearizes and goes one level down, if there is one left: the noise of the next
product then stays small. Of two operands at different levels the higher one comes down by itself.
`secret.noise_budget(y)` tells how many bits the noise may still grow. `matrix @ x` multiplies by a
NumPy matrix, `ringlet.Circuit` declares whole computations, `ringlet.suggest_parameters` finds
parameters.
"""

from ._core import BgvCiphertext as Ciphertext
from ._core import BgvParameters as Parameters
from ._core import BgvPlaintext as Plaintext
from ._core import BgvPublicContext as PublicContext
from ._core import BgvSecretContext as SecretContext
from ._core import load_bgv_secret_key as load_secret_key
from ._core import max_modulus_bits, save_secret_key

__all__ = [
    "Ciphertext",
    "Parameters",
    "Plaintext",
    "PublicContext",
    "SecretContext",
    "load_secret_key",
    "max_modulus_bits",
    "save_secret_key",
]
