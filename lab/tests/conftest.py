# SPDX-License-Identifier: Apache-2.0
"""What several test files use."""

from __future__ import annotations

import numpy as np
import pytest


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A file that is skipped as a whole is no failure where it is run alone."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.OK


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240607)
