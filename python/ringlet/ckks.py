# SPDX-License-Identifier: Apache-2.0
"""CKKS: computes on encrypted vectors of real or complex numbers, approximately.

    parameters = Parameters(8192, [50, 40, 40, 50], scale_bits=40)
    secret = SecretContext(parameters)                      # the client; holds the secret key
    public = secret.public(rotations=[1, 2])                # for the server; cannot decrypt
    x = public.bind(secret.encrypt([1.0, 2.0, 3.0]))
    y = (x * x + 1.0) * 0.5                                 # on the server
    secret.decrypt(y)[:3]                                   # about [1.0, 2.5, 5.0]

`*` multiplies, relinearizes and rescales once. If two operands have different levels, the higher
one goes down by itself: level l has one scale D_l, the scale of the parameters at the top and
D_(l-1) = D_l^2 / q_l below. Ciphertexts with another scale raise an error that names both scales:
bring them together with `mod_switch_to`, `rescale` and the `scale` of an encoding.
`matrix @ x` multiplies by a NumPy matrix. `ringlet.Circuit` declares whole computations, and
`ringlet.suggest_parameters` finds parameters.
"""

from typing import TYPE_CHECKING, Any

from ._core import CkksCiphertext as Ciphertext
from ._core import CkksParameters as Parameters
from ._core import CkksPlaintext as Plaintext
from ._core import CkksPublicContext as PublicContext
from ._core import CkksSecretContext as SecretContext
from ._core import load_ckks_secret_key as load_secret_key
from ._core import max_modulus_bits, save_secret_key

if TYPE_CHECKING:
    from .arrays.client import CkksClient as Client

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
    from .arrays.client import CkksClient

    return CkksClient
