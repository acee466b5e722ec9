# SPDX-License-Identifier: Apache-2.0
"""Devices as the package and the command list them."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ringlet._core import device_libraries

import ringlet


def info(**environment):
    result = subprocess.run(
        [str(Path(sys.executable).parent / "ringlet"), "info"],
        capture_output=True, text=True, env={**os.environ, **environment}, timeout=300, check=True,
    )  # fmt: skip
    assert result.stderr == ""
    return " ".join(result.stdout.split())


def test_the_processor_comes_first():
    devices = ringlet.devices()
    first = devices[0]
    assert first.name == "cpu" and first.api == "host" and first.is_host_processor
    assert first.description == ringlet.cpu_info().model
    assert first.memory_bytes > 1 << 20 and first.compute_units >= 1
    assert "cpu" in repr(first)
    for i, device in enumerate(devices[1:]):
        assert device.name == f"gpu:{i}" and device.api in ("cuda", "opencl")
        assert device.description and device.driver_version
        assert device.memory_bytes > 0 and device.compute_units > 0
    speed = [device.is_host_processor for device in devices[1:]]
    assert speed == sorted(speed)


def test_every_library_brings_a_device_or_a_reason():
    apis = {device.api for device in ringlet.devices()}
    for library, reason in device_libraries().items():
        assert (reason == "") == (("cuda" if "cuda" in library else "opencl") in apis)


def test_info_shows_devices():
    text = info(RINGLET_DEVICE="")
    assert "cpu, unless a program asks" in text
    for device in ringlet.devices():
        assert device.name in text and device.api in text
    if any(device.is_host_processor for device in ringlet.devices()[1:]):
        assert "OpenCL on the host's processor" in text
    for library, reason in device_libraries().items():
        assert reason in text and (reason == "" or library in text)
    assert "RINGLET_DEVICE=gpu:0" in info(RINGLET_DEVICE="gpu:0")


def test_info_works_without_a_device(tmp_path):
    """A loader that finds no vendor brings no device, and CUDA has none without a GPU."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        pass
    else:
        pytest.skip("CUDA's driver is here; its devices cannot be hidden from their library")
    text = info(OCL_ICD_VENDORS=str(tmp_path), OPENCL_VENDOR_PATH=str(tmp_path))
    assert "no GPU was found (libOpenCL.so.1: " in text and "libcuda.so.1: " in text
    assert "pocl-opencl-icd" in text and "gpu:0" not in text
