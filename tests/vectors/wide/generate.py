# SPDX-License-Identifier: Apache-2.0
"""Writes known_answers.txt: transforms and element-wise operations on double words, by definition.

    python generate.py [folder]

Python's own integers and nothing else; every run writes the same file. README.md describes it.
"""

import hashlib
import sys
from pathlib import Path

BITS = 124
DEGREES = (16, 64)
COUNT = 21  # element-wise: more than two vectors of eight, and some


def is_prime(number):
    """Miller-Rabin to 40 bases."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in range(2, 42):
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def largest_prime(step):
    """The largest prime of BITS bits that is 1 modulo step."""
    candidate = 2**BITS - step + 1
    while not is_prime(candidate):
        candidate -= step
    return candidate


def smallest_root(order, modulus):
    """The smallest element of this order, a power of two."""
    candidate = 2
    while pow(candidate, (modulus - 1) // 2, modulus) == 1:
        candidate += 1
    root = pow(candidate, (modulus - 1) // order, modulus)
    return min(pow(root, exponent, modulus) for exponent in range(1, order, 2))


def bit_reverse(index, degree):
    bits = degree.bit_length() - 1
    return int(f"{index:0{bits}b}"[::-1], 2)


def forward(values, root, modulus, ring):
    """sum_j a_j * root^(e * j), e = 2 * bit_reverse(i) + 1 (negacyclic) or bit_reverse(i)."""
    degree = len(values)
    result = []
    for i in range(degree):
        exponent = bit_reverse(i, degree)
        if ring == "negacyclic":
            exponent = 2 * exponent + 1
        result.append(
            sum(a * pow(root, exponent * j, modulus) for j, a in enumerate(values)) % modulus
        )
    return result


def integers(name, count, bound):
    """Integers below the bound that depend on the name alone; the first ones are edges."""
    values = [bound - 1, 0, 1, bound - 2, 2**64 - 1, 2**64, bound // 2]
    for i in range(count):
        digest = hashlib.sha256(f"{name} {i}".encode()).digest()
        values.append(int.from_bytes(digest, "little") % bound)
    return values[:count]


class Writer:
    def __init__(self):
        self.lines = [
            "# SPDX-License-Identifier: Apache-2.0",
            "# Known answers of double words, written by generate.py; README.md describes them.",
        ]

    def case(self, operation, **fields):
        """A field that is a list becomes a line: name, count, then the values."""
        self.lines.append(f"case {operation}")
        for name, value in fields.items():
            values = value if isinstance(value, list) else [value]
            count = f" {len(value)}" if isinstance(value, list) else ""
            self.lines.append(f"{name}{count} " + " ".join(f"{x:032x}" for x in values))


def add_transforms(writer, modulus):
    for ring in ("negacyclic", "cyclic"):
        for degree in DEGREES:
            root = smallest_root(2 * degree if ring == "negacyclic" else degree, modulus)
            a = integers(f"{ring} {degree}", degree, modulus)
            writer.case(
                f"forward_{ring}",
                modulus=modulus,
                root=root,
                a=a,
                result=forward(a, root, modulus, ring),
            )


def add_elementwise(writer, modulus):
    a = integers("a", COUNT, modulus)
    b = integers("b", COUNT, modulus)[::-1]
    scalar = integers("scalar", 10, modulus)[-1]
    any_words = integers("any", COUNT, 2**128)
    pairs = list(zip(a, b, strict=True))

    def add(name, values, **fields):
        result = [x % modulus for x in values]
        writer.case(name, modulus=modulus, **fields, result=result)

    add("add", [x + y for x, y in pairs], a=a, b=b)
    add("subtract", [x - y for x, y in pairs], a=a, b=b)
    add("multiply", [x * y for x, y in pairs], a=a, b=b)
    add("multiply_scalar_add", [scalar * x + y for x, y in pairs], scalar=scalar, a=a, b=b)
    add("dot", [sum(x * y for x, y in pairs)], a=a, b=b)
    add("reduce", any_words, a=any_words)


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    writer = Writer()
    for modulus in (largest_prime(2**104), largest_prime(2**21)):
        add_transforms(writer, modulus)
        add_elementwise(writer, modulus)
    (folder / "known_answers.txt").write_text("\n".join(writer.lines) + "\n")


if __name__ == "__main__":
    main()
