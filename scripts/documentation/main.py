# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site below build/docs/html. Warnings are errors."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

import command_reference
import cpp_reference
import measured
import navigation
import python_reference
import tree


def generated_pages():
    """Returns the pages that every build generates: path in the site -> text."""
    pages = cpp_reference.pages() | python_reference.pages()
    pages["reference/command.md"] = command_reference.page()
    pages["measured.md"] = measured.page()
    return pages


def run_sphinx():
    """Runs Sphinx over the folder with all pages and returns its exit status. It runs in one
    process: merging the C++ symbols of several processes takes longer than they save, and gigabytes
    of memory. It writes all pages: of a page that it does not write, the search forgets the words
    of navigation.INDEX.
    """
    html = tree.BUILD / "html"
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-a", "-W", "--keep-going", "-q"]
    command += ["-d", str(tree.BUILD / "doctrees"), "-c", str(Path(__file__).parent)]
    return subprocess.run([*command, str(tree.SOURCE), str(html)], check=False).returncode


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    started = time.monotonic()
    problems = cpp_reference.misplaced_headers() + cpp_reference.run_doxygen()
    problems += tree.lay_out(generated_pages(), navigation.additions)
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    status = run_sphinx()
    if problems or status:
        sys.exit("docs: the site was built with the problems above, each of which must go")
    tree.remove_old_pages()
    place = tree.BUILD / "html" / "index.html"
    print(f"-- {place} in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
