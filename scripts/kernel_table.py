# SPDX-License-Identifier: Apache-2.0
"""Writes docs/kernels.md from the kernel listing of the library in a build folder."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "models"))
from registry import MODELS, WITHOUT_MODULUS  # noqa: E402

PAGE = ROOT / "docs" / "kernels.md"

GROUPS = {
    "transforms": ["ntt"],
    "sums": ["add", "add_scalar", "subtract", "subtract_scalar", "negate"],
    "products": ["multiply", "multiply_add", "multiply_scalar", "multiply_scalar_add"],
    "sums of products": ["multiply_accumulate", "dot"],
    "reductions": ["reduce", "reduce_range"],
    "comparisons": ["compare_add", "compare_subtract"],
}

FORMULAS = {
    "ntt": "negacyclic transform and its inverse",
    "add": "a + b",
    "add_scalar": "a + s",
    "subtract": "a - b",
    "subtract_scalar": "a - s",
    "negate": "-a",
    "multiply": "a b, also of pairs (`multiply_pairs`)",
    "multiply_add": "a b + c",
    "multiply_scalar": "a s",
    "multiply_scalar_add": "a s + c",
    "multiply_accumulate": "sum of a_k b_k",
    "dot": "sum over all elements of a b",
    "reduce": "any word to [0, q)",
    "reduce_range": "from a factor to a smaller factor",
    "compare_add": "a + s where a ~ bound",
    "compare_subtract": "a - s where a ~ bound",
}

# The description of each algorithm, and the page that derives its ranges.
ALGORITHMS = {
    "radix2": "Cooley-Tukey and Gentleman-Sande butterflies with Harvey's lazy products, several "
    "stages per pass: [radix2.md](notes/radix2.md)",
    "lazy": "products by fractions, exact for any 52-bit word, so that few stages reduce: "
    "[lazy52.md](notes/lazy52.md)",
    "exact": "butterflies as in `radix2`, with products by fractions that are residues at once: "
    "[lazy52.md](notes/lazy52.md#radix-2-below-251)",
    "radix4": "extended Harvey butterflies: two stages at once, sums of two products with one "
    "quotient: [extended_harvey.md](notes/extended_harvey.md)",
    "radix4x4": "as `radix4`, four stages at a time",
    "radix4-reverse": "as `radix4`, with the twiddles in extended-reverse order",
    "r4r2": "as `radix4`, with the last three or four stages as radix-2 butterflies in one pass",
    "radix16": "as `radix2`, four stages in every pass but the first",
    "mont64": "64-bit signed residues, Montgomery's reduction by 2^32 twice at once: "
    "[signed_ntt.md](notes/signed_ntt.md)",
    "mont32": "32-bit signed residues, Montgomery's reduction by 2^32: "
    "[signed_ntt.md](notes/signed_ntt.md)",
    "shoup64": "64-bit signed residues, quotients of the twiddles by three products of halves: "
    "[signed_ntt.md](notes/signed_ntt.md)",
    "direct": "additions, comparisons and conditional subtractions",
    "barrett": "a quotient estimated by one or two multiplications with a constant of the modulus: "
    "[barrett.md](notes/barrett.md)",
    "barrett-vbmi2": "as `barrett`, with the two-word shifts of AVX-512 VBMI2: "
    "[barrett.md](notes/barrett.md)",
    "barrett-word": "a 64-bit word reduced in pieces of 52 bits: [barrett.md](notes/barrett.md)",
    "shoup": "a quotient of the scalar, precomputed per call: [barrett.md](notes/barrett.md)",
    "wide": "unreduced products added in two words, with one reduction at the end: "
    "[accumulators.md](notes/accumulators.md)",
    "wide-lanes": "as `wide` in every lane, with the lanes added at the end: "
    "[accumulators.md](notes/accumulators.md)",
    "float": "a quotient in double precision, corrected: "
    "[float_quotient.md](notes/float_quotient.md); in transforms residues are signed doubles from "
    "the first pass to the last: [signed_ntt.md](notes/signed_ntt.md)",
    "float-long": "two quotients as in `float` one after the other, for products of longer moduli: "
    "[float_quotient.md](notes/float_quotient.md); in transforms one, for 64-bit signed residues: "
    "[signed_ntt.md](notes/signed_ntt.md)",
    "float-sum": "products added in pairs of doubles, with one reduction at the end: "
    "[accumulators.md](notes/accumulators.md)",
    "float-word": "a word reduced by a quotient in double precision: "
    "[float_quotient.md](notes/float_quotient.md)",
}

# Kernels of products of wide polynomials by small ones, and of the schemes: operations and
# algorithms.
PRODUCTS = {
    "karatsuba": "Karatsuba's recursion",
    "residues": "residues modulo three primes: reading, joining, reconstruction",
    "conversion": "basis conversions, scaling and the residues of messages",
    "embedding": "the canonical embedding of CKKS, rounding, and real numbers from residues",
    "sampling": "samples from random bytes, and residues of small integers",
}
PRODUCT_ALGORITHMS = {
    "chunk27": "a chunk of up to 27 bits in a 32-bit word: [karatsuba.md](notes/karatsuba.md)",
    "limb48": "limbs of three digits of 16 bits: [karatsuba.md](notes/karatsuba.md)",
    "limb48-vnni": "as `limb48`, with dot products of AVX512-VNNI",
    "mixed-words": "mixed-radix digits in 64-bit words",
    "half-limbs": "mixed-radix digits in limbs of half a word",
    "mixed-limbs": "mixed-radix digits in limbs of 52 bits",
    "tiled": "a matrix of constants times tiles of residues: "
    "[basis_conversion.md](notes/basis_conversion.md)",
    "special-fft": "complex transforms, rounding and mixed-radix digits of CKKS: "
    "[ckks_embedding.md](notes/ckks_embedding.md)",
    "samples": "counts of bits; fields and words, without those that are out of range",
}

# Kernels of double words: by table and algorithm.
DOUBLE_WORDS = {
    ("ifma52", "special"): "three limbs of 52 bits; as `ifma52/shoup`, but a multiple of q takes "
    "one product",
    ("ifma52", "shoup"): "three limbs of 52 bits, Shoup's quotients of 156 bits",
    ("ifma52", "montgomery"): "three limbs of 52 bits, Montgomery's reduction by 2^156",
    ("avx512dq", "float46"): "as `avx2/float46`, eight at a time",
    ("avx512dq", "shoup128"): "as `scalar64/shoup128`, eight at a time",
    ("avx512dq", "barrett-schoolbook"): "two words as in Zhang et al. (2025): Barrett, four "
    "products of words, carries by comparisons",
    ("avx512dq", "barrett-karatsuba"): "as `avx512dq/barrett-schoolbook`, with three products of "
    "words",
    ("avx2", "float46"): "three doubles of 46 bits: products are exact by fused multiply-adds, "
    "quotients are fractions",
    ("mqx", "barrett-schoolbook"): "the instructions that Zhang et al. (2025) propose, emulated "
    "bit for bit: for studies",
    ("mqx", "barrett-karatsuba"): "as `mqx/barrett-schoolbook`, with three products of words",
    ("avx2", "barrett-schoolbook"): "as `avx512dq/barrett-schoolbook`, four at a time: for studies",
    ("scalar64", "barrett-schoolbook"): "as `avx512dq/barrett-schoolbook`, one at a time, with the "
    "processor's carries: for studies",
    ("scalar64", "shoup128"): "one at a time: Harvey's butterflies with Shoup's quotients of 128 "
    "bits, other products by Barrett",
}

INTRODUCTION = """\
# Kernels

Written by `scripts/kernel_table.py` from the descriptors of the kernels; a test compares the two.

A plan (`Ntt`, `Eltwise`) chooses one kernel per operation when it is made, and names it:
`plan.kernel_name()`. The estimate goes through the tables of instruction sets, from the highest
table of the processor down to `scalar64`, which runs everywhere. It takes the first kernel whose
range holds the modulus and the degree. A cell below lists kernels in this order. The estimate
passes over kernels that are not preferred on the processor or at the degree. Measurements and
wisdom choose among all kernels whose range fits: [kernel_selection.md](kernel_selection.md).

Kernels "by name" and the table `mqx` are for studies. Estimate, measurements and wisdom never
take them; only their exact name does. They are in `ringlet-lab` and in programs that link the CMake
target `ringlet_studies`.

`RINGLET_FORCE_KERNELS=table` makes that table the ceiling. `RINGLET_FORCE_KERNELS=table/algorithm`
names a kernel exactly; a plan outside of its range is refused. An unknown name is an error. All
kernels of an operation give the same bits. `ringlet info --kernels` shows the kernels of this
machine.
"""


def power(limit):
    """Returns a limit as text: 2^k, 2^k with a small difference, or the number."""
    for exponent in range(3, 65):
        difference = limit - (1 << exponent)
        if difference == 0:
            return f"2^{exponent}"
        if exponent > 16 and abs(difference) < 1 << 10:
            return f"2^{exponent} {'+' if difference > 0 else '-'} {abs(difference)}"
    return str(limit)


def moduli(kernel):
    smallest = kernel["modulus_minimum"]
    bound = f"q < {power(kernel['modulus_limit'])}"
    return bound if smallest <= 3 else f"{power(smallest)} <= {bound}"


def cell(kernels, table):
    lines = []
    for kernel in kernels:
        text = f"{kernel['algorithm']}, {moduli(kernel)}"
        if "min_log_degree" in kernel:
            text += f", N >= {1 << kernel['min_log_degree']}"
            if kernel["estimate_min_log_degree"] > kernel["min_log_degree"]:
                text += f", preferred from N = {1 << kernel['estimate_min_log_degree']} on"
        if kernel.get("named_only"):
            text += ", by name"
        if kernel["avoids"]:
            text += f", not preferred with {' or '.join(kernel['avoids'])}"
        extra = [name for name in kernel["features"] if name not in table["features"]]
        if extra:
            text += f" (with {', '.join(extra)})"
        lines.append(text)
    return "<br>".join(lines) or "-"


def pairs(accepted):
    """Returns "1->1", "2->1", "4->1" as "1, 2, 4". With other outputs, the text keeps the arrow."""
    inputs = {}
    for pair in accepted:
        source, target = pair.split("->")
        inputs.setdefault(target, []).append(source)
    if set(inputs) == {"1"}:
        return ", ".join(inputs["1"])
    sources = {tuple(value) for value in inputs.values()}
    if len(sources) == 1:
        return f"{', '.join(sources.pop())} -> {', '.join(inputs)}"
    return "; ".join(f"{', '.join(inputs[target])} -> {target}" for target in inputs)


def factors(operation, listing):
    if operation == "ntt":
        return "<br>".join(
            f"{way}: {pairs(listing['factors'][f'ntt {way}'])}" for way in ("forward", "inverse")
        )
    if operation in listing["factors"]:
        return pairs(listing["factors"][operation])
    return "any word" if operation in {"reduce", "compare_add", "compare_subtract"} else "1"


def algorithms_of(listing):
    return {kernel["algorithm"] for kernel in listing["kernels"]}


def row(cells):
    return "| " + " | ".join(cells) + " |"


def overview(listing):
    tables = [table for table in listing["tables"] if table["transforms"]]
    yield row(["operation", "factors", *(f"`{table['name']}`" for table in tables)])
    yield row(["---"] * (2 + len(tables)))
    for group, operations in GROUPS.items():
        yield row([f"**{group}**", "", *[""] * len(tables)])
        for operation in operations:
            cells = [
                cell(
                    [
                        kernel
                        for kernel in listing["kernels"]
                        if (kernel["operation"], kernel["table"]) == (operation, table["name"])
                    ],
                    table,
                )
                for table in tables
            ]
            name = f"`{operation}`: {FORMULAS[operation]}"
            yield row([name, factors(operation, listing), *cells])


CHOICE_LOG_DEGREE = 12


def is_preferred(kernel, traits):
    return (
        not traits & set(kernel["avoids"])
        and kernel.get("estimate_min_log_degree", 0) <= CHOICE_LOG_DEGREE
    )


def intervals(kernels, traits):
    """Returns pairs (kernel, upper limit of its moduli) of the estimate, from the smallest modulus
    up."""
    borders = {k["modulus_minimum"] for k in kernels} | {k["modulus_limit"] for k in kernels}
    borders = sorted(borders)
    chosen = []
    for low, high in zip(borders, borders[1:]):
        fits = [k for k in kernels if k["modulus_minimum"] <= low and high <= k["modulus_limit"]]
        best = next((k for k in fits if is_preferred(k, traits)), fits[0])
        name = f"{best['table']}/{best['algorithm']}"
        if chosen and chosen[-1][0] == name:
            chosen[-1] = (name, high)
        else:
            chosen.append((name, high))
    return chosen


def choices(listing, without, traits):
    """Yields each operation with the kernels that the estimate chooses, for a processor without the
    feature `without` ("" for all features) and with these traits."""
    for operations in GROUPS.values():
        for operation in operations:
            kernels = [
                kernel
                for kernel in listing["kernels"]
                if kernel["operation"] == operation
                and not kernel.get("named_only")
                and without not in kernel["features"]
                and kernel.get("min_log_degree", 0) <= CHOICE_LOG_DEGREE
            ]
            chosen = intervals(kernels, traits)
            yield operation, ", ".join(f"{name} below {power(high)}" for name, high in chosen)


def choice_table(listing):
    kernels = listing["kernels"]
    traits = {trait for kernel in kernels for trait in kernel["avoids"]}
    columns = [
        ("all features", "", set()),
        ("all features and traits", "", traits),
        ("no AVX-512 IFMA", "avx512ifma", set()),
        ("no AVX-512", "avx512f", set()),
    ]
    found = [dict(choices(listing, without, having)) for _, without, having in columns]
    yield row(["operation", *(title for title, _, _ in columns)])
    yield row(["---"] * (1 + len(columns)))
    for operation in found[0]:
        yield row([f"`{operation}`", *(column[operation] for column in found)])


def product_table(listing):
    yield row(["operation", "table", "algorithms"])
    yield row(["---"] * 3)
    for operation, text in PRODUCTS.items():
        for table in listing["tables"]:
            found = [
                f"{kernel['algorithm']}{extra_features(kernel, table)}"
                for kernel in listing["products"]
                if (kernel["operation"], kernel["table"]) == (operation, table["name"])
            ]
            if found:
                yield row([f"`{operation}`: {text}", f"`{table['name']}`", ", ".join(found)])


def bits(kernel):
    """Returns the moduli of a kernel of double words, as text."""
    kind = "k 2^104 + 1" if kernel["special"] else "odd"
    return f"{kind}, {kernel['min_bits']} to {kernel['max_bits']} bits"


def double_word_table(listing):
    yield row(["kernel", "moduli", "processor features", "how"])
    yield row(["---"] * 4)
    for kernel in listing["wide"]:
        name = (kernel["table"], kernel["algorithm"])
        needs = ", ".join(kernel["features"]) or "none"
        how = DOUBLE_WORDS[name]
        if kernel["named_only"]:
            how += "; only where its table is named"
        yield row([f"`{'/'.join(name)}`", bits(kernel), needs, how])


def model_table():
    yield row(["model in `tests/models`", "digits in a short and a long run", "algorithms"])
    yield row(["---"] * 3)
    for model, (short, long, algorithms) in MODELS.items():
        names = ", ".join(name if " " in name else f"`{name}`" for name in algorithms)
        yield row([f"`{model}`", f"{short} and {long} bits", names])


def extra_features(kernel, table):
    extra = [name for name in kernel["features"] if name not in table["features"]]
    return f" (with {', '.join(extra)})" if extra else ""


def check_words(listing):
    """Raises ValueError unless this file explains every name that the library has, and no other
    name."""
    products = listing["products"]
    missing = {kernel["operation"] for kernel in products} - set(PRODUCTS)
    missing |= {kernel["algorithm"] for kernel in products} - set(PRODUCT_ALGORITHMS)
    wide = {(kernel["table"], kernel["algorithm"]) for kernel in listing["wide"]}
    missing |= {"/".join(name) for name in wide ^ set(DOUBLE_WORDS)}
    if missing:
        names = ", ".join(sorted(missing))
        raise ValueError(f"explain in {Path(__file__).name}, or remove: {names}")
    operations = {kernel["operation"] for kernel in listing["kernels"]}
    listed = {operation for group in GROUPS.values() for operation in group}
    unknown = sorted((operations ^ listed) | (algorithms_of(listing) - set(ALGORITHMS)))
    if unknown:
        raise ValueError(f"explain in {Path(__file__).name}, or remove: {', '.join(unknown)}")


def page(listing):
    check_words(listing)
    lines = [INTRODUCTION, "## Operations, tables, moduli, algorithms", ""]
    lines += [
        "A factor f says that the vectors are in [0, f q) instead of [0, q), with f q < 2^64. "
        "Moduli start at 2",
        "and need not be prime; those of transforms are primes that are 1 mod 2N. N is a power of "
        "two up to 2^20.",
        "a, b, c are vectors, s is a scalar, ~ is one of eight comparisons.",
        "",
    ]
    lines += [*overview(listing), "", "## What the tables need", ""]
    lines += [row(["table", "processor features"]), row(["---", "---"])]
    for table in listing["tables"]:
        lines.append(row([f"`{table['name']}`", ", ".join(table["features"]) or "none"]))
    lines += ["", "## The algorithms", ""]
    used = algorithms_of(listing)
    lines += [f"- `{name}`: {text}." for name, text in ALGORITHMS.items() if name in used]
    lines += ["", "## Products of wide polynomials, and the schemes", ""]
    lines += [*product_table(listing), ""]
    used = {kernel["algorithm"] for kernel in listing["products"]}
    lines += [f"- `{name}`: {text}." for name, text in PRODUCT_ALGORITHMS.items() if name in used]
    lines += ["", "## Double words", ""]
    lines += [
        "`WideEltwise` and `WideNtt` take, for all operations, the first of these kernels whose "
        "features the processor has",
        "and that takes the modulus: [wide.md](wide.md).",
        "",
        *double_word_table(listing),
    ]
    without = ", ".join(f"`{name}`" for name in WITHOUT_MODULUS)
    lines += ["", "## Models", ""]
    lines += [
        "A range that is derived on real numbers can fail where a constant is rounded. Therefore "
        "each arithmetic",
        "is transcribed with digits of a few bits in place of 64, 52 or 46. The models run modulo "
        "every number of",
        "their range, with every operand or, where the docstring says so, with operands whose "
        "products are next",
        "to multiples of q. A short run belongs to the structure checks, a long one to "
        "`make test-long`.",
        f"Nothing in {without} depends on a modulus. The kernels themselves",
        "are tested modulo numbers within 64 of each power of two.",
        "",
        *model_table(),
    ]
    lines += ["", "## What the estimate takes", ""]
    lines += [f"The row `ntt` is for N = {1 << CHOICE_LOG_DEGREE}.", ""]
    lines += choice_table(listing)
    return "\n".join(lines) + "\n"


def listing_of(build):
    """Returns the kernel listing of the library in a build folder."""
    program = json.loads((build / "tests.json").read_text())["kernel_info"]
    return json.loads(
        subprocess.run([program], check=True, capture_output=True, text=True).stdout
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "dev")
    PAGE.write_text(page(listing_of(parser.parse_args().build)))
