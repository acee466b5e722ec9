# SPDX-License-Identifier: Apache-2.0
"""`ringlet bench distributed`, at a size that takes seconds, and the plan on paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="ringlet.distributed needs Dask, which is not installed")

from bench_command import check_layout, run

from ringlet_lab.bench.distributed.report import NETWORK, Constants, expect, plan


def test_a_quick_run(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    shown = run("bench", "distributed", "--quick", "--json", str(file))
    assert "by two workers (goal 1.7x)" in shown and "machines" in shown
    found = json.loads(file.read_text())
    check_layout({**found, "context": {**found["context"], "rounds": 9}})
    names = {entry["name"].split("/", 1)[1]: entry for entry in found["benchmarks"]}
    assert {"verified_task", "dask_task", "context_on_worker/n=64"} <= set(names)
    for workers in (1, 2):
        entry = names[f"matrix_product/n=64/workers={workers}"]
        assert entry["tasks"] == 4 and 0 < entry["min"] <= entry["median"]
        # The job takes at least as long as its evaluations on this many workers.
        assert entry["overhead_min"] > 0
    sizes = found["context"]["bytes"]
    assert sizes["task_sent"] == 2 * found["context"]["terms"] * sizes["input"]
    assert sizes["task_received"] == sizes["result"]
    assert found["context"]["largest_error"] < 2**-10
    assert [row["machines"] for row in found["context"]["plan"]][-1] == 1000


def test_the_plan_is_what_its_constants_say() -> None:
    fast = Constants(1.0, 1e-3, 0.5, 10**8, 10**6, 10**6)
    ten = expect(fast, 10)
    assert (ten.terms, ten.share, ten.limit) == (1, 1.0, "none")
    assert ten.start_seconds == pytest.approx(10 * 1e8 / NETWORK + 0.5)
    # 2000 tasks a second exceed the scheduler: with two terms they are 1000. Their inputs and
    # results are 3 MB each, which exceeds the link.
    many = expect(fast, 2000)
    assert (many.terms, many.limit) == (2, "network")
    assert many.share == pytest.approx(NETWORK / 3e6 / 1000)
    # Tasks of 4 x 4 blocks send a quarter of the inputs for each product.
    tiled = expect(fast, 2000, tile=4)
    assert tiled.share > many.share
    slow = Constants(1e-3, 1.0, 0.0, 1, 1, 1)
    assert expect(slow, 1000).limit == "scheduler" and expect(slow, 1000).share < 1
    assert [row.machines for row in plan(fast)] == [2, 10, 30, 100, 300, 1000]
