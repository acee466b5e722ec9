#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws texts at random from public headers, docstrings, error messages, pages and comments in
bodies. Read them as a stranger would. The printed seed gives the same texts again.

  scripts/sample_texts.py [--seed S] [--count 10] [--kind headers ...]
"""

import argparse
import ast
import random
import re
import secrets
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = ROOT / "docs" / "reference" / "errors.md"
SHORTEST = 4  # words of a text; shorter ones are labels
BINDINGS = re.compile(r'R"doc\((.*?)\)doc"|((?:\s*"(?:[^"\\]|\\.)*")+)\s*[,)]', re.DOTALL)


def files(*patterns):
    """Returns the files below the root that match a pattern, in order."""
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def comments(path, marks=r"///?"):
    """Returns each group of consecutive comment lines as one text, by its first line."""
    found, start = {}, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(rf"\s*(?:{marks})(?!/)\s?(.*)", line)
        start = (start or number) if match else None
        if match and start:
            found[start] = f"{found.get(start, '')} {match[1].strip()}".strip()
    return {line: text for line, text in found.items() if not text.startswith("SPDX")}


def python_comments(path):
    """Does the same as `comments` for Python, where a # may be part of a string."""
    found, last = {}, (0, 0)
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type != tokenize.COMMENT or token.line.strip() != token.string:
                continue
            line, text = token.start[0], token.string.lstrip("#! ")
            start = last[0] if last[1] == line - 1 else line
            found[start] = f"{found.get(start, '')} {text}".strip()
            last = (start, line)
    return {line: text for line, text in found.items() if not text.startswith("SPDX")}


def headers():
    for path in files("include/**/*.hpp", "compat/**/*.h"):
        yield path, comments(path)


def docstrings():
    for path in files("python/ringlet/**/*.py"):
        nodes = [n for n in ast.walk(ast.parse(path.read_text())) if hasattr(n, "body")]
        named = [n for n in nodes if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
        texts = {getattr(n, "lineno", 1): ast.get_docstring(n) for n in named}
        yield path, {line: text for line, text in texts.items() if text}
    for path in files("python/bindings/**/*.cpp"):
        source = path.read_text()
        found = {}
        for match in BINDINGS.finditer(source):
            parts = re.findall(r'"((?:[^"\\]|\\.)*)"', match[2] or "")
            text = match[1] or "".join(parts).replace("\\n", "\n")
            if text[:1].isupper() and "." in text:
                found[source.count("\n", 0, match.start()) + 1] = text
        yield path, found


def messages():
    lines = MESSAGES.read_text().splitlines()
    yield MESSAGES, {n: line[2:] for n, line in enumerate(lines, 1) if line.startswith("- ")}


def pages():
    for path in files("*.md", "docs/**/*.md"):
        found, number, code = {}, 1, False
        for block in re.split(r"\n\s*\n", "" if path == MESSAGES else path.read_text()):
            if not code and "```" not in block and not block.startswith(("#", "    ", "<!--")):
                found[number] = block
            code ^= len(re.findall(r"^\s*(?:`{3,}|~{3,})", block, re.MULTILINE)) % 2 == 1
            number += block.count("\n") + 2
        yield path, found


def bodies():
    folders = ("src", "python", "compat", "lab", "scripts", "tests")
    for path in files(*(f"{folder}/**/*.[ch]pp" for folder in folders)):
        yield path, comments(path)
    for path in files(*(f"{folder}/**/*.py" for folder in folders)):
        yield path, python_comments(path)


KINDS = {
    "headers": headers,
    "docstrings": docstrings,
    "messages": messages,
    "pages": pages,
    "comments": bodies,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="of the draw")
    parser.add_argument("--count", type=int, default=10, help="texts of each kind")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    for kind in options.kind:
        # A generator for each kind: a change of one kind keeps the draws of the others.
        choose = random.Random(f"{options.seed} {kind}")
        texts = [
            (f"{path.relative_to(ROOT)}:{line}", text)
            for path, found in KINDS[kind]()
            for line, text in sorted(found.items())
            if len(text.split()) >= SHORTEST
        ]
        print(f"\n== {kind}: {min(options.count, len(texts))} of {len(texts)}")
        for place, text in choose.sample(texts, min(options.count, len(texts))):
            print(f"\n{place}\n{text}")


if __name__ == "__main__":
    main()
