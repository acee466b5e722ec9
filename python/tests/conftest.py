# SPDX-License-Identifier: Apache-2.0
"""What several test files use."""

import os
import secrets

import numpy as np
import pytest

import ringlet
from ringlet import ckks


def pytest_generate_tests(metafunc):
    """A test with an argument `table` runs on every table of transforms; skips name what is
    missing. A table without transforms has kernels of wide products alone."""
    if "table" in metafunc.fixturenames:
        transforming = {k.table for k in ringlet.kernel_catalog() if k.operation == "ntt"}
        tables = [table for table in ringlet.kernel_tables() if table in transforming]
        metafunc.parametrize("table", tables, indirect=True)


def pytest_sessionfinish(session, exitstatus):
    """A file that is skipped as a whole is no failure where it is run alone."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.OK


@pytest.fixture
def table(request):
    name = request.param
    if not any(k.available for k in ringlet.kernel_catalog() if k.table == name):
        pytest.skip(f"this processor lacks what the kernels of {name} need")
    return name


@pytest.fixture
def seed():
    """RINGLET_TEST_SEED, or drawn, and shown where a test fails."""
    seed = int(os.environ.get("RINGLET_TEST_SEED") or secrets.randbits(64))
    print(f"RINGLET_TEST_SEED={seed}")
    return seed


@pytest.fixture
def rng():
    return np.random.default_rng(20240607)


@pytest.fixture(scope="session")
def parameters():
    return ckks.Parameters(8192, [50, 40, 40, 50], scale_bits=40)


@pytest.fixture(scope="session")
def secret(parameters):
    return ckks.SecretContext(parameters)


@pytest.fixture(scope="session")
def public(secret):
    return secret.public(rotations=[1, -1, 5], conjugation=True)
