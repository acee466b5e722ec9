# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on encrypted arrays: `numpy.sum(x)` is `x.sum()`, and so on.

Functions that only move elements are called with arrays of indices in place of the encrypted ones.
What has no entry here is refused, by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import RingletError
from . import images, linear, sums
from .refusals import compared, known_numbers, needs_decryption, refuse, refuse_call
from .storage import Blocks

if TYPE_CHECKING:
    from collections.abc import Callable

#: Functions that move elements and keep the axes: the places of axes stay too.
_MOVES_ALONG_AXES = [
    np.flip, np.fliplr, np.flipud, np.repeat, np.roll, np.take, np.tile, np.tril, np.triu,
    np.compress, np.delete,
]  # fmt: skip
#: Functions that move elements to other axes.
_MOVES = [
    np.diag, np.diagflat, np.diagonal, np.rot90, np.take_along_axis,
]  # fmt: skip
#: Functions that give a list of parts.
_SPLITS = [np.array_split, np.dsplit, np.hsplit, np.split, np.vsplit]
#: Functions that join a sequence of arrays.
_JOINS = [np.block, np.column_stack, np.concatenate, np.dstack, np.hstack, np.stack, np.vstack]
#: What stays encrypted cannot decide: NumPy's functions whose results depend on an order.
_NEEDS_ORDER = [
    np.all, np.any, np.argmax, np.argmin, np.argsort, np.argwhere, np.count_nonzero, np.digitize,
    np.histogram, np.max, np.median, np.min, np.nonzero, np.percentile, np.ptp, np.quantile,
    np.searchsorted, np.sort, np.unique, np.where,
]  # fmt: skip
_ORDER_REMEDY = "decrypt first, or compare elements with x.compare(y, sign_approximation(...))"


def _encrypted(values: Any) -> list[Any]:
    """Returns the encrypted arrays among nested arguments."""
    if isinstance(values, Blocks):
        return [values]
    if isinstance(values, (list, tuple)):
        return [array for value in values for array in _encrypted(value)]
    return []


def _replaced(values: Any, indices: list[Any]) -> Any:
    """Returns nested arguments with the next arrays of indices in place of encrypted arrays."""
    if isinstance(values, Blocks):
        return indices.pop(0)
    if isinstance(values, (list, tuple)):
        return type(values)(_replaced(value, indices) for value in values)
    return values


def _moved(function: Callable[..., Any], arguments: Any, options: Any, keeps_axes: bool) -> Any:
    arrays = _encrypted(arguments)
    place = 1 if function is np.compress else 0
    is_alone = bool(arrays) and len(_encrypted(arguments[place])) == len(arrays)
    if not is_alone or _encrypted(list(options.values())):
        refuse(
            function.__name__, "an encrypted array by name or among the options",
            "options in the clear", "pass the array without its name",
        )  # fmt: skip
    axes = {a: a for a in range(arrays[0].ndim)} if keeps_axes else {}

    def on_indices(*indices: Any) -> Any:
        return function(*_replaced(arguments, list(indices)), **options)

    return linear.select(arrays, on_indices, axes)


def _join(function: Callable[..., Any], arguments: Any, options: Any) -> Any:
    """Joins encrypted arrays; zeros in the clear may be among them."""
    parts = arguments[0]
    for part in parts if isinstance(parts, (list, tuple)) else ():
        if not _encrypted(part) and np.any(np.asarray(part)):
            refuse(
                function.__name__, "a part of known numbers", "encrypted arrays, or zeros",
                "join with zeros, and add the known numbers to the result",
            )  # fmt: skip
    return _moved(function, arguments, options, keeps_axes=False)


def _split(function: Callable[..., Any], arguments: Any, options: Any) -> list[Any]:
    (array,) = _encrypted(arguments)
    parts = function(linear.numbered(array.shape), *arguments[1:], **options)
    axes = {a: a for a in range(array.ndim)}
    return [linear.select([array], lambda _, part=part: part, axes) for part in parts]


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    if np.any(options.get("constant_values", 0)):
        refuse("pad", "constant_values other than 0", "zeros", "pad with 0 and add the constants")
    if callable(mode) or mode in ("maximum", "minimum", "mean", "median", "linear_ramp", "empty"):
        refuse("pad", f"mode = {mode!r}", "modes that copy elements", "use constant, edge, wrap...")
    return _moved(np.pad, (array, pad_width, mode), options, keeps_axes=True)


def _append(a: Any, b: Any, axis: int | None = None) -> Any:
    parts = (a, b) if axis is not None else (np.ravel(a), np.ravel(b))
    return np.concatenate(parts, 0 if axis is None else axis)


def _outer(a: Any, b: Any) -> Any:
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


def _inner(a: Any, b: Any) -> Any:
    return _dot(a, b if np.ndim(b) < 2 else np.swapaxes(b, -1, -2))


def _average(array: Any, axis: Any = None, weights: Any = None, **options: Any) -> Any:
    if weights is None:
        return array.mean(axis, **options)
    if isinstance(weights, Blocks):
        refuse("average", "encrypted weights", "weights in the clear", "use (x * w).sum()")
    numbers = known_numbers("average", weights, array.is_exact)
    if numbers.shape != array.shape:
        shape = [1] * array.ndim
        shape[axis] = -1
        numbers = np.broadcast_to(numbers.reshape(shape), array.shape)
    return (array * (numbers / numbers.sum(axis, keepdims=True))).sum(axis, **options)


def _cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None
) -> Any:
    if y is not None or m.ndim > 2:
        limit = "one vector or matrix"
        refuse("cov", "two arrays, or more than two axes", limit, "use cov(np.vstack([x, y]))")
    rows: Any = np.atleast_2d(m)
    rows = rows if rowvar or m.ndim == 1 else rows.T
    x = sums.deviations("cov", rows, 1, (0 if bias else 1) if ddof is None else ddof)
    return np.squeeze(x @ x.conj().T)


def _dot(a: Any, b: Any) -> Any:
    if np.ndim(a) > 1 and np.ndim(b) > 2:
        refuse("dot", f"shapes {np.shape(a)} and {np.shape(b)}", "up to two axes", "use matmul")
    return a * b if 0 in (np.ndim(a), np.ndim(b)) else a @ b


def _polyval(p: Any, x: Any) -> Any:
    if isinstance(p, Blocks):
        refuse("polyval", "encrypted coefficients", "coefficients in the clear", "sum powers")
    return x.polynomial(np.asarray(p)[::-1])


def _reordered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that only changes the order of axes: nothing moves."""

    def call(x: Any, *arguments: Any, **options: Any) -> Any:
        numbered_axes = np.broadcast_to(0, range(1, x.ndim + 1))
        order = [n - 1 for n in function(numbered_axes, *arguments, **options).shape]
        return x.transpose(order)

    return call


def _reshaped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that only adds or leaves out axes of length 1: nothing moves."""

    def call(x: Any, *arguments: Any, **options: Any) -> Any:
        return x.reshape(function(np.broadcast_to(False, x.shape), *arguments, **options).shape)

    return call


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: lambda x, axis=None, keepdims=False: x.sum(axis, keepdims),
    np.mean: lambda x, axis=None, keepdims=False: x.mean(axis, keepdims),
    np.var: lambda x, axis=None, ddof=0, keepdims=False: x.var(axis, ddof, keepdims),
    np.cumsum: lambda x, axis=None: x.cumsum(axis),
    np.ravel: lambda x: x.ravel(),
    np.reshape: lambda x, shape: x.reshape(shape),
    np.append: _append,
    np.atleast_1d: _reshaped(np.atleast_1d),
    np.atleast_2d: _reshaped(np.atleast_2d),
    np.atleast_3d: _reshaped(np.atleast_3d),
    np.average: _average,
    np.broadcast_to: lambda x, shape: x.broadcast_to(tuple(np.atleast_1d(shape).tolist())),
    np.cov: _cov,
    np.convolve: images.convolve,
    np.diff: lambda x, n=1, axis=-1: linear.difference(x, n, axis),
    np.dot: _dot,
    np.expand_dims: _reshaped(np.expand_dims),
    np.inner: _inner,
    np.ndim: lambda x: x.ndim,
    np.ones_like: lambda x: np.ones(x.shape, x.dtype),
    np.outer: _outer,
    np.pad: _pad,
    np.polyval: _polyval,
    np.shape: lambda x: x.shape,
    np.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
    np.squeeze: _reshaped(np.squeeze),
    np.moveaxis: _reordered(np.moveaxis),
    np.rollaxis: _reordered(np.rollaxis),
    np.swapaxes: _reordered(np.swapaxes),
    np.trace: lambda x, offset=0: np.diagonal(x, offset).sum(-1),
    np.transpose: lambda x, axes=None: x.transpose(axes),
    np.zeros_like: lambda x: np.zeros(x.shape, x.dtype),
    np.vdot: lambda a, b: np.dot(np.ravel(np.conj(a)), np.ravel(b)),
}


def _operator(name: str) -> Callable[[Any, Any], Any]:
    """Returns a call of the operator's method of the encrypted operand, the left one of two."""

    def call(a: Any, b: Any) -> Any:
        method = getattr(a, f"__{name}__") if isinstance(a, Blocks) else None
        return method(b) if method else getattr(b, f"__r{name}__")(a)

    return call


_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: _operator("add"),
    np.conjugate: lambda a: a.conj(),
    np.divide: _operator("truediv"),
    np.matmul: linear.matmul,
    np.multiply: _operator("mul"),
    np.negative: lambda a: -a,
    np.positive: lambda a: a,
    np.power: _operator("pow"),
    np.square: lambda a: a * a,
    np.subtract: _operator("sub"),
}
_COMPARISONS = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]


_SIGN = "ringlet.sign_approximation(gap, precision)"
_APPROXIMATION = "use x.polynomial(ringlet.chebyshev_approximation(f, interval, error=...))"
#: What to write instead of calls that are refused.
_REMEDIES = {
    "argmax": "use ringlet.arrays.one_hot_argmax(x, axis), or decrypt first",
    "argmin": "use ringlet.arrays.one_hot_argmax(-x, axis), or decrypt first",
    "absolute": f"use x.absolute({_SIGN})",
    "fabs": f"use x.absolute({_SIGN})",
    "sign": f"use x.sign({_SIGN})",
    "maximum": f"use x.maximum(y, {_SIGN})",
    "minimum": f"use x.minimum(y, {_SIGN})",
    "clip": f"use x.maximum(low, {_SIGN}), then minimum",
    "reciprocal": "use x.inverse(ringlet.inverse_approximation(interval, error))",
    "corrcoef": "use cov, and divide by the roots of its diagonal after decryption",
    "std": "use var, and take the root after decryption",
    "einsum": "use @, transpose and sum",
    "tensordot": "use @, transpose and sum",
    "kron": "use outer and reshape",
    **dict.fromkeys(
        ("cbrt", "cos", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "power", "sin",
         "sqrt", "tan", "tanh"),
        _APPROXIMATION,
    ),
}  # fmt: skip


def refuse_numpy(name: str) -> NoReturn:
    """Raises WrongCall for a function of NumPy, with what to write instead."""
    refuse_call(
        f"numpy.{name}", "an encrypted array", "the functions that docs/arrays.md lists",
        _REMEDIES.get(name, "write it with those, or decrypt first"),
    )  # fmt: skip


def _called(name: str, function: Callable[..., Any], arguments: Any, options: Any) -> Any:
    """Calls an implementation, and refuses arguments that it does not have."""
    given = {key: value for key, value in options.items() if value is not np._NoValue}
    try:
        return function(*arguments, **given)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise
        refuse_call(
            f"numpy.{name}", f"arguments {', '.join(given) or 'in this number'}",
            "the arguments that docs/arrays.md lists", "leave out the others",
        )  # fmt: skip


def call_ufunc(ufunc: Any, method: str, inputs: Any, options: Any) -> Any:
    """Implements __array_ufunc__."""
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    if method == "reduce" and ufunc is np.add:
        return _called(name, _FUNCTIONS[np.sum], inputs, {"axis": 0, **options})
    if ufunc in _COMPARISONS:
        compared()
    if method != "__call__" or ufunc not in _UFUNCS:
        refuse_numpy(name)
    if any(isinstance(i, Blocks) for i in inputs):
        return _called(name, _UFUNCS[ufunc], inputs, options)
    return refuse_numpy(name)


def call_function(function: Any, arguments: Any, options: Any) -> Any:
    """Implements __array_function__. What NumPy says about shapes and axes becomes an error of the
    package."""
    try:
        return _dispatched(function, arguments, options)
    except RingletError:
        raise
    except (ValueError, IndexError, TypeError) as error:
        name = function.__name__
        limit = f"what numpy.{name} takes of these shapes"
        refuse(name, str(error).replace("\n", " "), limit, "pass other arguments")


def _dispatched(function: Any, arguments: Any, options: Any) -> Any:
    name = function.__name__
    if function in _FUNCTIONS:
        return _called(name, _FUNCTIONS[function], arguments, options)
    if function in _MOVES_ALONG_AXES or function in _MOVES:
        return _moved(function, arguments, options, function in _MOVES_ALONG_AXES)
    if function in _SPLITS:
        return _split(function, arguments, options)
    if function in _JOINS:
        return _join(function, arguments, options)
    if function in _NEEDS_ORDER:
        remedy = _REMEDIES.get(name, _ORDER_REMEDY)
        refuse_call(f"numpy.{name}", "an encrypted array", "arrays in the clear", remedy)
    if function in (np.array_equal, np.allclose, np.isclose, np.array2string, np.save, np.savez):
        needs_decryption(f"numpy.{name}")
    return refuse_numpy(name)
