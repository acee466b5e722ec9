# SPDX-License-Identifier: Apache-2.0
"""Writes files of TenSEAL 0.3.18: generate.py >small.txt. Keys and errors are random."""

import base64

import tenseal as ts

CKKS, SYMMETRIC = ts.SCHEME_TYPE.CKKS, ts.ENCRYPTION_TYPE.SYMMETRIC
context = ts.context(CKKS, 2048, coeff_mod_bit_sizes=[29, 24], encryption_type=SYMMETRIC)
context.global_scale = 2**18
files = {
    "context": context.serialize(save_secret_key=True),
    "vector": ts.ckks_vector(context, [1.0, -2.0, 3.5]).serialize(),
}
print("# Files of TenSEAL 0.3.18; see README.md.")
for name, data in files.items():
    print(f"object {name}\n{base64.b64encode(data).decode()}")
