# SPDX-License-Identifier: Apache-2.0
"""The tables of `ringlet bench schemes`. All of them are made of its JSON alone, so that the
terminal, docs/performance.md and a run of another day show the same figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .output import markdown_table
from .schemes_goals import (
    GOALS,
    ROUTINES,
    Entry,
    find,
    find_peer,
    ratio,
    verdict,
)

_PART = re.compile(r"(<!-- part: (\w+) -->)\n(?:.*?\n)??(<!-- end -->)", re.DOTALL)
MISSING_PEER = "not installed"
# Kinds of primitives in this order, and their columns.
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


@dataclass(frozen=True)
class View:
    """One table: `text_columns` of its columns are words, the others numbers."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1


def number(value: float | None) -> str:
    """Three digits or all before the point."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _cycles(value: float | None) -> str:
    """In thousands."""
    return "-" if value is None else number(value * 1e-3)


def _minimum(entry: Entry | None) -> str:
    return "-" if entry is None else number(entry["min"])


def operations_of(report: dict[str, Any], scheme: str, degree: int, chain: str) -> list[str]:
    """In the order in which they were measured."""
    return list(
        dict.fromkeys(
            e["operation"]
            for e in report["benchmarks"]
            if (e["scheme"], e["degree"], e["chain"]) == (scheme, degree, chain)
            and e["library"] == "ringlet"
        )
    )


def groups(report: dict[str, Any], chain: str) -> list[tuple[int, str]]:
    """Degrees and schemes with that chain."""
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
    """SEAL's time, and how much faster we are on our primes and on its own ones."""
    if not report["context"]["has_tenseal"]:
        return [MISSING_PEER, "-", "-"]
    if peer is None:
        return ["-", "-", "-"]
    if peer["in_python"]:
        return [f"{number(peer['min'])} *", "-", "-"]
    return [number(peer["min"]), _times(ratio(peer, own)), _times(ratio(peer, seal))]


def operation_view(report: dict[str, Any], scheme: str, degree: int) -> View:
    """All operations of a scheme at a degree, on both sets of primes and by SEAL."""
    rows = []
    for operation in operations_of(report, scheme, degree, "own"):
        what = {"scheme": scheme, "operation": operation, "degree": degree}
        own, two, seal = (
            find(report, chain=chain, threads=threads, **what)
            for chain, threads in (("own", 1), ("own", 2), ("seal", 1))
        )
        peer = find_peer(report, scheme, operation, degree)
        rows.append(
            [
                _label(operation),
                _minimum(own),
                "-" if own is None else number(own["median"]),
                "-" if own is None else _cycles(own["cycles"]),
                _minimum(two),
                _times(ratio(own, two)),
                _minimum(seal),
                *_peer_cells(report, peer, own, seal),
            ]
        )
    heads = ("operation", "min us", "med us", "kcycles", "2 threads", "x 1", "SEAL's primes",
             "SEAL", "x", "x its primes")  # fmt: skip
    chain = next(
        e for e in report["benchmarks"]
        if (e["scheme"], e["degree"], e["chain"]) == (scheme, degree, "own")
    )  # fmt: skip
    title = (
        f"{scheme.upper()}, N = {degree}, {len(chain['data_primes'])} data primes of "
        f"{chain['data_bits']} bits in all"
    )
    return View(title, heads, rows)


def hybrid_view(report: dict[str, Any]) -> View:
    """Key switching with several special primes."""
    rows = []
    seen = set()
    for entry in report["benchmarks"]:
        key = (entry["scheme"], entry["degree"], entry["chain"], entry["operation"])
        if "+" not in entry["chain"] or key in seen:
            continue
        seen.add(key)
        scheme, degree, chain, operation = key
        where = {"scheme": scheme, "degree": degree, "chain": chain, "operation": operation}
        one, two = (find(report, threads=threads, **where) for threads in (1, 2))
        megabytes = entry["key_bytes"] * 1e-6
        rows.append(
            [scheme, _label(operation), str(degree), chain, str(entry["digits"]),
             f"{megabytes:.1f}", _minimum(one), "-" if one is None else number(one["median"]),
             _minimum(two), _times(ratio(one, two))]
        )  # fmt: skip
    heads = ("scheme", "operation", "N", "primes", "digits", "key MB", "min us", "med us",
             "2 threads", "x 1")  # fmt: skip
    return View("Hybrid key switching: data + special primes", heads, rows, 2)


def goal_view(report: dict[str, Any]) -> View:
    """The goals in microseconds and cycles beside this run."""
    rows = [
        [
            judged["scheme"],
            judged["operation"],
            str(judged["degree"]),
            judged["chain"],
            number(judged["reference_us"]),
            number(judged["goal_us"]),
            number(judged["us"]),
            _cycles(judged["goal_cycles"]),
            _cycles(judged["cycles"]),
            _times(judged["cycles"] / judged["goal_cycles"]),
            _times(judged["times_as_fast_as_tenseal"]),
            verdict(judged),
        ]
        for judged in report["goals"]
    ]
    heads = ("scheme", "operation", "N", "primes", "SEAL+HEXL\nus", "goal\nus", "here\nus",
             "goal\nkcycles", "here\nkcycles", "here/\ngoal", "x\nTenSEAL", "")  # fmt: skip
    return View("Goals, one thread: quoted microseconds and cycles beside this run", heads, rows, 2)


def relation_view(report: dict[str, Any]) -> View:
    """Goals that compare two times of the run."""
    rows = [
        [judged["what"], f"{'<=' if judged['is_most'] else '>='} {judged['limit']:.2f}",
         f"{judged['value']:.2f}", "met" if judged["met"] else "missed", judged["detail"]]
        for judged in report["relations"]
    ]  # fmt: skip
    return View("Goals within the run", ("what", "goal", "here", "", "of"), rows, 1)


def hexl_view(report: dict[str, Any]) -> View:
    """The HEXL paper's Tables 5 and 6 beside the best table over scalar code."""
    rows = [
        [line["scheme"], line["operation"], number(line["us"]), number(line["scalar_us"]),
         f"{line['times_as_fast']:.2f}",
         *("-" if quoted is None else f"“{quoted:.2f}”"
           for quoted in (line["paper_seal"], line["paper_palisade"]))]
        for line in report["hexl"]
    ]  # fmt: skip
    heads = ("scheme", "operation", "min us", "scalar64 us", "x", "“SEAL + HEXL”",
             "“PALISADE + HEXL”")  # fmt: skip
    title = "N = 8192, three primes of 50 bits and a special one: times as fast as scalar code"
    return View(title, heads, rows, 2)


def profile_view(report: dict[str, Any], everything: bool = False) -> View:
    """Where the time goes: shares of the primitives, and the transforms alone."""
    wanted = {(goal.scheme, goal.operation) for goal in GOALS}
    wanted |= {("bgv", operation) for scheme, operation in wanted if scheme == "bfv"}
    rows = []
    for profile in report["profiles"]:
        what = (profile["scheme"], profile["operation"])
        if what not in wanted and not everything:
            continue
        total = profile["time"]
        parts = {name: profile["primitives"].get(name, 0.0) for name in PRIMITIVES}
        outside = total - sum(profile["primitives"].values())
        rows.append(
            [
                *what,
                str(profile["degree"]),
                number(total),
                *(f"{100 * part / total:.0f} %" if part else "" for part in parts.values()),
                f"{100 * outside / total:.0f} %",
            ]
        )
    heads = ("scheme", "operation", "N", "us", *PRIMITIVES.values(), "other")
    title = (
        "Where the time goes, with a clock around every primitive (other: sampling, embedding, "
        "checks and copies)"
    )
    return View(title, heads, rows, 2)


def _transforms_alone(report: dict[str, Any], profile: Entry) -> float | None:
    """Microseconds of as many transforms of one limb each, again and again of the same one."""
    where = {"scheme": "ntt", "chain": "own", "degree": profile["degree"]}
    forward, inverse = (find(report, operation=d, **where) for d in ("forward", "inverse"))
    if forward is None or inverse is None:
        return None
    return float(
        profile["forward_transforms"] * forward["min"]
        + profile["inverse_transforms"] * inverse["min"]
    )


def floor_view(report: dict[str, Any]) -> View:
    """What remains against the floor of the goals and against the transforms alone."""
    profiles = {(p["scheme"], p["operation"], p["degree"]): p for p in report["profiles"]}
    rows = []
    for judged in report["goals"]:
        profile = profiles.get((judged["scheme"], judged["operation"], judged["degree"]))
        is_own = judged["chain"] == "own" and profile is not None
        alone = _transforms_alone(report, profile) if is_own and profile else None
        floor = judged["floor_cycles"]
        count = "-"
        if is_own and profile is not None:
            count = f"{profile['forward_transforms']} + {profile['inverse_transforms']}"
        rows.append(
            [
                judged["scheme"],
                judged["operation"],
                str(judged["degree"]),
                judged["chain"],
                number(judged["us"]),
                _cycles(judged["cycles"]),
                _cycles(floor),
                "-" if floor is None else _times(judged["cycles"] / floor),
                count,
                number(alone) if alone else "-",
                "-" if not alone else _times(judged["us"] / alone),
            ]
        )
    heads = ("scheme", "operation", "N", "primes", "here us", "here kcycles", "floor kcycles",
             "x floor", "NTTs", "NTTs us", "x NTTs")  # fmt: skip
    title = (
        "What remains: the quoted floor in cycles of its machine, and the transforms of one limb "
        "(forward + inverse) that the operation stands for, timed alone in the same run"
    )
    return View(title, heads, rows, 2)


def parts(report: dict[str, Any]) -> dict[str, list[View]]:
    """All tables that the report has rows for, by the part of a page that they belong to."""
    found = {
        "operations": [operation_view(report, scheme, n) for n, scheme in groups(report, "own")],
        "hybrid": [hybrid_view(report)],
        "hexl": [hexl_view(report)],
        "profile": [profile_view(report)],
        "floor": [floor_view(report)],
        "goals": [goal_view(report), relation_view(report)],
    }
    return {name: [view for view in views if view.rows] for name, views in found.items()}


def notes(report: dict[str, Any]) -> list[str]:
    """Where, when and how, and what is missing."""
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


def _markdown(view: View) -> list[str]:
    heads = [head.replace("/\n", "/").replace("\n", " ") for head in view.heads]
    return [f"{view.title}:", "", *markdown_table(heads, view.rows, view.text_columns)]


def markdown_parts(report: dict[str, Any]) -> dict[str, str]:
    """The same as Markdown; "machine" is a list of where, when, how and what is missing."""
    found = {
        name: "\n".join(line for view in views for line in _markdown(view))
        for name, views in parts(report).items()
    }
    found["machine"] = "\n".join([*(f"- {line}" for line in notes(report)), ""])
    return found


def to_markdown(report: dict[str, Any]) -> str:
    """All of it in one text."""
    return "\n".join(text for text in markdown_parts(report).values() if text)


def update_page(page: str, report: dict[str, Any]) -> str:
    """A page with its generated parts made anew: each stands between the comments
    `<!-- part: NAME -->` and `<!-- end -->`. Raises KeyError with a name that is no part's."""
    found = markdown_parts(report)
    return _PART.sub(lambda match: f"{match[1]}\n\n{found[match[2]].strip()}\n\n{match[3]}", page)
