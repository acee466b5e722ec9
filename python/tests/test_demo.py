# SPDX-License-Identifier: Apache-2.0
"""The demo, and that it would notice a wrong result."""

import ast
import dataclasses
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from installed_command import run

pytest.importorskip("sklearn", reason="the demo's data come with scikit-learn")

import ringlet
from ringlet.demo import data, report, server
from ringlet.demo.outcome import Comparison, DeviceUse, Outcome


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    result = run("demo", "--output", str(folder), "--json", "-")
    assert result.returncode == 0, result.stdout + result.stderr
    return result, folder


def value_of(output, label):
    rows = [line for line in output.splitlines() if "━" not in line]
    line = next(line for line in rows if line.startswith(label))
    return line[len(label) :].split()[0]


def test_accuracy_and_errors(finished):
    output = finished[0].stderr
    assert value_of(output, "accuracy, encrypted") == value_of(output, "accuracy, plaintext")
    assert float(value_of(output, "accuracy, encrypted")) > 0.95
    assert float(value_of(output, "largest error of a score")) < report.ERROR_BOUND
    assert float(value_of(output, "largest error of a probability")) < report.ERROR_BOUND
    assert float(value_of(output, "polynomial to sigmoid")) < 0.021
    assert float(value_of(output, "peak memory")) < 1000
    assert "the same bits" in output and "passed" in output
    for label in (
        "client to server: rows",
        "client to server: parameters and keys",
        "server to client: scores", "server ", "encrypt", "decrypt", "the same on scalar64",
        "kernels of the transforms",
    ):  # fmt: skip
        assert value_of(output, label)


def test_json_on_standard_output(finished):
    assert "accuracy" in json.loads(finished[0].stdout)


def test_picture(finished):
    (picture,) = finished[1].iterdir()
    assert picture.name == "ringlet-demo.png"
    header = picture.read_bytes()[:24]
    width, height = struct.unpack(">II", header[16:24])
    assert header[:8] == b"\x89PNG\r\n\x1a\n" and width >= 1200 and height >= 700


@pytest.mark.skipif(len(ringlet.devices()) == 1, reason="no OpenCL device and no GPU is here")
def test_on_a_device():
    result = run("demo", "--device", "gpu:0", "--no-png")
    output = result.stdout
    assert result.returncode == 0, output + result.stderr
    device = ringlet.devices()[1]
    assert value_of(output, "device of the server") == "gpu:0,"
    assert value_of(output, "its API and driver") == f"{device.api},"
    assert value_of(output, "kernels of the transforms").startswith("gpu:0/")
    assert float(value_of(output, "its peak memory")) > 0
    assert float(value_of(output, "warm-up")) > 0
    assert value_of(output, "accuracy, encrypted") == value_of(output, "accuracy, plaintext")
    assert value_of(output, "the same on cpu") and "the same bits" in output
    assert ("Not a performance result" in output) == device.is_host_processor


def test_a_device_that_is_not_there_is_found_at_once():
    for arguments, environment in (
        (("--device", "gpu:99"), {}),
        ((), {"RINGLET_DEVICE": "gpu:99"}),
    ):
        result = run("demo", "--no-png", *arguments, **environment)
        assert result.returncode == 2 and "gpu:99" in result.stderr
        assert "train" not in result.stdout


def test_the_server_knows_no_secret():
    """Neither the server's module nor what it imports of the demo names a secret type."""
    for module in (server, data):
        tree = ast.parse(Path(module.__file__).read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= {alias.name for alias in node.names}
                names.add(getattr(node, "module", None) or "")
        assert not {name for name in names if "secret" in name.lower() or "client" in name.lower()}
        assert not names & {"decrypt", "decode"}


@pytest.mark.parametrize(("score_range", "bound"), [(4, 1.1e-3), (10, 6.3e-3), (12, 0.0206)])
def test_the_polynomial_follows_the_sigmoid(score_range, bound):
    model = data.Model(np.zeros(1), 0.0, score_range, data.fit_sigmoid(score_range))
    x = np.linspace(-score_range, score_range, 10001)
    y = model.polynomial(x)
    assert np.abs(y - data.sigmoid(x)).max() < bound
    assert np.diff(y).min() > 0 and np.abs(y - 0.5).max() < 0.5 + 1e-12
    assert np.allclose(y + y[::-1], 1, rtol=0, atol=1e-12)


def outcome(**changes):
    """A flawless result with these changes."""
    model = data.Model(np.ones(1), 0.0, 4, data.fit_sigmoid(4))
    rows = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    scores = model.scores(rows)
    flawless = Outcome(
        task=data.Task(model, 4, rows, np.array([False, False, True, True])),
        parameters=ringlet.ckks.Parameters(8192),
        plain_scores=scores,
        plain_probabilities=model.polynomial(scores),
        scores=scores.copy(),
        probabilities=model.polynomial(scores),
        phases_ms={},
        comparison=Comparison([1.0], [2.0], True),
        bytes_sent={},
        kernel_names=["scalar64/radix2"],
        peak_memory=0,
    )
    return dataclasses.replace(flawless, **changes)


def test_a_flawless_result_has_no_faults():
    assert report.find_faults(outcome()) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scores": np.array([-2.0, -1.0, 1.0, 2.01])}, "score"),
        ({"scores": np.full(4, np.nan)}, "score"),
        ({"probabilities": np.array([0.1, 0.9, 0.9, 0.9])}, "accuracy"),
        ({"probabilities": np.full(4, np.nan)}, "probability"),
        ({"probabilities": np.array([-1e-5, 0.2, 0.8, 0.9])}, "outside of [0, 1]"),
        ({"probabilities": np.array([0.2, 0.1, 0.8, 0.9])}, "order"),
        ({"plain_scores": np.full(4, 5.0)}, "range"),
        ({"comparison": Comparison([1.0], [2.0], False)}, "bit"),
        ({"device_use": DeviceUse(ringlet.devices()[0], 1.0, 0, 0)}, "took part in nothing"),
    ],
)
def test_faults_are_found(changes, words):
    assert any(words in fault for fault in report.find_faults(outcome(**changes)))


def test_a_fault_is_a_failure(monkeypatch):
    from typer.testing import CliRunner

    from ringlet import cli

    wrong = outcome(scores=np.array([-2.0, -1.0, 1.0, 2.5]))
    wrong.phases_ms.update(server=1.0)
    monkeypatch.setattr("ringlet.demo.run.compute", lambda console, device: wrong)
    result = CliRunner().invoke(cli.app, ["demo", "--no-png"])
    assert result.exit_code == 1 and "failed" in result.output
