# SPDX-License-Identifier: Apache-2.0
"""The vISA of src/gpu/kernels/arithmetic.inc computes what its functions promise.

An interpreter of the few instructions that are there runs them on the words of 16 work-items, and
compares with Python's integers. IGC may give an operand that is only written the registers of one
that is read, so every result is computed in such registers, too.
"""

import ast
import random
import re
import subprocess

from report import ROOT, arguments, finish

WORD = (1 << 64) - 1
LANES, REGISTER = 16, 64
BYTES = {"ud": 4, "uq": 8}
EDGES = (0, 1, 2, (1 << 32) - 1, 1 << 32, (1 << 61) - 1, 1 << 63, WORD - 1, WORD)


def near(a, b):
    """The upper word without the product of the lower halves and the lower words of the others."""
    low = (1 << 32) - 1
    return (a >> 32) * (b >> 32) + ((a >> 32) * (b & low) >> 32) + ((a & low) * (b >> 32) >> 32)


FUNCTIONS = {
    "mul64": lambda a, b: a * b,
    "mul_high": lambda a, b: a * b >> 64,
    "mul_high_near": near,
    "mul_add_low": lambda a, b, c, d: (a * b + c * d) & WORD,
}


def functions():
    """The text of the assembly of each function, and its operands that are only written."""
    command = ["clang++-19", "-E", "-P", "-xc", "-DRINGLET_ASSEMBLY=1", "-DRINGLET_XE_HPC=1"]
    command.append(ROOT / "src" / "gpu" / "kernels" / "arithmetic.inc")
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for function in text.split("FUNCTION ")[1:]:
        name = re.match(r"\w+ (\w+)\(", function)[1]
        for code, results in re.findall(r"__asm__\((.*?):([^:]*):", function, re.DOTALL):
            literals = re.findall(r'"(?:[^"\\]|\\.)*"', code)
            found[name] = ("".join(map(ast.literal_eval, literals)), results.count('"=rw"'))
    return found


class Machine:
    """Registers of one call: bytes by name, and the type of a name's elements."""

    def __init__(self, operands):
        self.bytes = {f"%{i}": operand for i, operand in enumerate(operands)}
        self.types = dict.fromkeys(self.bytes, "uq")

    def run(self, text):
        for line in text.strip("{}\n ").splitlines():
            if alias := re.match(r"\.decl (\S+) .* type=(\w+) .*alias=<(\S+),0>", line):
                self.types[alias[1]] = alias[2]
                self.bytes[alias[1]] = self.bytes[alias[3]]
            elif words := re.match(r"\.decl (\S+) .* type=(\w+) num_elts=(\d+)", line):
                self.types[words[1]] = words[2]
                self.bytes[words[1]] = bytearray(BYTES[words[2]] * int(words[3]))
            else:
                self.execute(line)

    def execute(self, line):
        operation, places = re.fullmatch(r"(mul|add|add3|mov) \(M1, 16\) (.*)", line).groups()
        target, *sources = [self.place(place) for place in places.split()]
        values = [[self.load(source, lane) for source in sources] for lane in range(LANES)]
        for lane, parts in enumerate(values):
            value = parts[0] * parts[1] if operation == "mul" else sum(parts)
            self.store(target, lane, value)

    def place(self, text):
        parts = re.fullmatch(r"(\S+)\((\d),(\d)\)<(\d)(?:;1,0)?>", text).groups()
        return parts[0], *map(int, parts[1:])

    def span(self, place, lane):
        name, row, column, stride = place
        size = BYTES[self.types[name]]
        start = row * REGISTER + (column + lane * stride) * size
        return name, start, start + size

    def load(self, place, lane):
        name, start, end = self.span(place, lane)
        return int.from_bytes(self.bytes[name][start:end], "little")

    def store(self, place, lane, value):
        name, start, end = self.span(place, lane)
        bits = 8 * (end - start)
        self.bytes[name][start:end] = (value & ((1 << bits) - 1)).to_bytes(bits // 8, "little")


def result(text, inputs, shared):
    """What the assembly leaves, with the result in the registers of input `shared`, if any."""
    packed = [bytearray(b"".join(x.to_bytes(8, "little") for x in words)) for words in inputs]
    room = bytearray(2 * LANES * 8)
    if shared is not None:
        packed[shared] += bytearray(LANES * 8)
        room = packed[shared]
    Machine([room, *packed]).run(text)
    words = [int.from_bytes(room[8 * i : 8 * i + 8], "little") for i in range(2 * LANES)]
    return words[:LANES], words[LANES:]


def problems_of(name, text):
    wanted_of = FUNCTIONS[name]
    arity = wanted_of.__code__.co_argcount
    rng = random.Random(1)
    problems = []
    for shared in (None, *range(arity)):
        for _ in range(8):
            inputs = [
                [rng.choice((rng.getrandbits(64), rng.choice(EDGES))) for _ in range(LANES)]
                for _ in range(arity)
            ]
            low, high = result(text, inputs, shared)
            for lane, operands in enumerate(zip(*inputs, strict=True)):
                wanted = wanted_of(*operands)
                found = low[lane] | high[lane] << 64 if name == "mul64" else low[lane]
                if found != wanted:
                    problems.append(f"{name}{operands}, result in {shared}: {found:#x}")
    return problems[:3]


def main():
    options = arguments(__doc__)
    found = functions()
    absent = [f"{name} has no vISA" for name in FUNCTIONS if name not in found]
    absent += [f"{name} has no model here" for name in found if name not in FUNCTIONS]
    absent += [f"{name}: {count} results" for name, (_, count) in found.items() if count != 1]
    planted = found["mul64"][0].replace("add (M1, 16) n", "add (M1, 16) m", 1)
    checks = [
        ("the vISA has the functions of this check, with one result each", absent),
        ("an addition that goes elsewhere is found",
         [] if problems_of("mul64", planted) else ["nothing was found"]),
    ]  # fmt: skip
    for name in FUNCTIONS:
        if name in found:
            checks.append((f"vISA: {name}", problems_of(name, found[name][0])))
    finish("visa", checks, options.xml)


if __name__ == "__main__":
    main()
