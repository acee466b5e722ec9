# SPDX-License-Identifier: Apache-2.0
"""Counts what each block of the accelerators takes on an FPGA, by yosys.

    synthesize.py [--design faithful,resident] [--blocks poly_mul,...] [--coarse] [--json FILE]

The target is Intel's Cyclone V as yosys knows it (synth_intel_alm): the same adaptive logic
modules (ALM) and 27 x 27 multipliers as the paper's Stratix V, with memories of 10 instead of 20
Kbit. Blocks are the instances of the top level, each synthesised for itself with its parameters;
their sum leaves out what the top itself has between them. Nothing is placed or routed here:
place.py does that for another family.

logic: ALMs if each holds one function of six inputs, or two smaller ones, or two bits of an adder.
memory: ALMs used as memory, 64 bits each. registers: flip-flops. memory_bits: bits of all memories
as the Verilog declares them, in ALMs or in blocks. dsp: multipliers before they are mapped,
one block each, with operands of at least 10 bits; all are of 10 x 27 bits, which yosys itself
would cut into 18 x 18 and 9 x 9. Smaller ones are indices times constants.
"""

import argparse
import concurrent.futures
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path

HARDWARE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HARDWARE.parents[1] / "tests" / "structure"))
from report import report  # noqa: E402

TARGET = "Cyclone V (synth_intel_alm)"
LIMIT_SECONDS = 1800
DESIGNS = {
    "faithful": {"top": "karatsuba_top", "files": "rtl/*.v", "parameters": {}, "dsp": 80},
    "resident": {
        "top": "resident_card",
        "files": "rtl/resident/*.sv",
        "parameters": {"LANES": 1},
        "dsp": 0,
    },
}
# Migliore et al. (2017), Table 1: n = 2560, log q = 135, Stratix V GXEA7.
PAPER = [
    {
        "name": "RIFFA",
        "logic": 8207, "memory": 110, "registers": 11334, "memory_bits": 697720, "dsp": 0,
    },
    {
        "name": "RIFFA/Karatsuba interface",
        "logic": 286, "memory": 0, "registers": 203, "memory_bits": 8464384, "dsp": 0,
    },
    {
        "name": "Karatsuba",
        "logic": 30566, "memory": 30030, "registers": 79440, "memory_bits": 25164, "dsp": 80,
    },
]
FIGURES = ("logic", "memory", "registers", "memory_bits", "dsp")
# Our blocks that the paper counts as the interface to its link.
INTERFACE = {"stream_rx", "stream_tx", "packager", "buffer"}
# The usual script without two passes: &mfs ends with a failed assertion on some blocks, and &dch
# takes minutes on wide multiplexers.
ABC_SCRIPT = "+&scorr; &sweep; &dc2; &if {C} {W} {D} {R} -v"


def prepare(folder):
    """Makes the folder, with the Verilog in it: yosys cuts paths at spaces, and as WebAssembly it
    follows no links."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HARDWARE / "rtl", folder / "rtl", dirs_exist_ok=True)


def yosys(folder, name, commands, program="yosys"):
    """Runs a script; raises with the end of the log where that fails."""
    (folder / f"{name}.ys").write_text("\n".join(commands) + "\n")
    run = subprocess.run(
        [program, "-q", "-l", f"{name}.log", "-s", f"{name}.ys"],
        capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=folder,
    )  # fmt: skip
    if run.returncode or "failed: return code" in run.stderr:
        raise RuntimeError(f"{name}: {(run.stdout + run.stderr).strip()[-400:]}")


def plain_name(module):
    """The name in the Verilog of a module that yosys named after its parameters."""
    return re.sub(r"^\$paramod(\$[0-9a-f]+)?\\", "", module).split("\\")[0]


def instances(modules, name, deep=False):
    """Instances in a module, and with `deep` in those within it, as {module: number}."""
    counts = Counter()
    for cell in modules[name]["cells"].values():
        if cell["type"] in modules:
            counts[cell["type"]] += 1
            counts += instances(modules, cell["type"], True) if deep else {}
    return counts


def elaborate(folder, design, description, program="yosys"):
    """The modules of a design as yosys writes them, and the name of the top level."""
    files = sorted(str(path.relative_to(folder)) for path in folder.glob(description["files"]))
    parameters = [f"-chparam {name} {value}" for name, value in description["parameters"].items()]
    yosys(
        folder,
        design,
        [
            f"read_verilog -sv {' '.join(files)}",
            f"hierarchy -check -top {description['top']} {' '.join(parameters)}",
            "proc",
            f"write_rtlil {design}.il",
            f"write_json {design}.json",
        ],
        program,
    )
    modules = json.loads((folder / f"{design}.json").read_text())["modules"]
    (top,) = [name for name, module in modules.items() if "top" in module["attributes"]]
    return modules, top


def read_statistics(path):
    """Yosys' statistics by module. Its JSON is not always well-formed in version 0.23."""
    modules = {}
    for line in path.read_text().splitlines():
        if head := re.fullmatch(r"=== (.+) ===", line.strip()):
            module = modules.setdefault(head[1], {"num_memory_bits": 0, "num_cells_by_type": {}})
        elif bits := re.fullmatch(r"\s*Number of memory bits:\s*(\d+)", line):
            module["num_memory_bits"] = int(bits[1])
        elif cell := re.fullmatch(r"\s{5}(\S+)\s+(\d+)", line):
            module["num_cells_by_type"][cell[1]] = int(cell[2])
    modules.pop("design hierarchy", None)
    return modules


def find(modules, name):
    """The module of this name in yosys' statistics, which mark public names, or None."""
    return modules.get(name) or modules.get("\\" + name)


def total_cells(modules, name):
    """Cells of a module and of those in it, by type."""
    totals = {}
    for kind, number in find(modules, name)["num_cells_by_type"].items():
        inner = total_cells(modules, kind) if find(modules, kind) else {kind: 1}
        for cell, count in inner.items():
            totals[cell] = totals.get(cell, 0) + number * count
    return totals


def total_bits(modules, name):
    """Bits of all memories of a module and of those in it."""
    module = find(modules, name)
    return module["num_memory_bits"] + sum(
        number * total_bits(modules, kind)
        for kind, number in module["num_cells_by_type"].items()
        if find(modules, kind)
    )


def figures(cells):
    small = sum(cells.get(f"MISTRAL_ALUT{inputs}", 0) for inputs in (2, 3, 4, 5))
    small += cells.get("MISTRAL_ALUT_ARITH", 0)
    return {
        "logic": cells.get("MISTRAL_ALUT6", 0) + (small + 1) // 2,
        "memory": (cells.get("MISTRAL_MLAB", 0) + 1) // 2,
        "registers": cells.get("MISTRAL_FF", 0),
        "m10k": cells.get("MISTRAL_M10K", 0),
    }


def synthesize(folder, design, module, number, coarse=False):
    """One block: what all its instances take, and the seconds."""
    name = f"{design}-{plain_name(module)}-{zlib.crc32(module.encode())}"
    started = time.monotonic()
    synth = f"synth_intel_alm -family cyclonev -top {module} -noflatten -noiopad -noclkbuf"
    commands = [
        f"read_rtlil {design}.il",
        f"hierarchy -top {module}",
        f'scratchpad -set abc9.script "{ABC_SCRIPT}"',
        "opt", "wreduce", "opt", "design -push-copy",
        "chtype -set wide_multiplier t:$mul r:A_WIDTH>=10 %i r:B_WIDTH>=10 %i",
        f"tee -o {name}-coarse.txt stat",
        "design -pop",
    ]  # fmt: skip
    if not coarse:
        commands += [synth, f"tee -o {name}.txt stat"]
    yosys(folder, name, commands)
    first = read_statistics(folder / f"{name}-coarse.txt")
    one = {
        "memory_bits": total_bits(first, module),
        "dsp": total_cells(first, module).get("wide_multiplier", 0),
    }
    if not coarse:
        one |= figures(total_cells(read_statistics(folder / f"{name}.txt"), module))
    return {
        "design": design,
        "name": plain_name(module),
        "instances": number,
        **{figure: number * value for figure, value in one.items()},
        "seconds": round(time.monotonic() - started, 1),
    }


def merged(rows):
    """Blocks of one design and name as one row."""
    result = {}
    for row in rows:
        key = (row["design"], row["name"])
        if key not in result:
            result[key] = dict(row)
            continue
        for figure in (*FIGURES, "m10k", "instances", "seconds"):
            if figure in row:
                result[key][figure] += row[figure]
    return list(result.values())


def summed(design, name, rows):
    return {
        "design": design,
        "name": name,
        **{
            figure: sum(row[figure] for row in rows)
            for figure in FIGURES
            if all(figure in row for row in rows)
        },
    }


def print_table(rows):
    print(f"{'':34}" + "".join(f"{figure:>13}" for figure in FIGURES))
    for row in rows:
        label = f"{row['design']}: {row['name']}"
        if row.get("instances", 1) > 1:
            label += f" x {row['instances']}"
        cells = [f"{row[figure]:13,}" if figure in row else f"{'-':>13}" for figure in FIGURES]
        print(f"{label:34}" + "".join(cells))


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--design", default=",".join(DESIGNS))
    parser.add_argument("--blocks", help="only these modules, with commas between")
    parser.add_argument("--coarse", action="store_true", help="multipliers and memory alone")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--xml", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--logs", type=Path, help="keep yosys' files in this folder")
    return parser.parse_args()


def main():
    options = arguments()
    wanted = options.blocks.split(",") if options.blocks else None
    checks, rows = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.logs or temporary).resolve()
        prepare(folder)
        work = []
        for design in options.design.split(","):
            try:
                blocks = instances(*elaborate(folder, design, DESIGNS[design]))
                work += [(design, *item) for item in blocks.items()]
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                checks.append((f"{design} elaborates", [str(error)]))
        work = [item for item in work if not wanted or plain_name(item[1]) in wanted]

        def one(item):
            try:
                return synthesize(folder, *item, options.coarse), None
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                return None, f"{item[0]}: {plain_name(item[1])}: {error}"

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for item, (row, problem) in zip(work, pool.map(one, work), strict=True):
                name = f"{item[0]} {plain_name(item[1])} synthesises"
                checks.append((name, [problem] if problem else []))
                if row:
                    rows.append(row)
    rows = merged(rows)
    sums = []
    for design in options.design.split(","):
        mine = [row for row in rows if row["design"] == design]
        dsp = sum(row["dsp"] for row in mine)
        expected = DESIGNS[design]["dsp"]
        problems = [] if dsp == expected else [f"{dsp} multipliers instead of {expected}"]
        if not wanted:
            checks.append((f"{design} has {expected} multipliers", problems))
        interface = [row for row in mine if row["name"] in INTERFACE]
        if interface and not wanted:
            core = [row for row in mine if row not in interface]
            sums += [summed(design, "interface", interface), summed(design, "core", core)]
        if not wanted:
            sums.append(summed(design, "all blocks", mine))
    print_table([*rows, *sums, *({"design": "paper", **row} for row in PAPER)])
    if options.json:
        version = subprocess.run(["yosys", "-V"], capture_output=True, text=True).stdout.strip()
        text = {"tool": version, "target": TARGET, "blocks": rows, "sums": sums, "paper": PAPER}
        options.json.write_text(json.dumps(text, indent=1) + "\n")
    return report("synthesis", checks, options.xml)


if __name__ == "__main__":
    sys.exit(main())
