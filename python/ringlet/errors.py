# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package.

Each exception has four texts: `operation`, the call that failed; `offending`, the value that is
wrong; `limit`, what is allowed; `remedy`, what you can do. Each class also derives from the
built-in exception that a Python programmer expects.
"""

from __future__ import annotations

import re

__all__ = [
    "ContextMismatch",
    "DistributedError",
    "InvalidArgument",
    "JobTimeout",
    "LogicError",
    "MissingPackage",
    "OutOfDeviceMemory",
    "OutOfRange",
    "ResultRejected",
    "RingletError",
    "RuntimeFailure",
    "SchedulerLost",
    "TaskFailed",
    "WorkersLost",
    "WrongCall",
]


class RingletError(Exception):
    """Base class of all exceptions of the package."""

    operation: str
    offending: str
    limit: str
    remedy: str

    def __init__(self, operation: str, offending: str, limit: str, remedy: str) -> None:
        super().__init__(operation, offending, limit, remedy)
        self.operation = operation
        self.offending = offending
        self.limit = limit
        self.remedy = remedy

    def __str__(self) -> str:
        name = f"{self.operation}: " if self.operation else ""
        return f"{name}{self.offending}; limit: {self.limit}; remedy: {self.remedy}"


class InvalidArgument(RingletError, ValueError):
    """An argument that the operation does not accept."""


class ContextMismatch(InvalidArgument):
    """An object whose parameters differ from those of the context that uses it. The text describes
    both."""


class WrongCall(InvalidArgument, TypeError):
    """A call with an argument that the function does not have, or with an argument of a wrong type.
    """


class OutOfRange(RingletError, IndexError):
    """An index outside of a container."""


class LogicError(RingletError, RuntimeError):
    """A call that the state of the object does not allow."""


class RuntimeFailure(RingletError, RuntimeError):
    """A failure outside of the call: memory, randomness, files, devices or an unusable setting."""


class OutOfDeviceMemory(RuntimeFailure, MemoryError):
    """The memory of a device is used up. The operands of the operation are unchanged."""


class MissingPackage(RuntimeFailure, ImportError):
    """A part of ringlet needs a package that is not installed."""


class DistributedError(RuntimeFailure):
    """A job on several machines ended without a result. Its inputs are unchanged."""


class SchedulerLost(DistributedError):
    """The scheduler cannot be reached, or no longer answers."""


class WorkersLost(DistributedError):
    """No worker is left, or too many workers died while they computed one task."""


class TaskFailed(DistributedError):
    """A worker could not compute a task. The text contains its error."""


class ResultRejected(DistributedError):
    """A worker sent a wrong result: damaged, of another task, or not reproducible."""


class JobTimeout(DistributedError, TimeoutError):
    """A job took longer than its time limit."""


# Python's names of the functions of the C++ library. A class stands for its functions without a
# line of their own. Functions with the same name in both are not listed.
_CALLS = {
    "BatchEncoder::decode": "SecretContext.decode",
    "CKKSEncoder::decode": "SecretContext.decode",
    "Ciphertext::bring_to_host": "Ciphertext.to_host",
    "CiphertextMatrix": "Ciphertext.__rmatmul__",
    "Circuit::add": "CircuitValue.__add__",
    "Circuit::conjugate": "CircuitValue.conjugate",
    "Circuit::multiply": "CircuitValue.__mul__",
    "Circuit::negate": "CircuitValue.__neg__",
    "Circuit::rotate": "CircuitValue.rotate",
    "Circuit::subtract": "CircuitValue.__sub__",
    "Circuit::sum": "CircuitValue.__rmatmul__",
    "CircuitPlan": "Circuit",
    "CircuitRunner::run": "CircuitRunner.__call__",
    "Decryptor": "SecretContext.decrypt",
    "Decryptor::invariant_noise_budget": "SecretContext.noise_budget",
    "Device::from_environment (RINGLET_DEVICE)": "device (RINGLET_DEVICE)",
    "Device::gpu": "device",
    "Device::parse": "device",
    "Encryptor": "SecretContext.encrypt",
    "Encryptor::encrypt": "PublicContext.encrypt",
    "Evaluator::add": "Ciphertext.add",
    "Evaluator::add_plain": "Ciphertext.add",
    "Evaluator::complex_conjugate": "Ciphertext.conjugate",
    "Evaluator::exponentiate": "Ciphertext.__pow__",
    "Evaluator::mod_switch_to": "Ciphertext.mod_switch_to",
    "Evaluator::mod_switch_to_next": "Ciphertext.mod_switch_to_next",
    "Evaluator::multiply": "Ciphertext.multiply",
    "Evaluator::multiply_plain": "Ciphertext.multiply",
    "Evaluator::negate": "Ciphertext.__neg__",
    "Evaluator::relinearize": "Ciphertext.relinearize",
    "Evaluator::relinearize_and_rescale_to_next": "Ciphertext.__mul__",
    "Evaluator::rescale_to_next": "Ciphertext.rescale",
    "Evaluator::rotate_columns": "Ciphertext.swap_rows",
    "Evaluator::rotate_rows": "Ciphertext.rotate_rows",
    "Evaluator::rotate_vector": "Ciphertext.rotate",
    "Evaluator::square": "Ciphertext.square",
    "Evaluator::sub": "Ciphertext.subtract",
    "Evaluator::sub_plain": "Ciphertext.subtract",
    "Event": "Device.time",
    "KeyGenerator::create_galois_keys": "SecretContext.public",
    "KeyGenerator::create_relin_keys": "SecretContext.public",
    "KnownMatrix": "CircuitValue.__rmatmul__",
    "KnownVector": "CircuitValue",
    "SlotEncoder::decode": "SecretContext.decode",
    "SlotEncoder::rotate_inplace": "Ciphertext.rotate_slots",
    "TracingEvaluator": "SecretContext.trace",
    "WideNtt": "wide.Ntt",
    "WideProduct": "fv.PublicKey.encrypt",
    "default_parameters": "Parameters",
    "fv::Context::add": "fv.Ciphertext.__add__",
    "fv::Decryptor": "fv.SecretKey.decrypt",
    "fv::Decryptor::noise_budget": "fv.SecretKey.noise_budget",
    "fv::Encryptor": "fv.PublicKey.encrypt",
    "fv::KeyGenerator": "fv.SecretKey.generate",
    "least_chebyshev_approximation": "chebyshev_approximation",
    "matrix_vector": "CircuitValue.__rmatmul__",
}
_CLASSES = {
    "Ciphertext": "Evaluator SchemeOperations SeededCiphertext Storage",
    "CircuitRunner.estimate": "NoiseEstimate NoiseEstimator",
    "Device": "DeviceGroup DriverDevice GpuNtt Queue",
    "Parameters": (
        "BasisConversion CoeffModulus CyclotomicPolynomial CyclotomicReduction "
        "EncryptionParameters Modulus PlainModulus RingSpec RnsBasis RnsScaling"
    ),
    "SecretContext": "Context KeyGenerator RandomSource RandomStream",
    "SecretContext.public": "GaloisKeys KSwitchKey PublicKey RelinKeys",
    "encode": "BatchEncoder CKKSEncoder CyclotomicSlots SlotEncoder",
    "wide.Eltwise": "WideEltwise WideModulus WideOperand WideResult",
}
_CALLS |= {name: call for call, names in _CLASSES.items() for name in names.split()}


def _of_library(kind: str, name: str, *texts: str) -> RingletError:
    """Returns an error of the C++ library as a Python exception that names the Python call."""
    owner = name.rpartition("::")[0]
    call = _CALLS.get(name) or _CALLS.get(owner) or name.replace("::", ".")
    error: RingletError = globals()[kind](call, *texts)
    return error


_CALL = re.compile(r"^    \d+\. (\w+)\((.*)\)(?: -> (.*))?$", re.MULTILINE)
_ARGUMENT = re.compile(r"(\w+)(?:: ((?:[^,=\[]|\[[^\]]*\])+))?( ?= ?(?:'[^']*'|[^,]*))?(?:, |$)")
_PLACES = re.compile(r"ringlet\._core\.|collections\.abc\.|numpy\.typing\.|nanobind\.")
_CLASS = re.compile(r"\b(Ckks|Bfv|Bgv)(?=[A-Z])")


def _of_call(text: str) -> WrongCall:
    """Returns the error for a call that fits no signature. It turns nanobind's text into one
    sentence."""
    text = _CLASS.sub(lambda scheme: scheme[0].lower() + ".", _PLACES.sub("", text))
    text, _, invoked = text.partition("\nInvoked with types: ")
    found = _CALL.search(text)
    name, arguments, result = found.groups() if found else (text.partition("(")[0], "", "")
    takes = {key: (kind or "object").strip() for key, kind, _ in _ARGUMENT.findall(arguments)}
    places = [key for key, _, _ in _ARGUMENT.findall(arguments.partition("*, ")[0])]
    invoked, _, named = invoked.partition("kwargs = { ")
    placed = [kind for kind in invoked.split(", ") if kind]
    given = dict(zip(places, placed, strict=False))
    given |= dict(pair.split(": ") for pair in named.rstrip(" }").split(", ") if pair)
    owner = given.pop("self", None) or (given.pop("cls", None) and result)
    count = len(placed) - bool(owner)
    operation = re.sub(r"\.__(?:init|new)__$", "", f"{owner}.{name}" if owner else name)
    wrong = [f"there is no argument {key}" for key in given if key not in takes]
    if len(placed) > len(places):
        wrong.append(f"{count} positional arguments")
    if wrong:
        names = ", ".join(key for key in takes if key not in ("self", "cls"))
        limit, remedy = f"the arguments are {names or 'none'}", "pass only these arguments, by name"
        return WrongCall(operation, ", ".join(wrong), limit, remedy)
    given |= {
        key: "missing"
        for key, _, default in _ARGUMENT.findall(arguments)
        if not default and key not in ("self", "cls", *given)
    }
    return WrongCall(
        operation,
        ", ".join(f"{key} is {kind}" for key, kind in given.items()),
        ", ".join(f"{key}: {takes[key]}" for key in given),
        "pass arguments of these types",
    )
