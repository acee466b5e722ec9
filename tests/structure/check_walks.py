# SPDX-License-Identifier: Apache-2.0
"""The walks of docs/design.md are those of the sources.

A walk is a table of functions and files: each function is in its file and calls the next one.
"""

import re
import sys
import tempfile
from pathlib import Path

from report import ROOT, arguments, finish, read

SECTION = re.compile(r"^## Two walks\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| *(\d*) *\| *`([^`]+)` *\| *`([^`]+)` *\|", re.MULTILINE)
MOST_HOPS = (4, 5)
MOST_FUNCTIONS = 3  # per hop
COMMENT = re.compile(r"//[^\n]*")
# The text between the parameters of a function and its body.
TO_BODY = r"[^;{}()]*\{"


def closed(text, start, pair):
    """The end of what the bracket at `start` opens."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == pair[0]) - (text[place] == pair[1])
        if depth == 0:
            return place + 1
    return len(text)


def bodies(text, function):
    """The bodies of all functions of that name, defined in their class or outside of it."""
    *owner, name = function.split("::")
    found = []
    if owner:
        for start in re.finditer(rf"\b(?:struct|class) {owner[0]}\b[^;{{(]*\{{", text):
            inside = text[start.end() : closed(text, start.end() - 1, "{}")]
            found += bodies(inside, name)
    for start in re.finditer(rf"(?<![.\w>]){'::'.join([*owner, name])}\(", text):
        end = closed(text, start.end() - 1, "()")
        opened = re.compile(TO_BODY).match(text, end)
        if opened:
            found.append(text[opened.end() : closed(text, opened.end() - 1, "{}")])
    return found


def problems_of_step(root, function, file, following):
    """`pointer = &function` stands for itself: the call of the pointer is one of the function."""
    if not (root / file).is_file():
        return [f"{file} is not there"]
    text = COMMENT.sub("", read(root / file))
    if "=" in function:
        return [] if function in text else [f"{file} does not say {function}"]
    found = bodies(text, function)
    if not found:
        return [f"{file} does not define {function}"]
    called = following.split(" = ")[0].replace(".", "::").split("::")[-1]
    if called and not any(re.search(rf"\b{called}\(", body) for body in found):
        return [f"{function} of {file} does not call {called}"]
    return []


def problems_of_walk(root, rows, most):
    functions = [function for _, function, _ in rows]
    problems = []
    for (_, function, file), following in zip(rows, [*functions[1:], ""], strict=True):
        problems += problems_of_step(root, function, file, following)
    starts = [place for place, row in enumerate(rows) if row[0]]
    if [int(rows[place][0]) for place in starts] != list(range(len(starts))) or 0 not in starts:
        problems.append("hops are not numbered from 0")
    if len(starts) - 1 > most:
        problems.append(f"{len(starts) - 1} hops where {most} are the limit")
    for first, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        if end - first > MOST_FUNCTIONS:
            problems.append(f"hop {rows[first][0]} has {end - first} functions")
        if len({Path(file).parts[:2] for _, _, file in rows[first:end]}) > 1:
            problems.append(f"hop {rows[first][0]} leaves its layer")
    return problems


def walks_of(page):
    section = SECTION.search(page)
    tables = re.split(r"^### ", section.group(1), flags=re.MULTILINE)[1:] if section else []
    return [ROW.findall(table) for table in tables]


def check_tree(root, most_hops=MOST_HOPS):
    walks = walks_of(read(root / "docs" / "design.md"))
    if len(walks) != len(most_hops):
        return [f"{len(walks)} walks where {len(most_hops)} are expected"]
    return [
        problem
        for rows, most in zip(walks, most_hops, strict=True)
        for problem in problems_of_walk(root, rows, most)
    ]


SAMPLE = {
    "a": "void A::run(int x) const { B().step(x); }",
    "b": "struct B { void step(int x) const { middle(x); } };\nvoid middle(int x) { run_it(x); }",
    "c": "k.run_it = &leaf;\nvoid leaf(int) {}",
}
STEPS = ["0|A::run|a", "1|B::step|b", "|middle|b", "2|run_it = &leaf|c", "|leaf|c"]
PLANTED = {
    "does not call middle": (["0|A::run|a", "1|middle|b", "2|run_it = &leaf|c", "|leaf|c"]),
    "does not define A::go": ["0|A::go|a", *STEPS[1:]],
    "c does not define B::step": ["0|A::run|a", "1|B::step|c", *STEPS[2:]],
    "d is not there": [*STEPS[:4], "|leaf|d"],
    "does not say run_it = &other": [*STEPS[:3], "2|run_it = &other|c", "|leaf|c"],
    "3 hops": [*STEPS[:2], "2|middle|b", "3|run_it = &leaf|c", "|leaf|c"],
    "not numbered": [STEPS[0], "2|B::step|b", *STEPS[2:]],
    "leaves its layer": [STEPS[0], "|B::step|b", *STEPS[2:3], "1|run_it = &leaf|c", "|leaf|c"],
}


def check_itself():
    """A sound walk is accepted, and each planted error is found."""
    problems = []
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / "docs").mkdir()
        for name, text in SAMPLE.items():
            (root / name).write_text(text)
        for expected, steps in {"": STEPS, **PLANTED}.items():
            cells = [
                [f"`{cell}`" if i else cell for i, cell in enumerate(step.split("|"))]
                for step in steps
            ]
            table = "\n".join("| " + " | ".join(row) + " |" for row in cells)
            (root / "docs" / "design.md").write_text(f"## Two walks\n### One\n{table}\n## End\n")
            found = check_tree(root, (2,))
            if bool(found) != bool(expected) or expected not in "".join(found):
                problems.append(f"expected '{expected}', found {found}")
    return problems


def main():
    options = arguments(__doc__)
    checks = [
        ("finds planted errors of walks", check_itself()),
        ("walks of docs/design.md are those of the sources", check_tree(ROOT)),
    ]
    finish("check_walks", checks, options.xml)


if __name__ == "__main__":
    sys.exit(main())
