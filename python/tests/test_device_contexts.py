# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts computed on a device: the processor's bytes, where they are, and what is refused.

Any OpenCL device serves; the suites bring PoCL, which runs kernels on the processor.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from support import from_forked, refused, refused_call

import ringlet
from ringlet import bfv, bgv, ckks

DEGREE = 1024
SIZES = {"security": "none", "special_bits": [45]}
PARAMETERS = {
    ckks: ckks.Parameters(DEGREE, data_bits=[45, 30, 30], scale_bits=30, **SIZES),
    bfv: bfv.Parameters(DEGREE, data_bits=[40, 40], plain_bits=17, **SIZES),
    bgv: bgv.Parameters(DEGREE, data_bits=[40, 40, 40], plain_bits=17, **SIZES),
}
SCHEMES = pytest.mark.parametrize("module", list(PARAMETERS), ids=lambda m: m.__name__[8:])

if len(ringlet.devices()) == 1:
    pytest.skip("no OpenCL device and no GPU is here", allow_module_level=True)


class Circuit:
    """One key pair, two encrypted vectors, and what is computed of them."""

    def __init__(self, module):
        self.is_ckks = module is ckks
        self.secret = module.SecretContext(PARAMETERS[module])
        swap = {"conjugation": True} if self.is_ckks else {"swap_rows": True}
        self.public = self.secret.public(rotations=[1, -2], **swap)
        values = np.arange(100) - 50
        self.values = values / 64.0 if self.is_ckks else values
        self.x = self.secret.encrypt(self.values)
        self.y = self.public.encrypt(self.values[::-1])

    def run(self, public):
        """Products, sums with ciphertexts, plaintexts and numbers, key switches, lower levels."""
        x, y = public.bind(self.x), public.bind(self.y)
        product = x * y
        raw = x.multiply(y)
        if self.is_ckks:
            turned = (product.rotate(1) - product.conjugate()).rotate(-2)
            low = (product * public.encode(0.5, level=product.level)).mod_switch_to(0)
        else:
            turned = (product.rotate_rows(1) - product.swap_rows()).rotate_rows(-2)
            low = (product * public.encode([3, 1, 4]) + 7).mod_switch_to_next()
        return [product, raw, raw.relinearize(), turned, low, -x + 1, 2 - x * 2, x.square(), y**3]


@pytest.fixture(scope="module")
def circuits():
    return {module: Circuit(module) for module in PARAMETERS}


@pytest.fixture
def device():
    """An open device; closed again where a test did not."""
    with ringlet.device("gpu:0") as opened:
        yield opened


@SCHEMES
def test_bytes_are_those_of_the_processor(module, circuits, device):
    circuit = circuits[module]
    on_device = circuit.public.on(device)
    assert on_device.device == device and circuit.public.device.is_cpu
    assert on_device.backend == "gpu:0" and circuit.public.backend == "cpu"
    assert on_device.fingerprint == circuit.public.fingerprint
    assert on_device.with_kernels("scalar64").device == device
    results = circuit.run(on_device)
    expected = circuit.run(circuit.public)
    for result, other in zip(results, expected, strict=True):
        assert result.is_on_device and not other.is_on_device
        assert "on gpu:0" in repr(result) and "on gpu:0" not in repr(other)
        assert result.to_bytes() == other.to_bytes()
    memory = device.memory_statistics()
    assert memory.allocation_count > 0 and memory.in_use > 0
    # Decryption and pickles read results from the device.
    assert np.array_equal(circuit.secret.decrypt(results[0]), circuit.secret.decrypt(expected[0]))


@pytest.mark.parametrize(
    "options",
    [
        {"ntt": "naive", "use_lazy_reduction": False},
        {"queue_count": 2},
        {"use_fused_passes": False},
        {"ntt": "radix4", "use_fused_passes": True},
    ],
    ids=str,
)
def test_options_change_no_bit(options, circuits):
    circuit = circuits[bgv]
    with ringlet.device("gpu", **options) as device:
        assert device.options.items() >= options.items()
        server = circuit.public.on(device)
        product = server.bind(circuit.x) * server.bind(circuit.y)
        expected = circuit.public.bind(circuit.x) * circuit.public.bind(circuit.y)
        assert product.to_bytes() == expected.to_bytes()
        assert all(options.get("ntt", "radix8") in name for name in server.kernel_names)


def test_results_stay_on_the_device_until_they_are_read(circuits, device):
    """A transparent result is found by the first call that reads it."""
    circuit = circuits[bgv]
    on_host = circuit.public.bind(circuit.x)
    refused(lambda: on_host - on_host, "transparent", error=ringlet.LogicError)
    x = circuit.public.on(device).bind(circuit.x)
    reads = [
        lambda c: c.residues(),
        lambda c: c.to_bytes(),
        lambda c: c.to_host(),
        circuit.secret.decrypt,
    ]
    for read in reads:
        nothing = x - x
        assert nothing.size == 2 and nothing.is_on_device
        refused_call(read, nothing, says=["a transparent result"], error=ringlet.LogicError)
    assert (x + x).to_host().is_on_device


def test_memory_is_kept_and_given_back(circuits):
    circuit = circuits[bgv]
    with ringlet.device("gpu:0") as device:
        x = circuit.public.on(device).bind(circuit.x)
        (x + x).to_host()
        before = device.memory_statistics()
        for _ in range(3):
            (x + x).to_host()
        after = device.memory_statistics()
        assert after.allocation_count == before.allocation_count
        assert after.reuse_count > before.reuse_count
        assert after.cached > 0 and after.peak >= after.in_use
        device.trim()
        assert device.memory_statistics().cached == 0
    with ringlet.device("gpu:0", use_memory_cache=False) as device:
        x = circuit.public.on(device).bind(circuit.x)
        (x + x).to_host()
        memory = device.memory_statistics()
        assert memory.allocation_count > 0 and memory.cached == memory.reuse_count == 0


def test_a_device_is_itself():
    with ringlet.device("gpu:0") as device:
        same, other = ringlet.device("gpu"), ringlet.device("gpu:0", ntt="radix4")
        assert device == same and hash(device) == hash(same) and device != other
        assert device != "gpu:0" and not device.is_cpu
        listed = ringlet.devices()[1]
        assert (device.name, device.info.api) == (listed.name, listed.api)
        assert device.info.description == listed.description
        assert "gpu:0" in repr(device) and "ntt='radix4'" in repr(other)
        assert ringlet.device("gpu:0", **device.options) == device
        other.close()
    cpu = ringlet.device("cpu")
    assert cpu.is_cpu and cpu == ringlet.device("cpu") and cpu.memory_statistics().peak == 0
    cpu.synchronize()
    cpu.close()
    assert 0 <= cpu.time(lambda: None) < 10


def test_time_is_the_device_s(circuits):
    circuit = circuits[bgv]
    with ringlet.device("gpu:0", use_timing=True) as device:
        x = circuit.public.on(device).bind(circuit.x)
        results = []
        assert device.time(lambda: results.append(x + x)) > 0
        assert results[0].is_on_device
        with pytest.raises(ZeroDivisionError):
            device.time(lambda: 1 // 0)
    with ringlet.device("gpu:0") as device:
        refused(lambda: device.time(lambda: None), "use_timing", error=ringlet.LogicError)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("gpu0", {}, "gpu0"),
        ("", {}, "cpu, gpu"),
        (0, {}, "a name"),
        ("gpu:0", {"ntt": "radix7"}, "simd_16_8"),
        ("gpu:0", {"ntt": 8}, "radix8"),
        ("gpu:0", {"use_memory_cache": 1}, "True or False"),
        ("gpu:0", {"queue_count": 0}, "queue_count"),
        ("gpu:0", {"queue_count": 17}, "queue_count"),
        ("gpu:0", {"queue_count": "2"}, "an integer"),
        ("gpu:0", {"ntt_chunk_limbs": -1}, "ntt_chunk_limbs"),
        ("gpu:0", {"cache": True}, "use_memory_cache"),
    ],
)
def test_wrong_names_and_options(name, options, words):
    refused_call(ringlet.device, name, **options, says=[words])


def test_a_device_that_is_not_there(circuits):
    public = circuits[bgv].public
    refused_call(ringlet.device, "gpu:99", says=["gpu:99"], error=ringlet.RuntimeFailure)
    refused_call(public.on, "gpu:99", says=["gpu:99"], error=ringlet.RuntimeFailure)
    refused_call(public.on, 0, says=["a name"])


def run_python(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_without_any_device_the_libraries_are_named(tmp_path):
    """A loader that finds no vendor brings no device. What has none never computes elsewhere."""
    nowhere = {"OCL_ICD_VENDORS": str(tmp_path), "OPENCL_VENDOR_PATH": str(tmp_path)}
    opening = "import ringlet; ringlet.device('opencl:0')"
    result = run_python(opening, **nowhere)
    assert result.returncode != 0 and "RuntimeFailure" in result.stderr
    assert "libOpenCL.so.1" in result.stderr
    # Every context honours the variable and opens its device.
    context = (
        "from ringlet import bgv; p = bgv.Parameters(1024, data_bits=[40], security='none');"
        "c = bgv.SecretContext(p).public(rotations=[], relinearization=False);"
        "print(c.device.name, c.backend)"
    )
    result = run_python(context, **nowhere, RINGLET_DEVICE="opencl:0")
    assert result.returncode != 0 and "RINGLET_DEVICE" in result.stderr
    result = run_python(context, RINGLET_DEVICE="gpu:0")
    assert result.stdout.split() == ["gpu:0", "gpu:0"], result.stderr
    result = run_python(context, RINGLET_DEVICE="")
    assert result.stdout.split() == ["cpu", "cpu"], result.stderr


def test_operands_of_two_devices(circuits):
    """Two openings of one device have memories of their own, as two devices have."""
    circuit = circuits[bgv]
    with ringlet.device("gpu:0") as one, ringlet.device("gpu:0", use_memory_cache=False) as two:
        first, second = circuit.public.on(one), circuit.public.on(two)
        a, b = first.bind(circuit.x), second.bind(circuit.y)
        y = circuit.public.bind(circuit.y)
        refused(lambda: a + b, "different PublicContexts", error=ringlet.LogicError)
        refused(lambda: a + y, "one on gpu:0, one on cpu", error=ringlet.LogicError)
        alone = a + a
        refused(lambda: second.bind(alone) + b, "alone has")
        moved = second.bind(alone.to_host()) + b
        x = circuit.public.bind(circuit.x)
        assert moved.to_bytes() == (x + x + circuit.public.bind(circuit.y)).to_bytes()
        # The processor accepts ciphertexts of a device, because it reads them from there.
        assert (circuit.public.bind(a + a) + 1).to_bytes() == (x + x + 1).to_bytes()
    again = ringlet.device("gpu:0")
    assert circuit.public.on(again).on(again).device == again
    again.close()


def test_use_after_close(circuits):
    circuit = circuits[bgv]
    device = ringlet.device("gpu:0")
    server = circuit.public.on(device)
    x = server.bind(circuit.x)
    kept, lost = (x + x).to_host(), x + x
    device.close()
    device.close()
    uses = [
        lambda: x + x,
        lambda: x * x,
        lambda: lost.to_host(),
        lambda: lost.to_bytes(),
        lambda: circuit.secret.decrypt(lost),
        device.synchronize,
    ]
    for use in uses:
        refused(use, "closed", error=ringlet.LogicError)
    refused(lambda: circuit.public.on(device), "PublicContext.on: ", error=ringlet.LogicError)
    expected = circuit.public.bind(circuit.x) + circuit.public.bind(circuit.x)
    assert kept.to_bytes() == expected.to_bytes()
    with ringlet.device("gpu:0") as opened:
        assert opened != device
        assert (circuit.public.on(opened).bind(circuit.x) * 2).to_bytes()


def test_out_of_device_memory_is_a_memory_error():
    assert issubclass(ringlet.OutOfDeviceMemory, (ringlet.RuntimeFailure, MemoryError))


def told(server, x):
    try:
        server.bind(x) + server.bind(x)
    except ringlet.LogicError as error:
        return str(error)
    return "computed"


def test_a_forked_process_is_told(circuits):
    """A driver's threads are not forked: without the error the child would wait forever."""
    circuit = circuits[bgv]
    with ringlet.device("gpu:0") as device:
        server = circuit.public.on(device)
        (server.bind(circuit.x) + server.bind(circuit.x)).to_host()
        assert "another process" in from_forked(told, [(server, circuit.x)])[0]
