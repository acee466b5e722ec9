# SPDX-License-Identifier: Apache-2.0
"""Places and routes each block of the accelerator on a Lattice ECP5, by yosys and nextpnr.

    place.py [--design faithful,one_lane] [--blocks poly_mul,...] [--json FILE]

Each block is placed alone (`--out-of-context`): pins do not limit it. The whole top level has pins.
One row is one instance. luts: functions of four inputs, with those that carry and those that serve
as memory. dsp: MULT18X18D, of 18 x 18 bits. ram: DP16KD, of 18 Kbit. fmax: MHz, as nextpnr finds by
its delays of the speed grade. A block that needs more than the device has is named with what is
short, and one that takes longer than --limit seconds of the processor too.

The tools are the packages of python/requirements-place.txt, for Linux on x86-64; they are installed
into build/place. Elsewhere install `yosys` (0.60 or newer) and `nextpnr-ecp5`, and pass --native.
Finished blocks are kept in build/place/results and not placed again.
"""

import argparse
import concurrent.futures
import hashlib
import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import synthesize
from report import report
from synthesize import HARDWARE, elaborate, instances, plain_name, prepare, yosys

ROOT = HARDWARE.parents[1]
REQUIREMENTS = ROOT / "python" / "requirements-place.txt"
BUILD = ROOT / "build" / "place"
LIMIT_SECONDS = 3600  # of the processor, which does not depend on the load of the machine
WALL_LIMITS = 4  # A run that waits as long as this many limits is a failure.
TARGET_MHZ = 250  # the paper's clock
DEVICES = {"25k": "LFE5U-25F", "45k": "LFE5U-45F", "85k": "LFE5U-85F"}
PACKAGES = {"25k": "CABGA381", "45k": "CABGA554", "85k": "CABGA756"}
SPEED = 8
DESIGNS = {
    "faithful": synthesize.DESIGNS["faithful"],
    # The whole with one encryption at once instead of four, and a buffer of two results: it fits.
    "one_lane": {
        **synthesize.DESIGNS["faithful"],
        "parameters": {"LANES": 1, "BUFFER_LOG": 12},
    },
    "resident": synthesize.DESIGNS["resident"],
}
# Modules within blocks that have rows of their own: the units of the paths and the multiplier.
UNITS = ("pre_unit", "post_unit", "modular_post_unit", "mod_reduce", "int_mul")
COLUMNS = {"luts": "Total LUT4s", "dsp": "MULT18X18D", "ram": "DP16KD", "ffs": "TRELLIS_FF"}
FAILURES = (RuntimeError, subprocess.TimeoutExpired)


class Tools:
    """The programs, and what identifies their results."""

    def __init__(self, native):
        prefix = "" if native else f"{BUILD}/bin/yowasp-"
        if not native:
            install()
        self.yosys, self.nextpnr = f"{prefix}yosys", f"{prefix}nextpnr-ecp5"
        self.versions = f"{version(self.yosys, '-V')}, {version(self.nextpnr, '--version')}"


def version(program, option):
    """Such as "Yosys 0.70" or "nextpnr-0.11.1"."""
    try:
        run = subprocess.run([program, option], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"place and route: {program} does not run ({error}); remedy: install it")
    return re.search(r"(Yosys |nextpnr-(?=\d))[\w.+-]+", run.stdout + run.stderr)[0]


def installed():
    """Whether the environment of the tools is there in these versions."""
    stamp = BUILD / "installed"
    return stamp.is_file() and stamp.read_text() == REQUIREMENTS.read_text()


def install():
    if installed():
        return
    print(f"installing python/{REQUIREMENTS.name} into build/place", file=sys.stderr)
    pip = [BUILD / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", "-q"]
    try:
        subprocess.run([sys.executable, "-m", "venv", BUILD], check=True)
        subprocess.run([*pip, "--require-hashes", "-r", REQUIREMENTS], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(
            f"place and route: yosys and nextpnr cannot be installed ({error}); limit: Linux on "
            "x86-64 with a package index; remedy: install `yosys` and `nextpnr-ecp5`, pass --native"
        )
    (BUILD / "installed").write_text(REQUIREMENTS.read_text())


def read_usage(log):
    """What nextpnr counts after packing, as {resource: (used, available)}."""
    lines = re.findall(r"^Info:\s+([A-Za-z0-9_ ]+):\s+(\d+)/\s*(\d+)\s+\d+%", log, re.MULTILINE)
    return {name.strip(): (int(used), int(there)) for name, used, there in lines}


def shortages(usage):
    """The resources of which there are too few, as text."""
    names = ("Total LUT4s", "TRELLIS_FF", "MULT18X18D", "DP16KD", "TRELLIS_IO")
    counts = [(name, *usage[name]) for name in names if name in usage]
    return [f"{name} {used:,} of {there:,}" for name, used, there in counts if used > there]


def route_command(name, options, tools, is_top):
    return [
        tools.nextpnr, f"--{options.device}", "--package", PACKAGES[options.device],
        "--speed", str(SPEED), "--freq", str(TARGET_MHZ), "--seed", str(options.seed),
        "--timing-allow-fail", "--lpf-allow-unconstrained", "-q",
        "--json", f"{name}-netlist.json", "--report", f"{name}-report.json", "-l", f"{name}.log",
        *([] if is_top else ["--out-of-context"]),
    ]  # fmt: skip


def route(folder, name, command, limit):
    """Runs nextpnr on a netlist. Returns the figures, and the state."""
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=WALL_LIMITS * limit,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )  # fmt: skip
    log = folder / f"{name}.log"
    usage = read_usage(log.read_text()) if log.is_file() else {}
    row = {column: usage[name][0] for column, name in COLUMNS.items() if name in usage}
    if short := shortages(usage):
        return row | {"state": f"does not fit: {', '.join(short)}"}
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return row | {"state": f"stopped after {limit} s"}
    if run.returncode:
        raise RuntimeError(f"{name}: {(run.stdout + run.stderr).strip()[-400:]}")
    found = json.loads((folder / f"{name}-report.json").read_text())
    if not found["fmax"]:
        return row | {"state": "routed; no path between two registers"}
    (clock,) = found["fmax"].values()
    (path,) = (one["path"] for one in found["critical_paths"] if one["from"] == one["to"])
    return row | {
        "fmax_mhz": round(clock["achieved"], 1),
        "critical_path": f"{path[0]['from']['cell']} to {path[-1]['to']['cell']}",
        "state": "routed",
    }


def place(folder, options, tools, job):
    """One block: its figures, or those that an earlier run left."""
    design, module, number, is_top = job
    name = f"{design}-{plain_name(module)}-{zlib.crc32(module.encode())}"
    script = [f"read_rtlil {design}.il", f"hierarchy -top {module}", "synth_ecp5"]
    command = route_command(name, options, tools, is_top)
    digest = hashlib.sha256(repr((tools.versions, script, command)).encode())
    digest.update((folder / f"{design}.il").read_bytes())
    kept = folder.parent / "results" / f"{digest.hexdigest()[:24]}.json"
    if kept.is_file():
        return json.loads(kept.read_text())
    started = time.monotonic()
    yosys(folder, name, [*script[:2], f"{script[2]} -json {name}-netlist.json"], tools.yosys)
    row = {"design": design, "name": plain_name(module), "instances": number}
    row |= route(folder, name, command, options.limit)
    row["seconds"] = round(time.monotonic() - started, 1)
    if not row["state"].startswith("stopped"):
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(row, indent=1) + "\n")
    return row


def jobs_of(folder, design, description, wanted, tools):
    """The blocks of a design, the units in them, and the top level, each once."""
    modules, top = elaborate(folder, design, description, tools.yosys)
    blocks, everything = instances(modules, top), instances(modules, top, deep=True)
    units = {name: n for name, n in everything.items() if plain_name(name) in UNITS}
    found = [*{**units, **blocks}.items(), (top, 1)]
    return [
        (design, module, number, module == top)
        for module, number in found
        if not wanted or plain_name(module) in wanted
    ]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--design", default="faithful,one_lane")
    parser.add_argument("--blocks", help="only these modules, with commas between")
    parser.add_argument("--device", choices=DEVICES, default="85k")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=LIMIT_SECONDS, metavar="SECONDS")
    parser.add_argument("--native", action="store_true", help="take the tools of the PATH")
    parser.add_argument("--install", action="store_true", help="install the tools, and no more")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--xml", type=Path)
    return parser.parse_args()


def print_row(row):
    label = f"{row['design']}: {row['name']}"
    label += f" x {row['instances']}" if row["instances"] > 1 else ""
    cells = [f"{row[column]:9,}" if column in row else f"{'-':>9}" for column in COLUMNS]
    clock = row.get("fmax_mhz")
    cells.append(f"{clock:9.1f}" if clock else f"{'-':>9}")
    print(f"{label:36}{''.join(cells)}  {row['state']}", flush=True)


def main():
    options = arguments()
    if options.install:
        return install()
    tools = Tools(options.native)
    BUILD.mkdir(parents=True, exist_ok=True)
    device = f"{DEVICES[options.device]}, speed grade {SPEED}"
    print(f"{tools.versions}; {device}; seed {options.seed}; target {TARGET_MHZ} MHz")
    wanted = options.blocks.split(",") if options.blocks else None
    checks, rows = [], []
    with tempfile.TemporaryDirectory(dir=BUILD) as temporary:
        folder = Path(temporary)
        prepare(folder)
        work = [
            job
            for design in options.design.split(",")
            for job in jobs_of(folder, design, DESIGNS[design], wanted, tools)
        ]

        def one(job):
            try:
                return place(folder, options, tools, job), None
            except FAILURES as error:
                return None, str(error)

        print(f"{'':36}" + "".join(f"{column:>9}" for column in (*COLUMNS, "fmax")))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for job, (row, problem) in zip(work, pool.map(one, work), strict=True):
                checks.append((f"{job[0]} {plain_name(job[1])}", [problem] if problem else []))
                if row:
                    rows.append(row)
                    print_row(row)
    if options.json:
        text = {"tool": tools.versions, "target": device, "seed": options.seed, "placed": rows}
        options.json.write_text(json.dumps(text, indent=1) + "\n")
    return report("place and route", checks, options.xml)


if __name__ == "__main__":
    sys.exit(main())
