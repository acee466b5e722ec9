#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares this processor's table of ports (docs/notes/ports.md) with the processor itself.

usage: check_ports.py [--allowed PERCENT]

For every sample of the table it measures eight independent instructions, and four beside eight of
each instruction that fills one port. The table predicts these cycles from its ports. Then it
measures the lines that passes read and change in each cache. It prints what differs by more than
--allowed (default 15), and exits with 1 if anything does. It says "skipped" and exits with 0 if no
table describes the processor. Run it on a quiet machine: it times.
"""

import argparse
import functools
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "ringlet_lab" / "bench"))
from port_loops import Loops, mixture
from ports import model_of, this_processor


# A disturbance of the machine may be over then.
TRIES = 8
PAUSE_S = 1


def cases(model):
    """Returns (name, instructions) for each sample, alone and beside each port's instruction."""
    pairs = list(model.table.get("memory", ()))
    for entry in model.table["classes"]:
        others = model.table["beside"].get(str(entry["bits"]), ())
        pairs += [(sample, other) for sample in entry["samples"] for other in (None, *others)]
    return [
        (sample + (f" + 8 {other.split()[0]}" if other else ""), mixture(sample, other))
        for sample, other in pairs
    ]


def cache_rows(levels):
    """Returns (name, cycles, bytes, whether passes write) for each level below the first: passes
    over half of its bytes, or over eight times those of the level above for the last one."""
    rows = []
    for above, level in zip(levels, levels[1:], strict=False):
        size = level["bytes"] // 2 if "bytes" in level else 8 * above["bytes"]
        name, read = f"line read from {level['name']}", level["read"]
        rows.append((name, read, size, False))
        rows.append((f"{name} and written back", read + level["write"], size, True))
    return rows


def rows_of(model):
    """Returns (name, predicted cycles, function that measures them) for each row."""
    chosen = cases(model)
    loops = Loops([body for _, body in chosen])
    rows = [
        (name, model.cycles((1, *text.split(maxsplit=1)) for text in body),
         functools.partial(loops.cycles, number))
        for number, (name, body) in enumerate(chosen)
    ]  # fmt: skip
    rows += [
        (name, cycles, functools.partial(loops.cycles_per_line, size, changes))
        for name, cycles, size, changes in cache_rows(model.table.get("caches", []))
    ]
    return rows


def compare(rows, allowed):
    """Prints each row, after up to TRIES measurements. Returns how many differ."""
    found = {}
    for turn in range(TRIES):
        left = [row for row in rows if abs(found.get(row[0], 0) / row[1] - 1) > allowed]
        time.sleep(PAUSE_S if left and turn else 0)
        found.update({name: measure() for name, _, measure in left})
    for name, cycles, _ in rows:
        differs = abs(found[name] / cycles - 1) > allowed
        print(f"{name:52} {cycles:8.2f} {found[name]:8.2f}{'  DIFFERS' if differs else ''}")
    return sum(abs(found[name] / cycles - 1) > allowed for name, cycles, _ in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--allowed", type=float, default=15)
    options = parser.parse_args()
    processor = this_processor()
    model = model_of(processor)
    if model is None:
        print(f"skipped: no table of ports describes {processor}")
        return
    print(f"{model.name + ', cycles':52} {'table':>8} {'measured':>8}")
    rows = rows_of(model)
    wrong = compare(rows, options.allowed / 100)
    print(f"{len(rows)} rows, {wrong} differ by more than {options.allowed:g} %")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
