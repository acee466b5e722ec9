# SPDX-License-Identifier: Apache-2.0
"""The module under test: ringlet.tenseal, and also TenSEAL if RINGLET_TEST_TENSEAL is set."""

import importlib

import pytest
from world import IS_WITH_TENSEAL, World


@pytest.fixture(scope="session", params=["ringlet.tenseal", "tenseal"][: 1 + IS_WITH_TENSEAL])
def world(request):
    return World(importlib.import_module(request.param))


@pytest.fixture
def ts(world):
    return world.ts
