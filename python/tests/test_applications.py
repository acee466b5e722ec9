# SPDX-License-Identifier: Apache-2.0
"""The applications in examples/applications: they are right, on devices too, and say so if not."""

import functools
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from installed_command import heed_interrupts

import ringlet

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
APPLICATIONS = EXAMPLES / "applications"
DATA = EXAMPLES / "data"
NAMES = sorted(path.stem for path in APPLICATIONS.glob("*.py") if path.stem != "common")
DEVICES = [info.name for info in ringlet.devices() if info.name != "cpu"]
# The others take 10 to 30 seconds on an OpenCL runtime of a processor.
QUICK = ["matrix_product", "private_lookup", "private_statistics"]
ON_DEVICE = NAMES if os.environ.get("RINGLET_TEST_SCALE") == "large" else QUICK
# Results that depend on noise, which differs in every run.
NOISY = ("precision", "noise budget", "largest", "weight of", "what is left", "CKKS, ")
# The content of a report file.
Content = dict[str, dict[str, Any]]

sys.path.insert(0, str(APPLICATIONS))
sys.path.insert(0, str(DATA))


def run(name, *arguments):
    """A program of its own, as a user starts it."""
    command = [sys.executable, str(APPLICATIONS / f"{name}.py"), *arguments]
    environment = {k: v for k, v in os.environ.items() if k != "RINGLET_DEVICE"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


def report_of(folder, name, *arguments):
    path = folder / f"{name}.json"
    done = run(name, *arguments, "--json", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text())


def steady(report):
    """The results that are the same in every run."""
    results = report["results"].items()
    return {
        what: value
        for what, value in results
        if not any(word in f"{what} {value}" for word in NOISY)
    }


@pytest.fixture(scope="module")
def on_processor(tmp_path_factory):
    """The report of an application on the processor; each runs once."""
    folder = tmp_path_factory.mktemp("processor")
    return functools.cache(lambda name: report_of(folder, name))


def test_there_are_six():
    assert len(NAMES) == 6
    assert {path.stem for path in APPLICATIONS.glob("*.cpp")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_report(name, on_processor):
    report = on_processor(name)
    assert report["application"] == name and report["device"] == "cpu"
    assert report["checks"] and all(report["checks"].values())
    assert all(size > 0 for size in report["bytes"].values())
    assert any("server" in what for what in report["seconds"])
    words = " ".join(f"{what} {value}" for what, value in report["results"].items())
    assert "precision" in words or "noise budget" in words


@pytest.mark.parametrize("name", ON_DEVICE)
def test_results_do_not_depend_on_the_device(name, on_processor, tmp_path):
    if not DEVICES:
        pytest.skip("no OpenCL device and no GPU is here")
    report = report_of(tmp_path, name, "--device", DEVICES[0])
    assert report["device"] == DEVICES[0]
    if name == "bit_filter":
        assert "degree=16384" in report["results"]["parameters"]
        report["results"].pop("parameters")
    elsewhere = steady(on_processor(name))
    assert {what: elsewhere[what] for what in steady(report)} == steady(report)


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_both_languages_agree(name, on_processor):
    """expected/ is what C++ must print; checks and accuracies are the same in Python."""
    report = on_processor(name)
    verdicts = {f"  {what}: right" for what in report["checks"]}
    numbers = {
        f"  {what}: {value if isinstance(value, str) else f'{value:.6g}'}"
        for what, value in report["results"].items()
    }
    lines = (APPLICATIONS / "expected" / f"app_{name}.txt").read_text().splitlines()
    assert set(lines) <= verdicts | numbers
    assert verdicts <= set(lines)


def damaged(folder, name, old, new):
    """A copy of the data in which one text of one file is replaced everywhere."""
    copy = folder / "data"
    shutil.copytree(DATA, copy)
    text = (copy / name).read_text()
    assert old in text
    (copy / name).write_text(text.replace(old, new))
    return copy


def test_wrong_scores_make_the_status_1(tmp_path):
    """Pixels a thousand times too bright: scores that messages of BFV cannot hold."""
    data = damaged(tmp_path, "digits.csv", ",16,", ",16000,")
    path = tmp_path / "report.json"
    done = run("digits_network", "--data", str(data), "--json", str(path))
    assert done.returncode == 1 and "all scores are those in the clear: WRONG" in done.stdout
    assert json.loads(path.read_text())["checks"] == {"all scores are those in the clear": False}


def test_wrong_sums_make_the_status_1(monkeypatch, capsys):
    """Also where they are those of no numbers at all: one variance is negative."""
    statistics = module("private_statistics")
    original = statistics.serve

    def with_squares_exchanged(*given):
        x, y, xx, yy, xy = original(*given)
        return [x, y, yy, xx, xy]

    monkeypatch.setattr(statistics, "serve", with_squares_exchanged)
    monkeypatch.setattr(sys, "argv", ["private_statistics", "--device", "cpu"])
    assert statistics.main() == 1
    lines = capsys.readouterr().out
    assert "CKKS, correlation: nan" in lines
    assert lines.count(": WRONG\n") == 4 and ": right\n" not in lines


def assert_refused(done, words):
    """In one sentence, after the line with which an application begins at most."""
    assert done.returncode == 2 and words in done.stderr, done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_a_value_above_its_declared_bound_is_refused(tmp_path):
    data = damaged(tmp_path, "diabetes.csv", ",151\n", ",1510000000\n")
    done = run("private_statistics", "--data", str(data))
    assert_refused(done, "the value 1.51e+09; limit: at most 400, the bound that all sides know")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--device", "gpu:1000"], "gpu:1000"),
        (["--device", "cupboard"], "cupboard"),
        (["--data", "nowhere"], "wine.csv"),
        (["--json", "nowhere/report.json"], "nowhere/report.json"),
    ],
)
def test_refusals_are_one_sentence(arguments, words):
    done = run("private_lookup", *arguments)
    assert_refused(done, words)
    assert "record" not in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("14.23,", "cork,", "the line 'cork,"),
        ("14.23,", "nan,", "the line 'nan,"),
        ("14.23,", "", "14 finite numbers in every line"),
        ("\n14.23,", "\n\n14.23,", "the line ''"),
        ("alcohol,", "", "13 columns; limit: 14"),
        ("\n1", "\n0,0,0,0,0,0,0,0,0,0,0,0,0,0\n1", "rows; limit: at least 1, at most 255"),
    ],
)
def test_unreadable_data_are_refused(tmp_path, old, new, words):
    data = damaged(tmp_path, "wine.csv", old, new)
    assert_refused(run("private_lookup", "--data", str(data)), words)


def test_missing_columns_are_refused(tmp_path):
    data = damaged(tmp_path, "diabetes.csv", "bmi", "BMI")
    for name in ("bit_filter", "matrix_product", "private_statistics"):
        assert_refused(run(name, "--data", str(data)), "no column bmi")


def test_numbers_of_records_are_checked_before_anything_is_computed():
    for number in ("-1", "256", "one"):
        done = run("private_lookup", number)
        assert done.returncode == 2 and not done.stdout
        assert done.stderr.startswith("usage: private_lookup.py")


def test_control_c_ends_an_application_with_status_130():
    command = [sys.executable, str(APPLICATIONS / "logistic_regression.py"), "--device", "cpu"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    for _ in range(5):  # an application that ends before the signal proves nothing
        with subprocess.Popen(command, preexec_fn=heed_interrupts, **pipes) as process:
            assert process.stdout is not None and process.stderr is not None
            assert process.stdout.readline()  # it runs
            process.send_signal(signal.SIGINT)
            status = process.wait(timeout=60)
            assert process.stderr.read() == b""
        if status != 0:
            break
    assert status == 130


def test_a_table_that_differs_from_the_expected_one_makes_the_status_1(monkeypatch, capsys):
    lookup = module("private_lookup")
    original = lookup.Server.__init__

    def with_another_table(self, table, device):
        original(self, table + np.eye(*table.shape, dtype=np.int64), device)

    monkeypatch.setattr(lookup.Server, "__init__", with_another_table)
    monkeypatch.setattr(sys, "argv", ["private_lookup", "--device", "cpu", "0", "100"])
    assert lookup.main() == 1
    lines = capsys.readouterr().out
    assert "record 0 is that of the table: WRONG" in lines
    assert "record 100 is that of the table: right" in lines


def module(name):
    return importlib.import_module(name)


def test_every_record_can_be_looked_up():
    lookup = module("private_lookup")
    table = np.arange(3 * 15, dtype=np.int64).reshape(3, 15) * 1000
    server = lookup.Server(table, "cpu")
    client = lookup.Client(server.parameters, server.rotations)
    server.connect(client.keys)
    questions = [client.ask(number) for number in range(4)]
    assert len({len(question) for question in questions}) == 1
    records = [client.read(server.answer(question))[0] for question in questions]
    assert records[3] is None
    assert np.array_equal(np.array(records[:3]), table)


def test_the_researcher_decrypts_nothing_besides_the_product():
    """Sums of some patients only are in no slot of the answer."""
    product = module("matrix_product")
    researcher = product.Researcher()
    columns = np.random.default_rng(5).normal(size=(512, 7)).clip(-2, 2)
    a = product.Institution(researcher.key, columns[:, :4]).encrypt((2, 1, 0))
    b = product.Institution(researcher.key, columns).encrypt((1, 2, 0))
    answer = product.serve(researcher.keys, a, b, "cpu")
    slots = researcher.secret.decrypt(researcher.secret.load_ciphertext(answer))
    entries = slots.reshape(8, 8, -1)[:, :, 0]
    expected = np.corrcoef(columns[:, :4].T, columns.T)[:4, 4:] * 512
    assert np.abs(entries[:4, :7] - expected).max() < 2**-5
    slots.reshape(8, 8, -1)[:4, :7, 0] = 0
    assert np.abs(slots).max() < 2**-5


@pytest.mark.parametrize("ring_of", ["cpu", "gpu:0"])
def test_filter_against_the_clear_on_random_tables(ring_of):
    """The rings of both, on the processor."""
    bits = module("bit_filter")
    rng = np.random.default_rng(len(ring_of))
    table = {name: rng.integers(0, 1 << width, 600) for name, width in bits.WIDTHS.items()}
    client = bits.Client(bits.parameters(ring_of))
    server = bits.Server(client.keys, table, "cpu")
    question = bits.Question(*(int(rng.integers(0, limit)) for limit in (2, 64, 32)))
    answer = server.answer(client.ask(question))
    found, expected = client.read(answer), bits.matches(table, question)
    assert 0 < expected.sum() < 600
    assert np.array_equal(found[:600], expected) and not found[600:].any()
    assert client.noise_budget(answer) > 10


def test_the_server_of_the_training_is_right_for_other_data():
    regression = module("logistic_regression")
    rng = np.random.default_rng(3)
    signed = np.clip(rng.normal(size=(regression.PATIENTS, 3)), -3, 3)
    server = regression.Server(regression.training_circuit(3), 8, "cpu")
    hospital = regression.Hospital(server.parameters, server.rotations)
    answers = server.answer(hospital.keys, hospital.encrypt(signed))
    weights = np.array([hospital.decrypt(answer) for answer in answers])
    expected = regression.descend(signed, regression.STEPS, regression.RATE, sigmoid=False)
    assert np.abs(weights - expected[:, None]).max() < 1e-3  # in every slot


def test_data_are_those_of_scikit_learn(tmp_path):
    pytest.importorskip("sklearn")
    make_data = module("make_data")
    common = module("common")
    sets = make_data.data_sets()
    assert {path.name for path in DATA.glob("*.csv")} == {*sets, "digits_network.csv"}
    for name, (names, rows) in sets.items():
        make_data.write(tmp_path / name, names, rows)
        assert (tmp_path / name).read_text() == (DATA / name).read_text()
        found = common.read_csv(DATA / name)
        assert found.names == list(names) and np.array_equal(found.rows, rows)
    assert sum(path.stat().st_size for path in DATA.glob("*.csv")) < 500_000


def test_the_network_is_what_the_script_trains():
    """Sums in another order, on another processor, may round a weight to its neighbour."""
    pytest.importorskip("sklearn")
    make_data = module("make_data")
    digits = make_data.data_sets()["digits.csv"][1]
    network = module("common").read_csv(DATA / "digits_network.csv").rows
    differences = np.abs(make_data.trained_network(digits) - network)
    assert not differences[:, 0].any() and (differences[:, 2:] <= 1).all()
    assert (differences[:, 1] <= 1 + 1e-4 * np.abs(network[:, 1])).all()
    assert np.mean(differences != 0) < 0.05
