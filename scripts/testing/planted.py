# SPDX-License-Identifier: Apache-2.0
"""Plants one fault after another in a clone of the last commit, and checks which tests find it.

Each patch of tests/planted has a suite, which passes if a test fails. The suite runs the test
programs of the fault's layer, then the group that the patch expects, then `make test` and, if the
Makefile has it, `make test-all`. It stops at the first failure. Without the fault all of them must
pass. RINGLET_PLANTED='*-ntt-*' chooses patches by name.
"""

import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from outcome import Outcome
from runner import ROOT

PATCHES = ROOT / "tests" / "planted"
CLONE = ROOT / "build" / "planted"
EXPECTED = re.compile(r"^Found by: make ([a-z-]+)(?:, (\w+))?$", re.MULTILINE)
PROGRAM_TIMEOUT = 1800


def git(*arguments):
    command = ["git", "-C", str(CLONE), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"git {arguments[0]}: {done.stderr.strip()}")


def copy_environment():
    """Copies the virtual environment for the clone, where packages with faults are installed. Files
    are hard links, which pip replaces. Files of the first folder are copies, because scripts
    overwrite them."""
    original, draft = ROOT / ".venv", CLONE / "build" / "venv-draft"
    if (CLONE / ".venv").is_dir() or not original.is_dir():
        return
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(original, draft, symlinks=True, copy_function=os.link)
    for path in [path for path in draft.iterdir() if path.is_file()]:
        text = path.read_bytes()
        path.unlink()
        path.write_bytes(text)
    (draft / ".place").write_text(str(CLONE))
    draft.rename(CLONE / ".venv")


def prepare():
    if not (CLONE / ".git").is_dir():
        CLONE.mkdir(parents=True, exist_ok=True)
        git("clone", "--quiet", ROOT, CLONE)
    git("fetch", "--quiet", ROOT, "HEAD")
    git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
    git("clean", "-fdq")
    (CLONE / "build").mkdir(exist_ok=True)
    if not (cache := CLONE / "build" / "object-cache").is_symlink():
        cache.symlink_to(ROOT / "build" / "object-cache")
    copy_environment()


class Planting:
    def __init__(self, runner):
        self.runner = runner
        self.sound = {}
        self.planted = None
        self.is_configured = False
        own = {"RINGLET_CACHE_DIR": str(CLONE / "build" / "opencl" / "ringlet-cache")}
        self.environment = {**runner.environment, **own, "GTEST_FAIL_FAST": "1"}
        self.environment["PYTEST_ADDOPTS"] = "--exitfirst"
        # The running make's ARGS must not reach the make in the clone.
        for name in ("ARGS", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS"):
            self.environment.pop(name, None)

    def attempt(self, patch):
        """Fails if no test finds the fault of the patch."""
        if not self.sound:
            prepare()
        outcome = Outcome()
        layer = patch.stem.split("-")[1]
        for step in self.steps(layer, *EXPECTED.search(patch.read_text()).groups()):
            self.check_sound(step)
            self.plant(patch)
            found = self.run(*step)
            if found:
                print(f"   found by {found}")
                (self.runner.logs / f"{patch.stem}.finder").write_text(found)
                outcome.passed += 1
                return outcome
        outcome.fail(f"no test finds {patch.name}")
        return outcome

    def steps(self, layer, target, group):
        makefile = (CLONE / "Makefile").read_text()
        targets = [name for name in ("test", "test-all", "test-long") if f"\n{name}:" in makefile]
        yield "programs", layer
        hinted = [name for name in (target, *targets) if name in targets and group]
        yield from [(name, group) for name in hinted if self.has_group(name, group)][:1]
        yield from ((name, None) for name in targets if name != "test-long")

    def has_group(self, target, group):
        """Returns True if the target has the group. Asks for an unknown group: the refusal lists
        all groups."""
        log = self.make(target, "none")[2].read_text()
        listed = re.search(r"^no group none; there are (.*)$", log, re.MULTILINE)
        return listed is not None and group in listed[1].split(", ")

    def plant(self, patch):
        if self.planted == patch:
            return
        git("checkout", "--quiet", "--force", "HEAD")
        self.planted = None
        if patch:
            git("apply", patch)
            self.planted = patch

    def check_sound(self, step):
        what = " ".join(word for word in step if word)

        def run():
            outcome = Outcome(passed=1)
            found = self.run(*step)
            if found:
                outcome.fail(found)
            return outcome

        if step not in self.sound:
            self.plant(None)
            self.sound[step] = self.runner.suite(f"nothing planted, {what}", run)
        if not self.sound[step]:
            raise RuntimeError(f"{what} fails without a fault")

    def run(self, kind, argument):
        """Returns the suite that fails, or None."""
        if kind == "programs":
            return self.programs(argument)
        found, status, log = self.make(kind, argument)
        if found and ", build: " in found[:24]:
            raise RuntimeError(f"it does not compile: {found}; log: {log}")
        if status and not found:
            raise RuntimeError(f"make {kind} ended with status {status}; log: {log}")
        return found

    def programs(self, layer):
        """Runs the layer's own test programs, unit tests first. Returns the first failure, or None.
        """
        build = CLONE / "build" / "dev"
        if not self.is_configured:
            self.build(["cmake", "-S", CLONE, "--preset", "dev"])
            self.is_configured = True
        tests = json.loads((build / "tests.json").read_text())["tests"]
        own = {test["name"]: test["path"] for test in tests if test["layer"] == layer}
        if own:
            jobs = self.runner.jobs
            self.build(["cmake", "--build", build, "--parallel", jobs, "--target", *own])
        for name in sorted(own, reverse=True):
            status, log = self.command([own[name]], name, PROGRAM_TIMEOUT)
            if status:
                text = log.read_text(errors="replace")
                test = re.search(r"^\[  FAILED  \] ([^\s,]+)", text, re.MULTILINE)
                return f"{name}: {test[1] if test else f'status {status}; log: {log}'}"
        return None

    def build(self, command):
        status, log = self.command(command, "build")
        if status:
            raise RuntimeError(f"it does not compile; log: {log}")

    def command(self, command, name, timeout=None):
        return self.runner.command(command, f"planted-{name}", self.environment, timeout)

    def make(self, target, group):
        """Runs make and stops it at the first suite that fails. Returns that suite or None, the
        status, and the log."""
        log = self.runner.logs / f"planted-make-{target}-{group or 'all'}.log"
        command = ["make", "-C", str(CLONE), target, *([f"ARGS=--only {group}"] if group else [])]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        options |= {"errors": "replace", "env": self.environment, "start_new_session": True}
        suite = ""
        with log.open("w") as output, subprocess.Popen(command, **options) as process:
            try:
                for line in process.stdout:
                    output.write(line)
                    suite = line[3:].strip() if line.startswith("== ") else suite
                    if line.startswith("   FAILED "):
                        os.killpg(process.pid, signal.SIGTERM)
                        return f"make {target}, {suite}: {line[10:].strip()}", 1, log
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                raise
        return None, process.returncode, log


def long(runner):
    wanted = os.environ.get("RINGLET_PLANTED", "*")
    planting = Planting(runner)
    # Otherwise the running programs, in their own process group, would go on.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for patch in sorted(PATCHES.rglob("*.patch")):
        is_wanted = fnmatch.fnmatch(patch.stem, wanted)
        name = f"planted {patch.stem}"
        if is_wanted and runner.suite(name, lambda patch=patch: planting.attempt(patch)):
            found = (runner.logs / f"{patch.stem}.finder").read_text()
            runner.rows[-1].name = f"{name}: {found}"
