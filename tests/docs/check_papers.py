# SPDX-License-Identifier: Apache-2.0
"""Whether docs/papers.md lists every table, figure and claim of the five papers, each with a state,
a command that some test runs in a quick form, and both figures.

The papers are not in the repository. Their numbering, the headings of the slides and the figures of
their claims stand here.
"""

import ast
import re
import shlex
import sys
from pathlib import Path

import shell_words

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "structure"))
from report import arguments, finish, read  # noqa: E402

PAGE = ROOT / "docs" / "papers.md"
# Section -> how many of each kind the paper numbers, from 1 on.
NUMBERS = {
    "Intel HEXL": {"Table": 6, "Figure": 2, "Listing": 5, "Algorithm": 10},
    "The extended Harvey butterfly": {"Table": 1, "Figure": 11, "Algorithm": 10},
    "Encrypted computing on GPUs": {"Table": 1, "Figure": 19, "Algorithm": 1},
    "Double words and MQX": {},
    "The Karatsuba accelerator": {"Table": 2, "Figure": 7, "Algorithm": 1},
}
SLIDES = {
    "Great Data Security Comes at a High Cost",
    "Cryptographic Operations with LARGE Integer Arithmetic",
    "Polynomial Operations: Large Integer Arithmetic in Action",
    "Cryptographic Kernel I: BLAS(-Like) Operations",
    "Cryptographic Kernel II: Number Theoretic Transform",
    "NTT, the Butterfly, and MORE Large Integer Arithmetic",
    "State-of-the-Art Solutions", "Part I: Modular Arithmetic", "Part II: Double-Word Arithmetic",
    "Part III: Single Instruction, Multiple Data", "SIMD Double-word Modular Addition",
    "Progress So Far: vs. Prior Work", "Towards Better Performance", "Design Philosophy of MQX",
    "AVX-512 Multi-word Extension (MQX)", "SIMD Addition with Carry",
    "Limitations of Open-Source Simulation Tools", "PISA: Performance Projection with Proxy ISA",
    "BLAS Operations Results", "NTT Results: Single Core", "NTT Results: vs. Prior Work",
    "Speed-of-Light (SOL) Analysis",
}  # fmt: skip
# Section -> figures of the paper's claims, which stand on its side of some row.
CLAIMS = {
    "Intel HEXL": (
        "1.25, 5.81, 33.1", "1.23, 5.72, 32.4", "0.251, 1.08, 4.58", "0.31, 1.25, 5.08",
        "7.2, 6.7, 6.0, 1.7", "8.48; 9.05", "21.1; 26.7", "4.70, 5.46", "6.26, 4.83",
    ),
    "The extended Harvey butterfly": ("2.5", "1.1", "1.2", "75 %", "29N/16", "65N/32", "1.46"),
    "Encrypted computing on GPUs": (
        "9.93", "7.02", "5.47", "79.8 %", "85.7 %", "66.8 %", "47.1 %", "34.1 %", "12.93 %",
        "10.08 %", "79.99 %", "75.64 %", "2.32", "1.92", "3.05", "3.10", "60 %", "43.5 %", "27.4 %",
        "8.9", "48, 39.3, 38, 36.1",
    ),
    "Double words and MQX": ("38", "62", "35", "1,157", "8 %", "77"),
    "The Karatsuba accelerator": (
        "1.5", "4", "114 us", "583 us", "741 us", "47 %", "7 ms", "25 %", "99 %", "2.44 ms", "250",
        "1,935, 2,191, 2,410, 2,525", "3,078, 5,646, 8,218, 10,814", "720 KB", "8,464,384",
        "1.7 ms",
    ),
}  # fmt: skip
STATES = ("measured", "counted", "simulated", "quoted", "not possible here", "described")
# Start of a command -> the file of the test that runs it, in a quick form if it takes long.
RUN_BY = {
    "ringlet bench tables": "lab/tests/test_bench_tables.py",
    "ringlet bench schemes": "lab/tests/test_bench_schemes.py",
    "ringlet bench ntt --figures": "lab/tests/test_bench_ntt_figures.py",
    "ringlet bench gpu": "lab/tests/gpu_runs.py",
    "ringlet bench wide": "lab/tests/test_bench_wide.py",
    "ringlet bench fv": "lab/tests/test_bench_fv.py",
    "python lab/scripts/check_ports.py": "lab/tests/test_ports.py",
    "python lab/scripts/predict_cycles.py": "scripts/testing/cross.py",
    "python lab/scripts/count_vmsl.py": "tests/structure/check_vmsl.py",
    "python lab/scripts/count_gpu_instructions.py": "scripts/testing/gpu.py",
    "python tests/structure/check_extended.py": "scripts/testing/suites.py",
    "build/dev/tests/unit_kernels": "tests/unit/kernels/extended_butterfly_test.cpp",
    "build/dev/hw/karatsuba/hw_karatsuba": "hw/karatsuba/cmake/rtl.cmake",
    "build/dev/hw/karatsuba/hw_splits": "hw/karatsuba/cmake/study.cmake",
    "python hw/karatsuba/synth/place.py": "hw/karatsuba/synth/place_test.py",
    "build/gpu-bundle/run": "scripts/testing/gpu_bundle.py",
}
PROMISES = re.compile(r"\b(?:will|plan(?:s|ned)|not yet|yet|soon|later|future|to do)\b", re.I)
REPEATED = re.compile(r"(Table|Figure|Listing|Algorithm)s? (\d+|I)\b(?: to (\d+)|((?:, \d+)*))")


def rows_of(text):
    """The rows of the tables with six columns, by section."""
    rows, section = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 6 and not cells[0].startswith("in the "):
            rows.setdefault(section, []).append(cells)
    return rows


def items_of(section, cell):
    """What a first cell names: numbered items, or headings of slides; a claim names none."""
    if not NUMBERS[section]:
        return cell.split("; ")
    match = REPEATED.fullmatch(cell)
    if not match:
        return []
    first = int(match[2].replace("I", "1"))
    numbers = range(first, int(match[3] or first) + 1)
    return [f"{match[1]} {number}" for number in [*numbers, *re.findall(r"\d+", match[4] or "")]]


def missing_problems(section, rows):
    """Items that are not listed, are listed twice, or that the paper does not have."""
    found = [item for row in rows for item in items_of(section, row[0])]
    wanted = {f"{kind} {number}" for kind, count in NUMBERS[section].items()
              for number in range(1, count + 1)} or SLIDES  # fmt: skip
    problems = [f"{item} is not listed" for item in sorted(wanted - set(found))]
    problems += [f"{item} is no item of the paper" for item in sorted(set(found) - wanted)]
    problems += [f"{item} is listed twice" for item in sorted(wanted) if found.count(item) > 1]
    theirs = [figure for row in rows for figure in row[4].split(" : ")[1:]]
    return problems + [f"no row quotes {claim}" for claim in CLAIMS[section]
                       if not any(re.search(rf"(?<![\d.]){re.escape(claim)}(?![\d.]\d)", figure)
                                  for figure in theirs)]  # fmt: skip


def row_problems(section, row):
    """What is wrong with the cells of a row."""
    item, _, command, state, figures, page = row
    name, _, reason = state.partition(": ")
    problems = []
    if not items_of(section, item) and not item.startswith("Claim, "):
        problems.append("neither numbered nor a claim")
    if name not in STATES or (name == "not possible here") != bool(reason):
        problems.append(f"state {state}")
    if name == "described":
        problems += [] if command == figures == "-" else ["described, with a command or figures"]
    elif " : " not in figures or (figures.startswith("- ") and name not in STATES[2:5]):
        problems.append(f"figures {figures}")
    if name not in ("described", "quoted") and command == "-":
        problems.append("no command")
    link = re.fullmatch(r"\[.+\]\(([^)#]+)(?:#.*)?\)", page)
    if not link or not (PAGE.parent / link[1]).is_file():
        problems.append(f"page {page}")
    if command != "-":
        problems += command_problems(command.strip("`"))
    return [f"{item}: {problem}" for problem in problems]


def plain_command(command):
    """A command without its variables; `make bench` as the command that it ends with."""
    command = re.sub(r"^[A-Z_]+=\S+ ", "", command)
    made = re.fullmatch(r"make bench ARGS=(.+)", command)
    return f"ringlet bench {' '.join(shlex.split(made[1]))}" if made else command


def command_problems(command):
    """What is wrong with a command, with the test that runs it, and with its quick form."""
    problems = shell_words.check_text(command)
    start = next((start for start in RUN_BY if plain_command(command).startswith(start)), None)
    if start is None:
        return [*problems, f"no test is known that runs {command}"]
    path = ROOT / RUN_BY[start]
    words = start.split()
    if words[0] == "ringlet":
        quick = quick_form(read(path), words[1:])
        found = shell_words.check_text(quick) if quick else [f"{path.name} does not run {start}"]
        return problems + found
    name = {"unit_kernels": "ExtendedCounts", "run": "gpu-bundle"}.get(Path(words[-1]).name)
    is_named = (name or Path(words[-1]).stem) in read(path)
    return problems + ([] if is_named else [f"{path.name} does not name {words[-1]}"])


def quick_form(source, words):
    """The command that a test runs: a call or a list with these words, a word for each value that
    the test computes."""
    for node in ast.walk(ast.parse(source)):
        parts = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        texts = [part.value if isinstance(part, ast.Constant) else "value" for part in parts
                 if not isinstance(part, ast.Starred)]  # fmt: skip
        for at in range(len(texts) - len(words) + 1):
            if texts[at : at + len(words)] == words:
                return shlex.join(["ringlet", *texts[at:]])
    return None


def promise_problems(text):
    """Lines that put a figure off: the page says what is there."""
    return [f"line {number}: {match[0]}" for number, line in enumerate(text.splitlines(), 1)
            if (match := PROMISES.search(line))]  # fmt: skip


def self_test():
    """Planted rows are judged."""
    section = "The Karatsuba accelerator"
    good = ["Table 2", "times", "`ringlet bench fv`", "measured", "1 us : 2 us", "[fv](fv.md)"]
    problems = row_problems(section, good)
    for at, text in (
        (0, "Tables"), (2, "-"), (2, "`ringlet bench nothing`"), (2, "`make test`"),
        (3, "promised"), (3, "not possible here"), (3, "described"), (4, "1 us"), (4, "- : 2 us"),
        (5, "[fv](nowhere.md)"),
    ):  # fmt: skip
        if not row_problems(section, [*good[:at], text, *good[at + 1 :]]):
            problems.append(f"not found: {text}")
    if promise_problems("It is measured.\nIt is not measured yet.") != ["line 2: yet"]:
        problems.append("promises")
    cells = ("Figures 1, 2", "Figures 3 to 7")
    listed = [item for cell in cells for item in items_of(section, cell)]
    if listed != [f"Figure {number}" for number in range(1, 8)]:
        problems.append(f"items: {listed}")
    if len(missing_problems(section, [good, good])) != 10 + len(CLAIMS[section]):
        problems.append("missing and repeated items")
    if quick_form('run(["bench", "fv", "--ring", name, *more])', ["bench", "fv"]) != (
        "ringlet bench fv --ring value"
    ):
        problems.append("quick form")
    return problems


def checks():
    yield "self-test", self_test()
    text = read(PAGE)
    rows = rows_of(text)
    yield "nothing is promised", promise_problems(text)
    sections = set(rows) ^ set(NUMBERS)
    yield "sections are the papers", [f"section {section}" for section in sorted(sections)]
    for section in NUMBERS:
        found = rows.get(section, [])
        yield f"{section}: everything is listed", missing_problems(section, found)
        problems = [problem for row in found for problem in row_problems(section, row)]
        yield f"{section}: {len(found)} rows", problems


if __name__ == "__main__":
    options = arguments(__doc__)
    finish("papers", checks(), options.xml)
