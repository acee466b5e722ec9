# SPDX-License-Identifier: Apache-2.0
"""Contexts: parameters, keys, switches and bytes."""

import copy

from world import A


def flags(context):
    names = ("is_private", "is_public", "has_secret_key", "has_public_key", "has_relin_keys",
             "has_galois_keys")  # fmt: skip
    return [getattr(context, name)() for name in names]


def public(w, **options):
    context = w.ckks_context()
    context.make_context_public(**options)
    return context


def sent(w, **options):
    return w.ts.context_from(w.ckks_context().serialize(**options))


def with_keys(w, name):
    """A public context that gets keys by the secret key."""
    client = w.ckks_context()
    server = w.ts.context_from(client.serialize(save_relin_keys=False))
    getattr(server, f"generate_{name}_keys")(client.secret_key())
    return getattr(server, f"has_{name}_keys")()


def switched(w, name):
    context = w.ckks_context()
    before = getattr(context, name)
    setattr(context, name, False)
    return [before, getattr(context, name)]


def on_the_server(w):
    """What a client and a server do."""
    client = w.ckks_context()
    client.generate_galois_keys()
    server = w.ts.context_from(client.serialize())
    x = w.ts.ckks_vector_from(server, w.ts.ckks_vector(client, A.tolist()).serialize())
    result = w.ts.ckks_vector_from(client, (x * x).sum().serialize())
    return result


def part(w, name):
    return getattr(w.c, name)().data is not None


PARTS = ("secret_key", "public_key", "relin_keys", "galois_keys", "seal_context", "encryptor",
         "decryptor")  # fmt: skip

CONTEXT_CASES = {
    **{f"Context.{name}": lambda w, name=name: (part(w, name), True) for name in PARTS},
    **{
        f"Context.{name}": lambda w, name=name: (switched(w, name), [True, False])
        for name in ("auto_mod_switch", "auto_relin", "auto_rescale")
    },
    "Context": lambda w: (flags(w.ckks_context()), [True, False, True, True, True, False]),
    "context": lambda w: (
        flags(w.ts.context(w.ts.SCHEME_TYPE.BFV, 4096, 1032193)),
        [True, False, True, True, True, False]),
    "context_from": lambda w: (on_the_server(w), [(A * A).sum()]),
    "Context.__copy__": lambda w: (flags(copy.copy(w.c)), flags(w.c)),
    "Context.copy": lambda w: (flags(w.c.copy()), flags(w.c)),
    "Context.data": lambda w: (w.c.data is not None, True),
    "Context.global_scale": lambda w: (w.c.global_scale, 2.0**40),
    "Context.has_secret_key": lambda w: (w.c.has_secret_key(), True),
    "Context.has_public_key": lambda w: (sent(w, save_public_key=False).has_public_key(), False),
    "Context.has_relin_keys": lambda w: (sent(w, save_relin_keys=False).has_relin_keys(), False),
    "Context.has_galois_keys": lambda w: (w.ckks_context().has_galois_keys(), False),
    "Context.is_private": lambda w: (public(w).is_private(), False),
    "Context.is_public": lambda w: (public(w).is_public(), True),
    "Context.generate_galois_keys": lambda w: (with_keys(w, "galois"), True),
    "Context.generate_relin_keys": lambda w: (with_keys(w, "relin"), True),
    "Context.make_context_public": lambda w: (
        flags(public(w, generate_galois_keys=True, generate_relin_keys=True)),
        [False, True, False, True, True, True]),
    "Context.serialize": lambda w: (
        flags(sent(w, save_secret_key=True)), [True, False, True, True, True, False]),
    "Context.load": lambda w: (
        flags(w.ts.Context.load(w.c.serialize())), [False, True, False, True, True, True]),
    "ENCRYPTION_TYPE": lambda w: (
        [e.name for e in w.ts.ENCRYPTION_TYPE] == ["ASYMMETRIC", "SYMMETRIC"], True),
    "SCHEME_TYPE": lambda w: ([s.name for s in w.ts.SCHEME_TYPE] == ["NONE", "BFV", "CKKS"], True),
    "enc_context": lambda w: (w.ts.enc_context.Context is w.ts.Context, True),
}  # fmt: skip
