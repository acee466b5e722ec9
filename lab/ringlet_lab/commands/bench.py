# SPDX-License-Identifier: Apache-2.0
"""The commands of `ringlet bench`: their options, and the functions that they call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from ringlet.commands.options import JsonFile, Output, integers, option, some_integers
from ringlet.errors import InvalidArgument

from .options import BenchJson, NoJson, ResultFiles, with_files

app = typer.Typer(
    help="Time kernels, transforms and schemes.", no_args_is_help=True, add_completion=False
)


def _list(help: str) -> Any:
    return option(metavar="LIST", help=help)


def _number(help: str) -> Any:
    return option(metavar="N", help=help)


def _file(help: str) -> Any:
    return option(metavar="FILE", help=help)


def _figures(*names: str, **about: str) -> Any:
    return option(*names, panel="With --figures", **about)


Rounds = Annotated[int | None, _number("Rounds over everything.")]


@app.command("ntt")
@with_files
def bench_ntt(
    files: ResultFiles,
    *,
    degrees: Annotated[str | None, _list("Transform lengths (2^10 to 2^16).")] = None,
    bits: Annotated[str | None, _list("Bits of primes (30,49,60; figures 48).")] = None,
    rounds: Rounds = None,
    peers: Annotated[Path | None, _file("Other libraries' transforms.")] = None,
    figures: Annotated[
        bool, option("--figures", help="Figures 7 to 11 on extended butterflies.")
    ] = False,
    quick: Annotated[bool, _figures("--quick", help="Two lengths, few rounds.")] = False,
    paper_method: Annotated[
        bool, _figures("--paper-method", help="Measure as the paper's section 7.2.")
    ] = False,
    paper_degrees: Annotated[
        bool, _figures("--paper-degrees", help="The paper's lengths, 2^9 to 2^14.")
    ] = False,
    clang: Annotated[
        Path | None, _figures(metavar="DIR", help="Folder bench of a clang build.")
    ] = None,
    gcc: Annotated[
        Path | None, _figures(metavar="DIR", help="Folder bench of a gcc build.")
    ] = None,
    predictions: Annotated[
        Path | None, _figures(metavar="FILE", help="JSON of predict_cycles.py.")
    ] = None,
) -> None:
    """Time all NTT kernels in interleaved rounds, with the clock."""
    command = "ringlet bench ntt"
    lengths = some_integers(degrees, "--degrees", command)
    widths = some_integers(bits, "--bits", command)
    alone = {"quick": quick, "paper-method": paper_method, "paper-degrees": paper_degrees,
             "clang": clang, "gcc": gcc, "predictions": predictions}  # fmt: skip
    if figures:
        if widths is not None and len(widths) != 1:
            remedy = "write for example --bits 48"
            raise InvalidArgument(command, f"--bits {bits}", "one width", remedy)
        if peers is not None:
            remedy = "leave out --peers, or --figures"
            raise InvalidArgument(command, f"--peers {peers}", "runs without --figures", remedy)
        _time_figures(files, lengths, widths, rounds, alone)
        return
    from ..bench.ntt import DEFAULT_BITS, DEFAULT_DEGREES, run_ntt_benchmark

    for name, value in alone.items():
        if value:
            raise InvalidArgument(command, f"--{name}", "an option of --figures", "add --figures")
    run_ntt_benchmark(
        files.of("ringlet-bench-ntt"),
        DEFAULT_DEGREES if lengths is None else lengths,
        DEFAULT_BITS if widths is None else widths,
        100 if rounds is None else rounds,
        peers,
    )


def _time_figures(
    files: ResultFiles,
    lengths: list[int] | None,
    widths: list[int] | None,
    rounds: int | None,
    options: dict[str, Any],
) -> None:
    from ..bench.ntt.programs import Build
    from ..bench.ntt.report import run_figures
    from ..bench.ntt.variants import BITS, PAPER_DEGREES

    builds = [(name, options[name]) for name in ("clang", "gcc")]
    run_figures(
        files.of("ringlet-bench-ntt-figures", pictures="ringlet-bench-ntt"),
        PAPER_DEGREES if options["paper-degrees"] and lengths is None else lengths,
        BITS if widths is None else widths[0],
        rounds,
        is_quick=options["quick"],
        paper_method=options["paper-method"],
        builds=[Build(name, path) for name, path in builds if path is not None],
        predictions=options["predictions"],
    )


@app.command("widths")
@with_files
def bench_widths(
    files: ResultFiles,
    degrees: Annotated[str, _list("Transform lengths (4096).")] = "4096",
    bits: Annotated[str | None, _list("Widths of the moduli (20 to 62).")] = None,
    rounds: Rounds = None,
    quick: Annotated[bool, option("--quick", help="A few widths and rounds.")] = False,
) -> None:
    """Measure the time per butterfly for every width of the modulus."""
    from ..bench.widths import OPERATION
    from ..bench.widths.report import run_widths

    run_widths(
        files.of("ringlet-bench-widths"),
        integers(degrees, "--degrees", OPERATION),
        some_integers(bits, "--bits", OPERATION),
        rounds,
        is_quick=quick,
    )


@app.command("tables")
def bench_tables(
    rounds: Annotated[int, _number("Rounds over everything (500).")] = 500,
    peers: Annotated[Path | None, _file("ringlet_peers of a build: NTL and FLINT too.")] = None,
    json: JsonFile = None,
    png: Annotated[Path | None, _file("Write this picture.")] = None,
    svg: Annotated[Path | None, _file("Write this picture.")] = None,
) -> None:
    """Measure tables 1 to 4 of the HEXL paper and compare."""
    from ..bench.output import Destination
    from ..bench.tables.report import run_tables_benchmark

    pictures = [path for path in (png, svg) if path is not None]
    run_tables_benchmark(Destination(json), rounds, peers, pictures)


@app.command("gpu")
@with_files
def bench_gpu(
    files: ResultFiles,
    *,
    device: Annotated[
        str, option(metavar="NAME", help="A name that `ringlet info` shows (gpu:0).")
    ] = "gpu:0",
    quick: Annotated[bool, option("--quick", help="Small sizes and few rounds.")] = False,
    rounds: Rounds = None,
    degrees: Annotated[str | None, _list("Transform lengths, comma-separated.")] = None,
    batches: Annotated[str | None, _list("Polynomials (8 primes) per launch.")] = None,
    parts: Annotated[
        str | None, _list("Names: ntt, routines, keyswitch, products, server (all).")
    ] = None,
    source: Annotated[
        Path | None, option("--from", metavar="FILE", help="Show a JSON of this command or of run.")
    ] = None,
) -> None:
    """Time a device's transforms, routines and products."""
    from ..bench.gpu import run_gpu_benchmark, show_file

    command = "ringlet bench gpu"
    destination = files.of("ringlet-bench-gpu")
    if source is not None:
        if quick or not (rounds is degrees is batches is parts is None):
            raise InvalidArgument(
                command,
                f"--from {source} with options of a measurement",
                "--from alone, or with options for files",
                "leave out --quick, --rounds, --degrees, --batches and --parts",
            )
        show_file(destination, source)
        return
    run_gpu_benchmark(
        destination,
        device=device,
        is_quick=quick,
        rounds=rounds,
        degrees=some_integers(degrees, "--degrees", command),
        batches=some_integers(batches, "--batches", command),
        parts=None if parts is None else parts.split(","),
    )


@app.command("schemes")
@with_files
def bench_schemes(
    files: ResultFiles,
    *,
    schemes: Annotated[str | None, _list("Schemes: ckks, bfv, bgv (all).")] = None,
    degrees: Annotated[str | None, _list("Degrees: 4096 to 32768 (all).")] = None,
    threads: Annotated[str | None, _list("Numbers of threads (1,2).")] = None,
    rounds: Annotated[int | None, _number("Most rounds of a case.")] = None,
    seconds: Annotated[float | None, option(metavar="S", help="Limit after five rounds.")] = None,
    quick: Annotated[bool, option("--quick", help="N = 4096 and two rounds.")] = False,
    show: Annotated[Path | None, _file("Show an earlier run's JSON.")] = None,
    page: Annotated[Path | None, _file("Update this page's tables.")] = None,
    markdown: Annotated[bool, option(help="Write Markdown tables (yes).")] = True,
) -> None:
    """Time CKKS, BFV, BGV; compare with SEAL, goals, HEXL's paper."""
    from ..bench.schemes import OPERATION
    from ..bench.schemes.report import run_schemes

    run_schemes(
        files.of("ringlet-bench-schemes"),
        schemes=None if schemes is None else list(dict.fromkeys(schemes.split(","))),
        degrees=some_integers(degrees, "--degrees", OPERATION),
        threads=some_integers(threads, "--threads", OPERATION),
        rounds=rounds,
        seconds=seconds,
        is_quick=quick,
        shown=show,
        markdown=files.folder / "ringlet-bench-schemes.md" if markdown else None,
        page=page,
    )


@app.command("seal")
def bench_seal(
    *,
    schemes: Annotated[str | None, _list("Schemes: bfv, bgv, ckks (all).")] = None,
    degrees: Annotated[str | None, _list("Degrees: 1024 to 32768 (all).")] = None,
    rounds: Annotated[int | None, _number("Rounds of a case (50).")] = None,
    quick: Annotated[bool, option("--quick", help="N = 1024, 4096; two rounds.")] = False,
    program: Annotated[Path | None, _file("ringlet_bench_seal of a build.")] = None,
    json: BenchJson = None,
    no_json: NoJson = False,
    output: Output = Path("."),
) -> None:
    """Time SEAL's interface beside Ringlet's own, and SEAL itself."""
    from ..bench.seal import OPERATION
    from ..bench.seal.report import run_seal

    files = ResultFiles(output, named_json=json, no_json=no_json)
    run_seal(
        files.of("ringlet-bench-seal"),
        program,
        None if schemes is None else list(dict.fromkeys(schemes.split(","))),
        some_integers(degrees, "--degrees", OPERATION),
        rounds,
        is_quick=quick,
    )


@app.command("fv")
@with_files
def bench_fv(
    files: ResultFiles,
    *,
    ring: Annotated[str, _number("Degree: 2420, 2560, 5832, 8190 (2560).")] = "2560",
    bits: Annotated[int, _number("Bits of the modulus, a prime (125).")] = 125,
    counts: Annotated[str, _list("Encryptions, of 1 to 4 (1,2,3,4).")] = "1,2,3,4",
    rounds: Annotated[int, _number("Rounds over every row (100).")] = 100,
    hardware: Annotated[Path | None, _file("Co-simulation report: cycles.")] = None,
    study: Annotated[Path | None, _file("Report on splits with hardware.")] = None,
    synth: Annotated[Path | None, _file("Synthesis report: Table 1.")] = None,
    place: Annotated[Path | None, _file("Report of place and route: clocks.")] = None,
) -> None:
    """Time products of FV; compare with the paper."""
    from ..bench.fv import OPERATION
    from ..bench.fv.report import run_fv_benchmark

    run_fv_benchmark(
        files.of("ringlet-bench-fv"),
        ring,
        bits,
        integers(counts, "--counts", OPERATION),
        rounds,
        hardware=hardware,
        study=study,
        synth=synth,
        place=place,
    )


@app.command("wide")
@with_files
def bench_wide(
    files: ResultFiles,
    *,
    degrees: Annotated[str | None, _list("Transform lengths (2^8 to 2^20).")] = None,
    bits: Annotated[int, _number("Bits of the moduli, 106 to 124 (124).")] = 124,
    length: Annotated[int, _number("Elements of vectors (1024).")] = 1024,
    rounds: Annotated[int, _number("Most rounds of a size (100).")] = 100,
    seconds: Annotated[
        float, option(metavar="S", help="Limit of a size after five rounds (5).")
    ] = 5.0,
    peers: Annotated[Path | None, _file("Program ringlet_peers: GMP, FLINT.")] = None,
) -> None:
    """Time 124-bit arithmetic; compare with GMP, FLINT, projections."""
    from ..bench.wide import DEGREES, OPERATION
    from ..bench.wide.report import run_wide_benchmark

    run_wide_benchmark(
        files.of("ringlet-bench-wide"),
        DEGREES if degrees is None else integers(degrees, "--degrees", OPERATION),
        bits,
        length,
        rounds,
        seconds,
        peers=peers,
    )


@app.command("distributed")
def bench_distributed(
    *,
    rounds: Annotated[int, _number("Rounds of 1 and 2 workers (5).")] = 5,
    seconds: Annotated[float, option(metavar="S", help="Length of a task (1.0).")] = 1.0,
    tasks: Annotated[int, _number("Tasks of a product (16).")] = 16,
    quick: Annotated[
        bool, option("--quick", help="One round, in a small ring of no security.")
    ] = False,
    json: BenchJson = None,
    no_json: NoJson = False,
    output: Output = Path("."),
) -> None:
    """Time encrypted products on one and two local workers (Dask)."""
    from ..bench.distributed import Plan
    from ..bench.distributed.report import run_distributed

    plan = Plan(1, 0.02, 4, 4, is_quick=True) if quick else Plan(rounds, seconds, tasks)
    files = ResultFiles(output, named_json=json, no_json=no_json)
    run_distributed(files.of("ringlet-bench-distributed"), plan)
