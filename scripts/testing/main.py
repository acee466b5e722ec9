# SPDX-License-Identifier: Apache-2.0
"""Runs Ringlet's tests. The last line printed holds the totals; the exit status is 0 only if at
least one test ran and none failed. A suite that passed is not run again while files, processor and
packages stay as they are; --again, --only and a given seed run it.

Environment: RINGLET_TEST_SEED repeats a run, RINGLET_JOBS limits the processors in use, and
RINGLET_FORCE_KERNELS=<table> leaves out the other tables.
"""

import argparse
import hashlib
import json
import os
import random
import sys
from pathlib import Path

from groups import CHANGE_GROUPS, LONG_GROUPS, USER_GROUPS
from runner import ROOT, Finished, Runner

sys.path.insert(0, str(ROOT / "tests" / "structure"))
from report import repository_files  # noqa: E402

# Seconds of processor time, which are less than 15 minutes on two cores.
BUDGETS = {"test": 1500}
# Variables of others that change what is built or tested.
OTHER_VARIABLES = {"CXX", "CXXFLAGS", "LD_LIBRARY_PATH", "OCL_ICD_VENDORS", "PYTHONPATH"}


def source_hash():
    """Returns a hash that changes with every file of the repository."""
    digest = hashlib.sha256()
    for path in repository_files():
        digest.update(str(path).encode() + b"\0" + (ROOT / path).read_bytes())
    return digest.hexdigest()


def machine_hash():
    """Returns a hash that changes with the processor, Debian's packages, and variables that change
    tests."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    facts = [line for line in lines if line.startswith(("model name", "flags"))][:2]
    process = "RINGLET_FIRST_SCRIPT"  # see common.sh
    for name, value in sorted(os.environ.items()):
        if name in OTHER_VARIABLES or name.startswith("RINGLET_") and name != process:
            facts.append(f"{name}={value}")
    packages = Path("/var/lib/dpkg/status")
    digest = hashlib.sha256("\n".join(facts).encode())
    digest.update(packages.read_bytes() if packages.is_file() else b"")
    return digest.hexdigest()


def choose_seed(state):
    """Returns the seed of the environment, else that of the interrupted long run, else a new one.
    """
    given = os.environ.get("RINGLET_TEST_SEED")
    if given:
        return given
    if state and state.is_file():
        return json.loads(state.read_text())["key"]["seed"]
    return str(random.SystemRandom().getrandbits(64))


def environment(seed):
    """Returns the environment of all test programs. Drivers keep compiled kernels in the build
    folder. PoCL is the only OpenCL runtime; it runs the kernels on the processor. Variables that
    are already set keep their values, but Python always keeps compiled modules: without them, half
    of the time of short programs compiles what they import.
    """
    folder = ROOT / "build" / "opencl"
    places = {
        "RINGLET_CACHE_DIR": folder / "ringlet-cache",
        "POCL_CACHE_DIR": folder / "pocl-cache",
        "OCL_ICD_VENDORS": folder / "vendors",
    }
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    for entry in Path("/etc/OpenCL/vendors").glob("pocl*.icd"):
        (places["OCL_ICD_VENDORS"] / entry.name).write_text(entry.read_text())
    values = {name: str(place) for name, place in places.items()}
    # Programs run side by side, so threads of NumPy's products would wait for each other.
    values["OPENBLAS_NUM_THREADS"] = "1"
    return {**values, **os.environ, "RINGLET_TEST_SEED": seed, "PYTHONDONTWRITEBYTECODE": ""}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ", ".join(dict.fromkeys([*USER_GROUPS, *CHANGE_GROUPS, *LONG_GROUPS]))
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--all", action="store_true", help="what a change must pass beside them")
    kinds.add_argument("--long", action="store_true", help="the long suites, resumable")
    parser.add_argument("--again", action="store_true", help="run what passed before, too")
    parser.add_argument("--only", help=f"groups, with commas between: {names}")
    return parser.parse_args()


def main():
    options = arguments()
    kind = "test-long" if options.long else "test-all" if options.all else "test"
    groups = LONG_GROUPS if options.long else USER_GROUPS | CHANGE_GROUPS
    usual = CHANGE_GROUPS if options.all else LONG_GROUPS if options.long else USER_GROUPS
    chosen = options.only.split(",") if options.only else list(usual)
    unknown = [name for name in chosen if name not in groups]
    if unknown:
        sys.exit(f"no group {', '.join(unknown)}; there are {', '.join(groups)}")

    folder = ROOT / "build" / kind
    state = folder / "state.json"
    is_chosen = options.only or options.again or "RINGLET_TEST_SEED" in os.environ
    seed = choose_seed(state if options.long else None)
    finished = None
    if options.long:
        finished = Finished(state, {"seed": seed, "sources": source_hash()})
    elif not is_chosen:
        finished = Finished(state, {"machine": machine_hash(), "sources": source_hash()})
    print(f"seed: RINGLET_TEST_SEED={seed}", flush=True)
    runner = Runner(Path(folder), environment(seed), finished)
    try:
        for name in chosen:
            groups[name](runner)
    except KeyboardInterrupt:
        kept = "; what finished is kept for the next run" if finished else ""
        print(f"\ninterrupted{kept}", file=sys.stderr)
        sys.exit(130)
    status = runner.print_table(BUDGETS.get(kind) if not options.only else None)
    if options.long and status == 0 and not options.only:
        finished.forget()
    sys.exit(status)


if __name__ == "__main__":
    main()
