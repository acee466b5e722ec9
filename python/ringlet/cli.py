# SPDX-License-Identifier: Apache-2.0
"""The command `ringlet`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import __version__
from .console import EXIT_FAILED, make_console, reports_errors
from .errors import InvalidArgument
from .params import params

app = typer.Typer(
    name="ringlet",
    help="Lattice cryptography on every instruction set of this machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
bench_app = typer.Typer(help="Measure this machine.", no_args_is_help=True)
app.add_typer(bench_app, name="bench")
app.command()(params)

Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ringlet {__version__}")
        raise typer.Exit()


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show and exit."),
    ] = False,
) -> None:
    pass


def _integers(text: str, option: str, command: str = "ringlet bench ntt") -> list[int]:
    try:
        values = [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidArgument(
            command,
            f"{option} {text!r}",
            "integers, separated by commas",
            f"write for example {option} 1024,4096",
        ) from None
    return list(dict.fromkeys(values))


def _pictures(stem: Path, png: bool, svg: bool) -> list[Path]:
    return [stem.with_suffix(suffix) for suffix, wanted in ((".png", png), (".svg", svg)) if wanted]


@app.command()
@reports_errors
def info() -> None:
    """Show the processor, its instruction sets, and which kernel serves which modulus."""
    from .info import print_info

    print_info(make_console())


@app.command()
@reports_errors
def tune(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file; without it ~/.config/ringlet/wisdom."),
    ] = None,
    degrees: Annotated[
        str | None, typer.Option(help="Transform lengths, separated by commas.")
    ] = None,
    bits: Annotated[
        str | None, typer.Option(help="Bits of the moduli, separated by commas.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few lengths and widths.")] = False,
) -> None:
    """Time every kernel on this machine and keep which is the fastest of each."""
    from .tune import COMMAND, run_tune

    run_tune(
        make_console(),
        output,
        degrees=None if degrees is None else _integers(degrees, "--degrees", COMMAND),
        bits=None if bits is None else _integers(bits, "--bits", COMMAND),
        quick=quick,
    )


@app.command()
@reports_errors
def rings(
    slots: Annotated[int, typer.Option(help="At least so many slots.")] = 0,
    weight: Annotated[
        int, typer.Option(help="At most so many coefficients of Phi_m that are not 0.")
    ] = 0,
    stride: Annotated[
        int, typer.Option(help="Exponents of Phi_m are multiples of at least this.")
    ] = 0,
    degree: Annotated[
        tuple[int, int] | None,
        typer.Option(help="Degrees from MIN to MAX; up to 16384 by default.", metavar="MIN MAX"),
    ] = None,
    bits: Annotated[
        int, typer.Option(help="128-bit security for a modulus of so many bits.")
    ] = 0,
    prime: Annotated[int, typer.Option(help="Slots hold integers modulo this prime.")] = 2,
    index: Annotated[
        int | None, typer.Option(help="Everything about the ring of this m, and no search.")
    ] = None,
    rows: Annotated[int, typer.Option(help="Rows of the table; 0 for all.")] = 40,
    json: Annotated[Path | None, typer.Option(help="Write this JSON file.")] = None,
) -> None:
    """Search cyclotomic rings for batching: by slots, sparsity, degree and security."""
    from .rings import Search, show_ring, show_search

    if index is not None:
        show_ring(make_console(), index, prime, json)
        return
    search = Search(
        slots=slots, weight=weight, stride=stride, degrees=degree, bits=bits, prime=prime
    )
    show_search(make_console(), search, rows, json)


@bench_app.command("ntt")
@reports_errors
def bench_ntt(
    degrees: Annotated[
        str | None,
        typer.Option(help="Transform lengths, separated by commas; 2^10 to 2^16 by default."),
    ] = None,
    bits: Annotated[
        str | None,
        typer.Option(
            help="Bits of the primes, separated by commas; 30,49,60 by default, with --figures 48."
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="Rounds, each of which runs every kernel; 100 by default.")
    ] = None,
    figures: Annotated[
        bool,
        typer.Option("--figures", help="Figures 7 to 11 of the paper on the extended butterfly."),
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="With --figures: two lengths and few rounds.")
    ] = False,
    paper_method: Annotated[
        bool,
        typer.Option("--paper-method", help="With --figures: time as section 7.2 of the paper."),
    ] = False,
    paper_degrees: Annotated[
        bool, typer.Option("--paper-degrees", help="With --figures: 2^9 to 2^14, as in the paper.")
    ] = False,
    clang: Annotated[
        Path | None, typer.Option(help="With --figures: folder bench of a build by clang.")
    ] = None,
    gcc: Annotated[
        Path | None, typer.Option(help="With --figures: folder bench of a build by gcc.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(help="With --figures: the JSON of scripts/predict_cycles.py."),
    ] = None,
    json: Annotated[bool, typer.Option(help="Write ringlet-bench-ntt.json.")] = True,
    png: Annotated[bool, typer.Option(help="Write ringlet-bench-ntt.png.")] = True,
    svg: Annotated[bool, typer.Option(help="Write ringlet-bench-ntt.svg.")] = False,
    output: Output = Path("."),
) -> None:
    """Time every available NTT kernel, interleaved, with the clock measured in the same run; or,
    with --figures, every studied variant against its baseline (ringlet-bench-ntt-figures.json, and
    a picture for each figure)."""
    if figures:
        from .bench_ntt_programs import Build
        from .bench_ntt_report import Options, run_figures
        from .bench_ntt_variants import BITS, OPERATION, PAPER_DEGREES

        widths = [BITS] if bits is None else _integers(bits, "--bits", OPERATION)
        if len(widths) != 1:
            raise InvalidArgument(OPERATION, f"--bits {bits}", "one width", "give one number")
        chosen = None if degrees is None else _integers(degrees, "--degrees", OPERATION)
        folders = (("clang", clang), ("gcc", gcc))
        run_figures(
            make_console(),
            Options(
                degrees=PAPER_DEGREES if paper_degrees and chosen is None else chosen,
                bits=widths[0],
                rounds=rounds,
                is_quick=quick,
                paper_method=paper_method,
                builds=[Build(name, path) for name, path in folders if path is not None],
                predictions=predictions,
                json=output / "ringlet-bench-ntt-figures.json" if json else None,
                picture_stem=output / "ringlet-bench-ntt",
                suffixes=[suffix for suffix, wanted in ((".png", png), (".svg", svg)) if wanted],
            ),
        )
        return
    from .bench import DEFAULT_BITS, DEFAULT_DEGREES, run_ntt_benchmark

    alone = {"quick": quick, "paper-method": paper_method, "paper-degrees": paper_degrees,
             "clang": clang, "gcc": gcc, "predictions": predictions}  # fmt: skip
    for name, value in alone.items():
        if value:
            raise InvalidArgument(
                "ringlet bench ntt", f"--{name}", "an option of --figures", "add --figures"
            )
    run_ntt_benchmark(
        make_console(),
        degrees=_integers(DEFAULT_DEGREES if degrees is None else degrees, "--degrees"),
        bits=_integers(DEFAULT_BITS if bits is None else bits, "--bits"),
        rounds=100 if rounds is None else rounds,
        json_path=output / "ringlet-bench-ntt.json" if json else None,
        pictures=_pictures(output / "ringlet-bench-ntt", png, svg),
    )


@bench_app.command("widths")
@reports_errors
def bench_widths(
    degrees: Annotated[str, typer.Option(help="Lengths, separated by commas.")] = "4096",
    bits: Annotated[
        str | None,
        typer.Option(help="Widths of the moduli, separated by commas; 20 to 62 by default."),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="Rounds of a width, each of which runs every kernel.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few widths and rounds.")] = False,
    json: Annotated[bool, typer.Option(help="Write ringlet-bench-widths.json and .md.")] = True,
    png: Annotated[bool, typer.Option(help="Write ringlet-bench-widths.png.")] = True,
    svg: Annotated[bool, typer.Option(help="Write ringlet-bench-widths.svg.")] = False,
    output: Output = Path("."),
) -> None:
    """Time per butterfly for every width of the modulus, of the kernel that each instruction set
    chooses, beside the goals."""
    from .bench_widths import OPERATION
    from .bench_widths_report import Options, run_widths

    run_widths(
        make_console(),
        Options(
            degrees=_integers(degrees, "--degrees", OPERATION),
            widths=None if bits is None else _integers(bits, "--bits", OPERATION),
            rounds=rounds,
            is_quick=quick,
            json=output / "ringlet-bench-widths.json" if json else None,
            picture_stem=output / "ringlet-bench-widths",
            suffixes=[suffix for suffix, wanted in ((".png", png), (".svg", svg)) if wanted],
        ),
    )


@bench_app.command("tables")
@reports_errors
def bench_tables(
    rounds: Annotated[int, typer.Option(help="Rounds, each of which runs everything once.")] = 500,
    peers: Annotated[
        Path | None,
        typer.Option(help="The library ringlet_peers of a build, to measure NTL and FLINT too."),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write this JSON file.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write this picture.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write this picture.")] = None,
) -> None:
    """Tables 1 to 4 of the HEXL paper on this machine, beside the paper's quoted figures."""
    from .bench_report import run_tables_benchmark

    run_tables_benchmark(
        make_console(),
        rounds=rounds,
        peers_path=peers,
        json_path=json,
        pictures=[path for path in (png, svg) if path is not None],
    )


@bench_app.command("gpu")
@reports_errors
def bench_gpu(
    device: Annotated[str, typer.Option(help="The device, as `ringlet info` names it.")] = "gpu:0",
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes and few rounds.")] = False,
    rounds: Annotated[
        int | None, typer.Option(help="Rounds, each of which runs every row; 20 by default.")
    ] = None,
    degrees: Annotated[
        str | None, typer.Option(help="Transform lengths, separated by commas.")
    ] = None,
    batches: Annotated[
        str | None, typer.Option(help="Polynomials of 8 primes a launch, separated by commas.")
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(help="Of ntt, routines, products, separated by commas; all by default."),
    ] = None,
    json: Annotated[bool, typer.Option(help="Write ringlet-bench-gpu.json.")] = True,
    png: Annotated[bool, typer.Option(help="Write ringlet-bench-gpu-*.png.")] = True,
    svg: Annotated[bool, typer.Option(help="Write ringlet-bench-gpu-*.svg.")] = False,
    output: Output = Path("."),
) -> None:
    """Time a device's transforms, routines and products of matrices, under its measured roofs."""
    from .bench_gpu import run_gpu_benchmark

    command = "ringlet bench gpu"
    run_gpu_benchmark(
        make_console(),
        device=device,
        is_quick=quick,
        rounds=rounds,
        degrees=None if degrees is None else _integers(degrees, "--degrees", command),
        batches=None if batches is None else _integers(batches, "--batches", command),
        parts=None if parts is None else parts.split(","),
        json_path=output / "ringlet-bench-gpu.json" if json else None,
        picture_stem=output / "ringlet-bench-gpu",
        suffixes=[suffix for suffix, wanted in ((".png", png), (".svg", svg)) if wanted],
    )


@bench_app.command("schemes")
@reports_errors
def bench_schemes(
    schemes: Annotated[
        str | None, typer.Option(help="Of ckks, bfv, bgv, separated by commas; all by default.")
    ] = None,
    degrees: Annotated[
        str | None,
        typer.Option(help="Of 4096, 8192, 16384, 32768, separated by commas; all by default."),
    ] = None,
    threads: Annotated[
        str | None, typer.Option(help="Numbers of threads, separated by commas; 1,2 by default.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="At most so many rounds of a scheme at a degree.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="At most about so long for these, after five rounds.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="N = 4096 and two rounds.")] = False,
    show: Annotated[
        Path | None,
        typer.Option(help="Measure nothing: tables and picture of an earlier run's JSON."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(help="Make the tables of this page anew, between its comments."),
    ] = None,
    json: Annotated[bool, typer.Option(help="Write ringlet-bench-schemes.json.")] = True,
    markdown: Annotated[bool, typer.Option(help="Write ringlet-bench-schemes.md.")] = True,
    png: Annotated[bool, typer.Option(help="Write ringlet-bench-schemes.png.")] = True,
    svg: Annotated[bool, typer.Option(help="Write ringlet-bench-schemes.svg.")] = False,
    output: Output = Path("."),
) -> None:
    """Time the operations of CKKS, BFV and BGV, beside SEAL, the goals and the HEXL paper."""
    from .bench_schemes import OPERATION
    from .bench_schemes_report import Options, run_schemes

    def numbers(text: str | None, option: str) -> list[int] | None:
        return None if text is None else _integers(text, option, OPERATION)

    stem = output / "ringlet-bench-schemes"
    run_schemes(
        make_console(),
        Options(
            schemes=None if schemes is None else list(dict.fromkeys(schemes.split(","))),
            degrees=numbers(degrees, "--degrees"),
            threads=numbers(threads, "--threads"),
            rounds=rounds,
            seconds=seconds,
            is_quick=quick,
            shown=show,
            json=stem.with_suffix(".json") if json else None,
            markdown=stem.with_suffix(".md") if markdown else None,
            page=page,
            pictures=_pictures(stem, png, svg),
        ),
    )


@bench_app.command("fv")
@reports_errors
def bench_fv(
    ring: Annotated[
        str, typer.Option(help="The ring by its degree: 2560, 2420, 5832 or 8190.")
    ] = "2560",
    bits: Annotated[int, typer.Option(help="Bits of the modulus, a prime.")] = 125,
    counts: Annotated[
        str, typer.Option(help="Numbers of encryptions from 1 to 4, separated by commas.")
    ] = "1,2,3,4",
    rounds: Annotated[int, typer.Option(help="Rounds, each of which runs every row.")] = 100,
    hardware: Annotated[
        Path | None, typer.Option(help="The co-simulation's report, to show its cycles.")
    ] = None,
    study: Annotated[
        Path | None, typer.Option(help="The report on splits between software and hardware.")
    ] = None,
    synth: Annotated[
        Path | None, typer.Option(help="The report of logic synthesis, to show Table 1.")
    ] = None,
    json: Annotated[bool, typer.Option(help="Write ringlet-bench-fv.json.")] = True,
    png: Annotated[bool, typer.Option(help="Write ringlet-bench-fv.png.")] = True,
    svg: Annotated[bool, typer.Option(help="Write ringlet-bench-fv.svg.")] = False,
    output: Output = Path("."),
) -> None:
    """Time the products of FV encryption over general cyclotomic rings, beside the paper's."""
    from .bench_fv_report import Options, run_fv_benchmark

    run_fv_benchmark(
        make_console(),
        Options(
            ring=ring,
            bits=bits,
            rounds=rounds,
            counts=tuple(_integers(counts, "--counts", "ringlet bench fv")),
            hardware=hardware,
            study=study,
            synth=synth,
            json=output / "ringlet-bench-fv.json" if json else None,
            pictures=tuple(_pictures(output / "ringlet-bench-fv", png, svg)),
        ),
    )


@bench_app.command("wide")
@reports_errors
def bench_wide(
    degrees: Annotated[
        str | None,
        typer.Option(help="Transform lengths, separated by commas; 2^8 to 2^20 by default."),
    ] = None,
    bits: Annotated[int, typer.Option(help="Bits of the moduli, from 106 to 124.")] = 124,
    length: Annotated[int, typer.Option(help="Elements of element-wise operations.")] = 1024,
    rounds: Annotated[
        int, typer.Option(help="At most so many rounds of a size, each of which runs every row.")
    ] = 100,
    seconds: Annotated[
        float, typer.Option(help="At most about so long for a size, after five rounds.")
    ] = 5.0,
    peers: Annotated[
        Path | None,
        typer.Option(help="The library ringlet_peers of a build, to measure GMP and FLINT too."),
    ] = None,
    json: Annotated[bool, typer.Option(help="Write ringlet-bench-wide.json.")] = True,
    png: Annotated[bool, typer.Option(help="Write ringlet-bench-wide.png.")] = True,
    svg: Annotated[bool, typer.Option(help="Write ringlet-bench-wide.svg.")] = False,
    output: Output = Path("."),
) -> None:
    """Time arithmetic and transforms modulo 124 bits, beside GMP, FLINT and projections."""
    from .bench_wide_report import DEGREES, Options, run_wide_benchmark

    chosen = DEGREES if degrees is None else _integers(degrees, "--degrees", "ringlet bench wide")
    run_wide_benchmark(
        make_console(),
        Options(
            degrees=tuple(chosen),
            bits=bits,
            length=length,
            rounds=rounds,
            seconds=seconds,
            peers=peers,
            json=output / "ringlet-bench-wide.json" if json else None,
            pictures=tuple(_pictures(output / "ringlet-bench-wide", png, svg)),
        ),
    )


@app.command()
@reports_errors
def demo(
    output: Output = Path("."),
    png: Annotated[bool, typer.Option(help="Write ringlet-demo.png.")] = True,
    svg: Annotated[bool, typer.Option(help="Write ringlet-demo.svg.")] = False,
    device: Annotated[
        str | None,
        typer.Option(help="Where the server computes: cpu, gpu:0, ...; else RINGLET_DEVICE says."),
    ] = None,
) -> None:
    """Classify real medical data under encryption and check the result."""
    from .demo import run_demo

    if not run_demo(make_console(), _pictures(output / "ringlet-demo", png, svg), device):
        raise typer.Exit(EXIT_FAILED)


def main() -> None:
    """Entry point of the console script."""
    app()


if __name__ == "__main__":
    main()
