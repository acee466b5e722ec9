# SPDX-License-Identifier: Apache-2.0
"""The tables of `ringlet bench schemes`. They are made from its JSON alone, so the terminal,
docs/measured/performance.md and an earlier run show the same figures."""

from __future__ import annotations

import re
from typing import Any

from ..output import MISSING, Sheet, number, quote, verdict
from ..output import ratio as times
from .goals import GOALS, ROUTINES, Entry, find, find_peer, ratio

_PART = re.compile(r"(<!-- part: (\w+) -->)\n(?:.*?\n)??(<!-- end -->)", re.DOTALL)
MISSING_PEER = "not installed"
# The kinds of primitives in order, and their column heads.
PRIMITIVES = {
    "forward NTT": "forward\nNTT",
    "inverse NTT": "inverse\nNTT",
    "key product": "key\nproduct",
    "products": "products",
    "basis conversion": "basis\nchange",
    "division": "division",
    "automorphism": "permuting",
    "element-wise": "sums",
}


def _cycles(value: float | None) -> str:
    """Returns a number of cycles as text, in thousands."""
    return number(None if value is None else value * 1e-3)


def _time(entry: Entry | None, which: str = "min") -> str:
    return number(None if entry is None else entry[which])


def operations_of(report: dict[str, Any], scheme: str, degree: int, chain: str) -> list[str]:
    """Returns the measured operations, in the order of the measurements."""
    return list(
        dict.fromkeys(
            e["operation"]
            for e in report["benchmarks"]
            if (e["scheme"], e["degree"], e["chain"]) == (scheme, degree, chain)
            and e["library"] == "ringlet"
        )
    )


def groups(report: dict[str, Any], chain: str) -> list[tuple[int, str]]:
    """Returns the degrees and schemes that were measured with this chain."""
    return list(
        dict.fromkeys(
            (e["degree"], e["scheme"])
            for e in report["benchmarks"]
            if e["chain"] == chain and e["scheme"] != "ntt"
        )
    )


def _label(operation: str) -> str:
    return f"{operation} ({ROUTINES[operation]})" if operation in ROUTINES else operation


def _peer_cells(
    report: dict[str, Any], peer: Entry | None, own: Entry | None, seal: Entry | None
) -> list[str]:
    """Returns SEAL's time, and the speed-up over it on Ringlet's primes and on SEAL's primes."""
    if not report["context"]["has_tenseal"]:
        return [MISSING_PEER, MISSING, MISSING]
    if peer is not None and peer["in_python"]:
        return [f"{_time(peer)} *", MISSING, MISSING]
    return [_time(peer), times(ratio(peer, own)), times(ratio(peer, seal))]


def operation_sheet(report: dict[str, Any], scheme: str, degree: int) -> Sheet:
    """Returns a table of all operations of a scheme at a degree, on both sets of primes and by
    SEAL."""
    chain = next(
        e for e in report["benchmarks"]
        if (e["scheme"], e["degree"], e["chain"]) == (scheme, degree, "own")
    )  # fmt: skip
    title = (
        f"{scheme.upper()}, N = {degree}, {len(chain['data_primes'])} data primes of "
        f"{chain['data_bits']} bits in all"
    )
    heads = ("operation", "min us", "med us", "kcycles", "2 threads", "x 1", "SEAL's primes",
             "SEAL", "x", "x its primes")  # fmt: skip
    sheet = Sheet(title, heads)
    for operation in operations_of(report, scheme, degree, "own"):
        what = {"scheme": scheme, "operation": operation, "degree": degree}
        own, two, seal = (
            find(report, chain=chain, threads=threads, **what)
            for chain, threads in (("own", 1), ("own", 2), ("seal", 1))
        )
        peer = find_peer(report, scheme, operation, degree)
        sheet.add(
            _label(operation),
            _time(own),
            _time(own, "median"),
            _cycles(own and own["cycles"]),
            _time(two),
            times(ratio(own, two)),
            _time(seal),
            *_peer_cells(report, peer, own, seal),
        )
    return sheet


def hybrid_sheet(report: dict[str, Any]) -> Sheet:
    """Returns a table of key switching with several special primes."""
    heads = ("scheme", "operation", "N", "primes", "digits", "key MB", "min us", "med us",
             "2 threads", "x 1")  # fmt: skip
    sheet = Sheet("Hybrid key switching: data + special primes", heads, 2)
    seen = set()
    for entry in report["benchmarks"]:
        where = {key: entry[key] for key in ("scheme", "degree", "chain", "operation")}
        if "+" not in entry["chain"] or tuple(where.values()) in seen:
            continue
        seen.add(tuple(where.values()))
        one, two = (find(report, threads=threads, **where) for threads in (1, 2))
        sheet.add(
            entry["scheme"],
            _label(entry["operation"]),
            str(entry["degree"]),
            entry["chain"],
            str(entry["digits"]),
            f"{entry['key_bytes'] * 1e-6:.1f}",
            _time(one),
            _time(one, "median"),
            _time(two),
            times(ratio(one, two)),
        )
    return sheet


def goal_sheet(report: dict[str, Any]) -> Sheet:
    """Returns a table of goals in microseconds and cycles beside this run. It has no verdict,
    because the goals are those of another machine."""
    heads = ("scheme", "operation", "N", "primes", "SEAL+HEXL\nus", "goal\nus", "here\nus",
             "goal\nkcycles", "here\nkcycles", "here /\ngoal", "x\nTenSEAL")  # fmt: skip
    title = "Goals, one thread: quoted microseconds and cycles beside this run"
    sheet = Sheet(title, heads, 2)
    for judged in report["goals"]:
        sheet.add(
            *_where(judged),
            *(number(judged[name]) for name in ("reference_us", "goal_us", "us")),
            _cycles(judged["goal_cycles"]),
            _cycles(judged["cycles"]),
            times(judged["cycles"] / judged["goal_cycles"]),
            times(judged["times_as_fast_as_tenseal"]),
        )
    return sheet


def _where(judged: Entry) -> list[str]:
    return [judged["scheme"], judged["operation"], str(judged["degree"]), judged["chain"]]


def relation_sheet(report: dict[str, Any]) -> Sheet:
    """Returns a table of the goals that compare two times of the run."""
    sheet = Sheet("Goals within the run", ("what", "goal", "here", "", "of"))
    for judged in report["relations"]:
        asked = f"{'<=' if judged['is_most'] else '>='} {judged['limit']:.2f}"
        here = (times(judged["value"]), verdict(judged["met"]))
        sheet.add(judged["what"], asked, *here, judged["detail"])
    return sheet


def hexl_sheet(report: dict[str, Any]) -> Sheet:
    """Returns the HEXL paper's Tables 5 and 6, beside the speed-up of the best table over scalar
    code."""
    heads = ("scheme", "operation", "min us", "scalar64 us", "x", "“SEAL + HEXL”",
             "“PALISADE + HEXL”")  # fmt: skip
    title = "N = 8192, three primes of 50 bits and a special one: times as fast as scalar code"
    sheet = Sheet(title, heads, 2)
    for line in report["hexl"]:
        quoted = (line["paper_seal"], line["paper_palisade"])
        sheet.add(
            line["scheme"],
            line["operation"],
            number(line["us"]),
            number(line["scalar_us"]),
            times(line["times_as_fast"]),
            *(MISSING if value is None else quote(times(value)) for value in quoted),
        )
    return sheet


def profile_sheet(report: dict[str, Any]) -> Sheet:
    """Returns a table of where the time goes: the shares of the primitives, for the operations with
    goals."""
    wanted = {(goal.scheme, goal.operation) for goal in GOALS}
    wanted |= {("bgv", operation) for scheme, operation in wanted if scheme == "bfv"}
    title = (
        "Where the time goes, with a clock around every primitive (other: sampling, embedding, "
        "checks and copies)"
    )
    heads = ("scheme", "operation", "N", "us", *PRIMITIVES.values(), "other")
    sheet = Sheet(title, heads, 2)
    for profile in report["profiles"]:
        what = (profile["scheme"], profile["operation"])
        if what not in wanted:
            continue
        total, primitives = profile["time"], profile["primitives"]
        outside = total - sum(primitives.values())
        shares = (100 * primitives.get(name, 0.0) / total for name in PRIMITIVES)
        sheet.add(
            *what,
            str(profile["degree"]),
            number(total),
            *(f"{share:.0f} %" if share else "" for share in shares),
            f"{100 * outside / total:.0f} %",
        )
    return sheet


def _transforms_alone(report: dict[str, Any], profile: Entry) -> float | None:
    """Returns the time of the operation's transforms in microseconds, timed one limb at a time."""
    where = {"scheme": "ntt", "chain": "own", "degree": profile["degree"]}
    forward, inverse = (find(report, operation=d, **where) for d in ("forward", "inverse"))
    if forward is None or inverse is None:
        return None
    return float(
        profile["forward_transforms"] * forward["min"]
        + profile["inverse_transforms"] * inverse["min"]
    )


def floor_sheet(report: dict[str, Any]) -> Sheet:
    """Returns a table of the times against the floor of the goals, and against the transforms
    alone."""
    heads = ("scheme", "operation", "N", "primes", "here us", "here kcycles", "floor kcycles",
             "x floor", "NTTs", "NTTs us", "x NTTs")  # fmt: skip
    title = (
        "What remains: the quoted floor in cycles of its machine, and the transforms of one limb "
        "(forward + inverse) that the operation stands for, timed alone in the same run"
    )
    sheet = Sheet(title, heads, 2)
    profiles = {(p["scheme"], p["operation"], p["degree"]): p for p in report["profiles"]}
    for judged in report["goals"]:
        profile = profiles.get((judged["scheme"], judged["operation"], judged["degree"]))
        count, alone = MISSING, None
        if judged["chain"] == "own" and profile is not None:
            count = f"{profile['forward_transforms']} + {profile['inverse_transforms']}"
            alone = _transforms_alone(report, profile)
        floor = judged["floor_cycles"]
        sheet.add(
            *_where(judged),
            number(judged["us"]),
            _cycles(judged["cycles"]),
            _cycles(floor),
            times(judged["cycles"] / floor if floor else None),
            count,
            number(alone or None),
            times(judged["us"] / alone if alone else None),
        )
    return sheet


def parts(report: dict[str, Any]) -> dict[str, list[Sheet]]:
    """Returns all tables that have rows, by the part of the page to which they belong."""
    found = {
        "operations": [operation_sheet(report, scheme, n) for n, scheme in groups(report, "own")],
        "hybrid": [hybrid_sheet(report)],
        "hexl": [hexl_sheet(report)],
        "profile": [profile_sheet(report)],
        "floor": [floor_sheet(report)],
        "goals": [goal_sheet(report), relation_sheet(report)],
    }
    return {name: [sheet for sheet in sheets if sheet.rows] for name, sheets in found.items()}


def notes(report: dict[str, Any]) -> list[str]:
    """Returns lines on machine, date and method, and on what is missing."""
    context = report["context"]
    clock_ghz = context["clock_hz"]["median"] * 1e-9
    machine = f"{context['cpu_model']} at {clock_ghz:.2f} GHz (median in the same run)"
    peer = (
        f"SEAL: {context['tenseal']}; x: times as fast as it, on Ringlet's primes and on SEAL's; "
        "* with the conversion of Python's lists, therefore without a ratio"
    )
    lines = [
        f"{machine}; {context['date'][:10]}; {context['method']}",
        peer,
        context["goals"],
        f"“quoted”: {context['paper']}",
    ]
    return [*lines, *(f"not measured: {gap}" for gap in report["gaps"])]


def markdown_parts(report: dict[str, Any]) -> dict[str, str]:
    """Returns the tables as Markdown, by part. The part "machine" is the list of notes."""
    found = {
        name: "\n".join(line for sheet in sheets for line in sheet.titled_markdown())
        for name, sheets in parts(report).items()
    }
    found["machine"] = "\n".join([*(f"- {line}" for line in notes(report)), ""])
    return found


def to_markdown(report: dict[str, Any]) -> str:
    """Returns all parts as one text."""
    return "\n".join(text for text in markdown_parts(report).values() if text)


def update_page(page: str, report: dict[str, Any]) -> str:
    """Returns a page with its generated parts written again. Each part lies between the comments
    `<!-- part: NAME -->` and `<!-- end -->`. Raises KeyError for an unknown name."""
    found = markdown_parts(report)
    return _PART.sub(lambda match: f"{match[1]}\n\n{found[match[2]].strip()}\n\n{match[3]}", page)
