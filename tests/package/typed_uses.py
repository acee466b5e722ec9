# SPDX-License-Identifier: Apache-2.0
"""Typed uses of the package, for `mypy --strict`. The last four are wrong: mypy reports a comment
`type: ignore` that hides no error."""

import numpy as np
from ringlet import Circuit, bfv, ckks, suggest_parameters

circuit = Circuit(8)
x = circuit.input(magnitude=2.0)
circuit.output(x * x + 1)
found = suggest_parameters("ckks", circuit=circuit, precision=20)
secret = ckks.SecretContext(found.parameters)
public = secret.public(circuit=circuit)
encrypted: ckks.Ciphertext = public.bind(secret.encrypt(np.ones(8), circuit=circuit))
total = float(secret.decrypt(public.runner(circuit)(encrypted) + encrypted * 2)[0])
exact = bfv.SecretContext(bfv.Parameters(4096))

exact.decrypt(encrypted)  # type: ignore[arg-type]
bfv.SecretContext(ckks.Parameters(4096))  # type: ignore[arg-type]
secret.encrypt("one")  # type: ignore[arg-type]
secret.decrypted(encrypted)  # type: ignore[attr-defined]
