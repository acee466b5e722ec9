# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench gpu` on a runtime on the host's processor: what it says, and that it adds up."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ringlet
from ringlet import cli
from ringlet.bench import gpu_measure as bench_gpu_measure
from ringlet.bench.gpu_measure import calls_for
from ringlet.bench.gpu_rows import (
    FULL,
    MARK,
    NTT_ROWS,
    PRODUCT_BARS,
    ROUTINE_BARS,
    ROUTINES,
    TABLE_I,
    ProductSize,
    make_plan,
)

PICTURES = ("roofline", "ntt", "shares", "routines", "products")


@pytest.fixture(scope="module")
def name() -> str:
    """An OpenCL runtime on the host's processor, such as PoCL."""
    for device in ringlet.devices()[1:]:
        if device.is_host_processor:
            return device.name
    pytest.skip("no OpenCL runtime on this processor (pocl-opencl-icd)")


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, ["bench", "gpu", *arguments])
    assert "Traceback" not in result.output
    if result.exception is not None:
        assert isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


class Run:
    """One run: its output, its JSON and its folder."""

    def __init__(self, output: str, folder: Path) -> None:
        self.output = output
        self.folder = folder
        self.written = json.loads((folder / "ringlet-bench-gpu.json").read_text())
        self.context = self.written["context"]
        self.entries = self.written["benchmarks"]

    def of(self, kind: str) -> list[dict]:
        return [entry for entry in self.entries if entry["kind"] == kind]

    def one(self, kind: str, **members: object) -> dict:
        found = [e for e in self.of(kind) if all(e[k] == v for k, v in members.items())]
        assert len(found) == 1, (kind, members)
        return found[0]

    def rate(self, product: str) -> float:
        return next(e["rate"] for e in self.of("roof") if e["name"] == f"gpu_roof/{product}")

    def refused(self, part: str) -> set[str]:
        return {r["row"] for r in self.written["refused"] if r["part"] == part}


@pytest.fixture(scope="module")
def run(name: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("gpu") / "not" / "there yet"
    code, output = invoke(
        "--device", name, "--rounds", "2", "--degrees", "1024", "--batches", "1,2", "--svg",
        "--output", str(folder),
    )  # fmt: skip
    assert code == 0, output
    return Run(output, folder)


def test_everything_is_marked(run: Run) -> None:
    assert run.context["is_host_processor"] is True
    assert run.context["performance_result"] is False and run.context["marking"] == MARK
    assert all(entry["label"] == MARK for entry in run.entries)
    # Roofs, ladder, two directions, roofline, routines and products; and a remark.
    assert run.output.count(f"({MARK})") == 7 and run.output.count(MARK) >= 8
    for picture in PICTURES:
        text = (run.folder / f"ringlet-bench-gpu-{picture}.svg").read_text()
        assert text.count(f"<!-- {MARK} -->") == 2, picture


def test_context_names_device_and_versions(run: Run, name: str) -> None:
    device = next(d for d in ringlet.devices() if d.name == name)
    assert run.context["device"] == name
    assert run.context["device_description"] == device.description
    assert run.context["driver_version"] == device.driver_version
    assert run.context["library_version"] == ringlet.__version__
    assert run.context["rounds"] == 2 and run.context["degrees"] == [1024]
    assert run.context["batches"] == [1, 2] and run.context["date"][:2] == "20"
    assert device.description in run.output


def test_entries_are_google_benchmark_s(run: Run) -> None:
    names = [entry["name"] for entry in run.entries]
    assert len(names) == len(set(names))
    for entry in run.entries:
        assert entry["time_unit"] == "us" and entry["run_type"] == "iteration"
        assert 0 < entry["min"] <= entry["median"] == entry["real_time"]
        assert entry["iterations"] == (1 if entry["kind"] == "process" else 2)


def test_every_row_is_there(run: Run) -> None:
    refused = run.refused("transforms")
    for row in NTT_ROWS:
        assert row.title in run.output
        found = [e for e in run.of("ntt") if e["row"] == row.key]
        if row.title in refused:
            assert not found and row.key == "two_queues"
            continue
        sizes = {(e["degree"], e["batch"], e["direction"]) for e in found}
        assert sizes == {(1024, b, d) for b in (1, 2) for d in ("forward", "inverse")}
        assert all(e["title"] == row.title and e["bits"] == row.bits for e in found)
        assert all(e["device"].startswith(run.context["device_description"]) for e in found)
    for routine in ROUTINES:
        bars = {e["row"] for e in run.of("routine") if e["routine"] == routine}
        kept = {b.key for b in ROUTINE_BARS if b.title not in run.refused("routines")}
        assert bars == kept and bars >= {
            "naive", "radix8", "assembly", "beyond", "one_division", "fused_passes",
        }  # fmt: skip
        assert routine in run.output
    for kind in ("product", "process"):
        for shape in {e["shape"] for e in run.of(kind)}:
            bars = [e["row"] for e in run.of(kind) if e["shape"] == shape]
            assert bars == [bar.key for bar in PRODUCT_BARS]
    assert [e["name"].split("/")[1] for e in run.of("roof")][-3:] == [
        "multiply_add", "multiply_add_wide", "multiply_high",
    ]  # fmt: skip
    for refusal in run.written["refused"]:
        assert refusal["reason"] and f"{refusal['row']}: {refusal['reason'][:20]}" in run.output
        assert "refused" in run.output


def test_options_change_one_thing_at_a_time(run: Run) -> None:
    options = {row.key: row.device_options(1024) for row in NTT_ROWS}
    assert options["naive"] == {
        "ntt": "naive", "use_assembly": False, "use_lazy_reduction": False,
        "use_narrow_words": False, "use_fused_passes": False, "queue_count": 1,
    }  # fmt: skip
    for key in ("simd_8_8", "simd_16_8", "simd_32_8", "radix4", "radix8", "radix16"):
        assert options[key] == options["naive"] | {"ntt": key}
    assert options["assembly"] == options["radix8"] | {"use_assembly": True}
    assert options["two_queues"] == options["assembly"] | {"queue_count": 2}
    assert options["lazy"] == options["assembly"] | {"use_lazy_reduction": True}
    assert options["chunks"] == options["lazy"] | {"ntt_chunk_limbs": 4096}
    assert options["narrow_30"] == options["wide_30"] | {"use_narrow_words": True}
    for entry in run.of("ntt"):
        assert entry["options"] == options[entry["row"]]
    bars = {bar.key: (bar.options, bar.has_one_division) for bar in ROUTINE_BARS}
    assert list(bars)[-3:] == ["beyond", "one_division", "fused_passes"]
    paper = [divides for key, (_, divides) in bars.items() if key not in list(bars)[-2:]]
    assert paper == [False] * 5
    beyond = bars["beyond"][0]
    assert bars["one_division"] == (beyond, True)
    assert bars["fused_passes"] == (beyond | {"use_fused_passes": True}, True)


def test_speed_ups_add_up(run: Run) -> None:
    for entry in run.of("ntt"):
        size = {k: entry[k] for k in ("degree", "batch", "direction")}
        naive = run.one("ntt", row="naive", **size)
        assert entry["speed_up"] == pytest.approx(naive["min"] / entry["min"])
    for entry in run.of("routine"):
        size = {k: entry[k] for k in ("routine", "batch")}
        naive = run.one("routine", row="naive", **size)
        assert entry["speed_up"] == pytest.approx(naive["min"] / entry["min"])
    for kind in ("product", "process"):
        for entry in run.of(kind):
            baseline = run.one(kind, row="baseline", shape=entry["shape"])
            assert entry["speed_up"] == pytest.approx(baseline["min"] / entry["min"])


def test_shares_of_transforms_add_up(run: Run) -> None:
    for entry in run.of("routine"):
        if entry["batch"] != 1:
            continue
        row = {k: entry[k] for k in ("routine", "row")}
        transforms = run.one("routine_transforms", **row)
        assert entry["ntt_share"] == pytest.approx(transforms["median"] / entry["median"])
        # A key-switching digit per prime, lifted to all others; then two polynomials divided by
        # one prime, once or twice, or by two primes at once.
        primes = entry["data_primes"]
        rescales = entry["routine"] not in ("MulLin", "Rotate")
        is_fused = entry["row"] in ("one_division", "fused_passes")
        assert entry["divisions"] == ("one" if is_fused else "in turn")
        divided = primes * (not (rescales and is_fused)) + (primes - 1) * rescales
        assert transforms["forward_limbs"] == primes * primes + 2 * divided
        assert transforms["inverse_limbs"] == primes + 2 + 2 * rescales


def test_the_roofline_adds_up(run: Run) -> None:
    bandwidth = max(e["bytes"] / e["min"] * 1e6 for e in run.of("roof") if "bytes" in e)
    assert run.context["bandwidth_bytes_per_second"] == pytest.approx(bandwidth)
    for entry in run.of("roof"):
        work = entry.get("bytes") or entry["products"]
        assert entry["rate"] == pytest.approx(work / entry["min"] * 1e6)
    for row in NTT_ROWS:
        wide, low = row.products
        for entry in (e for e in run.of("ntt") if e["row"] == row.key):
            n, levels = entry["degree"], entry["degree"].bit_length() - 1
            butterflies = n // 2 * levels
            moved = entry["passes"] * 2 * 8 * n
            assert entry["bytes_moved"] == moved
            assert entry["products"] == butterflies * (wide + low)
            operations = TABLE_I[row.radix] * n / row.radix * levels / (row.radix.bit_length() - 1)
            assert entry["table_i_operations_per_byte"] == pytest.approx(operations / moved)
            seconds = entry["min"] * 1e-6
            memory = moved / bandwidth
            products = butterflies * (
                wide / run.rate("multiply_add_wide") + low / run.rate("multiply_add")
            )
            assert entry["percent_of_roof"] == pytest.approx(100 * max(memory, products) / seconds)
            assert entry["binding_roof"] == ("memory" if memory >= products else "multiplier")
            assert entry["products_per_second"] == pytest.approx(entry["products"] / seconds)


def test_passes_are_those_of_the_plan(run: Run) -> None:
    passes = {(e["row"], e["direction"]): e["passes"] for e in run.of("ntt")}
    # A round a level, and in the forward transform one to reduce.
    assert passes["naive", "forward"] == 11 and passes["naive", "inverse"] == 10
    assert passes["simd_8_8", "forward"] == 2  # 1024 words fit local memory; then shuffles
    assert passes["radix8", "forward"] == passes["radix8", "inverse"] == 1


def test_densities_are_the_paper_s() -> None:
    naive, radix8 = (row for row in NTT_ROWS if row.key in ("naive", "radix8"))
    words = 16 * 32768  # bytes of a pass
    # The paper leaves out the pass that reduces.
    assert naive.table_operations(32768) / (15 * words) == pytest.approx(1.5)
    assert radix8.table_operations(32768) / (2 * words) == pytest.approx(8.9, abs=0.01)


def test_quoted_figures_are_apart(run: Run) -> None:
    quoted = {(q["kind"], q["row"]): q for q in run.written["quoted"]}
    assert quoted["ntt", "two_queues"]["text"] == "9.93"
    assert quoted["ntt", "radix8"]["text"] == "up to 4.23"
    assert all("Zhai" in q["source"] for q in quoted.values())
    for text in ("9.93", "up to 4.23", "1.5", "8.9", "79.99 %, 75.64 %"):
        assert f"“{text}”" in run.output


def test_pictures(run: Run) -> None:
    for picture in PICTURES:
        data = (run.folder / f"ringlet-bench-gpu-{picture}.png").read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 20_000
        assert min(struct.unpack(">II", data[16:24])) > 600
    text = (run.folder / "ringlet-bench-gpu-ntt.svg").read_text()
    for row in NTT_ROWS:
        if row.title not in run.refused("transforms"):
            assert f"<!-- {row.title} -->" in text
    text = (run.folder / "ringlet-bench-gpu-routines.svg").read_text()
    assert all(f"<!-- {routine} -->" in text for routine in ROUTINES)
    assert "<!-- not transforms -->" in text


ONE = ("--rounds", "1", "--degrees", "1024", "--batches", "1", "--no-png", "--parts", "ntt")


def test_a_wrong_row_is_an_error(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Wrong(ringlet._core.GpuTransforms):
        def check(self) -> None:
            raise ringlet.RuntimeFailure("check", "word 3 is 4", "5", "none")

    monkeypatch.setattr(bench_gpu_measure, "GpuTransforms", Wrong)
    code, output = invoke("--device", name, *ONE, "--output", str(tmp_path))
    assert code == 2 and "word 3 is 4" in output
    assert list(tmp_path.iterdir()) == []


def test_a_refused_row_is_shown(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def open_device(name: str, **options: object) -> ringlet.Device:
        if options.get("queue_count") == 2:
            raise ringlet.InvalidArgument("device", "two queues", "one only", "none")
        return ringlet.device(name, **options)

    monkeypatch.setattr(bench_gpu_measure, "open_device", open_device)
    code, output = invoke("--device", name, *ONE, "--output", str(tmp_path))
    assert code == 0
    refusal = {"part": "transforms", "row": "+ two queues", "reason": "two queues; one only"}
    shown = Run(output, tmp_path)
    assert shown.written["refused"] == [refusal]
    assert "refused: transforms, + two queues: two queues; one only" in output
    assert len(shown.of("ntt")) == 2 * (len(NTT_ROWS) - 1)
    assert "+ two queues" in output and "refused" in output.split("Roofline")[0]


def test_sizes_beyond_the_memory_are_left_out(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench_gpu_measure, "_MEMORY_SHARE", 1e-9)
    code, output = invoke("--device", name, *ONE, "--output", str(tmp_path))
    assert code == 0 and "batches of 1: left out" in " ".join(output.split())
    assert Run(output, tmp_path).of("ntt") == []


@pytest.mark.parametrize("together", [5, 1, 0])
def test_rows_of_products_take_turns_where_memory_holds_them(
    together: int, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With memory for the operands of so many rows at once."""
    calls: list[object] = []
    ready: set[object] = set()

    class Meter(ringlet._core.GpuProducts):
        def prepare(self) -> None:
            if len(ready) >= together:
                raise ringlet.OutOfDeviceMemory("prepare", "8 GiB", "4 GiB", "none")
            ready.add(self)
            super().prepare()

        def release(self) -> None:
            ready.discard(self)
            super().release()

        def seconds(self) -> float:
            calls.append(self)
            return super().seconds()

    monkeypatch.setattr(bench_gpu_measure, "GpuProducts", Meter)
    code, output = invoke(
        "--device", name, "--rounds", "2", "--parts", "products", "--no-png",
        "--output", str(tmp_path),
    )  # fmt: skip
    assert code == 0 and not ready
    shown = Run(output, tmp_path)
    shapes = len({entry["shape"] for entry in shown.of("product")})
    bars = len(PRODUCT_BARS)
    assert len(shown.of("product")) == bars * shapes
    assert len(shown.written["refused"]) == (0 if together else 2 * bars)
    assert ("one was timed after the other" in " ".join(output.split())) == (together < bars)
    # Of the last product: a call to warm up and two rounds.
    last = calls[-3 * bars :]
    assert [last.index(call) for call in last] == {
        5: [*range(5)] * 3,
        1: [place for place in range(0, 15, 3) for _ in range(3)],
        0: [],
    }[together]


def test_parts_are_measured_alone(name: str, tmp_path: Path) -> None:
    code, output = invoke(
        "--device", name, "--rounds", "1", "--parts", "products", "--output", str(tmp_path)
    )
    assert code == 0
    shown = Run(output, tmp_path)
    assert {entry["kind"] for entry in shown.entries} == {"roof", "product", "process"}
    assert shown.context["notes"][1:] == ["ntt: not asked for", "routines: not asked for"]
    assert [path.name for path in tmp_path.glob("*.png")] == ["ringlet-bench-gpu-products.png"]


def test_refusals(name: str, tmp_path: Path) -> None:
    for arguments, word in (
        (("--device", "gpu:99"), "gpu:99"),
        (("--device", "cpu"), "ringlet bench ntt"),
        (("--device", "nonsense"), "nonsense"),
        (("--device", name, "--rounds", "0"), "rounds = 0"),
        (("--device", name, "--rounds", "100001"), "10000"),
        (("--device", name, "--degrees", "1000"), "powers of two"),
        (("--device", name, "--degrees", "32"), "from 64"),
        (("--device", name, "--degrees", "262144"), "131072"),
        (("--device", name, "--degrees", "x"), "--degrees"),
        (("--device", name, "--parts", "ntt,all"), "'all'"),
        (("--device", name, "--batches", "0"), "batches: 0"),
        (("--device", name, "--batches", "65537"), "65536"),
    ):
        code, output = invoke(*arguments, "--output", str(tmp_path))
        assert code == 2 and word in output, (arguments, output)
    assert list(tmp_path.iterdir()) == []


def test_bindings_bound_their_sizes(name: str) -> None:
    core = ringlet._core
    device = ringlet.device(name, use_timing=True)
    untimed = ringlet.device(name)
    transforms = core.GpuTransforms(device, 64, 30, 2, 3)
    transforms.check()
    assert transforms.seconds(True, 2) > 0 and transforms.seconds(False, 1) > 0
    roofs = core.GpuRoofs(device)
    calls = (
        lambda: core.GpuTransforms(device, 100, 50, 8, 1),
        lambda: core.GpuTransforms(device, 1 << 18, 50, 8, 1),
        lambda: core.GpuTransforms(device, 1024, 50, 0, 1),
        lambda: core.GpuTransforms(device, 1024, 50, 8, 0),
        lambda: core.GpuTransforms(device, 1024, 62, 8, 1),
        lambda: core.GpuTransforms(ringlet.device("cpu"), 1024, 50, 8, 1),
        lambda: core.GpuRoofs(ringlet.device("cpu")),
        lambda: transforms.seconds(True, 0),
        lambda: roofs.copy(0, 1, 1),
        lambda: roofs.multiply("divide", 1, 1),
        lambda: roofs.multiply("multiply_add", 0, 1),
        lambda: core.GpuRoutineHost(1000, 2, 1),
        lambda: core.GpuRoutineHost(1024, 1, 1),
        lambda: core.GpuRoutineHost(1024, 2, 0),
        lambda: core.GpuProductHost(1024, 2, 0, 1, 1),
    )
    for call in calls:
        with pytest.raises(ringlet.InvalidArgument):
            call()
    with pytest.raises(ringlet.LogicError):
        core.GpuTransforms(untimed, 64, 30, 1, 1).seconds(True, 1)


def test_plans() -> None:
    full = make_plan(
        is_quick=False, is_host_processor=False, rounds=None, degrees=None, batches=None
    )
    assert full == FULL and full.rounds >= 20 and not full.notes
    assert full.degrees == tuple(1 << k for k in range(12, 17)) and max(full.batches) == 1024
    assert [size.name for size in full.products] == ["100x100x1", "10x9x8"]
    assert (full.routines.degree, full.routines.data_primes) == (32768, 8)
    quick = make_plan(
        is_quick=True, is_host_processor=False, rounds=30, degrees=[64, 64], batches=None
    )
    assert quick.rounds == 30 and quick.degrees == (64,) and "--quick" in quick.notes[0]


def test_products_are_made_to_fit() -> None:
    size = ProductSize(100, 100, 1, 8192, 3)
    assert size.byte_count == 8 * 8192 * 3 * (3 * 10000 + 2 * 200)
    assert size.fitted(size.byte_count) == size
    smaller = size.fitted(size.byte_count - 1)
    assert smaller.name == "50x50x1" and size.fitted(0).name == "1x1x1"


def test_calls_fill_blocks() -> None:
    assert calls_for(1.0, 0.0) == 1 and calls_for(1e-3, 2e-3) == 2
    assert calls_for(0.0, 1.0) == 10000
