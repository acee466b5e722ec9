# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench gpu --from`: what a file holds, here or from another machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gpu_runs import PICTURES, Run, invoke, name, run

from ringlet_lab.bench.gpu.rows import MARK

__all__ = ["name", "run"]  # fixtures


def shown_again(run: Run, folder: Path, *options: str) -> tuple[int, str]:
    source = run.folder / "ringlet-bench-gpu.json"
    return invoke("--from", str(source), "--output", str(folder), *options)


def test_a_file_makes_the_same_tables_pictures_and_a_page(run: Run, tmp_path: Path) -> None:
    code, output = shown_again(run, tmp_path, "--svg")
    assert code == 0, output
    # Ignores the lines that name the files, and remains of the progress bar.
    shown, there = (
        [line for line in text.splitlines() if line and not line.startswith("wrote")]
        for text in (output, run.output)
    )
    assert shown == there
    again = json.loads((tmp_path / "ringlet-bench-gpu.json").read_text())
    assert again == run.written
    for picture in PICTURES:
        name = f"ringlet-bench-gpu-{picture}"
        assert (tmp_path / f"{name}.svg").read_bytes() == (run.folder / f"{name}.svg").read_bytes()
    page = (tmp_path / "ringlet-bench-gpu.md").read_text()
    device = run.context["devices"][0]
    assert page.startswith(f"# Measured on {device['description']}\n")
    assert run.context["date"][:10] in page and MARK in page
    for row in run.of("ntt"):
        assert f"| {row['title']} |" in page
    assert page.count("![") == len(PICTURES) and "“9.93”" in page


def test_a_file_of_the_bundle_is_shown(run: Run, tmp_path: Path) -> None:
    """With steps, machine code, compile times, a second device, and what a later version adds."""
    document = json.loads((run.folder / "ringlet-bench-gpu.json").read_text())
    first = document["context"]["devices"][0]
    first |= {"is_host_processor": False, "compiler": "NVRTC 13.0", "description": "Card | one"}
    document["context"]["devices"].append(first | {"name": "opencl:7", "description": "Second"})
    second = [e | {"device": "opencl:7"} for e in document["benchmarks"] if e["kind"] != "roof"]
    document["benchmarks"] += second + [
        {"name": "x", "kind": "unheard of", "device": first["name"], "samples": [1]},
        {"name": "c", "kind": "compile", "row": "cold", "programs": 9, "threads": 2,
         "device": first["name"], "samples": [2000.0, 4000.0]},
    ]  # fmt: skip
    document["notes"] = []
    document["steps"] = [
        {"name": "bits", "device": first["name"], "state": "died", "seconds": 1.5,
         "detail": "signal 9", "passed": 3, "failed": 1, "skipped": 0},
    ]  # fmt: skip
    document["machine_code"] = [
        {"kernel": "ntt_forward_block", "path": "lazy", "direction": "forward",
         "instructions": 1109, "butterflies": 48, "per_butterfly": 23.1},
    ]  # fmt: skip
    source = tmp_path / "ringlet-gpu.json"
    source.write_text(json.dumps(document))
    code, output = invoke("--from", str(source), "--output", str(tmp_path), "--no-json")
    assert code == 0, output
    assert MARK not in output.split("Second")[0] and "signal 9" in output and "1109" in output
    assert "NVRTC 13.0" in output
    page = (tmp_path / "ringlet-bench-gpu.md").read_text()
    assert "| bits | died | signal 9 | 3 | 1 | 0 | 1.5 |" in page and "not a perf" not in page
    assert "# Measured on Second" in (tmp_path / "ringlet-bench-gpu-2.md").read_text()


@pytest.mark.parametrize(
    ("place", "value", "word"),
    [
        (("schema",), "ringlet-gpu/2", "schema"), (("context",), [], "context"),
        (("context", "devices"), {}, "no list"),
        (("context", "devices", 0, "compute_units"), -1, "out of range"),
        (("context", "devices"), [], "nothing was measured"),
        (("context", "devices", 0, "description"), "x" * 65537, "65536 characters"),
        (("context", "devices", 0, "description"), "\x1b[2J", "control characters"),
        (("context", "devices", 0, "description"), "\u202e", "control characters"),
        (("context", "devices", 0, "compiler"), 13, "no str"),
        (("benchmarks", 0, "device"), "cuda:9", "none of context.devices"),
        (("benchmarks", -1, "degree"), 1, "less than 2"),
        (("benchmarks", 0), 7, "no object"), (("benchmarks", 0, "samples"), [], "no list of times"),
        (("benchmarks", 0, "samples"), [0], "not positive"),
        (("benchmarks", 0, "samples"), ["1"], "no float"),
        (("benchmarks", 0, "samples"), [10**400], "out of range"),
        (("benchmarks", 0, "samples"), [float("nan")], "out of range"),
        (("benchmarks", 0, "kind"), "ntt", "has no"),
        (("benchmarks", 0, "bytes"), 0, "less than 1"),
        (("benchmarks", -1, "name"), None, "no str"), (("refused",), [{}], "has no"),
        (("notes",), [1], "no str"), (("steps",), [{"name": "x"}], "has no"),
        (("machine_code",), 1, "no list"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_refused(
    run: Run, tmp_path: Path, place: tuple, value: object, word: str
) -> None:
    document = json.loads((run.folder / "ringlet-bench-gpu.json").read_text())
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    source = tmp_path / "damaged.json"
    source.write_text(json.dumps(document))
    code, output = invoke("--from", str(source), "--output", str(tmp_path))
    text = " ".join(output.split())
    assert code == 2 and word in text and "damaged.json" in text
    assert list(tmp_path.iterdir()) == [source]


def test_a_file_with_options_of_a_measurement_is_refused(run: Run, tmp_path: Path) -> None:
    for options in (("--quick",), ("--rounds", "3"), ("--parts", "ntt")):
        code, output = shown_again(run, tmp_path, *options)
        assert code == 2 and "--from" in output and list(tmp_path.iterdir()) == []
    code, output = invoke("--from", str(tmp_path / "nowhere.json"), "--output", str(tmp_path))
    assert code != 0 and "nowhere.json" in output
