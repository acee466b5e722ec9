# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench gpu` on a runtime on the host's processor: what it says, that it adds up, and what
`--from` shows again of its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import ringlet
from bench_command import check_png
from gpu_runs import PICTURES, Run, invoke, name, run

from ringlet_lab import _lab
from ringlet_lab.bench.gpu import results as gpu_results
from ringlet_lab.bench.gpu.document import SCHEMA
from ringlet_lab.bench.gpu.rows import FULL, MARK, PARTS, TABLE_I, make_plan

__all__ = ["name", "run"]  # fixtures

# There is no row of assembly, which PoCL does not have.
NTT_ROWS = (
    "naive", "simd_8_8", "simd_16_8", "simd_32_8", "radix4", "radix8", "radix16", "two_queues",
    "lazy", "chunks", "wide_30", "narrow_30",
)  # fmt: skip
ROUTINE_BARS = ("naive", "radix8", "two_queues", "beyond", "one_division", "fused_passes")
ROUTINES = ("MulLin", "MulLinRS", "SqrLinRS", "MulLinRSModSwAdd", "Rotate")
PRODUCT_BARS = ("baseline", "fused", "cache", "cache_alone")
PLAIN = {
    "ntt": "naive", "use_memory_cache": True, "use_assembly": False, "use_fused_multiply_add": True,
    "use_lazy_reduction": False, "use_narrow_words": False, "use_fused_passes": False,
    "queue_count": 1, "ntt_chunk_limbs": 0,
}  # fmt: skip


def test_everything_is_marked(run: Run) -> None:
    assert run.context["devices"][0]["is_host_processor"] is True
    assert run.context["performance_result"] is False and run.context["marking"] == MARK
    assert all(entry["label"] == MARK for entry in run.entries)
    # Roofs, ladder, two directions, roofline, routines, key switching, products, server; remark.
    assert run.output.count(f"({MARK})") == 9 and run.output.count(MARK) >= 10
    for picture in PICTURES:
        text = (run.folder / f"ringlet-bench-gpu-{picture}.svg").read_text()
        assert text.count(f"<!-- {MARK} -->") == 2, picture


def test_context_names_device_and_versions(run: Run, name: str) -> None:
    device = next(d for d in ringlet.devices() if d.name == name)
    named = run.context["devices"][0]
    assert named["name"] == name and named["driver_version"] == device.driver_version
    assert named["description"] == device.description and device.description in run.output
    assert run.context["library_version"] == ringlet.__version__
    assert run.context["settings"]["ntt"]["limbs"] == "8,16" and run.context["date"][:2] == "20"
    assert run.written["schema"] == SCHEMA


def test_entries_are_google_benchmark_s(run: Run) -> None:
    names = [entry["name"] for entry in run.entries]
    assert len(names) == len(set(names))
    for entry in run.entries:
        assert entry["time_unit"] == "us" and entry["run_type"] == "iteration"
        assert 0 < entry["min"] <= entry["median"] == entry["real_time"]
        count = int(run.context["settings"]["products"]["process-rounds"])
        assert entry["iterations"] == len(entry["samples"])
        assert entry["iterations"] == (count if entry["kind"] == "process" else 2)
        assert min(entry["samples"]) == pytest.approx(entry["min"], abs=1e-5)


def test_every_row_is_there(run: Run) -> None:
    refused = run.refused("transforms")
    assert [e["row"] for e in run.of("ntt")[:: 2]] == [
        row for _ in (1, 2) for row in NTT_ROWS if row != "two_queues" or not refused
    ]  # fmt: skip
    for row in dict.fromkeys(e["row"] for e in run.of("ntt")):
        found = [e for e in run.of("ntt") if e["row"] == row]
        sizes = {(e["degree"], e["limbs"], e["direction"]) for e in found}
        assert sizes == {(1024, b, d) for b in (8, 16) for d in ("forward", "inverse")}
        assert found[0]["title"] in run.output and found[0]["primes"] == 8
        assert found[0]["bits"] == (30 if row.endswith("_30") else 50)
        description = run.context["devices"][0]["description"]
        assert all(e["queues"].startswith(description) for e in found)
    for routine in ROUTINES:
        bars = [e["row"] for e in run.of("routine") if e["routine"] == routine]
        kept = [b for b in ROUTINE_BARS if b != "two_queues" or not run.refused("routine")]
        assert bars == [bar for bar in kept for _ in (1, 2)] and routine in run.output
    shapes = {(e["routine"], e["data_primes"], e["special_primes"]) for e in run.of("keyswitch")}
    assert shapes == {(r, *s) for r in ("Relinearize", "Rotate") for s in ((2, 1), (4, 2))}
    for kind in ("product", "process"):
        for shape in {e["shape"] for e in run.of(kind)}:
            assert [e["row"] for e in run.of(kind) if e["shape"] == shape] == list(PRODUCT_BARS)
    assert [e["row"] for e in run.of("server")] == ["device", "processor"]
    assert [e["name"].split("/")[1] for e in run.of("roof")][-3:] == [
        "multiply_add", "multiply_add_wide", "multiply_high",
    ]  # fmt: skip
    for refusal in run.written["refused"]:
        assert refusal["reason"] and f"{refusal['row']}: {refusal['reason'][:20]}" in run.output


def test_options_change_one_thing_at_a_time(run: Run) -> None:
    options = {e["row"]: e["options"] for e in run.of("ntt")}
    assert options["naive"] == PLAIN
    for key in ("simd_8_8", "simd_16_8", "simd_32_8", "radix4", "radix8", "radix16"):
        assert options[key] == PLAIN | {"ntt": key}
    assembly = options["radix8"] | {"use_assembly": True}
    if "two_queues" in options:
        assert options["two_queues"] == assembly | {"queue_count": 2}
    assert options["lazy"] == assembly | {"use_lazy_reduction": True}
    assert options["chunks"] == options["lazy"] | {"ntt_chunk_limbs": 4096}
    assert options["narrow_30"] == options["wide_30"] | {"use_narrow_words": True}
    bars = {e["row"]: (e["options"], e["divisions"]) for e in run.of("routine")}
    for key in ("naive", "radix8"):
        plain = PLAIN | {"ntt": key, "use_fused_multiply_add": False}
        assert bars[key] == (plain, "in turn")
    beyond = plain | {
        "use_assembly": True, "use_lazy_reduction": True, "use_fused_multiply_add": True,
    }  # fmt: skip
    assert bars["beyond"] == (beyond, "in turn") and bars["one_division"] == (beyond, "one")
    assert bars["fused_passes"] == (beyond | {"use_fused_passes": True}, "one")
    assert {e["row"] for e in run.of("keyswitch")} == {"one_division", "fused_passes"}
    products = {e["row"]: (e["options"], e["form"]) for e in run.of("product")}
    baseline = PLAIN | {
        "ntt": "radix8", "use_memory_cache": False, "use_fused_multiply_add": False,
        "use_lazy_reduction": True, "use_narrow_words": True, "use_fused_passes": True,
    }  # fmt: skip
    fused = baseline | {"use_fused_multiply_add": True}
    assert products == {
        "baseline": (baseline, "separate"),
        "fused": (fused, "fused"),
        "cache": (fused | {"use_assembly": True, "use_memory_cache": True}, "fused"),
        "cache_alone": (baseline | {"use_memory_cache": True}, "separate"),
    }


@pytest.mark.parametrize(
    ("kind", "first", "same"),
    [
        ("ntt", "naive", ("degree", "limbs", "direction")),
        ("routine", "naive", ("routine", "batch")),
        ("keyswitch", "one_division", ("routine", "batch", "data_primes")),
        ("product", "baseline", ("shape",)), ("process", "baseline", ("shape",)),
    ],
)  # fmt: skip
def test_speed_ups_add_up(run: Run, kind: str, first: str, same: tuple[str, ...]) -> None:
    for entry in run.of(kind):
        slow = run.one(kind, row=first, **{key: entry[key] for key in same})
        assert entry["speed_up"] == pytest.approx(slow["min"] / entry["min"], rel=1e-5)


def test_shares_of_transforms_add_up(run: Run) -> None:
    for entry in run.of("routine"):
        if entry["batch"] != 1:
            continue
        row = {k: entry[k] for k in ("routine", "row")}
        transforms = run.one("routine_transforms", **row)
        assert entry["ntt_share"] == pytest.approx(transforms["median"] / entry["median"], rel=1e-5)
        # A key-switching digit per prime is lifted to all other primes. Then two polynomials are
        # divided by one prime, once or twice, or by two primes at once.
        primes = entry["data_primes"]
        rescales = entry["routine"] not in ("MulLin", "Rotate")
        is_fused = entry["row"] in ("one_division", "fused_passes")
        assert entry["divisions"] == ("one" if is_fused else "in turn")
        divided = primes * (not (rescales and is_fused)) + (primes - 1) * rescales
        assert transforms["forward_limbs"] == primes * primes + 2 * divided
        assert transforms["inverse_limbs"] == primes + 2 + 2 * rescales


def test_shares_are_those_of_their_own_kind(run: Run) -> None:
    """A rotation is a routine and a key switch, of the same size."""
    for entry in run.of("keyswitch"):
        if entry["batch"] == 1:
            row = {k: entry[k] for k in ("routine", "row", "data_primes")}
            transforms = run.one("keyswitch_transforms", **row)
            share = transforms["median"] / entry["median"]
            assert entry["ntt_share"] == pytest.approx(share, rel=1e-5)


def test_the_roofline_adds_up(run: Run) -> None:
    bandwidth = max(e["bytes"] / e["min"] * 1e6 for e in run.of("roof") if "bytes" in e)
    assert run.context["bandwidth_bytes_per_second"] == pytest.approx(bandwidth, rel=1e-5)
    for entry in run.of("roof"):
        work = entry.get("bytes") or entry["products"]
        assert entry["rate"] == pytest.approx(work / entry["min"] * 1e6, rel=1e-5)
    for entry in run.of("ntt"):
        # Products of 32-bit words in a butterfly: those that need all 64 bits, and the others.
        is_lazy = entry["options"]["use_lazy_reduction"]
        is_narrow = entry["row"] == "narrow_30"
        wide, low = (1, 2) if is_narrow else (5 if is_lazy else 6, 4)
        n, levels = entry["degree"], entry["degree"].bit_length() - 1
        butterflies = n // 2 * levels
        between = 4 if is_narrow else 8  # bytes of a word
        moved = 2 * (8 + (entry["passes"] - 1) * between) * n
        assert entry["bytes_moved"] == moved
        assert entry["products"] == butterflies * (wide + low)
        radix = entry["radix"]
        operations = TABLE_I[radix] * n / radix * levels / (radix.bit_length() - 1)
        assert entry["table_i_operations_per_byte"] == pytest.approx(operations / moved)
        seconds = entry["min"] * 1e-6
        memory = moved / bandwidth
        products = butterflies * (
            wide / run.rate("multiply_add_wide") + low / run.rate("multiply_add")
        )
        percent = 100 * max(memory, products) / seconds
        assert entry["percent_of_roof"] == pytest.approx(percent, rel=1e-4)
        assert entry["binding_roof"] == ("memory" if memory >= products else "multiplier")
        assert entry["products_per_second"] == pytest.approx(entry["products"] / seconds, rel=1e-5)


def test_passes_are_those_of_the_plan(run: Run) -> None:
    passes = {(e["row"], e["direction"]): e["passes"] for e in run.of("ntt")}
    # Each level is a round; the forward transform has one more that reduces.
    assert passes["naive", "forward"] == 11 and passes["naive", "inverse"] == 10
    assert passes["simd_8_8", "forward"] == 2  # 1024 words fit local memory; then shuffles
    assert passes["radix8", "forward"] == passes["radix8", "inverse"] == 1


def test_densities_are_the_paper_s() -> None:
    naive, radix8 = (
        gpu_results.NttRow("", "", radix, 50, False, False).table_operations(32768)
        for radix in (2, 8)
    )
    words = 16 * 32768  # bytes of a pass
    # The paper leaves out the pass that reduces.
    assert naive / (15 * words) == pytest.approx(1.5)
    assert radix8 / (2 * words) == pytest.approx(8.9, abs=0.01)


def test_quoted_figures_are_apart(run: Run) -> None:
    quoted = {(q["kind"], q["row"]): q for q in run.written["quoted"]}
    assert quoted["ntt", "two_queues"]["text"] == "9.93"
    assert quoted["ntt", "radix8"]["text"] == "up to 4.23"
    assert all("Zhai" in q["source"] for q in quoted.values())
    for text in ("9.93", "up to 4.23", "1.5", "8.9", "79.99 %, 75.64 %"):
        assert f"“{text}”" in run.output


def test_pictures(run: Run) -> None:
    for picture in PICTURES:
        check_png(run.folder / f"ringlet-bench-gpu-{picture}.png")
    text = (run.folder / "ringlet-bench-gpu-ntt.svg").read_text()
    for title in {e["title"] for e in run.of("ntt")}:
        assert f"<!-- {title} -->" in text
    text = (run.folder / "ringlet-bench-gpu-routines.svg").read_text()
    assert all(f"<!-- {routine} -->" in text for routine in ROUTINES)
    assert "<!-- not transforms -->" in text


ONE = ("--rounds", "1", "--degrees", "1024", "--batches", "1", "--no-png", "--parts", "ntt")


def said_by_a_device(*lines: dict, error: Exception | None = None) -> object:
    """In place of measure_device: transforms say these lines, and end so."""
    real = gpu_results.measure_device

    def measure(part: str, options: dict[str, str], sink: object) -> None:
        if part != "ntt":
            return real(part, options, sink)
        real(part, options, lambda line: None if '"entry"' in line and lines else sink(line))
        for line in lines:
            sink(json.dumps(line))
        if error is not None:
            raise error

    return measure


def test_a_wrong_row_is_an_error(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    error = ringlet.RuntimeFailure("transforms", "word 3 is 4", "5", "none")
    monkeypatch.setattr(gpu_results, "measure_device", said_by_a_device(error=error))
    code, output = invoke("--device", name, *ONE, "--output", str(tmp_path))
    assert code == 2 and "word 3 is 4" in output
    assert list(tmp_path.iterdir()) == []


def test_a_refused_row_and_a_note_are_shown(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refusal = {"part": "transforms", "row": "+ two queues", "reason": "two queues; one only"}
    lines = (
        {"type": "refused", **refusal}, {"type": "refused", **refusal},
        {"type": "note", "text": "transforms of N = 1024: left out"},
    )  # fmt: skip
    monkeypatch.setattr(gpu_results, "measure_device", said_by_a_device(*lines))
    code, output = invoke("--device", name, *ONE, "--output", str(tmp_path))
    assert code == 0
    shown = Run(output, tmp_path)
    assert shown.written["refused"] == [refusal | {"device": name}] and shown.of("ntt") == []
    assert "refused: transforms, + two queues: two queues; one only" in output
    assert "N = 1024: left out" in " ".join(output.split())


def test_parts_are_measured_alone(name: str, tmp_path: Path) -> None:
    code, output = invoke(
        "--device", name, "--rounds", "1", "--parts", "products", "--output", str(tmp_path)
    )
    assert code == 0
    shown = Run(output, tmp_path)
    assert {entry["kind"] for entry in shown.entries} == {"roof", "product", "process"}
    others = [f"{part}: not asked for" for part in PARTS if part != "products"]
    assert shown.written["notes"][1:] == others
    assert [path.name for path in tmp_path.glob("*.png")] == ["ringlet-bench-gpu-products.png"]


def test_refusals(name: str, tmp_path: Path) -> None:
    for arguments, word in (
        (("--device", "gpu:99"), "gpu:99"),
        (("--device", "cpu"), "ringlet bench ntt"),
        (("--device", "nonsense"), "nonsense"),
        (("--device", name, "--rounds", "0"), "--rounds 0"),
        (("--device", name, "--rounds", "100001"), "10000"),
        (("--device", name, "--degrees", "1000"), "powers of two"),
        (("--device", name, "--degrees", "32"), "from 64"),
        (("--device", name, "--degrees", "262144"), "131072"),
        (("--device", name, "--degrees", "x"), "--degrees"),
        (("--device", name, "--parts", "ntt,all"), "--parts all"),
        (("--device", name, "--batches", "0"), "--batches 0"),
        (("--device", name, "--batches", "65537"), "65536"),
    ):
        code, output = invoke(*arguments, "--output", str(tmp_path))
        assert code == 2 and word in output, (arguments, output)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("part", "options", "word"),
    [
        ("nothing", {}, "keyswitch"), ("ntt", {"batch": "1"}, "--limbs"),
        ("ntt", {"degrees": "100"}, "powers of two"), ("ntt", {"degrees": "262144"}, "131072"),
        ("ntt", {"limbs": "0"}, "from 1"), ("ntt", {"limbs": "1,"}, "from 1"),
        ("roofs", {"rounds": "0"}, "from 1"), ("roofs", {"rounds": "ten"}, "from 1"),
        ("routines", {"degree": "1000"}, "powers of two"), ("routines", {"count": "0"}, "from 1"),
        ("routines", {"data-primes": "1"}, "from 2"), ("keyswitch", {"shapes": "1024:2"}, "from 1"),
        ("products", {"shapes": "0x1x1:1024:2"}, "from 1"), ("server", {"count": "257"}, "256"),
        ("ntt", {"device": "cpu"}, "such as gpu:0"),
    ],
)  # fmt: skip
def test_parts_bound_their_sizes(name: str, part: str, options: dict[str, str], word: str) -> None:
    with pytest.raises(ringlet.InvalidArgument, match=word):
        _lab.measure_device(part, {"device": name, **options}, print)


def test_what_a_sink_raises_ends_the_measurement(name: str) -> None:
    def stop(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _lab.measure_device("roofs", {"device": name, "copy-mib": "1"}, stop)


def test_plans() -> None:
    full = make_plan(is_quick=False, is_host_processor=False)
    assert full.settings == FULL and not full.notes and full.parts == PARTS
    quick = make_plan(is_quick=True, is_host_processor=False, rounds=30, degrees=[64, 64])
    assert quick.settings["ntt"]["degrees"] == "64" and "--quick" in quick.notes[0]
    assert {options["rounds"] for options in quick.settings.values()} == {"30"}


# `--from`: what a file holds, here or from another machine.


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
