# SPDX-License-Identifier: Apache-2.0
"""The tables of NumPy calls in docs/arrays.md. Run as a program, it writes them into the page:

  PYTHONPATH=python/tests/arrays python python/tests/arrays/array_table.py
"""

from pathlib import Path

from array_cases import ALL, GROUPS
from array_refusals import REFUSED, refused_message

PAGE = Path(__file__).parents[3] / "docs" / "arrays.md"
START = "<!-- tables written by python/tests/arrays/array_table.py -->\n"
END = "<!-- end of these tables -->\n"


def _code(text):
    return f"`{text}`" if "`" not in text else text


def tables():
    """The calls that work, group by group, and those that are refused."""
    lines = []
    for group, cases in GROUPS.items():
        lines += [f"### {group}", "", "| call | schemes |", "|---|---|"]
        for case in cases:
            schemes = "all" if case.schemes == ALL else ", ".join(case.schemes).upper()
            lines.append(f"| {_code(case.text)} | {schemes} |")
        lines.append("")
    lines += ["## Refused calls", "", "| call | refused | what to do |", "|---|---|---|"]
    for case in REFUSED:
        error = refused_message(case)
        lines.append(f"| {_code(case.text)} | {error.offending} | {error.remedy} |")
    return "\n".join(lines) + "\n"


def split_page():
    """The page before, between and after the marks."""
    before, rest = PAGE.read_text().split(START)
    return before, *rest.split(END)


def main():
    before, _, after = split_page()
    PAGE.write_text(before + START + tables() + END + after)


if __name__ == "__main__":
    main()
