# SPDX-License-Identifier: Apache-2.0
"""Reads reports from files that anyone may have written. It checks every part, so that the page and
the comparison cannot fail on one."""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from ringlet.errors import InvalidArgument

from .model import FORMAT, Chart, Report
from .setting import OPERATION

# A whole report has some 30 charts with 600 points; drawing takes seconds for each thousand points.
MOST_BYTES = 8 << 20
MOST_TEXT = 20_000
MOST_CHARTS, MOST_POINTS = 200, 5_000
# The most sections, charts, series, points or facts in one list.
MOST_PARTS = 5_000
# The range of numbers, so that sums, ratios and the ends of axes stay finite.
LEAST_SIZE, MOST_SIZE = 1e-100, 1e100
# Doubles represent integers up to here exactly; such numbers stay integers.
_EXACT = 1 << 53
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_QUOTES = "'\""
_REMEDY = "name the JSON file that `ringlet report` wrote"


def _refuse(where: str, found: str, limit: str, remedy: str = _REMEDY) -> NoReturn:
    raise InvalidArgument(OPERATION, f"{where}: {found}", limit, remedy)


def _shown(value: object) -> str:
    """Returns a value as text for an error: short, on one line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _object(value: object, where: str, names: tuple[str, ...]) -> dict[str, Any]:
    limit = f"an object with {', '.join(names)}" if names else "an object"
    if not isinstance(value, dict):
        _refuse(where, _shown(value), limit)
    missing = [name for name in names if name not in value]
    if missing:
        _refuse(where, f"missing: {', '.join(missing)}", limit)
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        _refuse(where, _shown(value), f"a text of at most {MOST_TEXT} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        # JSON can encode half characters (lone surrogates), which no file holds.
        _refuse(where, _shown(value), "a text that UTF-8 can encode")
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _refuse(where, _shown(value), "a number")
    if value != 0 and not LEAST_SIZE <= abs(value) <= MOST_SIZE:
        _refuse(where, _shown(value), f"0, or a size of {LEAST_SIZE:g} to {MOST_SIZE:g}")
    return value if isinstance(value, int) and abs(value) <= _EXACT else float(value)


def _plain(value: object, where: str) -> Any:
    """Reads a number, a text, a truth value or null."""
    if value is None or isinstance(value, bool):
        return value
    return _text(value, where) if isinstance(value, str) else _number(value, where)


def _list(read: Callable[[object, str], Any], value: object, where: str) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_PARTS:
        _refuse(where, _shown(value), f"a list of at most {MOST_PARTS} parts")
    return [read(part, f"{where}[{i}]") for i, part in enumerate(value)]


def _facts(kind: Any, value: object, where: str) -> dict[str, Any]:
    """Reads an object with any names."""
    found = _object(value, where, ())
    if len(found) > MOST_PARTS:
        _refuse(where, f"{len(found)} facts", f"at most {MOST_PARTS}")
    return {
        _text(name, where): _read(kind, fact, f"{where}.{_shown(name).strip(_QUOTES)}")
        for name, fact in found.items()
    }


_hints = functools.cache(get_type_hints)


def _made(kind: Any, value: object, where: str) -> Any:
    """Reads an object of one of the model's classes. Optional numbers may be missing."""
    hints = _hints(kind)
    required = tuple(name for name, hint in hints.items() if hint != float | None)
    found = _object(value, where, required)
    members = {
        name: _read(hint, found.get(name), f"{where}.{name}") for name, hint in hints.items()
    }
    if "id" in members and not _IDENTIFIER.fullmatch(members["id"]):
        shown = _shown(members["id"])
        _refuse(f"{where}.id", shown, "letters, digits, '-', '_' and '.', at most 100")
    made = kind(**members)
    if isinstance(made, Chart):
        _check_axes(made, where)
    return made


def _read(kind: Any, value: object, where: str) -> Any:
    """Reads a value of a type of the model."""
    origin, of = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _made(kind, value, where)
    if origin is tuple:
        return tuple(_list(functools.partial(_read, of[0]), value, where))
    if origin is dict:
        return _facts(of[1], value, where)
    if origin is Literal:
        if value not in of:
            _refuse(where, _shown(value), f"one of {', '.join(of)}")
        return value
    if kind == bool | None:
        if value is not None and not isinstance(value, bool):
            _refuse(where, _shown(value), "true, false or null")
        return value
    if kind is Any:
        return _list(_plain, value, where) if isinstance(value, list) else _plain(value, where)
    if kind is str or (kind == float | str and isinstance(value, str)):
        return _text(value, where)
    return None if kind == float | None and value is None else _number(value, where)


def _check_axes(chart: Chart, where: str) -> None:
    """Checks that bars have names and lines have numbers as x, and that no value is below 0 on a
    logarithmic scale."""
    for series in chart.series:
        for point in series.points:
            if isinstance(point.x, str) != (chart.kind == "bars"):
                wanted = "a name" if chart.kind == "bars" else "a number"
                _refuse(where, f"x = {_shown(point.x)}", f"{wanted} on a chart of {chart.kind}")
            for axis, value in ((chart.x, point.x), (chart.y, point.y)):
                if axis.scale != "linear" and not isinstance(value, str) and value <= 0:
                    _refuse(where, f"{value:g}", f"above 0, because an axis is {axis.scale}")


def _check_format(value: object, where: str) -> None:
    known = int(FORMAT.split("/")[1])
    match = re.fullmatch(r"ringlet-report/([0-9]{1,9})", value) if isinstance(value, str) else None
    if match is None:
        _refuse(where, f"format {_shown(value)}", f"a report, {FORMAT}")
    if int(match[1]) > known:
        _refuse(where, f"format {value}", f"{FORMAT}, the newest that this version knows",
                "install a newer Ringlet, or measure again")  # fmt: skip
    if int(match[1]) < known:
        _refuse(where, f"format {value}", FORMAT, "measure again")


def _check_whole(report: Report, where: str) -> None:
    """Checks the report as a whole: it has not too many parts, and ids are unique."""
    charts = [chart for section in report.sections for chart in section.charts]
    points = sum(len(series.points) for chart in charts for series in chart.series)
    if len(charts) > MOST_CHARTS or points > MOST_POINTS:
        found = f"{len(charts)} charts with {points} points"
        _refuse(where, found, f"{MOST_CHARTS} charts with {MOST_POINTS} points in all")
    sections = [section.id for section in report.sections]
    for identifiers in (sections, [chart.id for chart in charts]):
        again = [name for name, count in collections.Counter(identifiers).items() if count > 1]
        if again:
            _refuse(where, f"id {again[0]} occurs again", "ids that are unique")


def from_json(content: object, where: str = "report") -> Report:
    """Returns the report from the result of `json.loads`, in the format of `model.to_json`.

    `where` names the source in errors. Raises InvalidArgument if the content is no report or has
    another format. Raises it also for a part that is missing, of a wrong type, too large, or not
    finite.
    """
    found = _object(content, where, ())
    _check_format(found.get("format"), where)
    report: Report = _made(Report, content, where)
    _check_whole(report, where)
    return report


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def read_report(path: Path) -> Report:
    """Returns the report in a file of at most 8 MiB. Raises OSError if the file cannot be read,
    InvalidArgument if it is not JSON or for the errors of from_json."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        _refuse(str(path), f"more than {MOST_BYTES >> 20} MiB", f"{MOST_BYTES >> 20} MiB")
    try:
        content = json.loads(data.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        _refuse(str(path), f"not JSON: {reason[:200]}", f"JSON of a report, {FORMAT}")
    return from_json(content, str(path))
