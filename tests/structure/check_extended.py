# SPDX-License-Identifier: Apache-2.0
"""The row passes of radix-4 on IFMA execute what a radix-4 butterfly takes, and no more.

Of Bradbury et al., section 3.3, in the instructions of the object file. A conditional subtraction
is one vpminuq, a low half one vpmadd52luq, a high half one vpmadd52huq; a loop that a compiler
unrolls has a multiple of each.

                                        low halves  high halves  conditional
                                                                 subtractions
  one radix-4 butterfly, forward            8            5            1
  four radix-2 butterflies                  8            4            4
  one radix-4 butterfly, inverse            8            5            2
  four radix-2 butterflies, inverse         8            4            4
"""

import json
import re
from pathlib import Path

from report import ROOT, arguments, counts_of, finish, read, unit_listing

UNIT = "avx512ifma_extended.cpp"
MNEMONICS = ("vpmadd52luq", "vpmadd52huq", "vpminuq")
# Mangled names of the pass of two row stages that is not the first one nor, backwards, the last
# one; and its instruction counts per butterfly on four rows.
PASSES = {
    "forward, radix 4": (r"ForwardExtended.*Avx512Ifma52.*4rowsILi2ELb0E", (8, 5, 1)),
    "forward, radix 2": (r"forward_row_pass.*Avx512Ifma52ELi2ELb0E", (8, 4, 4)),
    "inverse, radix 4": (r"InverseExtended.*Avx512Ifma52.*4rowsILi2ELb0E", (8, 5, 2)),
    "inverse, radix 2": (r"inverse_row_pass.*Avx512Ifma52ELi2ELb0E", (8, 4, 4)),
}


def passes_of(listing):
    """(vpmadd52luq, vpmadd52huq, vpminuq) of each symbol of a disassembly."""
    patterns = {name: rf"{name}\b" for name in MNEMONICS}
    counts = counts_of(listing, patterns)
    return {symbol: tuple(found.values()) for symbol, found in counts.items()}


def is_multiple(found, wanted):
    times = found[0] // wanted[0]
    return times > 0 and found == tuple(times * count for count in wanted)


def pass_problems(counts, name, wanted):
    symbols = [symbol for symbol in counts if re.search(name, symbol)]
    if not symbols:
        return [f"no function {name}"]
    return [
        f"{symbol}: {counts[symbol]} of {MNEMONICS}, no multiple of {wanted}"
        for symbol in symbols
        if not is_multiple(counts[symbol], wanted)
    ]


def self_test():
    """Counts and multiples, and what is missed or refused."""
    listing = "\n".join(
        [
            "0000000000000000 <f>:",
            "   0:\tvpmadd52luq %zmm0,%zmm1,%zmm2",
            "   6:\tvpmadd52huq (%rax),%zmm1,%zmm2",
            "   c:\tvpminuq %zmm0,%zmm1,%zmm2",
            "  12:\tvpminud %zmm0,%zmm1,%zmm2",
        ]
    )
    problems = []
    if passes_of(listing) != {"f": (1, 1, 1)}:
        problems.append(f"counts of a listing: {passes_of(listing)}")
    name = "4rowsILi2ELb0E"
    for found, is_right in (
        ((8, 5, 1), True), ((16, 10, 2), True), ((8, 5, 2), False), ((8, 4, 1), False),
        ((16, 10, 1), False), ((0, 0, 0), False),
    ):  # fmt: skip
        if (not pass_problems({name: found}, name, (8, 5, 1))) != is_right:
            problems.append(f"{found} is {'refused' if is_right else 'accepted'}")
    if not pass_problems({}, name, (8, 5, 1)):
        problems.append("a missing pass is accepted")
    return problems


def checks(description):
    yield "self-test: other counts are found", self_test()
    listing, problems = unit_listing(description, UNIT)
    if problems:
        yield f"object file of {UNIT}", problems
        return
    counts = passes_of(listing)
    for title, (name, wanted) in PASSES.items():
        problems = pass_problems(counts, name, wanted)
        yield f"multiply-adds and minima of a row pass: {title}", problems


if __name__ == "__main__":
    options = arguments(__doc__, build=str(ROOT / "build" / "dev"))
    description = json.loads(read(Path(options.build) / "layers.json"))
    finish("extended", checks(description), options.xml)
