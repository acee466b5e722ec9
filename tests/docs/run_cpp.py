# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the C++ blocks of pages against an installed Ringlet.

A block with `int main(` is a program. The others of a page are joined in their order into one
function of one program; includes go to its top, and so do blocks marked `top`, which declare
functions or types. `fresh` begins another program.
"""

import dataclasses
import re
import shlex
import subprocess
from pathlib import Path

from blocks import Block
from run_shell import run_limited

COMPILER = "clang++-19"
# Examples may leave names unused; every other warning shows a bad example.
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]
SEPARATOR = "\x1e"

# No include precedes those of the page, which must include all that its blocks use.
PRELUDE = "void end_of_block();\n"
MAIN = """\
#include <cstdio>
#include <exception>
#include <iostream>

void end_of_block() {
  std::cout.flush();
  std::fputs("\\x1e", stdout);
}

int main() {
  try {
    page();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\\n", error.what());
    return 1;
  }
}
"""
INCLUDE = re.compile(r"^\s*#\s*include\b.*$", re.MULTILINE)


@dataclasses.dataclass
class Program:
    """Blocks that are compiled together, and what became of it."""

    blocks: list[Block]
    binary: Path
    error: str = ""


def has_main(block):
    return bool(re.search(r"\bint main\(", block.text))


def programs(blocks, folder):
    """The programs of the C++ blocks of one page."""
    found = []
    joined = None
    for block in blocks:
        whole = has_main(block)
        if not whole and joined and "fresh" not in block.modifiers:
            joined.blocks.append(block)
            continue
        found.append(Program([block], folder / f"program{len(found)}"))
        joined = joined if whole else found[-1]
    return found


def source_of(program):
    """The text that is compiled."""
    first = program.blocks[0]
    if has_main(first):
        return f'#line {first.line} "{first.page}"\n{first.text}'
    top = [PRELUDE]
    body = ["void page() {\n"]
    for block in program.blocks:
        top += [f"{line}\n" for line in INCLUDE.findall(block.text)]
        text = f'#line {block.line} "{block.page}"\n{INCLUDE.sub("", block.text)}'
        if "top" in block.modifiers:
            top.append(text)
            body.append("end_of_block();\n")
        else:
            body.append(f"{text}end_of_block();\n")
    return "".join([*top, *body, "}\n", MAIN])


def installed_flags(prefix):
    """What pkg-config says of the installed library."""
    folders = [str(path.parent) for path in prefix.rglob("ringlet.pc")]
    if not folders:
        raise FileNotFoundError(f"no ringlet.pc below {prefix}")
    command = ["pkg-config", "--cflags", "--libs", "--static", "ringlet"]
    run = subprocess.run(
        ["env", f"PKG_CONFIG_PATH={':'.join(folders)}", *command],
        capture_output=True,
        text=True,
        check=True,
    )
    return shlex.split(run.stdout)


def compile_program(program, flags):
    """Makes the binary; `error` says why there is none."""
    source = program.binary.with_suffix(".cpp")
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(source_of(program))
    # Stripping makes programs ten times smaller, and there are many.
    command = [COMPILER, *FLAGS, "-s", str(source), "-o", str(program.binary), *flags]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        errors = [line for line in run.stderr.splitlines() if "error:" in line]
        program.error = "\n".join(errors[:6]) or run.stderr.strip()


def run_program(program, scratch):
    """What each block printed, by its line, and what went wrong."""
    if program.error:
        return {}, program.error
    printed, problem = run_limited([str(program.binary)], scratch)
    error = f"{program.blocks[0].place}: {problem}" if problem else ""
    parts = printed.split(SEPARATOR)
    return {block.line: part for block, part in zip(program.blocks, parts, strict=False)}, error
