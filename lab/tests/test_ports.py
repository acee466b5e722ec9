# SPDX-License-Identifier: Apache-2.0
"""The models that predict cycles of transforms: assignment to ports, tables, lines of caches.
Nothing is timed."""

from __future__ import annotations

import importlib.util
import itertools
import math
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from ringlet_lab.bench import caches, ports
from ringlet_lab.bench.port_loops import instruction, mixture

MODELS = {model.name: model for model in ports.models()}
SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def least_cycles(steps: list[str]) -> int:
    """The most steps on one port in the best of all assignments; each takes a cycle."""
    return min(max(Counter(chosen).values()) for chosen in itertools.product(*steps))


def test_the_bound_is_that_of_the_best_assignment(rng: np.random.Generator) -> None:
    kinds = ("0", "1", "5", "01", "05", "15", "015")
    for _ in range(60):
        steps = [kinds[i] for i in rng.integers(0, len(kinds), 7)]
        assert math.ceil(ports.busiest(Counter(steps))) == least_cycles(steps), steps
    assert ports.busiest({}) == 0
    assert ports.busiest({"05": 3, "0": 1}) == 2


@pytest.mark.parametrize("name", MODELS)
def test_every_sample_is_of_its_class(name: str) -> None:
    for entry in MODELS[name].table["classes"]:
        for sample in entry["samples"]:
            operation, operands = instruction(sample, 3).split(maxsplit=1)
            assert MODELS[name].class_of(operation, ports.width(operands)) is entry, sample
            assert MODELS[name].steps(operation, operands) == entry["steps"], sample


@pytest.mark.parametrize(
    ("text", "computes", "stores", "bits"),
    [
        ("vpaddq (%rax), %zmm1, %zmm2", True, False, 512),
        ("vmovdqu64 %zmm1, 0x40(%rax)", False, True, 512),
        ("vmovdqu64 %zmm1, 0x40(%rax){%k1}", False, True, 512),
        ("vmovdqu64 (%rax), %zmm1{%k1}", False, False, 512),
        ("vmovdqa64 %zmm1, %zmm2{%k1}", True, False, 512),
        ("vmovdqa64 %zmm1, %zmm2", False, False, 512),
        ("vmovshdup %ymm1, %ymm2", True, False, 256),
        ("vpbroadcastq (%rax), %zmm1", False, False, 512),
        ("vpbroadcastq %xmm1, %zmm1", True, False, 512),
        ("vpxor %xmm1, %xmm1, %xmm2", False, False, 256),
        ("vpxor %xmm1, %xmm3, %xmm2", True, False, 256),
        ("add %rcx, 0x8(%rax)", True, True, 64),
        ("cmp %rcx, (%rax)", True, False, 64),
        ("mulq 0x8(%rsi)", True, False, 64),
        ("mov %rax, %rcx", False, False, 64),
        ("lea (%rax,%rcx,8), %rdx", True, False, 64),
    ],
)
def test_instructions_are_recognised(text: str, computes: bool, stores: bool, bits: int) -> None:
    operation, operands = text.split(maxsplit=1)
    operands = operands.replace(", ", ",")
    assert ports.computes(operation, operands) == computes
    assert ports.is_store(operation, operands) == stores
    assert ports.width(operands) == bits


def test_cycles_of_mixtures() -> None:
    def cycles(name: str, *counted: tuple[int, str]) -> float:
        split = [(count, *text.split(maxsplit=1)) for count, text in counted]
        return MODELS[name].cycles(split)

    registers = " %zmm1,%zmm2,%zmm3"
    multiply_adds = (8, "vpmadd52luq" + registers)
    assert cycles("Golden Cove", multiply_adds) == 4
    assert cycles("Golden Cove", multiply_adds, (4, "vpermq" + registers)) == 6
    assert cycles("Golden Cove", (8, "vpminuq" + registers), (4, "vpermq" + registers)) == 12
    assert cycles("Golden Cove", (12, "vmovdqa64 (%rax),%zmm1"), (1, "vpaddq" + registers)) == 6
    assert cycles("Golden Cove", (12, "mov %rax,%rcx")) == 2  # six a cycle start
    assert cycles("Zen 4", multiply_adds, (4, "vpminuq" + registers)) == 12
    assert cycles("Zen 4", multiply_adds, (8, "vpaddq" + registers)) == 8
    assert cycles("Zen 5", multiply_adds, (8, "vpaddq" + registers)) == 4  # knows no addition


def test_processors_have_their_tables() -> None:
    expected = {"GenuineIntel 6/143": "Golden Cove", "GenuineIntel 6/207": "Golden Cove",
                "AuthenticAMD 25/17": "Zen 4", "AuthenticAMD 26/2": "Zen 5",
                "GenuineIntel 6/85": None, "unknown": None}  # fmt: skip
    for processor, name in expected.items():
        model = ports.model_of(processor)
        assert (model and model.name) == name, processor


@pytest.mark.parametrize("name", ["check_ports", "predict_transforms"])
def test_scripts_skip_other_processors(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = script(name)
    monkeypatch.setattr(module, "this_processor", lambda: "GenuineIntel 6/85")
    monkeypatch.setattr("sys.argv", [name, *(["/bin/false"] if name != "check_ports" else [])])
    module.main()
    assert capsys.readouterr().out.startswith("skipped: no table")


def test_a_mixture_has_independent_instructions() -> None:
    found = mixture("vpminuq %zmm30, %zmm31, {z}", "vpermq %zmm30, %zmm31, {z}")
    assert Counter(text.split()[0] for text in found) == {"vpermq": 8, "vpminuq": 4}
    assert len({text.split()[-1] for text in found}) == 12


def test_lines_that_caches_move(rng: np.random.Generator) -> None:
    """Two levels beside lists in the order of use, one for each set."""
    lines = rng.integers(0, 40, 3000)
    changes = rng.integers(0, 2, 3000)
    first, second = caches.hierarchy(
        [{"bytes": 64 * 8, "ways": 2}, {"bytes": 64 * 24, "ways": 3}, {}]
    )
    for line, change in zip(lines, changes, strict=True):
        first.touch(int(line), bool(change))
    read = written = 0
    sets: list[list[list[int]]] = [[] for _ in range(4)]
    for line, change in zip(lines, changes, strict=True):
        held = sets[line % 4]
        entry = next((entry for entry in held if entry[0] == line), None)
        read += entry is None
        if entry is None and len(held) == 2:
            written += held.pop(0)[1]
        entry = entry or [line, 0]
        held[:] = [other for other in held if other is not entry] + [entry]
        entry[1] |= change
    assert (first.read, first.written) == (read, written)
    assert 0 < second.read < first.read and 0 < second.written <= first.written


def test_functions_take_the_larger_of_ports_and_caches() -> None:
    trace = SimpleNamespace(
        instructions={"pass": [(10, "vpaddq", "%zmm1,%zmm2,%zmm3")],
                      "tail": [(10, "vpermq", "%zmm1,%zmm2,%zmm3")]},
        moved=lambda levels: {"pass": [(100, 10), (1, 0)], "tail": [(1, 1), (0, 0)]},
    )  # fmt: skip
    cycles = script("predict_transforms").predict(MODELS["Golden Cove"], trace)
    assert cycles == pytest.approx(100 * 1.6 + 10 * 2.6 + 10)


def test_addresses_of_operands() -> None:
    registers = SimpleNamespace(rax=4096, rcx=3, r8=2**64 - 8)
    for operands, address in {
        "0x40(%rax,%rcx,8),%zmm1": 4096 + 64 + 24, "(%rax),%rcx": 4096, "(,%rcx,4),%rdx": 12,
        "-0x10(%rax,%rcx),%rdx": 4096 - 16 + 3, "0x10(%r8),%rdx": 8,
    }.items():  # fmt: skip
        locate = caches.address_of(operands)
        assert locate and locate(registers) == address, operands
    for operands in ("%rax,%rcx", "0x2f(%rip),%zmm1", "%fs:0x28,%rax"):
        assert caches.address_of(operands) is None
