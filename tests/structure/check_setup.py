# SPDX-License-Identifier: Apache-2.0
"""What the scripts that set up and build do when something fails. Programs stand in for apt, dpkg,
Python, pip, CMake and ninja; files in their folder tell them what to do. And which suites of tests
are kept.
"""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import ROOT, arguments, finish

sys.path.insert(0, str(ROOT / "scripts" / "testing"))
from outcome import Outcome  # noqa: E402
from runner import Finished, Runner  # noqa: E402

BUILD = """for n in $(seq 20); do
  echo "  [$n/20] Building"
  [[ ! -e $HERE/slow ]] || /bin/sleep 30
  [[ ! -e $HERE/failing ]] || { echo "  FAILED: a.o"; echo "  a.cpp:1: error"; seq 99; exit 1; }
done"""
STAND_INS = {
    "apt-get": """echo "$*" >>"$HERE/calls"
[[ ! -e $HERE/slow ]] || /bin/sleep 30
! rm "$HERE/locked" 2>/dev/null || { echo "E: Could not get lock /lists/lock" >&2; exit 100; }
[[ ! -e $HERE/offline || $* != *update* ]] || { echo "E: Failed to fetch" >&2; exit 100; }""",
    "apt-cache": '[[ $* == dumpavail ]] && cat "$HERE/offered"',
    "cmake": f'[[ $1 != --preset ]] || {{ mkdir -p "build/$2"; exit; }}\n{BUILD}',
    "dpkg-query": "exit 1",
    "id": 'cat "$HERE/user"',
    "nproc": "echo 8",
    "python": f"""[[ $1 != - ]] || exit 0
[[ $2 != venv ]] || {{ mkdir -p "$3/bin"; ln -s "$HERE/python" "$3/bin/python"; }}
[[ $3 != wheel ]] || {BUILD}""",
    "sleep": "exit 0",
    "sudo": "exit 1",
}
DEMO = (
    "ccache",
    "clang-19",
    "lld-19",
    "cmake",
    "g++",
    "ninja-build",
    "libssl-dev",
    "libzstd-dev",
)


class Checkout:
    """Looks like the checkout, but has build output and a virtual environment of its own."""

    def __init__(self, folder, **files):
        self.root, self.tools = folder / "checkout", folder / "tools"
        self.root.mkdir()
        self.tools.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in {".git", ".venv", "build", "dist"}:
                (self.root / entry.name).symlink_to(entry)
        for name, text in STAND_INS.items():
            (self.tools / name).write_text(f'#!/bin/bash\nHERE="{self.tools}"\n{text}\n')
            (self.tools / name).chmod(0o755)
        files = {"user": "0", "offered": packages(DEMO), "calls": "", **files}
        for name, text in files.items():
            (self.tools / name).write_text(text)
        self.environment = {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "RINGLET_PYTHON": str(self.tools / "python"),
        }

    def start(self, *command):
        return subprocess.Popen(
            ["bash", *command], cwd=self.root, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            # Background runs ignore SIGINT, and their children inherit this.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip

    def run(self, *command):
        """Exit status, and all that was written."""
        process = self.start(*command)
        output, errors = process.communicate(timeout=30)
        return process.returncode, output + errors

    def calls(self):
        return (self.tools / "calls").read_text()


@contextlib.contextmanager
def checkout(**files):
    with tempfile.TemporaryDirectory() as folder:
        yield Checkout(Path(folder).resolve(), **files)


def packages(names):
    return "".join(f"Package: {name}\n" for name in names)


def wrong(found, status, *wanted):
    """Problems of (exit status, text)."""
    problems = [f"no '{text}'" for text in wanted if text not in found[1]]
    if found[0] != status:
        problems.append(f"exit status {found[0]}, not {status}")
    return [*problems, found[1]] if problems else []


def offline():
    with checkout(offline="", offered="") as place:
        return wrong(place.run("scripts/setup.sh", "demo"), 1, "Failed to fetch", "the network")


def unknown_package():
    with checkout(offered=packages({*DEMO, "g++-12", "g+"} - {"g++"})) as place:
        found = place.run("scripts/setup.sh", "demo")
        calls = ["packages were installed"] if "install" in place.calls() else []
        return wrong(found, 1, "do not offer: g++ (") + calls


def foreign_source():
    with checkout(offline="") as place:
        return wrong(place.run("scripts/setup.sh", "demo"), 0) + wrong(
            (0, place.calls()), 0, "Error-Mode=any", f"--no-install-recommends {' '.join(DEMO)}"
        )


def no_root():
    command = "sudo apt-get update && sudo apt-get install --no-install-recommends ccache"
    with checkout(user="1000") as place:
        problems = wrong(place.run("scripts/setup.sh", "demo"), 1, command, "all tests")
        found = place.run("scripts/setup.sh")
        problems += wrong(found, 1, command, "libgtest-dev")
        problems += ["verilator is for `make test`"] if "verilator" in found[1] else []
        problems += wrong(place.run("scripts/setup.sh", "all"), 1, command, "verilator")
        return problems + (["apt-get was called"] if place.calls() else [])


def held_lock():
    with checkout(locked="") as place:
        return wrong(place.run("scripts/setup.sh", "demo"), 0, "Waiting for another program")


# Available kilobytes, the process's control group, limits of groups in bytes, jobs.
MEMORY = [
    (64_000_000, "0::/\n", {}, 8),
    (4_600_000, "0::/\n", {}, 3),
    (900_000, "0::/\n", {}, 1),
    (64_000_000, "0::/a/b\n", {"a/memory.max": 7 << 30, "a/b/memory.max": "max"}, 4),
    (64_000_000, "2:cpu:/\n1:memory:/a\n", {"memory/memory.limit_in_bytes": 5 << 30}, 3),
]


def jobs(available, group, limits, wanted):
    with checkout() as place:
        limits = {f"sys/fs/cgroup/{name}": limit for name, limit in limits.items()}
        files = {"proc/meminfo": f"MemFree: 1 kB\nMemAvailable:   {available} kB\n", **limits}
        for name, text in {**files, "proc/self/cgroup": group}.items():
            path = place.root / "machine" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(text))
        found = place.run("-c", "source scripts/common.sh; default_jobs machine")
        return wrong(found, 0) or [f"{found[1]}, not {wanted}"] * (found[1] != str(wanted))


def jobs_of_the_environment():
    with checkout() as place:
        place.environment["RINGLET_JOBS"] = "5"
        shown = "echo $RINGLET_JOBS $CMAKE_BUILD_PARALLEL_LEVEL"
        return wrong(place.run("-c", f"source scripts/common.sh; bash -c '{shown}'"), 0, "5 5")


BUILDS = (("scripts/build.sh",), ("scripts/python_package.sh",))


def built(*command, **files):
    """A run of a script after the set-up."""
    with checkout() as place:
        status, text = place.run("scripts/setup.sh", "demo")
        for name in files:
            (place.tools / name).touch()
        return place.run(*command) if status == 0 else (status, text)


def progress(*command):
    status, text = built(*command)
    shown = [line.strip() for line in text.splitlines() if "/20]" in line]
    # The stand-in for pip writes no installable wheel.
    if "python_package" not in command[0] and status:
        return [text]
    return [] if shown == [f"[{n}/20]" for n in range(2, 21, 2)] else [text]


def interrupted(*command):
    with checkout() as place:
        if "setup.sh" not in command[0]:
            place.run("scripts/setup.sh", "demo")
        (place.tools / "slow").touch()
        process = place.start(*command)
        process.stdout.readline()
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)
        errors = process.communicate(timeout=10)[1].strip()
        return wrong((process.returncode, errors), 130) or (
            [] if errors == "ringlet: interrupted." else [errors]
        )


def kept_suites():
    """Whether a suite runs again after a failure and for another key, and not after it passed."""
    ran = []
    with tempfile.TemporaryDirectory() as folder:
        for key, failed in ((1, 1), (1, 0), (1, 0), (2, 0)):
            outcome = Outcome(1, failed)
            runner = Runner(Path(folder), {}, Finished(Path(folder) / "state.json", key))
            with contextlib.redirect_stdout(io.StringIO()):
                runner.suite("one", lambda: ran.append((key, failed)) or outcome)
    return [] if ran == [(1, 1), (1, 0), (2, 0)] else [f"it ran for {ran}"]


def checks():
    yield "a suite that passed is kept for the same files", kept_suites()
    yield "without a network the network is named", offline()
    yield "a package that is not offered is named, and no other is taken for it", unknown_package()
    yield "another source that fails does no harm", foreign_source()
    yield "without root the whole command is shown", no_root()
    yield "a held lock of apt is waited for", held_lock()
    for case in MEMORY:
        yield f"jobs by memory: {case[0]} kB, limits {case[2]}", jobs(*case)
    yield "RINGLET_JOBS is what builds and tests get", jobs_of_the_environment()
    for command in BUILDS:
        failed = built(*command, failing=True)
        yield f"a failed build shows why: {command[0]}", wrong(failed, 1, "a.cpp:1", "whole log is")
        yield f"a build says how far it is: {command[0]}", progress(*command)
    for command in (*BUILDS, ("scripts/setup.sh", "demo")):
        yield f"an interrupted run says so and nothing else: {command[0]}", interrupted(*command)


if __name__ == "__main__":
    finish("setup", checks(), arguments(__doc__, build="").xml)
