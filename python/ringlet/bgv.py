# SPDX-License-Identifier: Apache-2.0
"""BGV: computes on encrypted vectors of integers modulo t, exactly.

    parameters = Parameters(8192)                           # 128 bits of security, t of 20 bits
    secret = SecretContext(parameters)                      # the client; holds the secret key
    public = secret.public(rotations=[1])                   # for the server; cannot decrypt
    x = public.bind(secret.encrypt([1, 2, -3]))
    y = x * x + 1                                           # on the server
    secret.decrypt(y)[:3]                                   # [2, 5, 10]

A message is N integers modulo t, in two rows of N/2, if t is a prime that is 1 modulo 2N;
`plain_bits` chooses such a prime. With any other t, a message is a polynomial modulo X^N + 1.
`*` multiplies, relinearizes and goes one level down if a level is left: the noise of the next
product then stays small. If two operands have different levels, the higher one goes down by itself.
`secret.noise_budget(y)` returns by how many bits the noise may still grow.
`matrix @ x` multiplies by a NumPy matrix. `ringlet.Circuit` declares whole computations, and
`ringlet.suggest_parameters` finds parameters.
"""

from typing import TYPE_CHECKING, Any

from ._core import BgvCiphertext as Ciphertext
from ._core import BgvParameters as Parameters
from ._core import BgvPlaintext as Plaintext
from ._core import BgvPublicContext as PublicContext
from ._core import BgvSecretContext as SecretContext
from ._core import load_bgv_secret_key as load_secret_key
from ._core import max_modulus_bits, save_secret_key

if TYPE_CHECKING:
    from .arrays.client import BgvClient as Client

__all__ = [
    "Ciphertext",
    "Client",
    "Parameters",
    "Plaintext",
    "PublicContext",
    "SecretContext",
    "load_secret_key",
    "max_modulus_bits",
    "save_secret_key",
]


def __getattr__(name: str) -> Any:
    """Loads encrypted arrays when `Client` is first used."""
    if name != "Client":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .arrays.client import BgvClient

    return BgvClient
