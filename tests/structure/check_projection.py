# SPDX-License-Identifier: Apache-2.0
"""The kernels that project MQX execute every instruction that stands in for one of MQX.

A compiler that knew the stand-ins could merge, drop or precompute some of them, and the projected
time would be too short. So the stand-ins of the timed functions are counted in the disassembly and
compared with what the algorithm (src/kernels/policy/wide/double_word.hpp) asks for.

                                        products  additions   subtractions
                                        of words  with carry  with borrow
  a*b, schoolbook                           4         5            0
  a*b, Karatsuba                            3         7            4
  floor(a*b * mu / 2^128)                   4         5            0
  times q modulo 2^128                      3         0            0
  from a*b, and once more minus q           0         0            4
  sum modulo q                              0         2            2
  difference modulo q                       0         2            2

Of the three products modulo 2^128, two are vpmullq that AVX-512 has itself. Of Karatsuba's seven
additions, two have a mask but no carry. One makes the sum of a factor's words, which butterflies
with the same factor may share.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from report import ROOT, arguments, counts_of, disassembly, finish, read, unit_listing

UNIT = "avx512dq_mqx_projected.cpp"
MNEMONICS = {
    "products": re.compile(r"^vpmullq\b"),
    "additions": re.compile(r"^vpaddq\b.*\{%k[1-7]\}"),
    "subtractions": re.compile(r"^vpsubq\b.*\{%k[1-7]\}"),
}
# Counts per product modulo q, and for the sum and the difference of each butterfly.
PRODUCT = {
    "schoolbook": {"products": 11, "additions": 10, "subtractions": 4},
    "karatsuba": {"products": 10, "additions": 12, "subtractions": 8},
}
SUMS = {"products": 0, "additions": 4, "subtractions": 4}
# Mangled names of the policies, by the value of WordProduct.
POLICIES = {
    "schoolbook": "12MqxProjectedELNS0_11WordProductE0E",
    "karatsuba": "12MqxProjectedELNS0_11WordProductE1E",
}
# Butterflies and factors of a trip through a pass with 2^3 lanes: K row stages on 2^K vectors and,
# in the tail, three lane stages on 2^(K-1) pairs of vectors, which share no factor. Then the number
# of functions: shorter passes are first passes, longer ones are both.
PASSES = {
    "4rowsILi1": (1, 1, 1),
    "4rowsILi2": (4, 3, 2),
    "4tailILi1": (1 + 3, 1 + 3, 1),
    "4tailILi2": (4 + 6, 3 + 6, 2),
}
# A last pass of the inverse transform also multiplies by 1/N, and has its own count.
FORWARD = "11WideForward"


def expected(product, butterflies=1):
    """Counts of that many butterflies, each with a factor of its own."""
    return {name: butterflies * (PRODUCT[product][name] + SUMS[name]) for name in MNEMONICS}


def differences(symbol, found, wanted, shared_additions=0):
    """Up to `shared_additions` may be missing."""
    return [
        f"{symbol}: {found[name]} {name} instead of {wanted[name]}"
        for name in MNEMONICS
        if not 0 <= wanted[name] - found[name] <= shared_additions * (name == "additions")
    ]


def butterfly_problems(counts, product):
    """The function that holds one butterfly."""
    symbol = f"ringlet_projected_butterfly_{product}"
    if symbol not in counts:
        return [f"no function {symbol}"]
    return differences(symbol, counts[symbol], expected(product))


def pass_problems(counts, product):
    """The passes of the transform that is timed."""
    problems = []
    for name, (butterflies, factors, count) in PASSES.items():
        symbols = [
            symbol
            for symbol in counts
            if FORWARD in symbol and POLICIES[product] in symbol and name in symbol
        ]
        if len(symbols) != count:
            problems.append(f"{len(symbols)} functions {name} of {product}, not {count}")
        shared = butterflies - factors if product == "karatsuba" else 0
        for symbol in symbols:
            problems += differences(symbol, counts[symbol], expected(product, butterflies), shared)
    return problems


def planted(compiler, body):
    """Counts of a function with stand-ins that the given C++ lines use."""
    source = f"""
#include <immintrin.h>
static inline __m512i stand_in(__m512i a, __m512i b) {{
  __m512i product;
  asm("vpmullq %2, %1, %0" : "=v"(product) : "v"(a), "v"(b));
  return product;
}}
static inline __m512i add_where(__mmask8 mask, __m512i a, __m512i b) {{
  asm("vpaddq %1, %0, %0%{{%2%}}" : "+v"(a) : "v"(b), "Yk"(mask));
  return a;
}}
static inline __m512i subtract_where(__mmask8 mask, __m512i a, __m512i b) {{
  asm("vpsubq %1, %0, %0%{{%2%}}" : "+v"(a) : "v"(b), "Yk"(mask));
  return a;
}}
extern "C" void planted(__m512i* x, __mmask8 k) {{
  __m512i a = x[0], b = x[1];
  {body}
}}
"""
    with tempfile.TemporaryDirectory() as directory:
        unit = Path(directory) / "unit.cpp"
        unit.write_text(source)
        compiled = unit.with_suffix(".o")
        flags = ["-std=c++20", "-O3", "-mavx512f", "-mavx512dq"]
        subprocess.run([compiler, *flags, "-c", str(unit), "-o", str(compiled)], check=True)
        return counts_of(disassembly(compiled), MNEMONICS)["planted"]


def self_test(compiler):
    """Stand-ins are counted, and a dropped stand-in is missed."""
    cases = [
        # All three kinds.
        (
            "x[0] = stand_in(a, b); x[1] = add_where(k, a, b); x[2] = subtract_where(k, a, b);",
            {"products": 1, "additions": 1, "subtractions": 1},
        ),
        # A product without a reader.
        (
            "x[0] = stand_in(a, b); __m512i unused = stand_in(b, b); (void)unused;",
            {"products": 1, "additions": 0, "subtractions": 0},
        ),
        # A sum whose mask is known to be empty.
        (
            "x[0] = stand_in(a, b); x[1] = _mm512_mask_add_epi64(a, (__mmask8)0, a, b);",
            {"products": 1, "additions": 0, "subtractions": 0},
        ),
        # Two products of the same words.
        (
            "x[0] = stand_in(a, b); x[1] = stand_in(a, b);",
            {"products": 1, "additions": 0, "subtractions": 0},
        ),
    ]
    problems = []
    for body, wanted in cases:
        found = planted(compiler, body)
        if found != wanted:
            problems.append(f"{body}: {found} instead of {wanted}")
    complete = {"ringlet_projected_butterfly_schoolbook": expected("schoolbook")}
    if butterfly_problems(complete, "schoolbook"):
        problems.append("a complete butterfly is refused")
    for name in MNEMONICS:
        lacking = {symbol: dict(found) for symbol, found in complete.items()}
        lacking["ringlet_projected_butterfly_schoolbook"][name] -= 1
        if not butterfly_problems(lacking, "schoolbook"):
            problems.append(f"a butterfly that lacks one of its {name} is accepted")
    return problems


def checks(description):
    yield "self-test: dropped stand-ins are found", self_test(description["compiler"])
    listing, problems = unit_listing(description, UNIT)
    if problems:
        yield f"object file of {UNIT}", problems
        return
    counts = counts_of(listing, MNEMONICS)
    for product in PRODUCT:
        yield f"stand-ins of a butterfly, {product}", butterfly_problems(counts, product)
        yield f"stand-ins of the timed passes, {product}", pass_problems(counts, product)


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "dev"))
    description = json.loads(read(Path(options.build) / "layers.json"))
    finish("projection", checks(description), options.xml)
