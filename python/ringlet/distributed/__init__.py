# SPDX-License-Identifier: Apache-2.0
"""Computes on ciphertexts with several processes or machines, with Dask.

    with ringlet.distributed.connect(public) as cluster:            # processes of this machine
        results = cluster.run(circuit, ciphertexts, progress=True)  # in order, verified

`connect(public, "tcp://host:8786")` uses a Dask scheduler. Public keys are sent once to each
worker; secret keys are never sent. If a worker dies, its tasks are computed again. docs/scaling.md
shows the speed-up.
Requires Dask: pip install "ringlet[distributed]".
"""

from ..errors import (
    DistributedError,
    JobTimeout,
    MissingPackage,
    ResultRejected,
    SchedulerLost,
    TaskFailed,
    WorkersLost,
)

try:
    import distributed as _dask
except ImportError as error:
    raise MissingPackage(
        "import ringlet.distributed",
        f"the package {error.name} is not installed",
        "dask and distributed, from version 2024.1 on",
        'pip install "ringlet[distributed]"',
    ) from error

from .cluster import Cluster, Traffic, connect
from .frames import MAX_FRAME_BYTES
from .futures import Pending
from .jobs import JobFacts
from .limits import Limits
from .matrices import EncryptedMatrix, MatrixProduct
from .tables import EncryptedStatistics, EncryptedTable, Moments, Statistics

__all__ = [
    "MAX_FRAME_BYTES",
    "Cluster",
    "DistributedError",
    "EncryptedMatrix",
    "EncryptedStatistics",
    "EncryptedTable",
    "JobFacts",
    "JobTimeout",
    "Limits",
    "MatrixProduct",
    "MissingPackage",
    "Moments",
    "Pending",
    "ResultRejected",
    "SchedulerLost",
    "Statistics",
    "TaskFailed",
    "Traffic",
    "WorkersLost",
    "connect",
]

del _dask
