# SPDX-License-Identifier: Apache-2.0
"""The module under test: ringlet.tenseal, and TenSEAL itself where it is installed."""

import importlib
import importlib.util

import pytest
from world import World

HAS_TENSEAL = importlib.util.find_spec("tenseal") is not None
MODULES = [
    "ringlet.tenseal",
    pytest.param(
        "tenseal", marks=pytest.mark.skipif(not HAS_TENSEAL, reason="TenSEAL is not installed")
    ),
]


@pytest.fixture(scope="session", params=MODULES)
def world(request):
    return World(importlib.import_module(request.param))


@pytest.fixture
def ts(world):
    return world.ts
