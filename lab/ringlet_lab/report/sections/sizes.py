# SPDX-License-Identifier: Apache-2.0
"""Section on the bytes of ciphertexts and keys: raw, with seeds in place of uniform halves, and
compressed."""

from __future__ import annotations

from collections.abc import Sequence

from ringlet import ObjectSizes, ckks, suggest_parameters

from ..model import Axis, Chart, Point, Section, Series
from ..setting import Setting
from . import TITLES

QUICK_DEGREES = (4096, 8192, 16384)
DEGREES = (4096, 8192, 16384, 32768)
QUICK_DEPTH, DEPTH = 4, 8
_KIB = 1024.0


def ciphertext_sizes(degree: int) -> dict[str, int]:
    """Returns the bytes of one CKKS ciphertext with the default primes of a degree, by its form.

    A ciphertext that a secret key encrypted has a seed. A computed ciphertext has none, so the raw
    form is that of a sum.
    """
    secret = ckks.SecretContext(ckks.Parameters(degree))
    public = secret.public(rotations=[], relinearization=False)
    seeded = secret.encrypt([0.5, -0.25])
    raw = public.bind(seeded) + 1.0
    return {
        "raw": len(raw.to_bytes()),
        "raw, compressed": len(raw.to_bytes(compression="zstd")),
        "seeded": len(seeded.to_bytes()),
        "seeded, compressed": len(seeded.to_bytes(compression="zstd")),
    }


def key_sizes(degree: int) -> dict[str, int]:
    """Returns the bytes of the public key, the relinearization key and the keys of one rotation
    together.

    The form in memory counts words alone. The other forms are files with the parameters.
    """
    secret = ckks.SecretContext(ckks.Parameters(degree))
    public = secret.public(rotations=[1])
    return {
        "in memory": public.public_key_nbytes
        + public.relin_keys_nbytes
        + public.galois_keys_nbytes,
        "seeded": len(public.to_bytes()),
        "seeded, compressed": len(public.to_bytes(compression="zstd")),
    }


def _series(sizes: dict[int, dict[str, int]]) -> tuple[Series, ...]:
    """Returns a series for each form, by degree."""
    forms = list(dict.fromkeys(form for found in sizes.values() for form in found))
    return tuple(
        Series(form, tuple(Point(n, found[form] / _KIB) for n, found in sorted(sizes.items())))
        for form in forms
    )


def _chart(name: str, title: str, caption: str, series: tuple[Series, ...]) -> Chart:
    degree = Axis("degree N", scale="log2")
    return Chart(name, title, caption, "lines", degree, Axis("size", "KiB", "log10"), series)


def _saved(sizes: ObjectSizes, kind: str) -> int:
    """Returns the bytes of a file. Results have no seed, because they are computed."""
    return sizes.saved if kind == "result" else sizes.saved_seeded


def _suggested(depths: Sequence[int]) -> Chart:
    """Returns a chart of sizes against depth. They follow from parameters alone; nothing is
    generated."""
    kinds = {"input": "one input", "result": "one result", "relin_keys": "relinearization key"}
    found = {depth: suggest_parameters("ckks", depth=depth, precision=20.0) for depth in depths}
    series = tuple(
        Series(
            title,
            tuple(Point(d, _saved(s.sizes[kind], kind) / _KIB) for d, s in found.items()),
            "estimate",
        )
        for kind, title in kinds.items()
    )
    return Chart(
        "sizes-depth",
        "What a depth costs to send",
        "Inputs and keys with seeds, of the smallest parameters for 20 bits after so many "
        "squarings, by `ringlet params`: computed to the byte from parameters, not measured.",
        "lines",
        Axis("depth"),
        Axis("size", "KiB", "log10"),
        series,
    )


def measure(setting: Setting) -> Section:
    """Makes a ciphertext and keys at every degree, and counts the bytes of their files."""
    degrees, most = (QUICK_DEGREES, QUICK_DEPTH) if setting.quick else (DEGREES, DEPTH)
    setting.steps.begin("sizes", len(degrees))
    ciphertexts, keys = {}, {}
    for degree in degrees:
        ciphertexts[degree] = ciphertext_sizes(degree)
        keys[degree] = key_sizes(degree)
        setting.steps.advance()
    charts = (
        _chart(
            "sizes-ciphertext",
            "A fresh ciphertext",
            "CKKS with the default primes of each degree. A seed stands for one of two polynomials "
            "of what a secret key encrypts; compression is Zstandard's.",
            _series(ciphertexts),
        ),
        _chart(
            "sizes-keys",
            "Keys of a server",
            "Public key, relinearization key and one Galois key of the same parameters: what their "
            "words take in memory, and the files that a client sends.",
            _series(keys),
        ),
        _suggested(range(1, most + 1)),
    )
    summary = "Bytes of files as they are sent, counted on files that were made in this run."
    settings = {"degrees": list(degrees), "depth": most}
    return Section("sizes", TITLES["sizes"], summary, charts, (), settings)
