# SPDX-License-Identifier: Apache-2.0
"""Runs every code block of the documentation: of the pages of the site, of README.md and of
docstrings. What a block's fence says decides how; a block that says nothing fails.

  check_code_blocks.py [--long] [pages]

CONTRIBUTING.md tells how blocks are written.
"""

import argparse
import ast
import collections
import subprocess
import sys
import time
from pathlib import Path

import run_cpp
import samples
from blocks import Block, read_blocks
from run_page import Setting, run_all

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "structure"), str(ROOT / "scripts" / "documentation")]
import tree  # noqa: E402
from report import Skipped, finish  # noqa: E402

SLOW_SECONDS = 5


def all_pages():
    """The pages of the site, and the one that it does not need."""
    return ["README.md", *(name for name in tree.pages() if name.endswith(".md"))]


def docstring_blocks():
    """Blocks of examples in docstrings of the Python package, module by module."""
    found, problems = {}, []
    for path in sorted((ROOT / "python" / "ringlet").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        blocks = found[name] = []
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                continue
            text = ast.get_docstring(node) or ""
            line = getattr(node, "lineno", 1)
            if ">>> " in text:
                blocks.append(Block(name, line, "pycon", frozenset({"fresh"}), text + "\n"))
            elif "```" in text:
                inner, wrong = read_blocks(name, text)
                blocks += inner
                problems += wrong
    return [blocks for blocks in found.values() if blocks], problems


def read_pages(pages):
    """The blocks of each page that has any, and what is wrong with others."""
    found, problems = [], []
    for page in pages:
        blocks, wrong = read_blocks(page, (ROOT / page).read_text())
        problems += wrong
        if blocks:
            found.append(blocks)
    return found, problems


def run_and_tell(run):
    """Runs one page and says how long it took."""
    started = time.monotonic()
    results = run.run()
    failed = sum(bool(result.problems) for result in results)
    seconds = time.monotonic() - started
    page = run.blocks[0].page
    print(f"  {page}: {len(results)} blocks, {failed} failed, {seconds:.1f} s", flush=True)
    return results


def install(build, prefix):
    """Installs what the build has, for the blocks in C++ and CMake."""
    command = ["cmake", "--install", str(build), "--prefix", str(prefix)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{build} cannot be installed: {' '.join(run.stderr.split())}")


def has_device():
    """Whether there is a GPU, or another device of OpenCL or CUDA."""
    import ringlet

    return any(device.name != "cpu" for device in ringlet.devices())


def checks(results, problems):
    """For the report: one check for each block."""
    yield "every block says what is done with it", problems
    for page in results:
        for result in page:
            block = result.block
            outcome = Skipped(result.skipped) if result.skipped else result.problems
            seconds = f", {result.seconds:.1f} s" if result.seconds >= SLOW_SECONDS else ""
            yield f"{block.place} {block.kind}{seconds}", outcome


def summary(results, seconds):
    """How many blocks of each kind were run, checked or left out."""
    counts = collections.Counter()
    for page in results:
        for result in page:
            counts[result.block.kind + (f", {result.skipped}" if result.skipped else "")] += 1
    lines = [f"  {count:4} {kind}" for kind, count in sorted(counts.items())]
    compared = sum(result.compared for page in results for result in page)
    lines.append(f"  {compared:4} printed values compared; {seconds:.0f} s")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", help="paths of pages; all without")
    parser.add_argument("--long", action="store_true", help="pages with blocks marked long")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "dev", help="to install")
    parser.add_argument("--xml", type=Path, help="write the outcome as JUnit XML")
    options = parser.parse_args()

    started = time.monotonic()
    names = [str(Path(page).resolve().relative_to(ROOT)) for page in options.pages] or all_pages()
    pages, problems = read_pages(names)
    if not options.pages:
        more, wrong = docstring_blocks()
        pages += more
        problems += wrong
    if options.long:
        pages = [page for page in pages if any("long" in block.modifiers for block in page)]
    folder = ROOT / "build" / "docs" / "blocks"
    needs_library = any(b.language in {"cpp", "cmake"} for page in pages for b in page)
    prefix = folder / "prefix"
    if needs_library:
        install(options.build, prefix)
    flags = tuple(run_cpp.installed_flags(prefix)) if needs_library else ()
    setting = Setting(folder, prefix, flags, has_device(), options.long)
    results = run_all(pages, setting, run_and_tell)
    everything = list(checks(results, problems))
    if not options.pages:
        everything.insert(0, ("self-test: mistakes are found", samples.missed(setting)))
    print(summary(results, time.monotonic() - started), flush=True)
    finish("code-blocks", everything, options.xml)


if __name__ == "__main__":
    main()
