# SPDX-License-Identifier: Apache-2.0
"""How the processes of these tests start."""

from multiprocessing import forkserver, get_context

import pytest


@pytest.fixture(scope="session", autouse=True)
def forked_processes():
    """Processes are forked from one that has imported Dask, because each import takes seconds.
    Those of test_distributed_scripts.py start as those of users do."""
    import dask

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        from distributed.utils import get_mp_context

        get_mp_context()  # at its first call Dask chooses other modules
        modules = ["distributed.cli.dask_scheduler", "distributed.cli.dask_worker"]
        get_context("forkserver").set_forkserver_preload([*modules, "distributed_cases"])
        yield
        forkserver._forkserver._stop()
