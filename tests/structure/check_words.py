# SPDX-License-Identifier: Apache-2.0
"""Words that the glossary has replaced do not come back, nor those of C++ in texts of errors."""

import re
from pathlib import Path

from report import ROOT, arguments, finish, misjudged, read, repository_files

FOLDERS = {"src", "include", "python", "compat", "docs"}
TEXTS = {".cpp", ".hpp", ".h", ".inc", ".py", ".pyi", ".md", ".txt", ".cmake"}
CIRCUITS = r"(?:src|include/ringlet|python/bindings|tests/unit)/circuits/"

# The pattern of a retired word, the term to use, and the paths where the word is retired or, after
# `not`, allowed.
RETIRED = [
    (r"divide_(?:down|by_special)", "mod_switch_divide_to or mod_down", ""),
    (r"DigitProducts?|ImageSums?|KeySwitchSums?", "gadget product", ""),
    (r"kernels/smooth|MixedDigits?", "CRT, mixed radix", ""),
    (r"(?i:wide[ _]?sums?)\w*|WideDivisor|WideReduction", "accumulator", ""),
    (r"mul_wide|prefers_wide|WideProductPolicy", "mul_words or unreduced", ""),
    (r"WideForm|Mont64Form", "LimbFormat, Mont64Variant", ""),
    (r"(?:struct|class|using|enum(?: class)?) Form", "another word: Form is of polynomials",
     r"not include/ringlet/(?:ring/storage|ntt/stages)\.hpp$"),
    (r"settle[sd]?\w*|pending\w*|is_small_anyway|rungs?|\w*[lL]adders?",
     "relinearized, rescaled, level, modulus chain", CIRCUITS),
    (r"(?:small|settled|natural|reduced|dropped|keep)\(",
     "relinearized, rescaled, as_computed, mod_switched, memoize", r"src/circuits/plan/"),
    (r"(?:Signed|Forward|Inverse|Prime)Plan\w*|PlannedMethod|plan_method",
     "reductions, transforms, choice: a plan is what Ntt or CircuitPlan is", ""),
    # `ringlet info` and lab's programs keep their names.
    (r"[pP]lanners?", "kernel selection, choice, builder: the planner is that of circuits",
     rf"not {CIRCUITS}|docs/(?:circuits|glossary)\.md|python/(?:ringlet/info|tests/.*_tune)\.py"),
]  # fmt: skip


def applies(path, where):
    if where.startswith("not "):
        return not re.match(where[4:], path)
    return re.match(where, path) is not None


def problems(root, files):
    found = []
    for path in files:
        if path.parts[0] not in FOLDERS or path.suffix not in TEXTS:
            continue
        rules = [
            (re.compile(rf"(?<![A-Za-z0-9_])(?:{pattern})(?![A-Za-z0-9_])"), term)
            for pattern, term, where in RETIRED
            if applies(path.as_posix(), where)
        ]
        for number, line in enumerate(read(root / path).splitlines(), 1):
            for expression, term in rules:
                if match := expression.search(line):
                    found.append(f"{path}:{number}: '{match.group()}': use {term}")
    return found


# Python's users read errors, too. A literal names no class and no call of C++, unless the whole
# literal is a name, which Python looks up.
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NAME = re.compile(r"[\w:\[\]]+(?: \(\w+\))?")
CLASS = re.compile(r"\b(?:class|struct) (?:RINGLET_API )?([A-Z]\w*[a-z]\w*)")
FOREIGN = re.compile(r"::|chain index|parms_id|\w\(\)")


def foreign_texts(root, files):
    sources = [path for path in files if path.parts[0] in ("src", "include")]
    texts = {path: read(root / path) for path in sources if path.suffix in TEXTS}
    classes = {name for text in texts.values() for name in CLASS.findall(text)}
    return [
        f"{path}:{number}: {literal!r}: say it without words of C++"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        for literal in LITERAL.findall(line.partition("//")[0])
        if not NAME.fullmatch(literal)
        and (FOREIGN.search(literal) or classes & set(re.findall(r"\w+", literal)))
    ]


# A file, a line of it, and whether it has a retired word.
PLANTED = [
    ("src/schemes/a.cpp", "c = divide_down(a);", True),
    ("src/schemes/a.cpp", "c = mod_down(a); // undivide_downs", False),
    ("src/circuits/plan/a.hpp", "Version settled(std::size_t node);", True),
    ("src/circuits/plan/a.hpp", "Version relinearized(std::size_t node);", False),
    ("src/gpu/backend/a.cpp", "class Planner {", True),
    ("src/circuits/plan/a.cpp", "class Planner {", False),
    ("docs/a.md", "Wide sums are reduced once.", True),
    ("src/ntt/a.hpp", "enum class Form { a, b };", True),
    ("include/ringlet/ring/storage.hpp", "enum class Form { a, b };", False),
    ("tests/a.cpp", "divide_down", False),
    ("src/rlwe/a.cpp", 'refuse("at chain index 2");', True),
    ("src/rlwe/a.cpp", 'refuse("ask size() first");', True),
    ("src/rlwe/a.cpp", 'class KeyMaker; refuse("make it with a KeyMaker");', True),
    ("src/rlwe/a.cpp", 'class KeyMaker; public_entry("KeyMaker::make", make);', False),
]


def mistakes(root, files):
    return problems(root, files) + foreign_texts(root, files)


def check_terms_once():
    rows = re.findall(r"(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", read(ROOT / "docs/glossary.md"))
    terms = [row for row in rows if row != "term"]
    return [f"{term}: {terms.count(term)} times" for term in set(terms) if terms.count(term) > 1]


def main():
    options = arguments(__doc__)
    checks = [
        ("planted words are found", misjudged(PLANTED, mistakes)),
        ("the glossary has each term once", check_terms_once()),
        ("no word that the glossary has replaced", problems(ROOT, repository_files())),
        ("no words of C++ in texts of errors", foreign_texts(ROOT, repository_files())),
    ]
    finish("words", checks, options.xml)


if __name__ == "__main__":
    main()
