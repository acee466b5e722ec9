# SPDX-License-Identifier: Apache-2.0
"""Whether every measured figure in the documentation says on which machine and when it was
measured; tests/docs/figures.py tells what a figure is and how a statement is written.
"""

import sys
from pathlib import Path

import figures

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "structure"), str(ROOT / "scripts" / "documentation")]
import measured  # noqa: E402
from report import arguments, finish, read  # noqa: E402

# Fewer figures would mean that the check no longer recognises them.
FEWEST_FIGURES = 200
STATED = "# Page\n\nMeasured: AMD EPYC (Zen 4) at 3.69 GHz, 2026-11-21, one core\n\n"
WITHOUT_STATEMENT = (
    "It takes 28.3 us.",
    "It takes 2.1 to 2.3 ns a butterfly.",
    "It is 1.5 times as fast.", "It is 1.9x.", "It reads 40 GB/s.", "It is 8 % slower.",
    "| N | us |\n|---|---|\n| 1024 | 6.1 |\n| 4096 | 28.3 |",
    "Microseconds on Zen 5:\n\n| N | forward |\n|---|---|\n| 1024 | 6.1 |",
    "![Time per butterfly](images/bench-ntt.png)",
)  # fmt: skip
NO_FIGURES = (
    "N = 4096, q of 50 bits, s = 3.",
    "`x = 5 us` is code.",
    "```python\nx = 1  # 3 us\n```",
    "<!-- not measured: a limit -->\n\nIt waits 10 seconds.",
)


def self_test():
    """Planted figures are found where no statement is above them, and only there."""
    problems = []
    for text in WITHOUT_STATEMENT:
        if not figures.problems_of("page", f"# Page\n\n## Section\n\n{text}\n"):
            problems.append(f"not found: {text}")
        if figures.problems_of("page", f"{STATED}## Section\n\n{text}\n"):
            problems.append(f"found below a statement: {text}")
        other = "## Other\n\nMeasured: AMD EPYC, 2026-11-21\n\n## Section\n\n"
        if not figures.problems_of("page", f"# Page\n\n{other}{text}\n"):
            problems.append(f"a statement of another section holds for: {text}")
    for text in NO_FIGURES:
        problems += figures.problems_of("page", f"# Page\n\n{text}\n")
    for text in ("Measured: today, on a laptop", "Measured: 2026-11-21", "Quoted: here"):
        if not figures.problems_of("page", f"# Page\n\n{text}\n\nIt takes 3 us.\n"):
            problems.append(f"taken for a statement: {text}")
    return problems


def checks():
    yield "self-test: planted figures are found", self_test()
    total = 0
    for name in measured.pages_of_site():
        text = read(ROOT / name)
        count = figures.count(text)
        total += count
        problems = figures.problems_of(name, text)
        if count or problems:
            yield f"{name}: {count} figures have machine and date", problems
    few = [f"only {total} figures were recognised"] if total < FEWEST_FIGURES else []
    yield f"{total} figures in all", few
    yield "main figures of the index are on their pages", measured.misquoted()


if __name__ == "__main__":
    options = arguments(__doc__)
    finish("figures", checks(), options.xml)
