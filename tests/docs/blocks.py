# SPDX-License-Identifier: Apache-2.0
"""Code blocks of Markdown pages: fenced blocks, and code in rows of tables.

A fence says what happens to its block: a language and modifiers, such as `python`, `cpp fresh` or
`text output`. Below `<!-- rows: python -->` (or cpp) the code in the last cell of every row of a
table is a block.
"""

import dataclasses
import re

LANGUAGES = {
    "python": {"fresh", "long", "device"},
    "pycon": {"fresh", "long", "device"},
    "cpp": {"fresh", "long", "device", "top"},
    "sh": {"checked", "long", "device"},
    "cmake": {"long"},
    "json": set[str](),
    "verilog": set[str](),
    "text": {"output", "sample", "layout"},
}
# The modifiers of blocks of text, which must have exactly one.
TEXT_KINDS = {"output", "sample", "layout"}

FENCE = re.compile(r"^(?P<indent> {0,12})(?P<mark>`{3,}|~{3,})\s*(?P<info>.*?)\s*$")
ROWS = re.compile(r"^\s*<!-- rows: (?P<language>python|cpp) -->\s*$")
CODE = re.compile(r"`([^`]+)`")
DIRECTIVE = re.compile(r"^\{[\w-]+\}")


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of a page. `line` is that of its first line of code, from 1."""

    page: str
    line: int
    language: str
    modifiers: frozenset[str]
    text: str

    @property
    def place(self):
        """Where a reader finds it."""
        return f"{self.page}:{self.line}"

    @property
    def kind(self):
        """Under which its run is counted."""
        words = [self.language, *sorted(self.modifiers & (TEXT_KINDS | {"checked"}))]
        return " ".join(words)


class Unreadable(Exception):
    """A block that is not written as blocks are."""


def _block(page, line, info, lines):
    words = info.split()
    language = words[0] if words else ""
    modifiers = frozenset(words[1:])
    where = f"{page}:{line}"
    if DIRECTIVE.match(language):
        return Block(page, line, "directive", frozenset(), "\n".join(lines))
    if language not in LANGUAGES:
        raise Unreadable(
            f"{where}: a block of '{language or 'no language'}'; there are {', '.join(LANGUAGES)}"
        )
    unknown = modifiers - LANGUAGES[language]
    if unknown:
        allowed = ", ".join(sorted(LANGUAGES[language])) or "none"
        raise Unreadable(f"{where}: '{' '.join(sorted(unknown))}' after {language}; one may say: "
                         f"{allowed}")
    if language == "text" and len(modifiers) != 1:
        raise Unreadable(f"{where}: text is one of output, sample and layout, say which")
    return Block(page, line, language, modifiers, "\n".join(lines) + "\n")


def _without_indent(line, indent):
    return line[indent:] if not line[:indent].strip() else line.lstrip()


def _rows(page, lines, start, language):
    """The blocks of the table that begins at that line, counted from 0."""
    number = start + 2  # skips the table's header
    while number < len(lines) and lines[number].startswith("|"):
        statements = CODE.findall(lines[number].rstrip(" |").rpartition(" | ")[2])
        if statements and language == "cpp":
            statements = ["{", *(statement + ";" for statement in statements), "}"]
        if statements:
            yield Block(page, number + 1, language, frozenset(), "\n".join(statements) + "\n")
        number += 1


def read_blocks(page, text):
    """The blocks of a page in their order, and what is wrong with others."""
    blocks = []
    problems = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        fence, rows = FENCE.match(lines[number]), ROWS.match(lines[number])
        number += 1
        if rows:
            blocks += _rows(page, lines, number, rows["language"])
        if not fence:
            continue
        start = number
        ends = re.compile(rf"^\s*{fence['mark']}{fence['mark'][0]}*\s*$")
        while number < len(lines) and not ends.match(lines[number]):
            number += 1
        if number == len(lines):
            problems.append(f"{page}:{start}: this block never ends")
            break
        indent = len(fence["indent"])
        content = [_without_indent(line, indent) for line in lines[start:number]]
        number += 1
        try:
            blocks.append(_block(page, start + 1, fence["info"], content))
        except Unreadable as error:
            problems.append(str(error))
    return blocks, problems
