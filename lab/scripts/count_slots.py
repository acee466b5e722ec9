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
  Zen 4      the fewest cycles that its pipes allow: for every set of pipes, the instructions that
             run nowhere else, at half an instruction per pipe and cycle;
  Intel      the same for two 512-bit ports.

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

FREE = ("vmov", "vbroadcast", "vpbroadcast")

# Where instructions of 512 bits run: the pattern of the name, pipes of Zen 4 (four, each half an
# instruction per cycle), ports of Intel's servers (two, each one instruction per cycle). The first
# match counts; unmatched instructions run anywhere. ringlet_check_speed --ports shows Zen 4's. A
# vpermt2q costs Zen 4 nearly two slots; it counts as two, of which one runs anywhere.
PORTS = [
    (r"vpmadd52|vpmul|vpm(in|ax)u?q|vpabs|vpro[lr]", "01", "0"),
    (r"vpcmp|vptestn?m", "01", "5"),
    (r"vperm[it]2", "12", "5"),
    (r"vperm[qd]$|vpermpd|vshuf[if]|valign|v(insert|extract)[if]", "12", "5"),
    (r"vpunpck|vpshufd|vpermilp|vshufp|vunpck", "123", "5"),
    (r"vps[lr][la]", "23", "0"),
    (r"v(min|max|add|sub)p[ds]", "23", "05"),
]
ON_BOTH_PORTS = r"vpmadd52"


def is_vector(operation, operands):
    return operation.startswith("v") and re.search(r"%[xyz]mm", operands) is not None


def takes_slot(operation, operands):
    names = operands.split(",")
    is_zeroing = operation.startswith("vpxor") and len(names) == 3 and names[0] == names[1]
    if operation.startswith(FREE) and "(" not in operands:
        # Masked moves are blends, and broadcasts from registers execute.
        return "{%k" in operands or not operation.startswith("vmov")
    return not operation.startswith(FREE) and not is_zeroing


def pipes(operation, processor):
    """Returns the pipes (0) of Zen 4 or the ports (1) of Intel that execute an operation."""
    if processor == 1 and re.match(ON_BOTH_PORTS, operation):
        return "05"
    for pattern, *places in PORTS:
        if re.match(pattern, operation):
            return places[processor]
    return ("0123", "05")[processor]


def bound(slots, processor):
    """Returns the fewest cycles for {operation: count}."""
    names, rate = (("0123", 0.5), ("05", 1.0))[processor]
    places = collections.Counter()
    for operation, count in slots.items():
        places[pipes(operation, processor)] += count
        if processor == 0 and re.match("vperm[it]2", operation):
            places[names] += count
    return max(
        sum(count for place, count in places.items() if set(place) <= set(subset))
        / (rate * len(subset))
        for size in range(1, len(names) + 1) for subset in itertools.combinations(names, size))


class Tally:
    """Counts of a group of instructions of a transform."""

    def __init__(self):
        self.slots = collections.Counter()
        self.loads = 0
        self.stores = 0

    def add(self, operation, operands, count):
        if not is_vector(operation, operands):
            return
        if takes_slot(operation, operands):
            self.slots[operation] += count
        if "(" in operands:
            if operation.startswith("vmov") and operands.endswith(")"):
                self.stores += count
            else:
                self.loads += count

    def columns(self, per):
        on = {place: sum(count for operation, count in self.slots.items()
                         if pipes(operation, 0) == place) for place in ("01", "12")}
        values = (sum(self.slots.values()), on["01"], on["12"], self.loads, self.stores,
                  bound(self.slots, 0), bound(self.slots, 1))
        return "".join(f"{value / per:9.1f}" for value in values)


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
    heads = ("slots", "multiply", "permute", "loads", "stores", "Zen 4", "Intel")
    print(f"{'per 16 coefficients':40}" + "".join(f"{head:>9}" for head in heads))
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
                    print(f"{tally.columns(degree / 16):>103}  {short_name(function)}")


if __name__ == "__main__":
    main()
