# SPDX-License-Identifier: Apache-2.0
"""A virtual environment with the wheel and what it depends on, and a PATH without a compiler."""

import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Wheels are downloaded once for each Python: later runs need no network.
WHEELHOUSE = ROOT / "build" / "wheelhouse" / sys.implementation.cache_tag
PINNED = ROOT / "python" / "requirements-dev.in"
EXTRAS = "test,demo,distributed"

# Names of tools that compile, with an optional target prefix and version suffix. The linker is
# missing here: PoCL, the OpenCL runtime on the processor, links its compiled code with it.
BUILDS = re.compile(
    r"(?:.*-)?(?:cc|c\+\+|cpp|gcc|g\+\+|c89|c99|clang|clang\+\+|clang-cpp|as|cmake|ctest|make|"
    r"gmake|ninja|ccache|rustc|gfortran|llc|pkg-config|pkgconf)(?:-[\d.]+)?"
)


def python():
    """The interpreter that .venv was made from: wheels are for its version."""
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return Path(sys.base_prefix) / "bin" / name


class Environment:
    """A virtual environment in `directory`, and a folder of the system's programs but builders."""

    def __init__(self, directory):
        self.directory = directory
        self.bin = directory / "venv" / "bin"
        self.tools = directory / "tools"
        self.variables = {
            "PATH": f"{self.bin}{os.pathsep}{self.tools}",
            "HOME": str(directory),
            "LANG": "C.UTF-8",
            # Hides the packages of .venv and the checkout.
            "PYTHONNOUSERSITE": "1",
            "MPLCONFIGDIR": str(directory / "matplotlib"),
        }
        for name in ("OCL_ICD_VENDORS", "POCL_DEVICES", "LD_LIBRARY_PATH", "RINGLET_JOBS"):
            if name in os.environ:
                self.variables[name] = os.environ[name]

    def make(self):
        """Problems of making it."""
        subprocess.run([python(), "-m", "venv", self.directory / "venv"], check=True)
        self.tools.mkdir()
        for folder in ("/usr/bin", "/bin"):
            for program in Path(folder).iterdir():
                link = self.tools / program.name
                if not BUILDS.fullmatch(program.name) and not link.is_symlink():
                    link.symlink_to(program)
        builders = ("cc", "c++", "gcc", "g++", "gcc-12", "clang++-19", "cmake", "ninja", "as")
        return [f"{name} is found" for name in builders if shutil.which(name, path=self.path)]

    @property
    def path(self):
        return self.variables["PATH"]

    def run(self, *command, timeout=600, cwd=None, **variables):
        """The finished process, with what it printed as text."""
        return subprocess.run(
            [str(part) for part in command],
            env={**self.variables, **variables},
            cwd=cwd or self.directory, capture_output=True, text=True, timeout=timeout,
        )  # fmt: skip

    def problems(self, *command, **options):
        """Problems: none, or what the command printed."""
        done = self.run(*command, **options)
        if done.returncode == 0:
            return []
        printed = (done.stdout + done.stderr)[-4000:]
        return [f"{' '.join(map(str, command))} ended with status {done.returncode}", printed]

    def processor_time(self, *command):
        """Seconds on the processor, which other programs of a busy machine do not lengthen."""

        def once():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run(*command).check_returncode()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        return min(once() for _ in range(3))


def download(wheel):
    """Brings what the wheel depends on, in the pinned versions; problems."""
    stamp = WHEELHOUSE / "wanted"
    files = PINNED.read_bytes() + (ROOT / "pyproject.toml").read_bytes()
    wanted = hashlib.sha256(files).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return []
    shutil.rmtree(WHEELHOUSE, ignore_errors=True)
    WHEELHOUSE.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--only-binary=:all:", "--dest", WHEELHOUSE, "--constraint", PINNED]
    done = subprocess.run([*command, f"{wheel}[{EXTRAS}]"], capture_output=True, text=True)
    if done.returncode:
        return ["pip could not download what the wheel depends on", done.stderr[-4000:]]
    for copy in WHEELHOUSE.glob("ringlet-*.whl"):
        copy.unlink()
    stamp.write_text(wanted)
    return []


def install(environment, wheel, compiled):
    """Installs the wheel with its extras, from the downloaded files alone; problems. Without
    `compiled` Python compiles a module when it is first imported: quicker for a few tests."""
    return environment.problems(
        *(environment.bin / "python", "-m", "pip", "install", "--quiet", "--no-index"),
        *("--compile" if compiled else "--no-compile", "--disable-pip-version-check"),
        *("--find-links", WHEELHOUSE, f"{wheel}[{EXTRAS}]"),
    )
