# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, with all warnings as errors. Those in the place of another
library's see nothing of Ringlet's and compile as the oldest C++ that its users may write. With
--all the private headers compile alone too, and those in another library's place also as the C++ of
the build and with gcc.

A header that another header includes first is compiled alone with that one: it is counted with the
file that shows it, and not compiled again.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from report import ROOT, finish, read

COMPILERS = ("clang++-19", "g++-12")
FIRST_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
BUILD_STANDARD = "-std=c++20"
FLAGS = ("-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-x", "c++")
# Units of several instruction sets include the headers below src/kernels.
KERNEL_FLAGS = (
    "-mavx2 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi2".split()
)

# Headers for another processor, which only its own target compiles.
IBM_Z_HEADERS = ("kernels/policy/limbs56/vmsl56.hpp",)
IBM_Z_FLAGS = ("--target=s390x-linux-gnu", "-march=z14", "-mzvector")

OWN_FLAGS = (BUILD_STANDARD, f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}")
COMPAT = (("hexl", ".hpp", "-std=c++11"), ("seal", ".h", "-std=c++17"))


def compile_alone(compiler, include, extra_flags=OWN_FLAGS):
    """The compiler's complaints about a file that holds nothing but this include."""
    command = [compiler, *FLAGS, *extra_flags, "-"]
    try:
        run = subprocess.run(
            command, input=f'#include "{include}"\n', capture_output=True, text=True
        )
    except OSError as error:
        return [str(error)]
    return [] if run.returncode == 0 else [run.stderr.strip() or f"{compiler} failed"]


def first_include(path):
    found = FIRST_INCLUDE.search(read(path))
    return found and found.group(1)


class Job(NamedTuple):
    """A header to compile alone, as it is included from `folder`."""

    compiler: str
    folder: Path
    header: str
    flags: tuple

    @property
    def standard(self):
        return next(flag for flag in self.flags if flag.startswith("-std="))

    def problems(self):
        return compile_alone(self.compiler, self.header, self.flags)


def shown(work):
    """Job to the header whose compilation is that of the job's header alone."""
    headers = {
        (job.compiler, first_include(job.folder / job.header), job.flags): job.header
        for job in work
    }
    for job in work:
        header = headers.get((job.compiler, job.header, job.flags))
        if header:
            yield job, header


def self_test():
    """A header that needs another one first must be found, and an include that is not the first
    must not count."""
    with tempfile.TemporaryDirectory() as directory:
        header = Path(directory) / "needs_vector.hpp"
        header.write_text("#pragma once\ninline std::vector<int> f() { return {}; }\n")
        missed = [compiler for compiler in COMPILERS if not compile_alone(compiler, header)]
    problems = [f"{compiler} accepted a header that is not self-contained" for compiler in missed]
    text = '// Comment.\n#include "ring/first.hpp"\n#include "ring/second.hpp"\n'
    if FIRST_INCLUDE.search(text).group(1) != "ring/first.hpp":
        problems.append("the first include of a source was not found")
    return problems


def private_jobs():
    src = ROOT / "src"
    for header in sorted(src.rglob("*.hpp")):
        name = header.relative_to(src)
        flags = KERNEL_FLAGS if name.parts[0] == "kernels" else ()
        if str(name) in IBM_Z_HEADERS:
            flags = IBM_Z_FLAGS
        yield Job(COMPILERS[0], src, str(name), (*OWN_FLAGS, *flags))


def public_jobs(everything):
    include = ROOT / "include"
    for header in sorted((include / "ringlet").rglob("*.hpp")):
        yield Job(COMPILERS[0], include, str(header.relative_to(include)), OWN_FLAGS)
    for library, suffix, oldest in COMPAT:
        folder = ROOT / "compat" / library / "include"
        for header in sorted(folder.rglob(f"*{suffix}")):
            ways = [(COMPILERS[0], oldest)]
            if everything:
                ways += [(COMPILERS[0], BUILD_STANDARD), (COMPILERS[1], oldest)]
            for compiler, standard in ways:
                flags = (standard, "-Wpedantic", f"-I{folder}")
                yield Job(compiler, folder, str(header.relative_to(folder)), flags)


def checks(everything):
    yield "self-test: a header that is not self-contained is found", self_test()
    work = [*public_jobs(everything), *(private_jobs() if everything else ())]
    shown_by = dict(shown(work))
    compiled = [job for job in work if job not in shown_by]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = dict(zip(compiled, pool.map(Job.problems, compiled)))
    for job in work:
        how = f"first include of {shown_by[job]}" if job in shown_by else "by itself"
        name = f"{job.header} alone ({job.compiler} {job.standard[1:]}, {how})"
        yield name, problems.get(job, [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="private headers too, and more ways")
    parser.add_argument("--xml", type=Path, help="write the outcome as JUnit XML")
    options = parser.parse_args()
    finish("headers", checks(options.all), options.xml)
