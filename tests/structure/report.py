# SPDX-License-Identifier: Apache-2.0
"""What the structure checks share: files of the checkout, and a report that the test runner reads.

A check is a pair (name, problems): it passes when the list of problems is empty. In place of
problems it may give the reason why it could not run.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IGNORED_DIRECTORIES = {".git", "build", ".venv", "dist", "__pycache__"}


class Skipped(str):
    """What a check gives in place of problems when it could not run: the reason."""


def unit_name(path):
    """A kernel unit by its source or its object file: its place below isa, or the file's name."""
    parts = Path(str(path).removesuffix(".o")).parts
    return "/".join(parts[parts.index("isa") + 1 :]) if "isa" in parts else parts[-1]


def repository_files(root=ROOT):
    """Paths, relative to root, of the files that belong to the repository or are about to."""
    try:
        listing = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
            check=True,
            capture_output=True,
        ).stdout
        names = [Path(name) for name in os.fsdecode(listing).split("\0") if name]
        return sorted(name for name in names if (root / name).is_file())
    except (OSError, subprocess.CalledProcessError):
        names = []
        for directory, children, files in os.walk(root):
            children[:] = [child for child in children if child not in IGNORED_DIRECTORIES]
            names += [(Path(directory) / name).relative_to(root) for name in files]
        return sorted(names)


def read(path):
    return path.read_text(encoding="utf-8")


def misjudged(planted, problems):
    """The (name, text, whether it is wrong) that problems(root, files) judges otherwise."""
    wrong = []
    for name, text, is_wrong in planted:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            if bool(problems(Path(folder), [Path(name)])) != is_wrong:
                wrong.append(f"{name}: {text}")
    return wrong


def arguments(description, **options):
    """Parses --xml and the options given as name=default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--xml", type=Path, help="write the outcome as JUnit XML")
    for name, default in options.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default)
    return parser.parse_args()


def report(suite, checks, xml=None):
    """Runs the checks, prints each outcome, writes the XML; returns the exit status."""
    element = ElementTree.Element("testsuite", name=suite)
    failures = skipped = count = 0
    started = time.monotonic()
    for name, problems in checks:
        seconds = time.monotonic() - started
        count += 1
        case = ElementTree.SubElement(
            element, "testcase", classname=suite, name=name, time=f"{seconds:.3f}"
        )
        if isinstance(problems, Skipped):
            skipped += 1
            ElementTree.SubElement(case, "skipped", message=problems)
            print(f"skip {suite}: {name}: {problems}")
            continue
        print(f"{'ok  ' if not problems else 'FAIL'} {suite}: {name}")
        if problems:
            failures += 1
            text = "\n".join(str(problem) for problem in problems)
            first = text.splitlines()[0]
            ElementTree.SubElement(case, "failure", message=first).text = text
            print("\n".join("       " + line for line in text.splitlines()))
        started = time.monotonic()
    element.set("tests", str(count))
    element.set("failures", str(failures))
    element.set("skipped", str(skipped))
    if xml:
        ElementTree.ElementTree(element).write(xml, encoding="utf-8", xml_declaration=True)
    if count == 0:
        print(f"FAIL {suite}: no check ran")
    return 1 if failures or count == 0 else 0


def finish(suite, checks, xml=None):
    sys.exit(report(suite, checks, xml))


def unit_listing(description, unit):
    """The disassembly of a kernel unit's object file, and what is wrong with it."""
    objects = [path for path in description["kernel_objects"] if Path(path).name == unit + ".o"]
    if len(objects) != 1:
        return "", [f"{len(objects)} of them"]
    return disassembly(objects[0]), []


def disassembly(path):
    command = ["objdump", "-d", "--no-show-raw-insn", str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def counts_of(listing, patterns):
    """How many instructions of a disassembly match each of the named patterns, by symbol."""
    counts = {}
    found = {}
    for line in listing.splitlines():
        header = re.match(r"^[0-9a-f]+ <(.+)>:$", line)
        if header:
            found = counts[header.group(1)] = dict.fromkeys(patterns, 0)
            continue
        text = line.split("\t")[-1].strip()
        for name in found:
            found[name] += bool(re.match(patterns[name], text))
    return counts
