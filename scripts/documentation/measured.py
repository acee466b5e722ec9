# SPDX-License-Identifier: Apache-2.0
"""Writes the page of the site that lists all measurements: every section with a statement of
machine and date. For some subjects it quotes the main figure from its page word by word.
"""

import sys

import tree

sys.path.insert(0, str(tree.ROOT / "tests" / "docs"))
import figures  # noqa: E402

HEAD = """\
# What was measured, where and when

Every measured figure in these pages stands below a statement of its machine and its date. These are
all of them, by page. *Quoted* figures are other people's, *predicted* ones are computed.

"""

# Page -> its main result, in the words of the page.
MAIN = {
    "docs/fv.md": "At 128 bits of security the transforms take 135 microseconds for m = 10773 "
    "(n = 5832) and 157 for m = 8191 (n = 8190) with IFMA.",
    "docs/measured/word_sizes.md": "Transforms modulo SEAL's default primes for N = 32768, of 55 "
    "and 56 bits, are 1.5 to 1.8 times as fast as on `avx512dq/radix2` if the sixteen primes are "
    "transformed one after another.",
    "docs/measured/ntt_variants.md": "`ifma52/lazy`, a kernel that the paper does not have, "
    "changes the arithmetic and not the radix. It is 1.24 to 1.39 times as fast as radix 2 "
    "forward and 1.39 to 1.56 times inverse",
    "docs/measured/performance.md": "Only ratios of two times of one run are judged (goals within "
    "the run), and all these goals are met.",
    "docs/hexl.md": "So the look-up in the table costs about 2 ns.",
}


def words(text):
    """Returns the text with its lines joined."""
    return " ".join(text.split())


def pages_of_site():
    """Returns the pages that may hold figures, README.md among them."""
    return ["README.md", *(name for name in tree.pages() if name.endswith(".md"))]


def misquoted():
    """Returns the main figures that their pages do not contain."""
    return [
        f"{name}: this main figure is not on the page: {quote}"
        for name, quote in MAIN.items()
        if words(quote) not in words((tree.ROOT / name).read_text())
    ]


def page():
    """Returns the text of the page."""
    lines = [HEAD]
    for name in pages_of_site():
        text = (tree.ROOT / name).read_text()
        found = [p for p in figures.paragraphs(text) if figures.STATEMENT.match(p.text)]
        if not found:
            continue
        title = text.splitlines()[0].lstrip("# ")
        place = tree.pages().get(name)
        lines += [f"## {title}", "", f"[{name}]({place})" if place else f"`{name}`", ""]
        if name in MAIN:
            lines += [f"> {MAIN[name]}", ""]
        lines += ["| section | machine, date |", "|---|---|"]
        for statement in found:
            section = statement.titles[-1] if statement.titles else "the page"
            said = words(statement.text).replace("Measured: ", "", 1).replace("|", "\\|")
            lines.append(f"| {section} | {said} |")
        lines.append("")
    return "\n".join(lines)
