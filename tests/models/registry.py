# SPDX-License-Identifier: Apache-2.0
"""Which model stands for which kernels: name of the model, bits of a digit in a short run and in a
long one, algorithms as docs/kernels.md names them. Plain data, which writes that page too."""

MODELS = {
    "words.reduce_once": (8, 11, ["direct"]),
    "words.harvey": (8, 11, ["radix2", "radix16"]),
    "words.extended": (7, 9, ["radix4", "radix4x4", "radix4-reverse"]),
    "words.extended_two": (7, 8, ["radix4", "r4r2"]),
    "words.lazy": (7, 9, ["lazy"]),
    "words.exact": (7, 9, ["exact"]),
    "words.barrett": (8, 10, ["barrett", "barrett-vbmi2", "shoup", "samples", "tiled"]),
    "words.scalar": (8, 10, ["barrett", "GPU kernels"]),
    "words.barrett_word": (8, 11, ["barrett-word"]),
    "words.accumulators": (7, 9, ["wide", "wide-lanes", "tiled"]),
    "words.half_word_sums": (8, 10, ["wide", "tiled"]),
    "words.long_half_word_sums": (8, 10, ["wide-lanes"]),
    "words.montgomery": (6, 9, ["special-fft"]),
    "words.long_quotients": (6, 8, ["mixed-words", "half-limbs", "mixed-limbs"]),
    "words.conversion": (7, 10, ["tiled"]),
    "floats.quotient": (8, 10, ["float"]),
    "floats.long_quotient": (10, 11, ["float-long"]),
    "floats.word": (10, 12, ["float-word", "special-fft"]),
    "floats.sums": (9, 11, ["float-sum"]),
    "signed.real": (8, 10, ["float"]),
    "signed.long_real": (5, 8, ["float-long"]),
    "signed.mont64": (8, 12, ["mont64"]),
    "signed.mont32": (8, 10, ["mont32"]),
    "signed.shoup64": (8, 12, ["shoup64"]),
    "wide.shoup_double": (5, 7, ["scalar64/shoup128"]),
    "wide.barrett_double": (
        6,
        8,
        [
            "avx512dq/shoup128",
            *(f"{t}/barrett-{p}" for t in ("avx512dq", "mqx") for p in ("schoolbook", "karatsuba")),
            *(f"{t}/barrett-schoolbook" for t in ("avx2", "scalar64")),
        ],
    ),
    "wide.ifma_factor": (4, 6, ["ifma52/shoup", "ifma52/special", "ifma52/montgomery"]),
    "wide.ifma_barrett": (6, 8, ["ifma52/shoup", "ifma52/special", "ifma52/montgomery"]),
    "doubles.float46": (5, 8, ["avx2/float46", "avx512dq/float46"]),
    "doubles.float46_long": (14, 16, ["avx2/float46", "avx512dq/float46"]),
    "doubles.float46_factor": (6, 8, ["avx2/float46", "avx512dq/float46"]),
}

# Karatsuba's recursion adds and multiplies integers, and depends on no modulus.
WITHOUT_MODULUS = ["chunk27", "limb48", "limb48-vnni"]
