# SPDX-License-Identifier: Apache-2.0
"""Prose that is read once and understood: no retired phrase, and in pages no sentence and no cell
of a table of more than 40 words.
"""

import re
from pathlib import Path

from report import ROOT, arguments, finish, misjudged, read, repository_files

FOLDERS = {"src", "include", "python", "compat", "docs", "examples", "lab", "hw"}
TEXTS = {".cpp", ".hpp", ".h", ".py", ".md"}
LONGEST = 40
# Generated. Its messages are searched too, except for those that quote another library.
MESSAGES = Path("docs/reference/errors.md")

# Retired phrases -> what to write. `|` in a pattern joins forms of one phrase.
RETIRED = {
    r"whoever": "anyone who, or the role: the server, the caller",
    r"whatsoever|whatever it is|whatever they are": "for every value, always",
    r"for ever": "forever, or until when",
    r"anew": "again",
    r"wherefore|whereof|thereof|therein|hereof|hitherto": "which, of it, so far",
    r"lest": "so that ... not",
    r"but with probability|but once in": "except with probability",
    r"but for": "except for",
    r"save for": "except for",
    r"(?:is|are|was) said": "see, states",
    r"as said": "see",
    r"said (?:below|above|here|there)": "see below, see above",
    r"what (?:it|this|that|they) takes?": "its cost, its requirements",
    r"what is of|what of": "name the thing",
    r"of no use": "useless, not useful",
    r"of one's own": "your own",
    r"leave it as it is|left as (?:it is|they are)": "unchanged, use the default",
    r"(?:are|is|was|were) left alone": "unchanged",
    r"the better one of|the larger one of|the smaller one of": "the better of the two",
    r"the one of|the ones of": "name the thing",
    r"with the ones|by the ones|from the ones": "name the thing",
    r"the other one": "the other",
    r"comes? out of it": "its result",
    r"stands? before": "precedes",
    r"in the place of": "in place of, instead of",
    r"(?:is|are|was|were) handed": "receives",
    r"hands? (?:over|out)": "passes, returns",
    r"for who|for whom|to whom": "name the role",
    r"no other (?:one )?is": "only this one is",
    r"on (?:the|its|their) way there": "before that",
    r"folders on the way": "missing parent folders",
    r"than what": "than",
    r"of before|than before|as before": "of version or run x",
    r"right to \d+ bits": "correct to n bits",
    r"to be right|be right to": "correct",
    r"(?:came|comes|come) of (?:it|this|that|them|reading)": "result, outcome",
    r"is done with": "happens to",
    r"the same is true": "likewise, this also holds",
    r"knows? nothing of": "does not depend on",
    r"at the (?:least|most)": "at least, at most",
    r"be it": "whether",
    r"in question": "this",
    r"beyond that": "also, more",
    r"none of it|none of that": "no part, nothing",
    r"has become of|became of|becomes of": "happened to, result",
    r"lies? with": "depends on",
    r"is for him|is for her": "name the role",
    r"and be done": "end the sentence",
    r"to begin with": "first",
    r"by and by": "later",
    r"as it were|so to speak": "leave it out",
    r"needless to say|of course|obviously|clearly": "leave it out",
    r"in order to": "to",
    r"due to the fact that": "because",
    r"makes? use of": "uses",
    r"is able to|are able to": "can",
    r"with regard to|with respect to this": "for, about",
    r"prior to": "before",
    r"utili[sz]e[sd]?": "use",
    r"leverages?": "use",
    r"simply|basically|actually": "leave it out",
    r"please": "leave it out",
    r"the following (?:is|are|list|table|points?)": "name the things",
    r"vice versa": "and the reverse, in words",
    r"etc\.": "name the things",
    r"and/or": "or",
}
PHRASES = {
    re.compile(rf"(?<![\w`'-])(?:{pattern})(?![\w`'-])", re.IGNORECASE): better
    for pattern, better in RETIRED.items()
}
FOREIGN = re.compile(r"``\w+Error: ")
COMMENT_IN_PAGE = re.compile(r"<!--.*?-->", re.DOTALL)
COMMENT = re.compile(r"(?://+|^\s*\*)\s?(.*)$")


def _prose(path, text):
    """Number of each line and what of it is prose: of code the comments and docstrings."""
    is_inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if path == MESSAGES:
            if not FOREIGN.search(line):
                yield number, line
        elif path.suffix == ".md":
            if line.lstrip().startswith(("```", "~~~")):
                is_inside = not is_inside
            elif not is_inside and not line.startswith("    "):
                yield number, re.sub(r"`[^`]*`", "`code`", line)
        elif path.suffix == ".py":
            quotes = line.count('"""')
            if is_inside or quotes or line.lstrip().startswith("#"):
                yield number, re.sub(r"`[^`]*`", "`code`", line)
            is_inside ^= quotes % 2 == 1
        elif match := COMMENT.search(line):
            yield number, re.sub(r"`[^`]*`", "`code`", match[1])


def retired(root, files):
    return [
        f"{path}:{number}: '{match.group()}': write {better}"
        for path in files
        if (path.parts[0] in FOLDERS or len(path.parts) == 1) and path.suffix in TEXTS
        for number, line in _prose(path, read(root / path))
        for phrase, better in PHRASES.items()
        if (match := phrase.search(line))
    ]


def _count(text):
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", text))
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def _paragraphs(text):
    """Number of the first line and text of each paragraph and item of a page."""
    lines, first = [], 0
    for number, line in [*_prose(Path("page.md"), text), (0, "")]:
        item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        is_other = line.lstrip().startswith(("|", "#", "<!--"))
        if not line.strip() or item or is_other:
            if lines:
                yield first, " ".join(lines)
            lines = []
        if line.strip() and not is_other:
            first = first if lines else number
            lines.append(line.strip())


def too_long(root, files):
    found = []
    for path in files:
        if path.suffix != ".md" or path == MESSAGES or path.parts[0] not in {*FOLDERS, path.name}:
            continue
        text = COMMENT_IN_PAGE.sub(lambda found: "\n" * found[0].count("\n"), read(root / path))
        for number, paragraph in _paragraphs(text):
            for sentence in re.split(r"(?<=[.?!])[)\"]?\s+(?=[A-Z*`\[])", paragraph):
                if _count(sentence) > LONGEST:
                    found.append(f"{path}:{number}: {_count(sentence)} words: {sentence[:60]}...")
        for number, line in enumerate(text.splitlines(), 1):
            cells = line.strip(" |").split(" | ") if line.lstrip().startswith("|") else []
            found += [f"{path}:{number}: a cell of {_count(c)} words" for c in cells
                      if _count(c) > LONGEST]  # fmt: skip
    return found


LONG = "word " * 41
# A file, its text, and whether it has a mistake.
PLANTED = [
    ("docs/a.md", "Whoever holds the key\n", True),
    ("docs/a.md", "`whoever` holds the key\n", False),
    ("docs/a.md", "```text\nwhoever\n```\n", False),
    ("src/a.cpp", "// off by 1, but with probability 2^-40\n", True),
    ("src/a.cpp", "const char* whoever;\n", False),
    ("python/a.py", '"""What it takes."""\n', True),
    ("docs/a.md", f"{LONG}.\n", True),
    ("docs/a.md", f"- {LONG[:100]}. A{LONG[:100]}.\n", False),
    ("docs/a.md", f"| {LONG} | b |\n", True),
    ("docs/a.md", f"1. A.\n\n   | {LONG} | b |\n", True),
    ("docs/a.md", f"1. A.\n\n   | {LONG[:150]} |\n   | {LONG[:150]} |\n", False),
]


def mistakes(root, files):
    return retired(root, files) + too_long(root, files)


def main():
    options = arguments(__doc__)
    files = repository_files()
    checks = [
        ("planted phrases, sentences and cells are found", misjudged(PLANTED, mistakes)),
        ("no retired phrase", retired(ROOT, files)),
        (f"no sentence and no cell above {LONGEST} words", too_long(ROOT, files)),
    ]
    finish("phrases", checks, options.xml)


if __name__ == "__main__":
    main()
