# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone: the public ones with both compilers and all warnings as errors, the
internal ones with the first. Those in the place of another library's see nothing of Ringlet's and
compile as the oldest C++ too that its users may write."""

import concurrent.futures
import os
import subprocess
import tempfile
from pathlib import Path

from report import ROOT, arguments, finish

COMPILERS = ("clang++-19", "g++-12")
FLAGS = ("-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-x", "c++")
# Headers below src/kernels are read by units of several instruction sets.
KERNEL_FLAGS = (
    "-mavx2 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma -mavx512vbmi2".split()
)


OWN_FLAGS = ("-std=c++20", f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}")
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


def self_test():
    """A header that needs another one first must be found."""
    with tempfile.TemporaryDirectory() as directory:
        header = Path(directory) / "needs_vector.hpp"
        header.write_text("#pragma once\ninline std::vector<int> f() { return {}; }\n")
        missed = [compiler for compiler in COMPILERS if not compile_alone(compiler, header)]
    return [f"{compiler} accepted a header that is not self-contained" for compiler in missed]


def jobs():
    public = sorted((ROOT / "include" / "ringlet").glob("*.hpp"))
    internal = sorted((ROOT / "src").rglob("*.hpp"))
    for header in public:
        for compiler in COMPILERS:
            yield compiler, header.relative_to(ROOT / "include"), OWN_FLAGS
    for header in internal:
        name = header.relative_to(ROOT / "src")
        flags = KERNEL_FLAGS if name.parts[0] == "kernels" else []
        yield COMPILERS[0], name, (*OWN_FLAGS, *flags)
    for name, suffix, oldest in COMPAT:
        folder = ROOT / "compat" / name / "include"
        for header in sorted(folder.rglob(f"*{suffix}")):
            for compiler in COMPILERS:
                for standard in (oldest, "-std=c++20"):
                    flags = (standard, "-Wpedantic", f"-I{folder}")
                    yield compiler, header.relative_to(folder), flags


def checks():
    yield "self-test: a header that is not self-contained is found", self_test()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = list(jobs())
        for job, problems in zip(work, pool.map(lambda job: compile_alone(*job), work)):
            standard = next(flag for flag in job[2] if flag.startswith("-std="))[5:]
            yield f"{job[1]} alone ({job[0]}, {standard})", problems


def main():
    options = arguments(__doc__)
    finish("headers", checks(), options.xml)


if __name__ == "__main__":
    main()
