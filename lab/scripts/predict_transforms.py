#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the cycles of transforms on this processor, and measures them.

usage: predict_transforms.py PROGRAM [--kernel NAME ...] [--degree N ...] [--bits BITS ...]
                             [--rounds ROUNDS] [--choices]

PROGRAM is ringlet_transform_once of a build with benchmarks. The script steps through a transform,
so every executed instruction and every address is known. Each function of the program takes the
largest of these times, and a transform takes their sum:

  ports   the fewest cycles that the processor's table of ports allows (docs/notes/ports.md);
  caches  for each cache the lines that the second of two equal transforms reads from it and writes
          back to it, times the table's cycles for these.

No figure is fitted to a transform. Rows are all kernels that a plan may take, each at its width, or
at --bits. It prints Markdown: cycles per 16 coefficients, predicted and measured, and the rows that
differ by more than 20 %. --choices compares the estimate's kernel with the fastest predicted one
instead, for all kernels at each width. Without a table for this processor it says "skipped".
"""

import argparse
import array
import collections
import concurrent.futures
import itertools
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "ringlet_lab" / "bench"))
from caches import LINE, address_of, hierarchy
from executed import disassemble, executed
from ports import accesses_memory, is_store, model_of, this_processor

DIRECTIONS = ("forward", "inverse")
# The kernels that a plan may take, and widths of the modulus at which rows show them.
WIDTHS = {
    "scalar64/radix2": (60,), "avx2/mont32": (29,), "avx2/float": (51,), "avx2/mont64": (60,),
    "avx2/radix2": (60,), "avx512dq/mont32": (29,), "avx512dq/float": (51,),
    "avx512dq/float-long": (54,), "avx512dq/mont64": (60,), "avx512dq/shoup64": (60,),
    "avx512dq/radix2": (60,), "ifma52/radix2": (49,), "ifma52/exact": (51,),
    "ifma52/lazy": (49, 50),
}  # fmt: skip
CHOICE_WIDTHS = (29, 45, 49, 50, 51, 54, 60, 61)
ALLOWED = 0.2

Row = collections.namedtuple("Row", "direction kernel bits degree")


def arguments_of(program, row):
    return [program, row.kernel, str(row.degree), str(row.bits), row.direction]


def time_of(program, row):
    """Returns the name of the kernel, and the fewest cycles. None if it does not take the modulus.
    """
    command = [*arguments_of(program, row), "time"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        return None
    name, times = done.stdout.splitlines()
    time_us, megahertz = map(float, times.split())
    return name, time_us * megahertz


class Trace:
    """The instructions of a transform by function, and the lines that they touch in their order."""

    def __init__(self, program, row, code):
        self._code = code
        self._operands = {}
        self._functions = {}
        self._places = array.array("H")  # numbers of functions
        self._lines = array.array("Q")  # twice a line's number, plus 1 if the line changes
        _, counts = executed(arguments_of(program, row), code, self._observe)
        self.instructions = collections.defaultdict(list)
        for address, count in counts.items():
            function, operation, operands = code[address]
            self.instructions[function].append((count, operation, operands))

    def _observe(self, address, registers):
        found = self._operands.get(address, ())
        if found == ():
            function, operation, operands = self._code[address]
            place = self._functions.setdefault(function, len(self._functions))
            locate = address_of(operands) if accesses_memory(operation, operands) else None
            found = locate and (locate, is_store(operation, operands), place)
            self._operands[address] = found
        if found:
            locate, changes, place = found
            entry = 2 * (locate(registers) // LINE) + changes
            if not self._lines or entry != self._lines[-1]:
                self._lines.append(entry)
                self._places.append(place)

    def moved(self, levels):
        """Returns {function: [(lines read, lines written back), ...]}, in the second of two equal
        transforms, for each cache that has a size."""
        caches = hierarchy(levels)
        names = list(self._functions)
        totals = [[[0, 0] for _ in caches] for _ in names]
        for turn in range(2):
            for place, entry in zip(self._places, self._lines, strict=True):
                before = [(cache.read, cache.written) for cache in caches]
                caches[0].touch(entry >> 1, bool(entry & 1))
                if turn and caches[0].read != before[0][0]:
                    for total, cache, (read, written) in zip(
                        totals[place], caches, before, strict=True
                    ):
                        total[0] += cache.read - read
                        total[1] += cache.written - written
        return dict(zip(names, totals, strict=True))


def predict(model, trace):
    """Returns the cycles of a traced transform."""
    levels = model.table["caches"]
    moved = trace.moved(levels)
    total = 0
    for function, instructions in trace.instructions.items():
        times = [
            read * level["read"] + written * level["write"]
            for level, (read, written) in zip(levels[1:], moved.get(function, ()), strict=False)
        ]
        total += max([model.cycles(instructions), *times])
    return total


shared = {}  # What processes inherit: the disassembly is large.


def predict_row(row):
    """Returns the cycles of a row, in a process that was forked for it."""
    return predict(shared["model"], Trace(shared["program"], row, shared["code"]))


def measure(program, rows, rounds):
    """Returns the fewest cycles of each row. Rounds go through all rows, so that a disturbance of
    the machine meets few samples of a row."""
    found = dict.fromkeys(rows, float("inf"))
    for _, row in itertools.product(range(rounds), rows):
        found[row] = min(found[row], time_of(program, row)[1])
    return found


def print_rows(rows, predicted, measured):
    """Prints a table for each direction, and the rows beyond what is allowed."""
    degrees = sorted({row.degree for row in rows})
    for direction in DIRECTIONS:
        print(f"\n| {direction} | " + " | ".join(f"N = {degree}" for degree in degrees) + " |")
        print("|---" * (len(degrees) + 1) + "|")
        for kernel, bits in dict.fromkeys((row.kernel, row.bits) for row in rows):
            cells = []
            for degree in degrees:
                row = Row(direction, kernel, bits, degree)
                a, b = (16 * cycles[row] / degree for cycles in (predicted, measured))
                cells.append(f"{a:.1f} / {b:.1f}")
            print(f"| `{kernel}`, {bits} bits | " + " | ".join(cells) + " |")
    beyond = [row for row in rows if abs(measured[row] / predicted[row] - 1) > ALLOWED]
    print(f"\n{len(rows) - len(beyond)} of {len(rows)} rows within {100 * ALLOWED:g} %")
    for row in beyond:
        ratio = measured[row] / predicted[row]
        print(f"- beyond: {' '.join(map(str, row))}, measured / predicted {ratio:.2f}")


def print_choices(program, rows, predicted, measured):
    """Prints where the estimate takes another kernel than the one that is predicted fastest, by the
    cycles of both directions."""
    groups = collections.defaultdict(dict)
    for row in rows:
        if row.direction == "forward":
            back = row._replace(direction="inverse")
            groups[row.degree, row.bits][row.kernel] = [
                cycles[row] + cycles[back] for cycles in (predicted, measured)
            ]
    print("| N | bits | estimate | predicted fastest | predicted ratio | measured ratio |")
    print("|---" * 6 + "|")
    agree = 0
    for (degree, bits), kernels in groups.items():
        chosen, _ = time_of(program, Row("forward", "ifma52", bits, degree))
        best = min(kernels, key=lambda name: kernels[name][0])
        agree += best == chosen
        if best != chosen:
            ratios = [a / b for a, b in zip(kernels[chosen], kernels[best], strict=True)]
            print(f"| {degree} | {bits} | `{chosen}` | `{best}` | " +
                  " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")  # fmt: skip
    print(f"\nThe same kernel in {agree} of {len(groups)} rows")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--kernel", nargs="+", default=list(WIDTHS))
    parser.add_argument("--degree", nargs="+", type=int, default=[1024, 4096, 16384, 65536])
    parser.add_argument("--bits", nargs="+", type=int)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--choices", action="store_true")
    options = parser.parse_args()
    model = model_of(this_processor())
    if model is None or "caches" not in model.table:
        print(f"skipped: no table predicts transforms on {this_processor()}")
        return
    widths = options.bits or (CHOICE_WIDTHS if options.choices else None)
    rows = [
        Row(direction, kernel, bits, degree)
        for kernel in options.kernel for bits in widths or WIDTHS[kernel]
        for degree in options.degree for direction in DIRECTIONS
    ]  # fmt: skip
    rows = [row for row in rows if time_of(options.program, row)]
    measured = measure(options.program, rows, options.rounds)
    predicted = {}
    shared.update(model=model, program=options.program, code=disassemble(options.program))
    # The longest first, so that none runs alone at the end.
    order = sorted(rows, key=lambda row: -row.degree)
    with concurrent.futures.ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        for row, cycles in zip(order, pool.map(predict_row, order), strict=True):
            predicted[row] = cycles
            print(*row, f"{cycles:.0f} {measured[row]:.0f}", file=sys.stderr, flush=True)
    if options.choices:
        print_choices(options.program, rows, predicted, measured)
    else:
        print_rows(rows, predicted, measured)


if __name__ == "__main__":
    main()
