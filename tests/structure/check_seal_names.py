# SPDX-License-Identifier: Apache-2.0
"""Every public name of SEAL 4.0 and of what 4.1 added to Evaluator, and the names of seal::util
that programs use, against our headers. public.txt has the signatures, util.txt has one use of each
name below the header that has it. A program of each header uses its names, each on a line of its
own, so that an error names it.

`--write` writes docs/seal_coverage.md; without it the page must say what was found.
"""

import argparse
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

from report import ROOT, read, report

NAMES = ROOT / "tests" / "vectors" / "seal_names"
PAGE = ROOT / "docs" / "seal_coverage.md"
COMPILER = ["clang++-19", "-std=c++17", "-fsyntax-only", "-ferror-limit=0", "-w"]
COMPILER += [f"-I{ROOT / 'compat' / 'seal' / 'include'}", "-x", "c++", "-"]
# What a template is used with.
OF_TEMPLATE = {"DynArray": "DynArray<std::uint64_t>", "Serializable": "Serializable<Ciphertext>"}
SIGNATURE = re.compile(
    r"(?P<name>[^(]*)\((?P<operands>.*)\)(?P<const> const)? -> (?P<result>.+)"
)


def split_operands(text):
    """Splits at commas outside of angle brackets and parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += letter in "<("
        depth -= letter in ">)"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def scoped(name):
    first, *rest = name.split("::")
    return "::".join([OF_TEMPLATE.get(first, first), *rest])


def use_of(row):
    """Returns C++ that uses the name of a row of public.txt."""
    name, _, kind = row.partition(" : ")
    if kind in ("class", "enum", "alias"):
        return f"using used = {scoped(name)};"
    if kind in ("enumerator", "variable"):
        return f"using used = decltype({scoped(name)});"
    found = SIGNATURE.fullmatch(row)
    owner, _, member = found["name"].rpartition("::")
    operands = split_operands(found["operands"])
    if owner.split("::")[-1] == member:
        return f"static_assert(std::is_constructible_v<{', '.join([scoped(owner), *operands])}>);"
    if member == "operator bool":
        call = f"bool(std::declval<const {owner}&>())"
    else:
        values = ", ".join(f"std::declval<{operand}>()" for operand in operands)
        target = f"std::declval<{'const ' if found['const'] else ''}{scoped(owner)}&>()."
        call = f"{target if owner else ''}{member}({values})"
    if found["result"] == "void":
        return f"using used = decltype({call});"
    return f"static_assert(std::is_convertible_v<decltype({call}), {found['result']}>);"


def complaints(header, uses):
    """Returns what the compiler says of each use where only this header is included: index to text.
    """
    lines = [f'#include "{header}"', "#include <type_traits>", "#include <utility>"]
    before = len(lines)
    for i, use in enumerate(uses):
        lines.append(f"namespace used{i} {{ using namespace seal; {use} }}")
    run = subprocess.run(COMPILER, input="\n".join(lines), capture_output=True, text=True)
    found = {}
    for line, text in re.findall(r"^<stdin>:(\d+):(.*)", run.stderr, re.MULTILINE):
        found.setdefault(int(line) - before - 1, []).append(text)
    if run.returncode and not found:
        return dict.fromkeys(range(len(uses)), run.stderr)
    return {i: "\n".join(texts) for i, texts in found.items()}


def gone():
    """Returns the names that SEAL 4 no longer has and whose errors do not name the replacement."""
    rows = [line.split(" : ") for line in read(NAMES / "gone.txt").splitlines()]
    found = complaints("seal/seal.h", [f"inline void use() {{ {use} }}" for use, _ in rows])
    return [use for i, (use, words) in enumerate(rows) if words not in found.get(i, "")]


def in_util(use):
    return f"using namespace seal::util; inline void use() {{ {use} }}"


def read_exceptions():
    """Name to what is written about it, for names that are absent or differ."""
    rows = [line.split(" | ") for line in (NAMES / "exceptions.txt").read_text().splitlines()]
    return {name: (state, reason) for name, state, reason in rows}


def read_util():
    """Header to its rows (name, use)."""
    headers, rows = {}, None
    for line in (NAMES / "util.txt").read_text().splitlines():
        if line.endswith(":") and line.startswith("seal/"):
            rows = headers.setdefault(line[:-1], [])
        elif line.strip():
            name, _, use = line.strip().partition(" : ")
            rows.append((name, use))
    return headers


def table_rows(title, names, most=25):
    """Returns rows of a table with a few names each."""
    for first in range(0, len(names), most):
        yield f"| `{title}` | {', '.join(names[first : first + most])} |"


def page(public, util, exceptions):
    def count(rows):
        return f"{sum(works for _, works in rows)} of {len(rows)}"

    lines = [
        "# Which of SEAL's names work",
        "",
        "`tests/structure/check_seal_names.py --write` writes this page. It compiles a use of each",
        "public name of SEAL 4.0 with its options, and of what 4.1 added to `Evaluator`, with the",
        "types of operands and result. Of `seal::util` it has the names that two or more of 42",
        "public programs use.",
        "",
        f"- public names, with all overloads: {count(public)} work",
        f"- names of `seal::util`, macros included: {count(util)} work",
        "",
        "| name | state | |",
        "|---|---|---|",
        *(f"| `{name}` | {state} | {reason} |" for name, (state, reason) in exceptions.items()),
        "",
        "| class | names |",
        "|---|---|",
    ]
    classes = {}
    for row, works in public:
        name = re.split(r"\(| : ", row)[0]
        owner, _, member = name.partition("::")
        names = classes.setdefault(owner if member else "functions and types", {})
        if works and (member or name):
            names[member or name] = True
    for owner, names in sorted(classes.items()):
        lines += table_rows(owner, [f"`{name}`" for name in names])
    headers = {}
    for (header, name), works in util:
        if works:
            headers.setdefault(header, []).append(f"`{name}`")
    lines += ["", "| header | names of `seal::util`, and macros |", "|---|---|"]
    for header, names in headers.items():
        lines += table_rows(header, names)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--xml", type=Path, help="write the outcome as JUnit XML")
    parser.add_argument("--write", action="store_true", help="write docs/seal_coverage.md")
    options = parser.parse_args()
    rows = read(NAMES / "public.txt").splitlines()
    exceptions = read_exceptions()
    headers = read_util()
    jobs = [("seal/seal.h", [use_of(row) for row in rows])]
    jobs += [(header, [in_util(use) for _, use in uses]) for header, uses in headers.items()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed, *failed_of_headers = pool.map(lambda job: complaints(*job), jobs)
    public = [(row, i not in failed) for i, row in enumerate(rows)]
    util = [
        ((header, name), i not in failed)
        for (header, uses), failed in zip(headers.items(), failed_of_headers)
        for i, (name, _) in enumerate(uses)
    ]
    missing = [row for row, works in public if not works]
    missing += [name for (_, name), works in util if not works]
    text = page(public, util, exceptions)
    if options.write:
        PAGE.write_text(text)
    working = sum(works for _, works in public)
    is_written = PAGE.is_file() and read(PAGE) == text
    checks = (
        ("names that do not work are explained", [n for n in missing if n not in exceptions]),
        ("explained names do not work", [n for n in exceptions if n not in missing]),
        ("98 % of the public names work", [] if working >= 0.98 * len(rows) else [str(working)]),
        ("errors of calls that are gone name the replacement", gone()),
        ("docs/seal_coverage.md says so", [] if is_written else ["write it with --write"]),
    )
    return report("seal names", checks, options.xml)


if __name__ == "__main__":
    sys.exit(main())
