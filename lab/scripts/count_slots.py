#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the vector ALU slots of a transform from the instructions that it executes.

usage: count_slots.py PROGRAM [--kernel SELECTION ...] [--degree N ...] [--bits BITS ...]
                      [--direction forward|inverse ...] [--output-factor F] [--functions]

PROGRAM is ringlet_transform_once of a build with benchmarks. It transforms once, and the script
steps through it instruction by instruction (x86-64 Linux). The kind of each instruction comes from
the disassembly. The script prints these numbers per 16 coefficients:

  slots      vector instructions that need an arithmetic port. Loads, stores, broadcast loads and
             register moves are not counted. Zeroing idioms are not counted either: processors of
             this class execute them while renaming registers;
  multiply   the slots that Zen 4 executes on its two pipes that multiply, one per cycle:
             multiply-adds, integer minimum, maximum and comparison, rotation;
  permute    the slots on the two pipes that move words between lanes, one per cycle;
  loads      vector loads, of whole vectors and of broadcast words, also inside other instructions;
  stores     vector stores;
  the others the fewest cycles that the ports of a processor allow, with data in the first-level
             cache: Golden Cove (Intel's Sapphire and Emerald Rapids), Zen 4 and Zen 5. Their tables
             are in docs/notes/ports.md. A column counts the instructions that its table knows.

--functions adds the share of each function.
"""

import argparse
import collections
import itertools
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "ringlet_lab" / "bench"))
from executed import disassemble, executed
from ports import computes, is_store, models, width

MODELS = {model.name: model for model in models()}


def is_vector(operation, operands):
    return operation.startswith("v") and width(operands) > 64


class Tally:
    """Counts of a group of instructions of a transform."""

    def __init__(self):
        self.instructions = []
        self.slots = 0
        self.on = collections.Counter()
        self.loads = 0
        self.stores = 0

    def add(self, operation, operands, count):
        self.instructions.append((count, operation, operands))
        if not is_vector(operation, operands):
            return
        if computes(operation, operands):
            self.slots += count
            for place in {ports for ports, _ in MODELS["Zen 4"].steps(operation, operands)}:
                self.on[place] += count
        if "(" in operands:
            if is_store(operation, operands):
                self.stores += count
            else:
                self.loads += count

    def columns(self, per):
        values = (self.slots, self.on["01"], self.on["12"], self.loads, self.stores,
                  *(model.cycles(self.instructions) for model in MODELS.values()))  # fmt: skip
        return "".join(f"{value / per:12.1f}" if value else f"{'-':>12}" for value in values)


def short_name(function):
    """Returns the last parts of the name of a template's member."""
    return re.sub(r"\(anonymous namespace\)::|ringlet::kernels::|\(.*$", "", function)[-60:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--kernel", nargs="+", default=["ifma52"])
    parser.add_argument("--degree", nargs="+", type=int, default=[4096])
    parser.add_argument("--bits", nargs="+", type=int, default=[48, 49, 50])
    parser.add_argument("--direction", nargs="+", choices=["forward", "inverse"],
                        default=["forward", "inverse"])
    parser.add_argument("--output-factor", type=int, default=1)
    parser.add_argument("--functions", action="store_true")
    options = parser.parse_args()
    code = disassemble(options.program)
    heads = ("slots", "multiply", "permute", "loads", "stores", *MODELS)
    print(f"{'per 16 coefficients':40}" + "".join(f"{head:>12}" for head in heads))
    for direction, selection, bits, degree in itertools.product(
            options.direction, options.kernel, options.bits, options.degree):
        kernel, counts = executed([options.program, selection, str(degree), str(bits), direction,
                           str(options.output_factor)], code)
        parts = collections.defaultdict(Tally)
        for address, count in counts.items():
            function, operation, operands = code[address]
            for part in ("", function):
                parts[part].add(operation, operands, count)
        name = f"{direction}/{kernel}/n={degree}/q={bits}"
        print(f"{name:40}" + parts.pop("").columns(degree / 16))
        if options.functions:
            for function, tally in parts.items():
                if tally.slots:
                    print(f"{tally.columns(degree / 16):>136}  {short_name(function)}")


if __name__ == "__main__":
    main()
