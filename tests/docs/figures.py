# SPDX-License-Identifier: Apache-2.0
"""Measured figures of Markdown pages, and the statements of where and when they were measured.

A figure is a time, a rate, a ratio of speeds, a table of times or a picture. It needs a statement
in its own section or in one above it, a paragraph that begins with one of

    Measured: <machine>, <date as 2026-11-22>[, anything]
    Quoted: <where from>
    Predicted: <by what>

A sentence that is no measurement has `<!-- not measured: <why> -->` before its paragraph.
"""

import dataclasses
import re

UNIT = r"(?:ns|us|µs|ms|s|seconds?|minutes?|hours?|(?:micro|nano|milli)seconds?|[kMG]B/s|/s)"
NUMBER = r"\d+(?:[.,]\d+)*"
FIGURE = re.compile(
    rf"(?<![\w.^-]){NUMBER}(?: to {NUMBER}| / {NUMBER})? {UNIT}(?![\w^/])"
    r"|(?<![\w.])\d+(?:\.\d+)?(?: to \d+(?:\.\d+)?)? times (?:as|the speed|faster|slower|longer)"
    r"|(?<![\w.^])(?:\d+\.\d+|\d{2,})(?:x|-fold)(?= |[.,;:)]|$)"
    r"|(?<![\w.])\d+(?:\.\d+)? (?:%|percent) (?:faster|slower|less time|more time)"
)
TABLE_UNIT = re.compile(
    r"(?<![\w.])(?:ns|us|µs|ms|seconds|microseconds|nanoseconds)(?![\w^(])|(?<=, )s(?=[ :]*\|)"
)
# A unit in the sentence that announces a table.
UNIT_WORD = re.compile(r"(?<![\w.])(?:us|µs|(?:[Mm]icro|[Nn]ano|[Mm]illi)seconds)\b")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
STATEMENT = re.compile(r"^(?:Measured|Quoted|Predicted): ")
MEASURED = re.compile(r"^Measured: (?P<machine>[^,]\S.*?), (?P<date>20\d\d-\d\d-\d\d)\b")
EXEMPTION = re.compile(r"<!-- not measured: \S.*-->\s*$")
HEADING = re.compile(r"^(#{1,6}) +(.*)$")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
CODE = re.compile(r"``.*?``|`[^`]*`")


@dataclasses.dataclass
class Paragraph:
    """Lines that stand together, and the headings above them."""

    line: int
    text: str
    sections: tuple[int, ...]
    titles: tuple[str, ...]
    is_exempt: bool = False


def paragraphs(text):
    """The paragraphs of a page, without code blocks. `sections` are the lines of the headings
    above; the page itself is 0.
    """
    above = [(0, 0, "")]
    lines = []
    start, fence, exempt = 0, "", False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        mark, heading = FENCE.match(line), HEADING.match(line)
        if fence or mark or heading or not line.strip() or EXEMPTION.match(line.strip()):
            if lines:
                sections = tuple(place for _, place, _ in above)
                titles = tuple(title for _, _, title in above[1:])
                yield Paragraph(start, "\n".join(lines), sections, titles, exempt)
                lines, exempt = [], False
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif heading:
            depth = len(heading[1])
            above = [entry for entry in above if entry[0] < depth] if depth > 1 else above[:1]
            if depth > 1:
                above.append((depth, number, heading[2]))
        elif EXEMPTION.match(line.strip()):
            exempt = True
        elif line.strip():
            start = start if lines else number
            lines.append(line)


def is_table(paragraph):
    return paragraph.text.lstrip().startswith("|")


def announces(before, table):
    """Whether a paragraph says what is in the table that follows it."""
    return before.sections == table.sections and not is_table(before) and not before.is_exempt


def figures_of(paragraph):
    """What in a paragraph is a figure."""
    if STATEMENT.match(paragraph.text) or paragraph.is_exempt:
        return []
    found = PICTURE.findall(paragraph.text)
    prose = CODE.sub("", PICTURE.sub("", paragraph.text))
    found += [match[0].strip() for match in FIGURE.finditer(prose)]
    if is_table(paragraph):
        digits = sum(character.isdigit() for character in prose)
        found += TABLE_UNIT.findall(prose) if digits > 3 else []
    return found


def statement_problems(page, paragraph):
    """What a statement lacks."""
    if paragraph.text.startswith("Measured: ") and not MEASURED.match(paragraph.text):
        return [f"{page}:{paragraph.line}: a statement without machine or date"]
    if len(paragraph.text.split()) < 3:
        return [f"{page}:{paragraph.line}: a statement that says nothing"]
    return []


def problems_of(page, text):
    """Figures without a statement, and statements that are none."""
    found = list(paragraphs(text))
    stated = {p.sections[-1] for p in found if STATEMENT.match(p.text)}
    problems = [
        problem for p in found if STATEMENT.match(p.text) for problem in statement_problems(page, p)
    ]
    for before, paragraph in zip([None, *found], found, strict=False):
        figures = figures_of(paragraph)
        if before and is_table(paragraph) and announces(before, paragraph):
            figures += UNIT_WORD.findall(CODE.sub("", before.text))
        if figures and not stated.intersection(paragraph.sections):
            shown = ", ".join(dict.fromkeys(figures))
            problems.append(f"{page}:{paragraph.line}: no machine and date for {shown[:120]}")
    return problems


def count(text):
    """How many figures a page holds."""
    return sum(len(figures_of(paragraph)) for paragraph in paragraphs(text))
