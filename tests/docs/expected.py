# SPDX-License-Identifier: Apache-2.0
"""Compares what was printed with what a page says is printed.

White space, commas and quotes do not count, nor do NumPy's `array(...)` and `np.float64(...)`
around a value: a page may show `[1. 4. 9.]` or `[1.0, 4.0, 9.0]`. Integers are equal digit by
digit; a decimal fraction may differ by half of the last digit that the page shows, one without
digits after its point by 1e-3. `...` stands for anything.
"""

import re

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])"
_TOKEN = re.compile(rf"\.\.\.|(?<![\w.]){_NUMBER}j?|\w+|[^\w\s]")
_IS_NUMBER = re.compile(rf"{_NUMBER}$")
_WRAPPERS = re.compile(r"\b(?:np\.|numpy\.)?(?:array|float64|int64|uint64|bool_?)\(")
_DTYPE = re.compile(r",\s*dtype=[\w.]+")
_VALUE = re.compile(r"[-+]?\.?\d|[\[({'\"]|(?:True|False|None)\b")
_IGNORED = {",", "'", '"'}
_EXPLAINED = re.compile(r"[:;,]|\s?\(|\s\s|\.\s")


def _unwrap(text):
    """The text without array(...) and the like around values."""
    text = _DTYPE.sub("", text)
    while match := _WRAPPERS.search(text):
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[: match.start()] + text[match.end() : end - 1] + text[end:]
    return text


def _tokens(text):
    """Tokens with the place where each ends."""
    found = ((match[0], match.end()) for match in _TOKEN.finditer(text))
    return [(token, end) for token, end in found if token not in _IGNORED]


def _tolerance(shown):
    """By how much a number may differ from the one that the page shows."""
    mantissa, _, exponent = shown.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - digits)
    return max(0.5 * unit, 1e-12) if digits or exponent else 1e-3


def _same(printed, shown, any_number):
    if _IS_NUMBER.match(printed) and _IS_NUMBER.match(shown):
        if any_number:
            return True
        if re.fullmatch(r"[-+]?\d+", shown):
            # 3 is not 3.0000001, but equals 3. because NumPy prints floats so.
            return int(shown) == float(printed) if printed.strip("-+0123456789") == "." else (
                printed.lstrip("+") == shown.lstrip("+")
            )
        return abs(float(printed) - float(shown)) <= _tolerance(shown)
    return printed == shown


def _match(printed, shown, any_number, rest):
    """How many of the shown tokens the whole of the printed ones can take up; without `rest` only
    all of them.
    """
    ends = set()
    states = [(0, 0)]
    seen = set(states)
    while states:
        p, s = states.pop()
        following = []
        if p == len(printed) and (rest or s == len(shown)):
            ends.add(s)
        if s < len(shown) and shown[s] == "...":
            following = [(p, s + 1)] + ([(p + 1, s)] if p < len(printed) else [])
        elif p < len(printed) and s < len(shown) and _same(printed[p], shown[s], any_number):
            following = [(p + 1, s + 1)]
        states += [state for state in following if state not in seen]
        seen.update(following)
    return ends


def is_value(comment, of_print):
    """Whether a comment is to be compared: it begins as a value does, or it is all of what a print
    is said to print, a single word.
    """
    return bool(_VALUE.match(comment)) or (of_print and len(comment.split()) == 1)


def agrees(printed, comment):
    """Whether what was printed is what the comment begins with; an explanation may follow after
    punctuation, two blanks or a bracket.
    """
    shown = _tokens(_unwrap(comment))
    text = _unwrap(comment)
    words = [token for token, _ in _tokens(_unwrap(printed))]
    for taken in _match(words, [token for token, _ in shown], False, True):
        rest = text[shown[taken - 1][1] :].lstrip("'\"") if taken else text
        if not rest.strip() or (_EXPLAINED.match(rest) and not re.match(r",\s*[-\d]", rest)):
            return True
    return not words and not shown


def same_text(printed, shown, any_number=False):
    """Whether an output is the one that a page shows, with any numbers if so wanted."""
    return bool(
        _match(
            [token for token, _ in _tokens(_unwrap(printed))],
            [token for token, _ in _tokens(_unwrap(shown))],
            any_number,
            False,
        )
    )
